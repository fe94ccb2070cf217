// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/grid.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr int kAxisBits = 21;
constexpr std::uint64_t kAxisMask = (std::uint64_t{1} << kAxisBits) - 1;
constexpr std::size_t kRowsPerTask = 4096;

/// A point on a face of its cell would leave the nodes beyond without mass yet with a gradient: it is seen this far inside.
constexpr double kInside = 1e-4;

}  // namespace

CellPlace placeOf(const mpm::GridFrame& frame, const Vec3& x) {
    CellPlace place;
    for (int axis = 0; axis < 3; ++axis) {
        const double p = (x[axis] - frame.origin[axis]) / frame.spacing[axis];
        const double cell = std::clamp(std::floor(p), -static_cast<double>(kMostCells), kMostCells - 1.0);
        place.cell[axis] = static_cast<int>(cell);
        place.fraction[axis] = std::clamp(p - cell, kInside, 1 - kInside);
    }
    place.cell = wrapCoord(frame, place.cell);
    return place;
}

std::uint64_t gridKey(const Vec3i& c) {
    const auto biased = [](int v) { return static_cast<std::uint64_t>(v + kMostCells) & kAxisMask; };
    return (biased(c.x) << kAxisBits | biased(c.y)) << kAxisBits | biased(c.z);
}

Vec3i coordOfKey(std::uint64_t key) {
    const auto axis = [key](int shift) { return static_cast<int>((key >> shift) & kAxisMask) - kMostCells; };
    return {axis(2 * kAxisBits), axis(kAxisBits), axis(0)};
}

Vec3i wrapCoord(const mpm::GridFrame& frame, Vec3i c) {
    for (int axis = 0; axis < 3; ++axis)
        if (const int period = periodCells(frame, axis); period != 0) c[axis] = ((c[axis] % period) + period) % period;
    return c;
}

Trilinear::Trilinear(const Vec3& f, const Vec3& spacing) {
    for (std::size_t corner = 0; corner < kCorners; ++corner) {
        const Vec3i d = cornerOffset(corner);
        const double x = d.x ? f.x : 1 - f.x, y = d.y ? f.y : 1 - f.y, z = d.z ? f.z : 1 - f.z;
        weight[corner] = x * y * z;
        gradient[corner] = {(d.x ? 1 : -1) * y * z / spacing.x, (d.y ? 1 : -1) * x * z / spacing.y, (d.z ? 1 : -1) * x * y / spacing.z};
    }
}

namespace {

std::uint64_t cellKey(const mpm::GridFrame& frame, const Points& points, std::size_t row) { return gridKey(placeOf(frame, points.positionOf(row)).cell); }

/// Sorts rows by key, and by id where keys are the same.
void sortRows(const Exec& exec, const Points& points, std::span<std::uint64_t> keys, std::span<std::uint32_t> rows) {
    exec.sortByKey(keys, rows);
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || keys[i] != keys[i - 1]) first.push_back(i);
    first.push_back(keys.size());
    exec.forBlocks(first.size() - 1, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first[c]), rows.begin() + static_cast<std::ptrdiff_t>(first[c + 1]),
                      [&](std::uint32_t a, std::uint32_t b) { return points.id(a) < points.id(b); });
    });
}

/// Rows that are not in the cell any more in which the grid has them, ascending; new rows are in none.
std::vector<std::uint32_t> rowsThatLeft(const Exec& exec, const mpm::GridFrame& frame, const Points& points, const Grid& before) {
    constexpr std::size_t kCellsPerTask = 256;
    std::vector<std::vector<std::uint32_t>> parts((before.cells.size() + kCellsPerTask - 1) / kCellsPerTask);
    exec.forBlocks(before.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            for (std::uint32_t row = before.firstRow[c]; row < before.firstRow[c + 1]; ++row)
                if (cellKey(frame, points, row) != gridKey(before.cells[c])) parts[begin / kCellsPerTask].push_back(row);
    });
    std::vector<std::uint32_t> left;
    for (const auto& part : parts) left.insert(left.end(), part.begin(), part.end());
    for (std::size_t row = before.firstRow.back(); row < points.rows(); ++row) left.push_back(static_cast<std::uint32_t>(row));
    return left;
}

}  // namespace

