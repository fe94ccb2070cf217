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
    std::vector<std::uint32_t> firstOfSphere{0};         // pairs of the first sphere a: firstOfSphere[a] to firstOfSphere[a + 1]
    std::vector<std::uint32_t> b;                        // second sphere of each pair

    std::size_t size() const { return b.size(); }
    /// The first sphere of a pair, by bisection.
    std::uint32_t first(std::size_t pair) const;
    /// The pair of two spheres, the lower grain's first; size() where it is not listed.
    std::size_t find(std::uint32_t a, std::uint32_t b) const;
};

/// Pairs by the grain of the second sphere: those of a grain are firstOfGrain[grain] to firstOfGrain[grain + 1], ascending.
struct SecondsIndex {
    std::vector<std::uint32_t> firstOfGrain, a, b;

    SecondsIndex() = default;
    SecondsIndex(const PairList&, const Spheres&);
};

/// Grains as the search sees them: their centres, images within the domain along periodic axes, and the reach of each.
struct SearchGrains {
    std::span<const Vec3> centres;
    std::span<const double> reach;        // radius of the sphere that holds it [m]
};

/// Cells at least `size` wide over the centres: whole periods along periodic axes, no more cells than are useful. They are numbered by layers
/// across the axis that has most of them, an axis that is not periodic if it has several.
class CellFrame {
public:
    CellFrame(const world::Domain&, std::span<const Vec3> centres, double size);

    std::uint64_t cell(const Vec3& x) const { return (coordinate(x, order_[2]) * count_[order_[1]] + coordinate(x, order_[1])) * count_[order_[0]] + coordinate(x, order_[0]); }
    std::uint64_t cells() const { return count_[0] * count_[1] * count_[2]; }
    std::uint64_t layers() const { return count_[order_[2]]; }
    std::uint64_t cellsOfLayer() const { return count_[order_[0]] * count_[order_[1]]; }
    bool layersWrap() const { return periodic_[order_[2]] && layers() > 1; }
    /// Of x and all around it, each once, ascending.
    void around(const Vec3& x, std::vector<std::uint64_t>& cells) const;

private:
    std::uint64_t coordinate(const Vec3& x, int axis) const;
    Vec3 origin_, size_;
    std::uint64_t count_[3];
    bool periodic_[3];
    int order_[3] = {0, 1, 2};            // axes, that along which cells are numbered first to that across the layers
};

/// Grains by cell: those of cell c are at the places first[c] to first[c + 1].
struct CellRows {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> row;                      // of each place; empty: the place itself, the grains being sorted

    std::uint32_t at(std::uint32_t place) const { return row.empty() ? place : row[place]; }
};
/// Within a cell by rank, or where there is none in the order of the grains.
CellRows rowsByCell(const Exec&, const CellFrame&, std::span<const Vec3> centres, std::span<const std::int64_t> ranks = {});

/// Grains in the order of cells, cut between layers of cells: a slab meets only itself and its neighbours.
struct Slabs {
    std::vector<std::uint32_t> firstGrain{0};            // of each slab, and one past the last
    bool wraps = false;                                  // the last is a neighbour of the first

    std::size_t size() const { return firstGrain.size() - 1; }
    std::size_t of(std::uint32_t grain) const;
    bool neighbours(std::uint32_t lowerGrain, std::uint32_t grain) const;
};
Slabs cutSlabs(const CellFrame&, const CellRows&);

PairList findPairs(const Exec&, const world::Domain&, const SearchGrains&, const Spheres&, double skin);
/// The cells being known, at least twice the longest reach and the skin wide.
PairList findPairs(const Exec&, const world::Domain&, const CellFrame&, const CellRows&, const SearchGrains&, const Spheres&, double skin);

}  // namespace talus::dem
