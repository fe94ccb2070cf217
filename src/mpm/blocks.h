// SPDX-License-Identifier: Apache-2.0
// The sparse grid: blocks that hold points, and around them the blocks whose nodes those points reach. Rebuilt when the
// points are sorted, fixed in between.
#pragma once

#include "core/exec.h"
#include "core/table.h"
#include "mpm/frame.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace talus::mpm {

/// The 27 blocks around and including one, by offset.
inline constexpr int kNeighbours = 27;
constexpr int neighbour(int dx, int dy, int dz) { return (dx + 1) * 9 + (dy + 1) * 3 + dz + 1; }

struct PointBlock {
    BlockCoord coord;
    std::uint32_t firstGroup = 0, groups = 0, points = 0;   // points fill the groups from the front, padding at the end; those that
                                                            // were taken out since the last sort leave more groups than points need
    std::array<std::int32_t, kNeighbours> nodeBlocks{};     // all present
};
/// Points of a group of the block, none where enough were taken out since the last sort; the rest is padding.
inline int pointsInGroup(const PointBlock& block, std::uint32_t group) {
    return std::clamp(static_cast<int>(block.points) - 8 * static_cast<int>(group - block.firstGroup), 0, 8);
}
struct NodeBlock {
    BlockCoord coord;
    std::int32_t points = -1;   // the point block of the same place; −1 where there is none
};

struct Blocks {
    std::vector<PointBlock> points;   // ascending in (x, y, z)
    std::vector<NodeBlock> nodes;     // ascending too

    std::size_t groups() const { return points.empty() ? 0 : points.back().firstGroup + points.back().groups; }
};

/// Lays the blocks' points (coord and points are given, groups where there are more than points need) into consecutive
/// groups and finds the nodes they reach.
Blocks connectBlocks(const Exec&, const GridFrame&, std::vector<PointBlock>, std::size_t groupWidth);

/// Sorts the rows of a table of points by block and cell, by id within a cell, each block padded to whole groups; rows
/// whose key is kNoKey vanish. The order depends on keys and ids alone.
Blocks sortPoints(const Exec&, const GridFrame&, std::vector<std::uint64_t> keys, const Column<std::int64_t>& ids, Table& points);

}  // namespace talus::mpm