std::vector<std::uint32_t> cellOrder(const Exec& exec, const mpm::GridFrame& frame, const Points& points) {
    std::vector<std::uint64_t> keys(points.rows());
    std::vector<std::uint32_t> rows(points.rows());
    exec.forBlocks(keys.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            keys[row] = cellKey(frame, points, row);
            rows[row] = static_cast<std::uint32_t>(row);
        }
    });
    sortRows(exec, points, keys, rows);
    return rows;
}

// Few points change cells in a step: a sort of all takes six times the memory of the order, and longer.
std::vector<std::uint32_t> cellOrder(const Exec& exec, const mpm::GridFrame& frame, const Points& points, const Grid& before) {
    const std::vector<std::uint32_t> left = rowsThatLeft(exec, frame, points, before);
    std::vector<std::uint32_t> moved = left;
    std::vector<std::uint64_t> keys(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) keys[i] = cellKey(frame, points, moved[i]);
    sortRows(exec, points, keys, moved);
    std::vector<std::uint32_t> order;
    order.reserve(points.rows());
    std::size_t next = 0, gone = 0;   // of those that moved, and in the order of rows
    for (std::size_t c = 0; c < before.cells.size(); ++c) {
        const std::uint64_t key = gridKey(before.cells[c]);
        while (next < moved.size() && keys[next] < key) order.push_back(moved[next++]);
        for (std::uint32_t row = before.firstRow[c]; row < before.firstRow[c + 1]; ++row) {
            if (gone < left.size() && left[gone] == row) {
                ++gone;
                continue;
            }
            while (next < moved.size() && keys[next] == key && points.id(moved[next]) < points.id(row)) order.push_back(moved[next++]);
            order.push_back(row);
        }
    }
    order.insert(order.end(), moved.begin() + static_cast<std::ptrdiff_t>(next), moved.end());
    return order;
}

Grid Grid::build(const Exec& exec, const mpm::GridFrame& frame, const Points& points) {
    Grid grid;
    std::uint64_t last = 0;
    for (std::size_t row = 0; row < points.rows(); ++row) {
        const Vec3i cell = placeOf(frame, points.positionOf(row)).cell;
        const std::uint64_t key = gridKey(cell);
        if (row == 0 || key != last) {
            grid.cells.push_back(cell);
            grid.firstRow.push_back(static_cast<std::uint32_t>(row));
            last = key;
        }
    }
    grid.firstRow.push_back(static_cast<std::uint32_t>(points.rows()));

    const std::size_t corners = kCorners * grid.cells.size();
    std::vector<std::uint64_t> keys(corners);
    std::vector<std::uint32_t> from(corners);
    exec.forBlocks(corners, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            keys[i] = gridKey(wrapCoord(frame, grid.cells[i / kCorners] + cornerOffset(i % kCorners)));
            from[i] = static_cast<std::uint32_t>(i);
        }
    });
    exec.sortByKey(keys, from);
    grid.cellNodes.resize(grid.cells.size());
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < corners; ++i) nodes += i == 0 || keys[i] != keys[i - 1];
    grid.nodes.reserve(nodes);
    grid.nodeCells.reserve(nodes);
    for (std::size_t i = 0; i < corners; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            grid.nodes.push_back(coordOfKey(keys[i]));
            grid.nodeCells.emplace_back().fill(-1);
        }
        const std::size_t cell = from[i] / kCorners, corner = from[i] % kCorners;
        grid.cellNodes[cell][corner] = static_cast<std::uint32_t>(grid.nodes.size() - 1);
        grid.nodeCells.back()[corner] = static_cast<std::int32_t>(cell);
    }
    return grid;
}

}  // namespace talus::nonsmooth
