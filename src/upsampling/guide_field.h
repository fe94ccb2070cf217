// SPDX-License-Identifier: Apache-2.0
// Guides at an instant, sorted by cells, so that those near a box are found quickly.
#pragma once

#include "core/vec.h"
#include "world/domain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::upsampling {

struct GuideState {
    Vec3 position, velocity;     // [m], [m/s]
    std::uint32_t number = 0;    // among the guides that were placed
};

class GuideField {
public:
    explicit GuideField(const world::Domain& domain) : domain_(domain) {}

    /// Takes guides over; cells are no smaller than `reach` [m], or than their number demands.
    void place(std::span<const GuideState>, double reach);

    /// Appends the guides closer to the box than `reach` [m], and their images beyond periodic faces, in an order that
    /// depends on place and guides alone.
    void near(const Aabb& box, double reach, std::vector<GuideState>& found) const;

    std::size_t count() const { return sorted_.size(); }

private:
    std::size_t cellOf(const Vec3& x) const;

    world::Domain domain_;
    Vec3 origin_, cell_{1, 1, 1};                 // corner and sides of cells [m]
    std::array<std::int64_t, 3> cells_{1, 1, 1};
    std::vector<GuideState> sorted_;              // by cell, x fastest
    std::vector<std::uint32_t> first_;            // of each cell, and the end
};

}  // namespace talus::upsampling
