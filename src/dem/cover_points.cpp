// SPDX-License-Identifier: Apache-2.0
// Even points on a level set, after the floaters of Witkin and Heckbert [Witkin1994] in the simple form of [Bell2005, section 3.3].
#include "core/rng.h"
#include "dem/cover.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

constexpr std::uint32_t kThrowStream = 0x40000, kProbeStream = 0x40001, kScatterStream = 0x40002;
constexpr int kGenerations = 4, kRounds = 30;     // floaters float for so many rounds, then are judged
constexpr double kCrowded = 0.6;                  // of the spacing: one of two that are closer goes
constexpr double kReach = 1.6;                    // of the kernel, over the spacing
constexpr double kStep = 0.12;                    // way per round at full push, over the spacing
constexpr double kProbesPerSpacing = 3;           // probes are that much closer than floaters

/// Towards the level set {distance = −depth}: a few steps along the normal, since distances may be bounds.
Vec3 ontoLevel(const geometry::Shape& shape, Vec3 x, double depth) {
    for (int round = 0; round < 4; ++round) {
        const geometry::Surface s = shape.surface(x);
        x -= (s.distance + depth) * s.normal;
    }
    return x;
}

class Level {
public:
    Level(const CoverPlace& place, double depth) : place_(place), depth_(depth) {}

    /// As many random points as 1 per spacing² √3/2, with the same chance on every part. From cells near the level set, each with its own numbers.
    std::vector<Vec3> thrown(double spacing, std::uint32_t stream) const {
        std::vector<Vec3> points;
        const Vec3 size = place_.box.size();
        Vec3i cells;
        for (int axis = 0; axis < 3; ++axis) cells[axis] = std::max(1, static_cast<int>(std::ceil(size[axis] / spacing)));
        visit(Vec3i{}, cells, spacing, cells, stream, points);
        return points;
    }
    Vec3 settled(const Vec3& x) const { return wrapped(ontoLevel(place_.shape, x, depth_)); }
    bool on(const Vec3& x, double slack) const { return std::abs(place_.shape.distance(x) + depth_) < slack && within(x); }
    Vec3 normal(const Vec3& x) const { return place_.shape.surface(x).normal; }
    Vec3 apart(Vec3 d) const {
        for (int axis = 0; axis < 3; ++axis)
            if (place_.periodic[static_cast<std::size_t>(axis)]) d[axis] -= length(axis) * std::round(d[axis] / length(axis));
        return d;
    }
    /// Neighbours of x among the points of `cells`, across periodic faces too.
    void around(const PointCells& cells, const Vec3& x, std::vector<std::uint32_t>& found) const {
        found.clear();
        std::array<std::array<double, 3>, 3> shifts{};
        std::array<int, 3> count{1, 1, 1};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (!place_.periodic[a]) continue;
            if (x[axis] - place_.box.min[axis] < 2 * cells.cell()) shifts[a][static_cast<std::size_t>(count[a]++)] = length(axis);
            if (place_.box.max[axis] - x[axis] < 2 * cells.cell()) shifts[a][static_cast<std::size_t>(count[a]++)] = -length(axis);
        }
        for (int i = 0; i < count[0]; ++i)
            for (int j = 0; j < count[1]; ++j)
                for (int k = 0; k < count[2]; ++k)
                    cells.around(x + Vec3{shifts[0][static_cast<std::size_t>(i)], shifts[1][static_cast<std::size_t>(j)], shifts[2][static_cast<std::size_t>(k)]}, found);
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }

