// SPDX-License-Identifier: Apache-2.0
#include "dem/room.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {

Room::Room(const world::Domain& domain, std::span<const world::BodySnapshot> bodies, double largestRadius) : domain_(domain), bodies_(bodies) {
    for (int axis = 0; axis < 3; ++axis) {
        size_[axis] = 2 * largestRadius;
        if (!domain.periodic(axis)) continue;
        const double period = domain.max[axis] - domain.min[axis], count = std::max(1.0, std::floor(period / size_[axis]));
        size_[axis] = period / count;
        ofPeriod_[static_cast<std::size_t>(axis)] = static_cast<long>(count);
    }
}

Room::Cell Room::cellOf(const Vec3& wrapped) const {
    Cell cell;
    for (std::size_t k = 0; k < 3; ++k) {
        const int axis = static_cast<int>(k);
        cell[k] = static_cast<long>(std::floor((wrapped[axis] - domain_.min[axis]) / size_[axis]));
        if (ofPeriod_[k] > 0) cell[k] = std::clamp(cell[k], 0L, ofPeriod_[k] - 1);
    }
    return cell;
}

bool Room::has(const Vec3& centre, double radius) const {
    constexpr double kTouching = 1 - 1e-9;
    const Vec3 x = domain_.wrap(centre);
    for (const world::BodySnapshot& body : bodies_)
        if (body.distance(x) < kTouching * radius) return false;
    const Cell own = cellOf(x);
    std::array<Cell, 27> visited;
    auto seen = visited.begin();
    for (long k = 0; k < 27; ++k) {
        Cell cell{own[0] + k % 3 - 1, own[1] + k / 3 % 3 - 1, own[2] + k / 9 - 1};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (const long count = ofPeriod_[axis]; count > 0) cell[axis] = (cell[axis] + count) % count;
        if (std::find(visited.begin(), seen, cell) != seen) continue;   // a period has fewer than three
        *seen++ = cell;
        const auto found = cells_.find(cell);
        if (found == cells_.end()) continue;
        for (const TemplateSphere& other : found->second)
            if (norm(domain_.nearestImage(x - other.centre)) < kTouching * (radius + other.radius)) return false;
    }
    return true;
}

}  // namespace talus::dem
