// SPDX-License-Identifier: Apache-2.0
#include "geometry/primitives.h"

#include <limits>
#include <numbers>

namespace talus::geometry {
namespace {

using std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Distance and gradient of the quadrant {q <= 0} of a box corner: q are the signed distances to its faces.
Surface corner(const Vec3& q) {
    const Vec3 beyond = max(q, Vec3{});
    const double outside = norm(beyond);
    if (outside > 0) return {outside, beyond / outside};
    if (q.x >= q.y && q.x >= q.z) return {q.x, {1, 0, 0}};
    if (q.y >= q.z) return {q.y, {0, 1, 0}};
    return {q.z, {0, 0, 1}};
}

}  // namespace

Aabb Plane::levelBounds(double level) const {
    Aabb box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (int axis = 0; axis < 3; ++axis) {
        if (normal_[axis] == 1) box.max[axis] = offset_ + level;
        if (normal_[axis] == -1) box.min[axis] = -offset_ - level;
    }
    return box;
}

Surface Box::surface(const Vec3& p) const {
    const Vec3 folded{std::abs(p.x), std::abs(p.y), std::abs(p.z)};
    const Surface s = corner(folded - half_ + Vec3{rounding_, rounding_, rounding_});
    return {s.distance - rounding_,
            {std::copysign(s.normal.x, p.x), std::copysign(s.normal.y, p.y), std::copysign(s.normal.z, p.z)}};
}

double Box::measureVolume() const {
    // Steiner's formula: the inner box of edges e grown by r, plus faces, edges and one sphere.
    const Vec3 e = 2.0 * (half_ - Vec3{rounding_, rounding_, rounding_});
    const double r = rounding_;
    return e.x * e.y * e.z + 2 * r * (e.x * e.y + e.y * e.z + e.z * e.x) + pi * r * r * (e.x + e.y + e.z) +
           4 * pi / 3 * r * r * r;
}

double Sphere::measureVolume() const { return 4 * pi / 3 * radius_ * radius_ * radius_; }

Surface Cylinder::surface(const Vec3& p) const {
    const double z = p.z - 0.5 * height_;
    const Surface s = corner({axisDistance(p) - radius_, -kInfinity, std::abs(z) - 0.5 * height_});
    return {s.distance, fromMeridian(p, s.normal.x, std::copysign(s.normal.z, z))};
}

double Cylinder::measureVolume() const { return pi * radius_ * radius_ * height_; }

Surface Capsule::surface(const Vec3& p) const {
    const Vec3 fromAxis = p - Vec3{0, 0, std::clamp(p.z, -halfHeight_, halfHeight_)};
    return {norm(fromAxis) - radius_, normalized(fromAxis, {1, 0, 0})};
}

double Capsule::measureVolume() const { return pi * radius_ * radius_ * (2 * halfHeight_ + 4.0 / 3 * radius_); }

Surface Cone::surface(const Vec3& p) const {
    // In the meridian plane the frustum is a convex quadrilateral: inside, the nearest face counts; outside, the face or
    // rim whose normal cone holds the point.
    const double r = axisDistance(p), slant = std::hypot(height_, top_ - bottom_);
    const double tangentR = (top_ - bottom_) / slant, tangentZ = height_ / slant;
    const double along = (r - bottom_) * tangentR + p.z * tangentZ;
    const double side = (r - bottom_) * tangentZ - p.z * tangentR;
    const bool upper = p.z > 0.5 * height_;
    const double cap = upper ? p.z - height_ : -p.z, rim = upper ? top_ : bottom_;
    const Surface onCap{cap, {0, 0, upper ? 1.0 : -1.0}}, onSide{side, fromMeridian(p, tangentZ, -tangentR)};
    if (cap <= 0 && side <= 0) return cap > side ? onCap : onSide;
    if (cap > 0 && r <= rim) return onCap;
    if (side > 0 && along >= 0 && along <= slant) return onSide;
    const bool topRim = along > 0.5 * slant;
    const double dr = r - (topRim ? top_ : bottom_), dz = p.z - (topRim ? height_ : 0), distance = std::hypot(dr, dz);
    return {distance, fromMeridian(p, dr / distance, dz / distance)};
}

Surface Torus::surface(const Vec3& p) const {
    const double dr = std::sqrt(p.x * p.x + p.y * p.y) - radius_, toCircle = std::hypot(dr, p.z);
    const Vec3 outward = toCircle > 0 ? fromMeridian(p, dr / toCircle, p.z / toCircle) : Vec3{0, 0, 1};
    return {toCircle - tube_, outward};
}

double Torus::measureVolume() const { return 2 * pi * pi * radius_ * tube_ * tube_; }

Aabb Cone::levelBounds(double level) const {
    const double r = std::max(bottom_, top_);
    return grown({{-r, -r, 0}, {r, r, height_}}, level);
}

double Cone::measureVolume() const { return pi / 3 * height_ * (bottom_ * bottom_ + bottom_ * top_ + top_ * top_); }

}  // namespace talus::geometry
