// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/frames.h"

#include "core/svd.h"
#include "mpm/reseed.h"
#include "mpm/start_points.h"
#include "nonsmooth/orientation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kRowsPerTask = 1024;
/// Longest axis over the radius of a ball of the same volume: beyond the first a point is halved; below the second two may become one.
constexpr double kLong = 2, kRound = 1.5;
/// In the same units, beyond this an ellipsoid does not follow: what is drawn out further, by shear that goes on or by the free fall of a few points, is no piece of matter any more.
constexpr double kLongest = 5;
/// Part of a whole point that is not halved any more; points in a cell over those at the start that are a crowd.
constexpr double kSmallest = 0.5, kCrowd = 1.5;

double ballRadius(double volume) { return std::cbrt(0.75 / std::numbers::pi * volume); }

double determinant(const SymTensor& s) {
    return s.xx * (s.yy * s.zz - s.yz * s.yz) - s.xy * (s.xy * s.zz - s.yz * s.xz) + s.xz * (s.xy * s.yz - s.yy * s.xz);
}

/// The longest semi-axis.
Vec3 longestAxis(const SymTensor& f) {
    const auto wide = [](double x) { return Wide<double>(x); };
    WideVec3<double> values;
    WideMat3<double> axes;
    symmetricEigen(WideSym3<double>{.xx = wide(f.xx), .yy = wide(f.yy), .zz = wide(f.zz), .xy = wide(f.xy), .yz = wide(f.yz), .xz = wide(f.xz)}, values, axes);
    const WideVec3<double> axis = axes.column(0);
    return std::sqrt(std::max(0.0, values.x.lane(0))) * Vec3{axis.x.lane(0), axis.y.lane(0), axis.z.lane(0)};
}

SymTensor outer(double scale, const Vec3& a) { return scale * SymTensor{a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.y * a.z, a.x * a.z}; }

/// Whether the longest axis may be above `most` balls: it is at most √(tr F).
bool maybeLonger(const SymTensor& f, double most, double radius) { return trace(f) > most * most * radius * radius; }

/// With its longest axis cut to kLongest balls.
SymTensor shortened(const SymTensor& f, double radius) {
    if (!maybeLonger(f, kLongest, radius)) return f;
    const Vec3 axis = longestAxis(f);
    const double most = kLongest * radius, square = normSquared(axis);
    return square > most * most ? f + outer(most * most / square - 1, axis) : f;
}

/// Copies a row of all columns.
void copyRow(Points& points, std::size_t from, std::size_t to) {
    points.setPosition(to, points.positionOf(from));
    points.setVelocity(to, points.velocityOf(from));
    points.setGradient(to, points.gradientOf(from));
    points.setStress(to, points.stressOf(from));
    points.mass(to) = points.mass(from);
    points.volume(to) = points.volume(from);
    points.fraction(to) = points.fraction(from);
    points.room(to) = points.room(from);
    points.material(to) = points.material(from);
    points.source(to) = points.source(from);
    points.birthTime(to) = points.birthTime(from);
    if (points.bonds) {
        points.bonds->strength(to) = points.bonds->strength(from);
        points.bonds->gap(to) = points.bonds->gap(from);
    }
    if (points.normals) points.normals->set(to, points.normals->tensor(from));
}

/// The ellipsoid of two together: second moments of what they fill, which of an ellipsoid are F/5.
SymTensor together(const Points& points, std::size_t a, std::size_t b) {
    const double va = points.volume(a), vb = points.volume(b), sum = va + vb;
    const Vec3 apart = points.positionOf(b) - points.positionOf(a);
    return ofVolume((va / sum) * points.frames->tensor(a) + (vb / sum) * points.frames->tensor(b) + outer(5 * va * vb / (sum * sum), apart), sum);
}

/// Adds row b to row a.
void put(Points& points, std::size_t a, std::size_t b) {
    const double ma = points.mass(a), mb = points.mass(b), m = ma + mb, v = points.volume(a) + points.volume(b), wa = points.volume(a) / v, wb = points.volume(b) / v;
    points.frames->set(a, together(points, a, b));
    points.setPosition(a, (1 / m) * (ma * points.positionOf(a) + mb * points.positionOf(b)));
    points.setVelocity(a, (1 / m) * (ma * points.velocityOf(a) + mb * points.velocityOf(b)));
    points.setGradient(a, (ma / m) * points.gradientOf(a) + (mb / m) * points.gradientOf(b));
    points.setStress(a, wa * points.stressOf(a) + wb * points.stressOf(b));
    points.fraction(a) = static_cast<float>(wa * points.fraction(a) + wb * points.fraction(b));
    points.room(a) = points.room(a) < 0 || points.room(b) < 0 ? kRoomUnknown : static_cast<float>(wa * points.room(a) + wb * points.room(b));
    if (points.bonds) {
        points.bonds->strength(a) = static_cast<float>(wa * points.bonds->strength(a) + wb * points.bonds->strength(b));
        points.bonds->gap(a) = static_cast<float>(wa * points.bonds->gap(a) + wb * points.bonds->gap(b));
    }
    if (points.normals) points.normals->set(a, wa * points.normals->tensor(a) + wb * points.normals->tensor(b));
    points.birthTime(a) = std::min(points.birthTime(a), points.birthTime(b));
    points.mass(a) = m;
    points.volume(a) = v;
}

