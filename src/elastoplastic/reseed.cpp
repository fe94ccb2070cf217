// SPDX-License-Identifier: Apache-2.0
// Points are halved in cells inside the sand that flow has thinned out, and put together in cells that it has crowded, so that every cell keeps enough
// of them and none too many. Mass, momentum and affine momentum stay as they are (mpm/reseed.h); strain, v_c, q, friction and stress are those of the
// parent, or means by volume. Cells are those of the sort: around a node.
#include "core/svd.h"
#include "elastoplastic/method.h"
#include "mpm/reseed.h"
#include "mpm/start_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace talus::elastoplastic {
namespace {

/// Points in a cell over those of a full one: up to the first it is thin, beyond the others a crowd and overfull.
constexpr double kThin = 0.5, kCrowd = 1.5, kOverfull = 2;
/// A point is halved while it has at least so much of a whole one: a flow may stretch to eight times its length. In a crowd halves become whole
/// again, in an overfull cell whole points become twice as large.
constexpr double kSmallest = 0.25, kRounding = 1e-3;
/// Furthest that a half is put from where the whole was [cells]: beyond half a cell, none of its gradient would be left.
constexpr double kFurthest = 0.4;
constexpr std::size_t kBlocksPerTask = 8;

/// Rows of a block's cells: those of cell c are [first[c], first[c + 1]).
using CellRows = std::array<std::size_t, mpm::kBlockNodes + 1>;

/// Cells around a point: block and number in it.
struct CellAt {
    std::int32_t block = -1;   // of points; −1: there is none
    int cell = 0;
    Vec3 shift;                // of positions in that block, to those in the point's own [cells]
};

/// Of sorted points the cells that hold them.
template <class Real>
class Cells {
public:
    Cells(const Exec& exec, const mpm::Blocks& blocks, const Points<Real>& points) : blocks_(blocks), points_(points), rows_(blocks.points.size()) {
        exec.forBlocks(rows_.size(), kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b) rows_[b] = rowsOf(blocks_.points[b]);
        });
    }
    const CellRows& rows(std::size_t block) const { return rows_[block]; }
    std::size_t count(std::size_t block, int cell) const { return rows_[block][static_cast<std::size_t>(cell) + 1] - rows_[block][static_cast<std::size_t>(cell)]; }

    /// That many cells off, at most four.
    CellAt at(std::size_t block, int cell, const Vec3i& offset) const {
        const Vec3i from{cell / 16, cell / 4 % 4, cell % 4};
        Vec3i to, over;
        for (int axis = 0; axis < 3; ++axis) {
            const int i = from[axis] + offset[axis] + mpm::kBlockSide;
            over[axis] = i / mpm::kBlockSide - 1;
            to[axis] = i % mpm::kBlockSide;
        }
        const std::int32_t nodes = blocks_.points[block].nodeBlocks[static_cast<std::size_t>(mpm::neighbour(over.x, over.y, over.z))];
        return {blocks_.nodes[static_cast<std::size_t>(nodes)].points, (to.x * mpm::kBlockSide + to.y) * mpm::kBlockSide + to.z,
                mpm::kBlockSide * Vec3{static_cast<double>(over.x), static_cast<double>(over.y), static_cast<double>(over.z)}};
    }
    /// Whether there are points on all six sides, in the next cell or in the one behind it: a single cell without any is a hole, not a surface.
    bool inside(std::size_t block, int cell) const {
        return std::ranges::all_of(kSides, [&](const Vec3i& side) { return !empty(at(block, cell, side)) || !empty(at(block, cell, 2 * side)); });
    }
    /// Whether one of the next cells is a hole.
    bool atHole(std::size_t block, int cell) const {
        return std::ranges::any_of(kSides, [&](const Vec3i& side) {
            const CellAt there = at(block, cell, side);
            return there.block >= 0 && empty(there) && inside(static_cast<std::size_t>(there.block), there.cell);
        });
    }
    bool empty(const CellAt& there) const { return there.block < 0 || count(static_cast<std::size_t>(there.block), there.cell) == 0; }
    /// The direction in which the fewest and furthest of the points around lie: the last axis of Σ d dᵀ/|d|⁴.
    Vec3 emptiest(std::size_t block, int cell, std::size_t row) const {
        const Vec3 x = cellPosition(points_, row);
        const Wide<double> zero(0.0);
        WideSym3<double> sum{zero, zero, zero, zero, zero, zero};
        for (int n = 0; n < mpm::kNeighbours; ++n) {
            const CellAt there = at(block, cell, {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1});
            if (there.block < 0) continue;
            const CellRows& rows = rows_[static_cast<std::size_t>(there.block)];
            for (std::size_t other = rows[static_cast<std::size_t>(there.cell)]; other < rows[static_cast<std::size_t>(there.cell) + 1]; ++other) {
                const Vec3 d = cellPosition(points_, other) + there.shift - x;
                const double square = normSquared(d);
                if (square < kLeastApart) continue;
                const double w = 1 / (square * square);
                sum.xx += Wide<double>(w * d.x * d.x);
                sum.yy += Wide<double>(w * d.y * d.y);
                sum.zz += Wide<double>(w * d.z * d.z);
                sum.xy += Wide<double>(w * d.x * d.y);
                sum.yz += Wide<double>(w * d.y * d.z);
                sum.xz += Wide<double>(w * d.x * d.z);
            }
        }
        WideVec3<double> values;
        WideMat3<double> axes;
        symmetricEigen(sum, values, axes);
        return {axes.column(2).x.lane(0), axes.column(2).y.lane(0), axes.column(2).z.lane(0)};
    }
    static Vec3 cellPosition(const Points<Real>& points, std::size_t row) { return {points.position(row, 0), points.position(row, 1), points.position(row, 2)}; }

