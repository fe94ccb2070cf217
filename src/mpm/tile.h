// SPDX-License-Identifier: Apache-2.0
// The piece of the grid that the points of a block see: 8x8x8 nodes, the block's own 4x4x4 with two more around (one for the kernel, one for
// the drift of points between sorts). It lies in the nearest cache while a block is worked on. Points scatter into it without locks; it is then
// added to the nodes, which blocks do in an order that is the same for any number of threads, and so are the sums.
#pragma once

#include "core/table.h"
#include "core/wide.h"
#include "mpm/blocks.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

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

/// Rows of a tile of one number per node are worked on four nodes at a time, and the last one reaches beyond by so many numbers.
inline constexpr std::size_t kRowBeyond = 4, kNumberTile = kTileNodes + kRowBeyond;

/// Room for as many numbers and no more; what was in it is lost.
template <class Real>
void makeRoom(NodeValues<Real>& values, std::size_t size) {
    if (size > values.capacity()) {
        values = {};
        values.reserve(size);
    }
    values.resize(size);
}

/// A tile lies in three node blocks along each axis. Where it begins in that of the offset −1, 0 or 1, and at which of the block's nodes.
struct Share {
    int tile, local, count;
};
constexpr std::array<Share, 3> kShares{Share{0, 2, 2}, Share{2, 0, 4}, Share{6, 0, 2}};

/// The part of a tile that a block's points reach, [low, high) along each axis: 6 of 8 nodes right after a sort, 8 before the next one. Along z whole
/// shares of node blocks: rows are then of known lengths, and no longer in cache lines.
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
    for (const Share& share : kShares) {
        if (reach.low.z > share.tile && reach.low.z < share.tile + share.count) reach.low.z = share.tile;
        if (reach.high.z > share.tile && reach.high.z < share.tile + share.count) reach.high.z = share.tile + share.count;
    }
    return reach;
}

/// Calls row<number of nodes>(index of the first node among all nodes, index in the tile) for all that the reached part of a tile shares with node blocks.
template <class Row>
[[gnu::always_inline]] inline void forRows(const PointBlock& block, const Reach& reach, const Row& row) {
    const auto blockOf = [](int i) { return static_cast<std::size_t>((i + 2) / kBlockSide); };   // 0, 1, 2
    const auto localOf = [](int i) { return (i + 2) % kBlockSide; };
    for (int x = reach.low.x; x < reach.high.x; ++x)
        for (int y = reach.low.y; y < reach.high.y; ++y) {
            const std::int32_t* nodeBlocks = &block.nodeBlocks[9 * blockOf(x) + 3 * blockOf(y)];
            const int local = (localOf(x) * kBlockSide + localOf(y)) * kBlockSide, tile = (x * kTileSide + y) * kTileSide;
            const auto part = [&]<std::size_t kShare>() __attribute__((always_inline)) {
                constexpr Share z = kShares[kShare];
                if (reach.low.z <= z.tile && z.tile < reach.high.z) row.template operator()<z.count>(static_cast<std::size_t>(nodeBlocks[kShare]) * kBlockNodes + static_cast<std::size_t>(local + z.local), tile + z.tile);
            };
            part.template operator()<0>();
            part.template operator()<1>();
            part.template operator()<2>();
        }
}

/// nodes += the reached part of the tile of a point block, which is left empty.
template <int Reals = kNodeReals, class Real>
void pourTile(const PointBlock& block, const Reach& reach, Real* tile, Real* nodes) {
    forRows(block, reach, [&]<int kCount>(std::size_t node, int tileNode) __attribute__((always_inline)) {
        Real *to = nodes + Reals * node, *from = tile + Reals * tileNode;
        if constexpr (Reals * kCount % 8 == 0)
            for (int k = 0; k < Reals * kCount; k += 8) {
                (Wide<Real>::load(to + k) + Wide<Real>::load(from + k)).store(to + k);
                Wide<Real>(Real(0)).store(from + k);
            }
        else
            for (int k = 0; k < Reals * kCount; ++k) to[k] += std::exchange(from[k], Real(0));
    });
}

/// tile = the nodes that a point block reaches.
template <int Reals = kNodeReals, class Real>
void loadTile(const PointBlock& block, const Reach& reach, const Real* nodes, Real* tile) {
    forRows(block, reach, [&]<int kCount>(std::size_t node, int tileNode) __attribute__((always_inline)) {
        const Real* from = nodes + Reals * node;
        Real* to = tile + Reals * tileNode;
        if constexpr (Reals * kCount % 8 == 0)
            for (int k = 0; k < Reals * kCount; k += 8) Wide<Real>::load(from + k).store(to + k);
        else
            for (int k = 0; k < Reals * kCount; ++k) to[k] = from[k];
    });
}

/// nodes = what the points of all blocks give to them: scatter(b, worker, tile) adds that of block b to an empty tile, of which reach(b) counts. Tiles
/// are added to the nodes in the order of the blocks, so the sums are the same for any number of threads, and nodes are in the cache as long as
/// blocks come that reach them.
template <int Reals = kNodeReals, class Real, class ReachOf, class Scatter>
void scatterBlocks(const Exec& exec, const Blocks& blocks, NodeValues<Real>& nodes, const ReachOf& reach, const Scatter& scatter) {
    makeRoom(nodes, blocks.nodes.size() * kBlockNodes * Reals);
    exec.forBlocks(blocks.nodes.size(), 64, [&](std::size_t begin, std::size_t end) { std::fill_n(nodes.data() + begin * kBlockNodes * Reals, (end - begin) * kBlockNodes * Reals, Real(0)); });
    struct Work {
        Reach reach = {};
        NodeValues<Real> tile = NodeValues<Real>(kTileNodes * Reals + kRowBeyond, Real(0));
    };
    std::vector<Work> works(exec.slots());
    exec.forTasksInOrder(
        blocks.points.size(),
        [&](std::size_t b, int worker, std::size_t slot) {
            Work& work = works[slot];
            work.reach = reach(b);
            scatter(b, worker, work.tile.data());
        },
        [&](std::size_t b, std::size_t slot) {
            Work& work = works[slot];
            pourTile<Reals>(blocks.points[b], work.reach, work.tile.data(), nodes.data());
        });
}

}  // namespace talus::mpm
