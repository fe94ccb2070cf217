// SPDX-License-Identifier: Apache-2.0
#include "geometry/contact_features.h"

#include "geometry/shape.h"

#include <array>
#include <cmath>
#include <map>

namespace talus::geometry {
namespace {

constexpr int kCells = 16;   // along the largest extent

/// Walks down the distance to the surface; false where a bound leads nowhere.
bool toSurface(const Shape& shape, Vec3& x, double tolerance) {
    for (int i = 0; i < 20; ++i) {
        const Surface s = shape.surface(x);
        if (std::abs(s.distance) <= tolerance) return true;
        x -= s.distance * s.normal;
    }
    return false;
}

/// The radius of the largest ball inside that touches the surface at x: the distance inside falls as fast as one walks.
double insideRadius(const Shape& shape, const Vec3& x, const Vec3& normal, double most) {
    constexpr double kSame = 1e-3;
    double radius = 0;
    for (double r = most; r > 1e-3 * most; r *= 0.5)
        if (const double next = radius + r; next <= most && shape.distance(x - next * normal) <= -(1 - kSame) * next) radius = next;
    return radius;
}

}  // namespace

ContactFeatures sampledFeatures(const Shape& shape) {
    const Aabb box = shape.bounds();
    if (box.empty() || !shape.bounded()) return {};
    const double extent = maxComponent(box.size()), cell = extent / kCells;
    std::map<std::array<int, 3>, ContactFeature> found;   // one in a cell
    for (int i = 0; i <= kCells + 1; ++i)
        for (int j = 0; j <= kCells + 1; ++j)
            for (int k = 0; k <= kCells + 1; ++k) {
                Vec3 x = box.min + cell * Vec3{i - 0.5, j - 0.5, k - 0.5};
                if (std::abs(shape.distance(x)) > cell || !toSurface(shape, x, 1e-6 * extent)) continue;
                const Vec3 part = (x - box.min) / cell;
                const std::array<int, 3> key{static_cast<int>(std::floor(part.x)), static_cast<int>(std::floor(part.y)), static_cast<int>(std::floor(part.z))};
                if (found.contains(key)) continue;
                const Vec3 normal = shape.surface(x + 1e-6 * extent * shape.surface(x).normal).normal;
                const double radius = insideRadius(shape, x, normal, 0.5 * extent);
                const Vec3 centre = x - radius * normal;
                found[key] = {centre, centre, radius};
            }
    ContactFeatures features;
    for (const auto& [key, feature] : found) features.push_back(feature);
    return features;
}

const ContactFeatures& Shape::contactFeatures() const {
    std::call_once(featuresFound_, [this] { features_ = findContactFeatures(); });
    return features_;
}

ContactFeatures Shape::findContactFeatures() const { return sampledFeatures(*this); }

}  // namespace talus::geometry