private:
    static constexpr std::array<Vec3i, 6> kSides{Vec3i{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static constexpr double kLeastApart = 1e-6;   // square of cells: the point itself
    // Positions were rounded after they were sorted, so that one may seem to lie in the next cell: cells do not descend.
    CellRows rowsOf(const mpm::PointBlock& block) const {
        CellRows first{};
        const std::size_t begin = 8 * std::size_t{block.firstGroup}, end = begin + block.points;
        std::size_t cell = 0;
        first[0] = begin;
        for (std::size_t row = begin; row < end; ++row)
            for (const auto here = static_cast<std::size_t>(mpm::cellOf(cellPosition(points_, row))); cell < here;) first[++cell] = row;
        while (cell < mpm::kBlockNodes) first[++cell] = end;
        return first;
    }

    const mpm::Blocks& blocks_;
    const Points<Real>& points_;
    std::vector<CellRows> rows_;
};

/// Of a point; its place is that in its block, in metres.
template <class Real>
mpm::Motion motionOf(const Points<Real>& points, std::size_t row, const Vec3& spacing) {
    mpm::Motion motion{static_cast<double>(points.mass(row)), componentProduct(Cells<Real>::cellPosition(points, row), spacing), {points.velocity(row, 0), points.velocity(row, 1), points.velocity(row, 2)}, {}};
    for (int k = 0; k < 9; ++k) motion.affine.m[static_cast<std::size_t>(k)] = points.gradient(row, k);
    return motion;
}
/// State of row b into that of row a: means by volume.
template <class Real>
void mixState(std::size_t a, std::size_t b, Points<Real>& points) {
    const Real sum = points.volume(a) + points.volume(b), part = points.volume(b) / sum;
    const auto mix = [&](auto& column, int components) {
        for (int k = 0; k < components; ++k) column(a, k) += part * (column(b, k) - column(a, k));
    };
    mix(points.strain, 6);
    mix(points.stress, 6);
    mix(points.expansion, 1);
    mix(points.plasticStrain, 1);
    mix(points.frictionRatio, 1);
    points.birthTime(a) = std::min(points.birthTime(a), points.birthTime(b));
    points.volume(a) = sum;
}

/// A point that is to become two, one at either side.
struct Halving {
    std::size_t block, row;
    Vec3 delta;   // to one of them [m]
};

/// Which points are halved and which are put together, of a method whose points are sorted.
template <class Real>
struct Reseeding {
    const Exec& exec;
    const Settings& settings;
    const mpm::GridFrame& frame;
    const world::Domain& domain;
    std::span<const world::BodySnapshot> bodies;
    const std::vector<Matter>& matter;
    const mpm::Blocks& blocks;
    Points<Real>& points;
    Cells<Real> cells{exec, blocks, points};
    double perCell = static_cast<double>(settings.pointsPerCell), whole = frame.cellVolume() / perCell;   // V⁰ of a whole point [m³]

    /// So full that points are put together; none of them is halved then, though there be a hole beside.
    bool crowded(std::size_t count) const { return static_cast<double>(count) > kCrowd * perCell; }
    bool sand(std::size_t row) const { return !matter[static_cast<std::size_t>(points.material(row))].solid(); }
    /// 1/D of the kernel [1/m²].
    Vec3 perMoment() const {
        const double perSquare = mpm::withStencil(settings.kernel, []<template <class> class Stencil>() { return Stencil<double>::kPerMoment; });
        return {perSquare / (frame.spacing.x * frame.spacing.x), perSquare / (frame.spacing.y * frame.spacing.y), perSquare / (frame.spacing.z * frame.spacing.z)};
    }
    bool free(std::size_t block, const Vec3& place) const {
        return !mpm::insideAny(bodies, domain.wrap(frame.toWorld(blocks.points[block].coord, inCells(place))));
    }

    std::vector<Halving> thinnedOut() const {
        return mpm::findEach<Halving>(exec, blocks.points.size(), kBlocksPerTask, [&](std::size_t b, std::vector<Halving>& found) {
            for (int cell = 0; cell < mpm::kBlockNodes; ++cell) {
                const std::size_t count = cells.count(b, cell);
                if (count == 0 || crowded(count) || (static_cast<double>(count) > kThin * perCell && !cells.atHole(b, cell)) || !cells.inside(b, cell)) continue;
                const std::size_t first = cells.rows(b)[static_cast<std::size_t>(cell)];
                for (std::size_t row = first; row < first + count; ++row)
                    if (const std::optional<Vec3> delta = halfWay(b, cell, row)) found.push_back({b, row, *delta});
            }
        });
    }
    /// From the middle of a point to that of its half, where it may be halved: halves fill cubes side by side.
    std::optional<Vec3> halfWay(std::size_t b, int cell, std::size_t row) const {
        const auto volume = static_cast<double>(points.volume(row));
        if (volume < (1 - kRounding) * kSmallest * whole || !sand(row)) return std::nullopt;
        const double now = volume * std::exp(std::max(0.0, static_cast<double>(points.expansion(row))));
        const Vec3 delta = std::min(0.5 * std::cbrt(0.5 * now), kFurthest * frame.smallestSpacing()) * cells.emptiest(b, cell, row);
        const Vec3 place = componentProduct(Cells<Real>::cellPosition(points, row), frame.spacing);
        if (!free(b, place + delta) || !free(b, place - delta)) return std::nullopt;
        return delta;
    }

    /// Rows that were put into others.
    std::vector<std::size_t> joinCrowds() {
        return mpm::findEach<std::size_t>(exec, blocks.points.size(), kBlocksPerTask, [&](std::size_t b, std::vector<std::size_t>& gone) {
            for (int cell = 0; cell < mpm::kBlockNodes; ++cell)
                if (crowded(cells.count(b, cell))) joinCrowd(b, cell, gone);
        });
    }
    void joinCrowd(std::size_t b, int cell, std::vector<std::size_t>& gone) {
        const std::size_t first = cells.rows(b)[static_cast<std::size_t>(cell)], count = cells.count(b, cell);
        const double most = (1 + kRounding) * whole * (static_cast<double>(count) > kOverfull * perCell ? 2 : 1);
        auto left = static_cast<double>(count) - kCrowd * perCell;   // that are too many
        const auto squareApart = [&](std::size_t a, std::size_t c) { return normSquared(componentProduct(frame.spacing, Cells<Real>::cellPosition(points, a) - Cells<Real>::cellPosition(points, c))); };
        const auto fits = [&](std::size_t a, std::size_t c) {
            return points.material(a) == points.material(c) && points.source(a) == points.source(c) && sand(a) && static_cast<double>(points.volume(a) + points.volume(c)) <= most;
        };
        const auto join = [&](std::size_t a, std::size_t c) {
            if (left <= 0) return false;
            const mpm::Motion one = mpm::joined(motionOf(points, a, frame.spacing), motionOf(points, c, frame.spacing), perMoment());
            set(one, inCells(one.position), a);
            mixState(a, c, points);
            --left;
            return true;
        };
        mpm::joinNearest(first, first + count, squareApart, fits, join, gone);
    }

    /// Of two rows with the same point makes its halves, the second in the block where it lies then. Returns the key of that one.
    std::uint64_t halve(const Halving& h, std::size_t second) {
        const std::array<mpm::Motion, 2> both = mpm::halves(motionOf(points, h.row, frame.spacing), h.delta, perMoment());
        const mpm::Place place = frame.recentre(blocks.points[h.block].coord, inCells(both[1].position));
        set(both[0], inCells(both[0].position), h.row);
        set(both[1], place.position, second);
        for (const std::size_t row : {h.row, second}) points.volume(row) *= Real(0.5);
        return mpm::cellKey(place.block, mpm::cellOf(place.position));
    }
    Vec3 inCells(const Vec3& x) const { return {x.x / frame.spacing.x, x.y / frame.spacing.y, x.z / frame.spacing.z}; }
    /// The affine matrix where points have one.
    void set(const mpm::Motion& motion, const Vec3& cellPosition, std::size_t row) {
        points.mass(row) = static_cast<Real>(motion.mass);
        for (int axis = 0; axis < 3; ++axis) {
            points.position(row, axis) = static_cast<Real>(cellPosition[axis]);
            points.velocity(row, axis) = static_cast<Real>(motion.velocity[axis]);
        }
        for (int k = 0; settings.affine() && k < 9; ++k) points.gradient(row, k) = static_cast<Real>(motion.affine.m[static_cast<std::size_t>(k)]);
    }
};

}  // namespace

