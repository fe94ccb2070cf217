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

/// First tile index, first local node and number of nodes along an axis that the node block at offset −1, 0 or 1 from a point block shares
/// with its tile, as far as the tile is reached.
struct Overlap {
    int tile, local, count;
};
constexpr Overlap overlap(int offset, int low, int high) {
    const Overlap all = offset < 0 ? Overlap{0, 2, 2} : offset == 0 ? Overlap{2, 0, 4} : Overlap{6, 0, 2};
    const int first = std::max(all.tile, low), last = std::min(all.tile + all.count, high);
    return {first, all.local + first - all.tile, std::max(0, last - first)};
}

/// Calls row(index of the node among all nodes, index in the tile, number of nodes) for the rows along z that make up the reached part of a tile.
template <class Row>
[[gnu::always_inline]] inline void forRows(const PointBlock& block, const Reach& reach, const Row& row) {
    const std::array<Overlap, 3> along{overlap(-1, reach.low.z, reach.high.z), overlap(0, reach.low.z, reach.high.z), overlap(1, reach.low.z, reach.high.z)};
    const auto blockOf = [](int i) { return (i + 2) / kBlockSide; };   // 0, 1, 2
    const auto localOf = [](int i) { return (i + 2) % kBlockSide; };
    for (int x = reach.low.x; x < reach.high.x; ++x)
        for (int y = reach.low.y; y < reach.high.y; ++y)
            for (int k = 0; k < 3; ++k) {
                const Overlap& z = along[static_cast<std::size_t>(k)];
                if (z.count == 0) continue;
                const auto first = static_cast<std::size_t>(block.nodeBlocks[static_cast<std::size_t>(9 * blockOf(x) + 3 * blockOf(y) + k)]) * kBlockNodes;
                row(first + static_cast<std::size_t>((localOf(x) * kBlockSide + localOf(y)) * kBlockSide + z.local), (x * kTileSide + y) * kTileSide + z.tile, z.count);
            }
}

/// The reached part of a tile = 0.
template <int Reals = kNodeReals, class Real>
void clearTile(const Reach& reach, Real* tile) {
    for (int x = reach.low.x; x < reach.high.x; ++x)
        for (int y = reach.low.y; y < reach.high.y; ++y)
            std::fill_n(tile + Reals * ((x * kTileSide + y) * kTileSide + reach.low.z), Reals * (reach.high.z - reach.low.z), Real(0));
}

/// nodes += the reached part of the tile of a point block.
template <int Reals = kNodeReals, class Real>
void addTile(const PointBlock& block, const Reach& reach, const Real* tile, Real* nodes) {
    forRows(block, reach, [&](std::size_t node, int tileNode, int count) {
        Real* to = nodes + Reals * node;
        const Real* add = tile + Reals * tileNode;
        if constexpr (Reals % 8 == 0)
            for (int k = 0; k < Reals * count; k += 8) (Wide<Real>::load(to + k) + Wide<Real>::load(add + k)).store(to + k);
        else
            for (int k = 0; k < Reals * count; ++k) to[k] += add[k];
    });
}

/// tile = the nodes that a point block reaches.
template <int Reals = kNodeReals, class Real>
void loadTile(const PointBlock& block, const Reach& reach, const Real* nodes, Real* tile) {
    forRows(block, reach, [&](std::size_t node, int tileNode, int count) {
        const Real* from = nodes + Reals * node;
        Real* to = tile + Reals * tileNode;
        if constexpr (Reals % 8 == 0)
            for (int k = 0; k < Reals * count; k += 8) Wide<Real>::load(from + k).store(to + k);
        else
            for (int k = 0; k < Reals * count; ++k) to[k] = from[k];
    });
}

/// nodes = what the points of all blocks give to them: scatter(b, worker, tile) adds that of block b to a cleared tile, of which reach(b) counts. Tiles
/// are added to the nodes in the order of the blocks, so the sums are the same for any number of threads, and nodes are in the cache as long as
/// blocks come that reach them.
template <int Reals = kNodeReals, class Real, class ReachOf, class Scatter>
void scatterBlocks(const Exec& exec, const Blocks& blocks, NodeValues<Real>& nodes, const ReachOf& reach, const Scatter& scatter) {
    makeRoom(nodes, blocks.nodes.size() * kBlockNodes * Reals);
    exec.forBlocks(blocks.nodes.size(), 64, [&](std::size_t begin, std::size_t end) { std::fill_n(nodes.data() + begin * kBlockNodes * Reals, (end - begin) * kBlockNodes * Reals, Real(0)); });
    struct Work {
        Reach reach;
        NodeValues<Real> tile = NodeValues<Real>(kTileNodes * Reals + kRowBeyond);
    };
    std::vector<Work> works(static_cast<std::size_t>(exec.threads()));
    exec.forTasksInOrder(
        blocks.points.size(),
        [&](std::size_t b, int worker) {
            Work& work = works[static_cast<std::size_t>(worker)];
            work.reach = reach(b);
            clearTile<Reals>(work.reach, work.tile.data());
            scatter(b, worker, work.tile.data());
        },
        [&](std::size_t b, int worker) {
            const Work& work = works[static_cast<std::size_t>(worker)];
            addTile<Reals>(blocks.points[b], work.reach, work.tile.data(), nodes.data());
        });
}

}  // namespace talus::mpm
