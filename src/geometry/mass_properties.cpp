// SPDX-License-Identifier: Apache-2.0
#include "geometry/mass_properties.h"

#include "geometry/shape.h"

#include <algorithm>
#include <stdexcept>

namespace talus::geometry {
namespace {

struct Moments {
    double volume = 0;
    Vec3 first;     // ∫ x dV
    Mat3 second;    // ∫ x xᵀ dV
};

/// A box filled to a part, as if evenly.
void add(const Aabb& cell, double part, Moments& sum) {
    const Vec3 size = cell.size(), centre = cell.centre();
    const double volume = part * size.x * size.y * size.z;
    sum.volume += volume;
    sum.first += volume * centre;
    sum.second += volume * (Mat3::outer(centre, centre) + Mat3::diagonal(componentProduct(size, size) / 12.0));
}

/// As in Shape::measureVolume: cells that the surface cannot cross are settled at once, at a leaf the surface is a plane.
void integrate(const Shape& shape, const Aabb& cell, double leaf, Moments& sum) {
    const Vec3 size = cell.size();
    const Surface s = shape.surface(cell.centre());
    if (std::abs(s.distance) >= 0.5 * norm(size)) {
        if (s.distance < 0) add(cell, 1, sum);
        return;
    }
    if (maxComponent(size) <= leaf) {
        const double reach = std::abs(s.normal.x) * size.x + std::abs(s.normal.y) * size.y + std::abs(s.normal.z) * size.z;
        return add(cell, std::clamp(0.5 - s.distance / reach, 0.0, 1.0), sum);
    }
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    Aabb low = cell, high = cell;
    low.max[axis] = high.min[axis] = cell.centre()[axis];
    integrate(shape, low, leaf, sum);
    integrate(shape, high, leaf, sum);
}

}  // namespace

MassProperties placed(const MassProperties& of, const Mat3& rotation, const Vec3& translation) {
    return {of.volume, rotation * of.centre + translation, rotation * of.inertia * transpose(rotation)};
}

MassProperties measuredMassProperties(const Shape& shape) {
    if (!shape.bounded()) throw std::invalid_argument("a shape without end has no mass");
    const Aabb box = shape.bounds();
    Moments sum;
    if (!box.empty()) integrate(shape, box, maxComponent(box.size()) / 128, sum);
    if (!(sum.volume > 0)) return {};
    const Vec3 centre = sum.first / sum.volume;
    const Mat3 second = sum.second - sum.volume * Mat3::outer(centre, centre);
    return {sum.volume, centre, trace(second) * Mat3::identity() - second};
}

MassProperties Shape::massProperties() const { return measuredMassProperties(*this); }

}  // namespace talus::geometry
