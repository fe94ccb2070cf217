// SPDX-License-Identifier: Apache-2.0
#include "geometry/operators.h"

#include <limits>

namespace talus::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Surface Union::surface(const Vec3& p) const {
    Surface nearest{kInfinity, {0, 0, 1}};
    for (const ShapePtr& part : parts_)
        if (const Surface s = part->surface(p); s.distance < nearest.distance) nearest = s;
    return nearest;
}

double Union::distance(const Vec3& p) const {
    double nearest = kInfinity;
    for (const ShapePtr& part : parts_) nearest = std::min(nearest, part->distance(p));
    return nearest;
}

Aabb Union::levelBounds(double level) const {
    Aabb box;
    for (const ShapePtr& part : parts_) {
        const Aabb b = part->levelBounds(level);
        if (!b.empty()) box = {min(box.min, b.min), max(box.max, b.max)};
    }
    return box;
}

Surface Intersection::surface(const Vec3& p) const {
    Surface furthest{-kInfinity, {0, 0, 1}};
    for (const ShapePtr& part : parts_)
        if (const Surface s = part->surface(p); s.distance > furthest.distance) furthest = s;
    return furthest;
}

double Intersection::distance(const Vec3& p) const {
    double furthest = -kInfinity;
    for (const ShapePtr& part : parts_) furthest = std::max(furthest, part->distance(p));
    return furthest;
}

Aabb Intersection::levelBounds(double level) const {
    Aabb box{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    for (const ShapePtr& part : parts_) {
        const Aabb b = part->levelBounds(level);
        box = {max(box.min, b.min), min(box.max, b.max)};
    }
    return box;
}

Surface Difference::surface(const Vec3& p) const {
    const Surface outer = from_->surface(p), hole = minus_.surface(p);
    return outer.distance >= -hole.distance ? outer : Surface{-hole.distance, -hole.normal};
}

double Difference::distance(const Vec3& p) const { return std::max(from_->distance(p), -minus_.distance(p)); }

Surface Offset::surface(const Vec3& p) const {
    const Surface s = of_->surface(p);
    return {s.distance - by_, s.normal};
}

Surface Shell::surface(const Vec3& p) const {
    const Surface s = of_->surface(p);
    return {std::abs(s.distance) - half_, s.distance < 0 ? -s.normal : s.normal};
}

Surface Placed::surface(const Vec3& p) const {
    const Surface s = of_->surface(inverse_ * (p - translation_));
    return {s.distance, rotation_ * s.normal};
}

Aabb Placed::levelBounds(double level) const {
    constexpr double kNoise = 1e-14;   // of a quarter turn; times an infinite extent it would matter
    const Aabb own = of_->levelBounds(level);
    if (own.empty()) return own;
    Aabb box{translation_, translation_};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double c = rotation_(i, j);
            if (std::abs(c) < kNoise) continue;
            box.min[i] += std::min(c * own.min[j], c * own.max[j]);
            box.max[i] += std::max(c * own.min[j], c * own.max[j]);
        }
    return box;
}

ContactFeatures Placed::findContactFeatures() const {
    ContactFeatures features = of_->contactFeatures();
    for (ContactFeature& f : features) f = {rotation_ * f.from + translation_, rotation_ * f.to + translation_, f.radius};
    return features;
}

ContactFeatures Union::findContactFeatures() const {
    ContactFeatures features;
    for (const ShapePtr& part : parts_) features.insert(features.end(), part->contactFeatures().begin(), part->contactFeatures().end());
    return features;
}

}  // namespace talus::geometry
