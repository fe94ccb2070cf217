// SPDX-License-Identifier: Apache-2.0
// The grid of a step: cells that hold points, and the nodes at their corners. Cells and nodes ascend in (x, y, z).
#pragma once

#include "core/exec.h"
#include "mpm/frame.h"
#include "nonsmooth/points.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus::nonsmooth {

inline constexpr std::size_t kCorners = 8;
/// Corner 4 dx + 2 dy + dz of a cell lies at its first node + (dx, dy, dz).
constexpr Vec3i cornerOffset(std::size_t corner) { return {static_cast<int>(corner / 4), static_cast<int>(corner / 2 % 2), static_cast<int>(corner % 2)}; }

/// Where a point lies: its cell, and its place in the cell.
struct CellPlace {
    Vec3i cell;
    Vec3 fraction;               // in (0, 1)³
};
CellPlace placeOf(const mpm::GridFrame&, const Vec3& x);

/// Coordinates as one number that ascends in (x, y, z).
std::uint64_t gridKey(const Vec3i&);
Vec3i coordOfKey(std::uint64_t);
inline constexpr int kMostCells = 1 << 20;   // along an axis, either way from the origin
/// Cells of a period along an axis; 0 where there is none.
inline int periodCells(const mpm::GridFrame& frame, int axis) { return mpm::kBlockSide * frame.periodBlocks[static_cast<std::size_t>(axis)]; }
Vec3i wrapCoord(const mpm::GridFrame&, Vec3i);

/// Trilinear weights N_i and gradients ∇N_i of the eight corners.
struct Trilinear {
    std::array<double, kCorners> weight;
    std::array<Vec3, kCorners> gradient;   // [1/m]
    Trilinear(const Vec3& fraction, const Vec3& spacing);
};

struct Grid {
    std::vector<Vec3i> cells;                                        // coordinates
    std::vector<std::uint32_t> firstRow;                             // of a cell's points; one past the end last
    std::vector<std::array<std::uint32_t, kCorners>> cellNodes;
    std::vector<Vec3i> nodes;                                        // coordinates
    std::vector<std::array<std::int32_t, kCorners>> nodeCells;       // the cell of which the node is that corner; −1: none

    static Grid build(const Exec&, const mpm::GridFrame&, const Points&);   // of points that are sorted
};

/// The order of rows by cell, and by id within a cell; the first `sorted` rows have it already.
std::vector<std::uint32_t> cellOrder(const Exec&, const mpm::GridFrame&, const Points&, std::size_t sorted = 0);
/// The same of points that have moved since the grid was built of them, with any new ones behind them: those that left their cell are sorted and put between the others.
std::vector<std::uint32_t> cellOrder(const Exec&, const mpm::GridFrame&, const Points&, const Grid& before);

inline Vec3 nodePosition(const mpm::GridFrame& frame, const Vec3i& node) {
    return frame.origin + componentProduct(frame.spacing, Vec3{static_cast<double>(node.x), static_cast<double>(node.y), static_cast<double>(node.z)});
}

}  // namespace talus::nonsmooth
