// SPDX-License-Identifier: Apache-2.0
// A point block's private piece of the grid: 8x8x8 nodes, its own 4x4x4 with two more around (one for the kernel, one for
// the drift of points between sorts). Points scatter into it without locks; tiles are then added to the nodes in a fixed
// order, so the sums have the same bits for any number of threads.
#pragma once

#include "core/table.h"
#include "core/wide.h"
#include "mpm/blocks.h"

#include <algorithm>
#include <span>

namespace talus::mpm {

inline constexpr int kTileSide = 8, kTileNodes = 512;
/// Mass, momentum, 0, impulse of the step; later mass, velocity, 0, velocity at the start of the step. Where nodes have memories a (transfer.h),
/// mass times a stands in the place of the first 0, a in that of the second, and the last velocity is times a.
inline constexpr int kNodeReals = 8;

template <class Real>
using NodeValues = AlignedVector<Real>;   // kNodeReals per node unless said otherwise, nodes of a block in (x, y, z) order, z fastest

/// Σ w v over the nodes of a point, and its moments Σ w k v about the base node along x, y, z.
template <class Real>
struct NodeSums {
    Wide<Real> value, x, y, z;
};

/// Numbers that a tile of one number per node needs: rows are worked on four nodes at a time, and the last one reaches beyond.
inline constexpr std::size_t kNumberTile = kTileNodes + 4;

/// Room for as many numbers and no more; what was in it is lost.
template <class Real>
void makeRoom(NodeValues<Real>& values, std::size_t size) {
    if (size > values.capacity()) {
        values = {};
        values.reserve(size);
    }
    values.resize(size);
}

/// The part of a tile that a block's points reach, [low, high) along each axis: 6 of 8 nodes right after a sort, 8 before the next one.
struct Reach {
    Vec3i low{0, 0, 0}, high{kTileSide, kTileSide, kTileSide};
};
template <class Stencil, class Real>
Reach reachOf(const PointBlock& block, const Column<Real, 3>& position) {
    Reach reach;
    for (int axis = 0; axis < 3; ++axis) {
        Wide<Real> least = Real(kTileSide), most = Real(-kTileSide);   // padding lies in the middle
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
            const Wide<Real> p = Wide<Real>::load(position.group(g) + 8 * axis);
            least = min(least, p);
            most = max(most, p);
        }
        constexpr int kOrigin = 2;   // tile index 0 is node −2
        reach.low[axis] = std::clamp(Stencil::first(minLane(least)) + kOrigin, 0, kTileSide);
        reach.high[axis] = std::clamp(Stencil::first(maxLane(most)) + Stencil::kNodes + kOrigin, reach.low[axis], kTileSide);
    }
    return reach;
}

/// First tile index, first local node and number of nodes along an axis that a node block shares with the tile of its
/// neighbour at offset −1, 0 or 1, as far as the tile is reached.
struct Overlap {
    int tile, local, count;
};
constexpr Overlap overlap(int offset, int low, int high) {
    const Overlap all = offset < 0 ? Overlap{6, 0, 2} : offset == 0 ? Overlap{2, 0, 4} : Overlap{0, 2, 2};
    const int first = std::max(all.tile, low), last = std::min(all.tile + all.count, high);
    return {first, all.local + first - all.tile, std::max(0, last - first)};
}

/// Calls row(node index in the block, node index in the tile, number of nodes) for what a node block shares with the
/// tile of its neighbour at offset n.
template <class Row>
[[gnu::always_inline]] inline void forSharedRows(int n, const Reach& reach, const Row& row) {
    const Overlap ox = overlap(n / 9 - 1, reach.low.x, reach.high.x), oy = overlap(n / 3 % 3 - 1, reach.low.y, reach.high.y),
                  oz = overlap(n % 3 - 1, reach.low.z, reach.high.z);
    if (oz.count == 0) return;
    for (int x = 0; x < ox.count; ++x)
        for (int y = 0; y < oy.count; ++y)
            row(((ox.local + x) * kBlockSide + oy.local + y) * kBlockSide + oz.local,
                ((ox.tile + x) * kTileSide + oy.tile + y) * kTileSide + oz.tile, oz.count);
}

/// The reached part of a tile = 0.
template <int Reals = kNodeReals, class Real>
void clearTile(const Reach& reach, Real* tile) {
    for (int x = reach.low.x; x < reach.high.x; ++x)
        for (int y = reach.low.y; y < reach.high.y; ++y)
            std::fill_n(tile + Reals * ((x * kTileSide + y) * kTileSide + reach.low.z), Reals * (reach.high.z - reach.low.z), Real(0));
}

/// nodes = the sum of the tiles that reach this block. `tiles` holds the tile of every point block, `reaches` what counts of it.
template <int Reals = kNodeReals, class Real>
void sumTiles(const NodeBlock& block, const Real* tiles, std::span<const Reach> reaches, Real* nodes) {
    std::fill_n(nodes, kBlockNodes * Reals, Real(0));
    for (int n = 0; n < kNeighbours; ++n) {
        const std::int32_t from = block.pointBlocks[static_cast<std::size_t>(n)];
        if (from < 0) continue;
        const Real* tile = tiles + static_cast<std::size_t>(from) * kTileNodes * Reals;
        forSharedRows(n, reaches[static_cast<std::size_t>(from)], [&](int node, int tileNode, int count) {
            Real* to = nodes + Reals * node;
            const Real* add = tile + Reals * tileNode;
            if constexpr (Reals % 8 == 0)
                for (int k = 0; k < Reals * count; k += 8) (Wide<Real>::load(to + k) + Wide<Real>::load(add + k)).store(to + k);
            else
                for (int k = 0; k < Reals * count; ++k) to[k] += add[k];
        });
    }
}

/// tile = the nodes that a point block reaches, within the given part.
template <int Reals = kNodeReals, class Real>
void loadTile(const PointBlock& block, const Reach& reach, const Real* nodes, Real* tile) {
    for (int n = 0; n < kNeighbours; ++n) {
        // Seen from the node block at offset n, this block lies at the opposite offset.
        const Real* from = nodes + static_cast<std::size_t>(block.nodeBlocks[static_cast<std::size_t>(n)]) * kBlockNodes * Reals;
        forSharedRows(kNeighbours - 1 - n, reach, [&](int node, int tileNode, int count) {
            const Real* source = from + Reals * node;
            Real* to = tile + Reals * tileNode;
            if constexpr (Reals % 8 == 0)
                for (int k = 0; k < Reals * count; k += 8) Wide<Real>::load(source + k).store(to + k);
            else
                for (int k = 0; k < Reals * count; ++k) to[k] = source[k];
        });
    }
}

}  // namespace talus::mpm