private:
    double length(int axis) const { return place_.box.max[axis] - place_.box.min[axis]; }
    bool within(const Vec3& x) const {
        for (int axis = 0; axis < 3; ++axis)
            if (!place_.periodic[static_cast<std::size_t>(axis)] && (x[axis] < place_.box.min[axis] || x[axis] > place_.box.max[axis])) return false;
        return true;
    }
    Vec3 wrapped(Vec3 x) const {
        for (int axis = 0; axis < 3; ++axis)
            if (place_.periodic[static_cast<std::size_t>(axis)]) x[axis] -= length(axis) * std::floor((x[axis] - place_.box.min[axis]) / length(axis));
        return x;
    }
    /// Halves a block of cells until it is one cell, or too far from the level set. A point within half a cell of it is kept: uniform in the volume there, it is so on the surface.
    void visit(const Vec3i& from, const Vec3i& to, double cell, const Vec3i& cells, std::uint32_t stream, std::vector<Vec3>& points) const {
        const Vec3 low = place_.box.min + cell * Vec3{1.0 * from.x, 1.0 * from.y, 1.0 * from.z}, high = place_.box.min + cell * Vec3{1.0 * to.x, 1.0 * to.y, 1.0 * to.z};
        if (std::abs(place_.shape.distance(0.5 * (low + high)) + depth_) > 0.5 * norm(high - low) + 0.5 * cell) return;
        int widest = 0;
        for (int axis = 1; axis < 3; ++axis)
            if (to[axis] - from[axis] > to[widest] - from[widest]) widest = axis;
        if (to[widest] - from[widest] > 1) {
            Vec3i lower = to, upper = from;
            lower[widest] = upper[widest] = from[widest] + (to[widest] - from[widest]) / 2;
            visit(from, lower, cell, cells, stream, points);
            visit(upper, to, cell, cells, stream, points);
            return;
        }
        const auto index = (static_cast<std::uint64_t>(from.z) * static_cast<std::uint64_t>(cells.y) + static_cast<std::uint64_t>(from.y)) * static_cast<std::uint64_t>(cells.x) + static_cast<std::uint64_t>(from.x);
        Rng rng(place_.seed, stream, index);
        for (double left = 2 / std::sqrt(3.0); left > 0; left -= 1) {
            const Vec3 x = low + cell * Vec3{rng.uniform(), rng.uniform(), rng.uniform()};
            if (rng.uniform() >= left || std::abs(place_.shape.distance(x) + depth_) > 0.5 * cell) continue;
            if (const Vec3 at = settled(x); on(at, 0.05 * cell)) points.push_back(at);
        }
    }
    const CoverPlace& place_;
    double depth_;
};

/// Velocities of (20), with a kernel that falls to zero at its reach; constrained to the level set by steps along the normal.
void floatAlong(const Level& level, double spacing, std::vector<Vec3>& points) {
    std::vector<std::uint32_t> near;
    std::vector<Vec3> moved(points.size());
    for (int round = 0; round < kRounds; ++round) {
        const PointCells cells(points, kReach * spacing);
        for (std::size_t i = 0; i < points.size(); ++i) {
            level.around(cells, points[i], near);
            Vec3 push;
            for (const std::uint32_t j : near) {
                const Vec3 d = level.apart(points[i] - points[j]);
                const double distance = norm(d) / (kReach * spacing);
                if (j == i || distance >= 1) continue;
                push += (1 - distance) * (1 - distance) * (distance > 0 ? normalized(d) : Vec3{i < j ? 1.0 : -1.0, 0, 0});
            }
            const Vec3 n = level.normal(points[i]);
            push -= dot(push, n) * n;
            const double size = norm(push);
            const Vec3 at = level.settled(points[i] + (size > 1 ? kStep * spacing / size : kStep * spacing) * push);
            moved[i] = level.on(at, 0.1 * spacing) ? at : points[i];
        }
        points.swap(moved);
    }
}

void removeCrowded(const Level& level, double least, std::vector<Vec3>& points) {
    const PointCells cells(points, least);
    std::vector<char> gone(points.size(), 0);
    std::vector<std::uint32_t> near;
    for (std::size_t i = 0; i < points.size(); ++i) {
        level.around(cells, points[i], near);
        for (const std::uint32_t j : near)
            if (j < i && !gone[j] && norm(level.apart(points[i] - points[j])) < least) gone[i] = 1;
    }
    std::size_t to = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!gone[i]) points[to++] = points[i];
    points.resize(to);
}