template <class Real>
void ElastoplasticMethod<Real>::reseed(const Exec& exec, world::World& world) {
    const auto phase = exec.phase("reseed");
    Reseeding<Real> reseeding{exec, settings_, frame_, domain_, movedBodies_, matter_, blocks_, points_};
    const std::vector<Halving> halved = reseeding.thinnedOut();
    const std::vector<std::size_t> gone = reseeding.joinCrowds();
    if (halved.empty() && gone.empty()) return;

    const std::size_t before = points_.rows(), width = points_.groupWidth();
    std::vector<std::uint32_t> from(before);
    std::iota(from.begin(), from.end(), 0u);
    for (const Halving& h : halved) from.push_back(static_cast<std::uint32_t>(h.row));
    from.resize((from.size() + width - 1) / width * width, Table::kPadding);
    points_.reorder(exec, from);

    std::vector<std::uint64_t> keysOfHalves;
    for (std::size_t i = 0; i < halved.size(); ++i) {
        keysOfHalves.push_back(reseeding.halve(halved[i], before + i));
        points_.id(before + i) = world.nextId++;
    }
    std::vector<std::uint64_t> keys = recentre(exec, from.size());
    std::ranges::copy(keysOfHalves, keys.begin() + static_cast<std::ptrdiff_t>(before));
    for (const std::size_t row : gone) keys[row] = mpm::kNoKey;
    splits_ += std::ssize(halved);
    merges_ += std::ssize(gone);
    sort(exec, std::move(keys));
}

template void ElastoplasticMethod<float>::reseed(const Exec&, world::World&);
template void ElastoplasticMethod<double>::reseed(const Exec&, world::World&);

}  // namespace talus::elastoplastic
