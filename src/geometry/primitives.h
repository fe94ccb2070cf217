// SPDX-License-Identifier: Apache-2.0
// Solids with a closed-form exact distance, each in its own frame; operators.h places them.
#pragma once

#include "geometry/shape.h"

namespace talus::geometry {

/// The half space below the plane through `point`: (x - point)·normal < 0 is inside.
class Plane final : public Shape {
public:
    Plane(const Vec3& normal, const Vec3& point) : normal_(normalized(normal)), offset_(dot(normal_, point)) {}
    Surface surface(const Vec3& p) const override { return {dot(normal_, p) - offset_, normal_}; }
    Aabb levelBounds(double level) const override;
    ContactFeatures findContactFeatures() const override { return {}; }

private:
    Vec3 normal_;
    double offset_;   // of the plane from the origin along its normal [m]
};

/// Centred at the origin; `size` [m] includes the rounding of edges and corners with radius `rounding`.
class Box final : public Shape {
public:
    explicit Box(const Vec3& size, double rounding = 0) : half_(0.5 * size), rounding_(rounding) {}
    Surface surface(const Vec3& p) const override;
    Aabb levelBounds(double level) const override { return grown({-half_, half_}, level); }
    double measureVolume() const override;
    MassProperties massProperties() const override;
    ContactFeatures findContactFeatures() const override;

private:
    Vec3 half_;
    double rounding_;
};

/// Centred at the origin.
class Sphere final : public Shape {
public:
    explicit Sphere(double radius) : radius_(radius) {}
    Surface surface(const Vec3& p) const override { return {norm(p) - radius_, normalized(p)}; }
    Aabb levelBounds(double level) const override { return grown({Vec3{}, Vec3{}}, radius_ + level); }
    double measureVolume() const override;
    MassProperties massProperties() const override;
    ContactFeatures findContactFeatures() const override;

private:
    double radius_;
};

/// About the z axis from z = 0 to `height`.
class Cylinder final : public Shape {
public:
    Cylinder(double radius, double height) : radius_(radius), height_(height) {}
    Surface surface(const Vec3& p) const override;
    Aabb levelBounds(double level) const override { return grown({{-radius_, -radius_, 0}, {radius_, radius_, height_}}, level); }
    double measureVolume() const override;
    MassProperties massProperties() const override;
    ContactFeatures findContactFeatures() const override;

private:
    double radius_, height_;
};

/// The points within `radius` of the z axis between z = ±height/2.
class Capsule final : public Shape {
public:
    Capsule(double radius, double height) : radius_(radius), halfHeight_(0.5 * height) {}
    Surface surface(const Vec3& p) const override;
    Aabb levelBounds(double level) const override { return grown({{0, 0, -halfHeight_}, {0, 0, halfHeight_}}, radius_ + level); }
    double measureVolume() const override;
    MassProperties massProperties() const override;
    ContactFeatures findContactFeatures() const override;

private:
    double radius_, halfHeight_;
};

/// Frustum about the z axis: bottomRadius at z = 0, topRadius at z = height; one of them may be zero.
class Cone final : public Shape {
public:
    Cone(double bottomRadius, double topRadius, double height) : bottom_(bottomRadius), top_(topRadius), height_(height) {}
    Surface surface(const Vec3& p) const override;
    Aabb levelBounds(double level) const override;
    double measureVolume() const override;
    MassProperties massProperties() const override;
    ContactFeatures findContactFeatures() const override;

private:
    double bottom_, top_, height_;
};

/// About the z axis: the points within `tubeRadius` of the circle of `radius` in the plane z = 0.
class Torus final : public Shape {
public:
    Torus(double radius, double tubeRadius) : radius_(radius), tube_(tubeRadius) {}
    Surface surface(const Vec3& p) const override;
    Aabb levelBounds(double level) const override { return grown({{-radius_, -radius_, 0}, {radius_, radius_, 0}}, tube_ + level); }
    double measureVolume() const override;

private:
    double radius_, tube_;
};

inline double axisDistance(const Vec3& p) { return std::sqrt(p.x * p.x + p.y * p.y); }   // to the z axis

/// A vector (radial, axial) of the half plane through the z axis and p, in space. On the axis the x direction is radial.
inline Vec3 fromMeridian(const Vec3& p, double radial, double axial) {
    const double r = axisDistance(p);
    return r > 0 ? Vec3{radial * (p.x / r), radial * (p.y / r), axial} : Vec3{radial, 0, axial};
}

}  // namespace talus::geometry
