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
/// Mass, momentum, 0, impulse of the step; later mass, velocity, 0, velocity at the start of the step.
inline constexpr int kNodeReals = 8;

template <class Real>
using NodeValues = AlignedVector<Real>;   // kNodeReals per node unless said otherwise, nodes of a block in (x, y, z) order, z fastest

/// Room for as many numbers and no more; what was in it is lost.
template <class Real>
void makeRoom(NodeValues<Real>& values, std::size_t size) {
    if (size > values.capacity()) {
        values = {};
        values.reserve(size);
    }
    values.resize(size);
}

/// First tile index, first local node and number of nodes along an axis that a node block shares with the tile of its
/// neighbour at offset −1, 0 or 1.
struct Overlap {
    int tile, local, count;
};
constexpr Overlap overlap(int offset) { return offset < 0 ? Overlap{6, 0, 2} : offset == 0 ? Overlap{2, 0, 4} : Overlap{0, 2, 2}; }

/// Calls row(node index in the block, node index in the tile, number of nodes) for what a node block shares with the
/// tile of its neighbour at offset n.
template <class Row>
void forSharedRows(int n, const Row& row) {
    const Overlap ox = overlap(n / 9 - 1), oy = overlap(n / 3 % 3 - 1), oz = overlap(n % 3 - 1);
    for (int x = 0; x < ox.count; ++x)
        for (int y = 0; y < oy.count; ++y)
            row(((ox.local + x) * kBlockSide + oy.local + y) * kBlockSide + oz.local,
                ((ox.tile + x) * kTileSide + oy.tile + y) * kTileSide + oz.tile, oz.count);
}

/// nodes = the sum of the tiles that reach this block. `tiles` holds the tile of every point block.
template <int Reals = kNodeReals, class Real>
void sumTiles(const NodeBlock& block, const Real* tiles, Real* nodes) {
    std::fill_n(nodes, kBlockNodes * Reals, Real(0));
    for (int n = 0; n < kNeighbours; ++n) {
        const std::int32_t from = block.pointBlocks[static_cast<std::size_t>(n)];
        if (from < 0) continue;
        const Real* tile = tiles + static_cast<std::size_t>(from) * kTileNodes * Reals;
        forSharedRows(n, [&](int node, int tileNode, int count) {
            Real* to = nodes + Reals * node;
            const Real* add = tile + Reals * tileNode;
            if constexpr (Reals % 8 == 0)
                for (int k = 0; k < Reals * count; k += 8) (Wide<Real>::load(to + k) + Wide<Real>::load(add + k)).store(to + k);
            else
                for (int k = 0; k < Reals * count; ++k) to[k] += add[k];
        });
    }
}

/// tile = the nodes that a point block reaches.
template <int Reals = kNodeReals, class Real>
void loadTile(const PointBlock& block, const Real* nodes, Real* tile) {
    for (int n = 0; n < kNeighbours; ++n) {
        // Seen from the node block at offset n, this block lies at the opposite offset.
        const Real* from = nodes + static_cast<std::size_t>(block.nodeBlocks[static_cast<std::size_t>(n)]) * kBlockNodes * Reals;
        forSharedRows(kNeighbours - 1 - n, [&](int node, int tileNode, int count) { std::copy_n(from + Reals * node, Reals * count, tile + Reals * tileNode); });
    }
}

}  // namespace talus::mpm