/// Puts points of the rows [begin, end), of one cell, together.
void mergeCell(double whole, std::size_t begin, std::size_t end, Points& points, std::vector<std::size_t>& gone) {
    const auto squareApart = [&](std::size_t a, std::size_t b) { return normSquared(points.positionOf(b) - points.positionOf(a)); };
    const auto fits = [&](std::size_t a, std::size_t b) {
        return points.material(a) == points.material(b) && points.source(a) == points.source(b) && points.volume(a) + points.volume(b) <= 1.001 * whole;
    };
    const auto join = [&](std::size_t a, std::size_t b) {
        const double radius = ballRadius(points.volume(a) + points.volume(b));
        if (norm(longestAxis(together(points, a, b))) > kRound * radius) return false;
        put(points, a, b);
        return true;
    };
    mpm::joinNearest(begin, end, squareApart, fits, join, gone);
}

}  // namespace

SymTensor ballOf(double volume) { return ballRadius(volume) * ballRadius(volume) * SymTensor{1, 1, 1, 0, 0, 0}; }

SymTensor ofVolume(const SymTensor& f, double volume) {
    const double now = determinant(f), radius = ballRadius(volume);
    return now > 0 && std::isfinite(now) ? (radius * radius / std::cbrt(now)) * f : ballOf(volume);
}

void stretchFrames(const Exec& exec, double dt, Points& points) {
    exec.forBlocks(points.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const SymTensor followed = ofVolume(fromAxes(exponential(dt * points.gradientOf(row)), points.frames->tensor(row)), points.volume(row));
            points.frames->set(row, ofVolume(shortened(followed, ballRadius(points.volume(row))), points.volume(row)));
        }
    });
}

std::int64_t split(const Exec& exec, double whole, std::span<const world::BodySnapshot> bodies, const world::Domain& domain, std::int64_t& nextId, Points& points) {
    const std::size_t before = points.rows();
    const auto halfOf = [&](std::size_t row) { return 0.5 * longestAxis(points.frames->tensor(row)); };
    const auto drawnOut = mpm::findEach<std::size_t>(exec, before, kRowsPerTask, [&](std::size_t row, std::vector<std::size_t>& found) {
        const double radius = ballRadius(points.volume(row));
        if (points.volume(row) < kSmallest * whole || !maybeLonger(points.frames->tensor(row), kLong, radius)) return;
        const Vec3 half = halfOf(row), x = points.positionOf(row);
        if (norm(half) <= 0.5 * kLong * radius || mpm::insideAny(bodies, domain.wrap(x + half)) || mpm::insideAny(bodies, domain.wrap(x - half))) return;
        found.push_back(row);
    });
    if (drawnOut.empty()) return 0;
    const std::size_t count = drawnOut.size();
    points.resize(before + count);
    std::size_t to = before;
    for (const std::size_t row : drawnOut) {
        const Vec3 half = halfOf(row), x = points.positionOf(row), v = points.velocityOf(row), shear = points.gradientOf(row) * half;
        const SymTensor frame = points.frames->tensor(row) + outer(-3, half);   // the axis is halved: a aᵀ is four times the outer product of half
        points.volume(row) *= 0.5;
        points.mass(row) *= 0.5;
        copyRow(points, row, to);
        points.id(to) = nextId++;
        for (const std::size_t child : {row, to}) {
            const double side = child == row ? 1 : -1;
            points.setPosition(child, domain.wrap(x + side * half));
            points.setVelocity(child, v + side * shear);
            points.frames->set(child, ofVolume(frame, points.volume(child)));
        }
        ++to;
    }
    return static_cast<std::int64_t>(count);
}

std::int64_t merge(const Exec& exec, const mpm::GridFrame& frame, double whole, double perCell, Points& points) {
    const Grid grid = Grid::build(exec, frame, points);
    constexpr std::size_t kCellsPerTask = 64;
    const auto gone = mpm::findEach<std::size_t>(exec, grid.cells.size(), kCellsPerTask, [&](std::size_t c, std::vector<std::size_t>& found) {
        if (static_cast<double>(grid.firstRow[c + 1] - grid.firstRow[c]) > kCrowd * perCell) mergeCell(whole, grid.firstRow[c], grid.firstRow[c + 1], points, found);
    });
    if (gone.empty()) return 0;
    points.remove(exec, gone);
    return static_cast<std::int64_t>(gone.size());
}

}  // namespace talus::nonsmooth