/// Adds those of the probes that no point is near.
void fillGaps(const Level& level, double most, std::span<const Vec3> probes, std::vector<Vec3>& points) {
    std::vector<std::uint32_t> near;
    for (bool added = true; added;) {   // a probe that is added may close the gap of the next
        added = false;
        const PointCells cells(points, most);
        std::vector<Vec3> fresh;
        for (const Vec3& probe : probes) {
            level.around(cells, probe, near);
            const auto close = [&](const Vec3& x) { return norm(level.apart(probe - x)) < most; };
            if (std::ranges::any_of(near, [&](std::uint32_t j) { return close(points[j]); }) || std::ranges::any_of(fresh, close)) continue;
            fresh.push_back(probe);
            if (fresh.size() >= 256) break;   // each is compared with all of these
        }
        added = fresh.size() >= 256;
        points.insert(points.end(), fresh.begin(), fresh.end());
    }
}

}  // namespace

PointCells::PointCells(std::span<const Vec3> points, double cell) : cell_(cell), keys_(points.size()), index_(points.size()) {
    Aabb box;
    for (const Vec3& x : points) box.extend(x);
    origin_ = points.empty() ? Vec3{} : box.min;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 at = (points[i] - origin_) / cell_;
        order[i] = {key(static_cast<std::int64_t>(std::floor(at.x)), static_cast<std::int64_t>(std::floor(at.y)), static_cast<std::int64_t>(std::floor(at.z))), static_cast<std::uint32_t>(i)};
    }
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
        keys_[i] = order[i].first;
        index_[i] = order[i].second;
    }
}

std::uint64_t PointCells::key(std::int64_t x, std::int64_t y, std::int64_t z) const {
    constexpr std::int64_t kShift = 1 << 20, kMask = (1 << 21) - 1;
    const auto part = [&](std::int64_t v) { return static_cast<std::uint64_t>((v + kShift) & kMask); };
    return part(z) << 42 | part(y) << 21 | part(x);
}

void PointCells::around(const Vec3& x, std::vector<std::uint32_t>& found) const {
    const Vec3 at = (x - origin_) / cell_;
    const auto cell = [&](double v) { return static_cast<std::int64_t>(std::floor(std::clamp(v, -1e5, 1e5))); };
    for (std::int64_t dz = -1; dz <= 1; ++dz)
        for (std::int64_t dy = -1; dy <= 1; ++dy) {
            const std::uint64_t low = key(cell(at.x) - 1, cell(at.y) + dy, cell(at.z) + dz), high = key(cell(at.x) + 1, cell(at.y) + dy, cell(at.z) + dz);
            for (auto k = std::ranges::lower_bound(keys_, low); k != keys_.end() && *k <= high; ++k) found.push_back(index_[static_cast<std::size_t>(k - keys_.begin())]);
        }
}

std::vector<Vec3> evenPoints(const CoverPlace& place, double depth, double spacing) {
    const Level level(place, depth);
    std::vector<Vec3> points = level.thrown(spacing, kThrowStream);
    const std::vector<Vec3> probes = level.thrown(spacing / kProbesPerSpacing, kProbeStream);
    for (int generation = 0; generation < kGenerations; ++generation) {
        removeCrowded(level, kCrowded * spacing, points);
        fillGaps(level, kCoverReach * spacing, probes, points);
        floatAlong(level, spacing, points);
    }
    removeCrowded(level, kCrowded * spacing, points);
    fillGaps(level, (kCoverReach - 0.5 / kProbesPerSpacing) * spacing, probes, points);   // between probes is room for half of their distance
    return points;
}

std::vector<Vec3> scatteredPoints(const CoverPlace& place, double depth, double distance, double share) {
    const Level level(place, depth);
    // Discs that overlap an earlier one go: of those thrown at coverage θ the part 1 − 4 θ + 3.308 θ² + 1.407 θ³ finds room [Schaaf1989].
    constexpr int kParts = 200;
    double thrown = 0;
    for (int i = 0; i < kParts; ++i) {
        const double t = share * (i + 0.5) / kParts;
        thrown += share / kParts / (1 - t * (4 - t * (3.308 + 1.407 * t)));
    }
    std::vector<Vec3> points = level.thrown(distance * std::sqrt(std::numbers::pi / (2 * std::sqrt(3.0) * thrown)), kScatterStream);
    removeCrowded(level, distance, points);
    return points;
}

}  // namespace talus::dem
