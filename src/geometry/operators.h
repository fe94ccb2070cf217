// SPDX-License-Identifier: Apache-2.0
// Shapes made of shapes. Their distances are bounds (shape.h) unless said otherwise.
#pragma once

#include "geometry/shape.h"

#include <utility>
#include <vector>

namespace talus::geometry {

/// Points in any of the parts. Exact outside if the parts are.
class Union final : public Shape {
public:
    explicit Union(std::vector<ShapePtr> parts) : parts_(std::move(parts)) {}
    Surface surface(const Vec3& p) const override;
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;
    double distance(const Vec3& p) const override;
    bool exact() const override { return parts_.size() == 1 && parts_.front()->exact(); }
    Aabb levelBounds(double level) const override;
    ContactFeatures findContactFeatures() const override;   // those of the parts; ones inside another part never touch

private:
    std::vector<ShapePtr> parts_;
};

/// Points in all of the parts. Exact inside if the parts are.
class Intersection final : public Shape {
public:
    explicit Intersection(std::vector<ShapePtr> parts) : parts_(std::move(parts)) {}
    Surface surface(const Vec3& p) const override;
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;
    double distance(const Vec3& p) const override;
    bool exact() const override { return parts_.size() == 1 && parts_.front()->exact(); }
    Aabb levelBounds(double level) const override;

private:
    std::vector<ShapePtr> parts_;
};

/// Points of `from` that are in none of `minus`. Exact inside if the parts are.
class Difference final : public Shape {
public:
    Difference(ShapePtr from, std::vector<ShapePtr> minus) : from_(std::move(from)), minus_(std::move(minus)) {}
    Surface surface(const Vec3& p) const override;
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;
    double distance(const Vec3& p) const override;
    bool exact() const override { return false; }
    Aabb levelBounds(double level) const override { return from_->levelBounds(level); }

private:
    ShapePtr from_;
    Union minus_;
};

/// Grown by `by` [m], which rounds edges, or shrunk where it is negative: {distance of the shape <= by}.
class Offset final : public Shape {
public:
    Offset(ShapePtr of, double by) : of_(std::move(of)), by_(by) {}
    Surface surface(const Vec3& p) const override;
    double distance(const Vec3& p) const override { return of_->distance(p) - by_; }
    bool exact() const override { return false; }
    Aabb levelBounds(double level) const override { return of_->levelBounds(by_ + level); }
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;

private:
    ShapePtr of_;
    double by_;
};

/// A wall of `thickness` [m] with the surface of the shape in its middle.
class Shell final : public Shape {
public:
    Shell(ShapePtr of, double thickness) : of_(std::move(of)), half_(0.5 * thickness) {}
    Surface surface(const Vec3& p) const override;
    double distance(const Vec3& p) const override { return std::abs(of_->distance(p)) - half_; }
    bool exact() const override { return false; }
    Aabb levelBounds(double level) const override { return of_->levelBounds(half_ + level); }
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;

private:
    ShapePtr of_;
    double half_;
};

/// The shape moved from its own frame to another place. As exact as the shape.
class Placed final : public Shape {
public:
    Placed(ShapePtr of, const RigidTransform& placement)
        : of_(std::move(of)),
          rotation_(placement.rotation.normalizedQuat().matrix()),
          inverse_(transpose(rotation_)),
          translation_(placement.translation) {}
    Surface surface(const Vec3& p) const override;
    double distance(const Vec3& p) const override { return of_->distance(inverse_ * (p - translation_)); }
    bool exact() const override { return of_->exact(); }
    Aabb levelBounds(double level) const override;
    double measureVolume() const override { return of_->volume(); }
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override;
    std::shared_ptr<const Mesh> ownMesh() const override;
    MassProperties massProperties() const override { return placed(of_->massProperties(), rotation_, translation_); }
    ContactFeatures findContactFeatures() const override;

private:
    ShapePtr of_;
    Mat3 rotation_, inverse_;
    Vec3 translation_;
};

}  // namespace talus::geometry
