// SPDX-License-Identifier: Apache-2.0
// Whether there is room for a sphere among others and bodies.
#pragma once

#include "dem/clump_template.h"
#include "world/body.h"
#include "world/domain.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace talus::dem {

/// Spheres that are in the way, found by the cell in which they lie. Cells are at least as wide as two of the largest spheres together; along periodic
/// axes a whole number of them is the period.
class Room {
public:
    Room(const world::Domain&, std::span<const world::BodySnapshot>, double largestRadius);

    void add(const Vec3& centre, double radius) { cells_[cellOf(domain_.wrap(centre))].push_back({centre, radius}); }
    bool has(const Vec3& centre, double radius) const;

private:
    using Cell = std::array<long, 3>;
    Cell cellOf(const Vec3& wrapped) const;
    const world::Domain& domain_;
    std::span<const world::BodySnapshot> bodies_;
    Vec3 size_;                            // of cells [m]
    std::array<long, 3> ofPeriod_{};       // cells of a period; 0 where there is none
    std::map<Cell, std::vector<TemplateSphere>> cells_;
};

}  // namespace talus::dem
