// SPDX-License-Identifier: Apache-2.0
// Which spheres are near which: a list with a skin, from cells of grains. It stays good until a sphere has moved by half the skin.
#pragma once

#include "core/exec.h"
#include "dem/grains.h"
#include "world/domain.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// Pairs of spheres of different grains whose surfaces are closer than the skin, the first of the lower grain; by first, then
/// second sphere.
struct PairList {
    std::vector<std::uint32_t> a, b;
    std::vector<std::uint32_t> firstOfSphere;            // pairs whose a is the sphere begin here
    std::vector<std::uint32_t> firstOfB, byB;            // pairs whose b belongs to a grain: byB[firstOfB[grain] …), ascending

    std::size_t size() const { return a.size(); }
    /// The pair of two spheres, the lower grain's first; size() where it is not listed.
    std::size_t find(std::uint32_t a, std::uint32_t b) const;
    /// Fills what can be told from a and b.
    void index(const Spheres&);
};

/// Grains as the search sees them: their centres, images within the domain along periodic axes, and the reach of each.
struct SearchGrains {
    std::span<const Vec3> centres;
    std::span<const double> reach;        // radius of the sphere that holds it [m]
};

/// Cells at least `size` wide over the centres: whole periods along periodic axes, no more cells than are useful.
class CellFrame {
public:
    CellFrame(const world::Domain&, std::span<const Vec3> centres, double size);

    std::uint64_t cell(const Vec3& x) const;             // x fastest
    std::uint64_t cells() const { return static_cast<std::uint64_t>(count_[0]) * static_cast<std::uint64_t>(count_[1]) * static_cast<std::uint64_t>(count_[2]); }
    /// Of x and all around it, each once, ascending.
    void around(const Vec3& x, std::vector<std::uint64_t>& cells) const;

private:
    std::int64_t coordinate(const Vec3& x, int axis) const;
    Vec3 origin_, size_;
    std::int64_t count_[3];
    bool periodic_[3];
};

PairList findPairs(const Exec&, const world::Domain&, const SearchGrains&, const Spheres&, double skin);

}  // namespace talus::dem
