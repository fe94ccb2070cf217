// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/grid.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

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

/// Where in [0, n) another key begins than that of the one before.
template <class KeyAt>
std::vector<std::uint32_t> startsOfKeys(const Exec& exec, std::size_t n, const KeyAt& keyAt) {
    std::vector<std::vector<std::uint32_t>> parts((n + kRowsPerTask - 1) / kRowsPerTask);
    exec.forBlocks(n, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        std::uint64_t last = begin > 0 ? keyAt(begin - 1) : 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t key = keyAt(i);
            if (i == 0 || key != last) parts[begin / kRowsPerTask].push_back(static_cast<std::uint32_t>(i));
            last = key;
        }
    });
    std::vector<std::uint32_t> starts;
    for (const auto& part : parts) starts.insert(starts.end(), part.begin(), part.end());
    return starts;
}

std::uint64_t cellKey(const mpm::GridFrame& frame, const Points& points, std::size_t row) { return gridKey(placeOf(frame, points.positionOf(row)).cell); }

/// Sorts rows by key, and by id where keys are the same.
void sortRows(const Exec& exec, const Points& points, std::span<std::uint64_t> keys, std::span<std::uint32_t> rows) {
    exec.sortByKey(keys, rows);
    std::vector<std::uint32_t> first = startsOfKeys(exec, keys.size(), [&](std::size_t i) { return keys[i]; });
    first.push_back(static_cast<std::uint32_t>(keys.size()));
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

std::vector<std::uint32_t> cellOrder(const Exec& exec, const mpm::GridFrame& frame, const Points& points, std::size_t sorted) {
    std::vector<std::uint64_t> keys(points.rows() - sorted);
    std::vector<std::uint32_t> added(keys.size());
    exec.forBlocks(keys.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            keys[i] = cellKey(frame, points, sorted + i);
            added[i] = static_cast<std::uint32_t>(sorted + i);
        }
    });
    sortRows(exec, points, keys, added);
    if (sorted == 0) return added;
    std::vector<std::uint32_t> before(added.size());   // sorted rows that go before each
    exec.forBlocks(added.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto goesBefore = [&](std::uint32_t row) { return std::pair(cellKey(frame, points, row), points.id(row)) < std::pair(keys[i], points.id(added[i])); };
            before[i] = *std::ranges::partition_point(std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(sorted)), goesBefore);
        }
    });
    std::vector<std::uint32_t> order(points.rows());
    exec.forBlocks(sorted, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        auto next = static_cast<std::size_t>(std::ranges::lower_bound(before, begin) - before.begin());
        for (std::size_t row = begin; row < end; ++row) {
            for (; next < before.size() && before[next] == row; ++next) order[row + next] = added[next];
            order[row + next] = static_cast<std::uint32_t>(row);
        }
    });
    for (std::size_t i = added.size(); i-- > 0 && before[i] == sorted;) order[sorted + i] = added[i];
    return order;
}

// Few points change cells in a step: a sort of all takes six times the memory of the order, and longer. A task merges some cells with the points
// that come to them or between them.
std::vector<std::uint32_t> cellOrder(const Exec& exec, const mpm::GridFrame& frame, const Points& points, const Grid& before) {
    constexpr std::size_t kCellsPerTask = 256;
    const std::vector<std::uint32_t> left = rowsThatLeft(exec, frame, points, before);
    std::vector<std::uint32_t> moved = left;
    std::vector<std::uint64_t> keys(moved.size());
    exec.forBlocks(moved.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) keys[i] = cellKey(frame, points, moved[i]);
    });
    sortRows(exec, points, keys, moved);
    const auto count = [](const auto& ascending, auto below) { return static_cast<std::size_t>(std::ranges::lower_bound(ascending, below) - ascending.begin()); };
    const auto movedBefore = [&](std::size_t cell) { return cell == 0 ? 0 : cell == before.cells.size() ? moved.size() : count(keys, gridKey(before.cells[cell])); };
    std::vector<std::uint32_t> order(points.rows());
    exec.forBlocks(before.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        std::size_t next = movedBefore(begin), gone = count(left, before.firstRow[begin]);   // of those that moved, and in the order of rows
        const std::size_t last = movedBefore(end);
        auto to = order.begin() + static_cast<std::ptrdiff_t>(before.firstRow[begin] - gone + next);
        for (std::size_t c = begin; c < end; ++c) {
            const std::uint64_t key = gridKey(before.cells[c]);
            while (next < last && keys[next] < key) *to++ = moved[next++];
            for (std::uint32_t row = before.firstRow[c]; row < before.firstRow[c + 1]; ++row) {
                if (gone < left.size() && left[gone] == row) {
                    ++gone;
                    continue;
                }
                while (next < last && keys[next] == key && points.id(moved[next]) < points.id(row)) *to++ = moved[next++];
                *to++ = row;
            }
        }
        std::copy(moved.begin() + static_cast<std::ptrdiff_t>(next), moved.begin() + static_cast<std::ptrdiff_t>(last), to);
    });
    return before.cells.empty() ? moved : order;
}

Grid Grid::build(const Exec& exec, const mpm::GridFrame& frame, const Points& points) {
    Grid grid;
    grid.firstRow = startsOfKeys(exec, points.rows(), [&](std::size_t row) { return cellKey(frame, points, row); });
    grid.cells.resize(grid.firstRow.size());
    exec.forBlocks(grid.cells.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) grid.cells[c] = placeOf(frame, points.positionOf(grid.firstRow[c])).cell;
    });
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
    std::vector<std::uint32_t> first = startsOfKeys(exec, corners, [&](std::size_t i) { return keys[i]; });
    grid.nodes.resize(first.size());
    grid.nodeCells.resize(first.size());
    grid.cellNodes.resize(grid.cells.size());
    first.push_back(static_cast<std::uint32_t>(corners));
    exec.forBlocks(grid.nodes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            grid.nodes[n] = coordOfKey(keys[first[n]]);
            grid.nodeCells[n].fill(-1);
            for (std::size_t i = first[n]; i < first[n + 1]; ++i) {
                const std::size_t cell = from[i] / kCorners, corner = from[i] % kCorners;
                grid.cellNodes[cell][corner] = static_cast<std::uint32_t>(n);
                grid.nodeCells[n][corner] = static_cast<std::int32_t>(cell);
            }
        }
    });
    return grid;
}

}  // namespace talus::nonsmooth
