// SPDX-License-Identifier: Apache-2.0
#include "world/heights.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

/// Calls take(bin, part) for each of `bins` of equal width from 0 that the interval [from, to] reaches into; `part` is the part of the
/// interval that lies there.
template <class Take>
void spread(double from, double to, double width, int bins, const Take& take) {
    if (from >= bins * width || to <= 0) return;
    const int first = std::max(0, static_cast<int>(std::floor(std::max(from / width, -1.0))));
    for (int bin = first; bin < bins && bin * width < to; ++bin) {
        const double overlap = std::min(to, (bin + 1) * width) - std::max(from, bin * width);
        if (overlap > 0) take(bin, overlap / (to - from));
    }
}

}  // namespace

HeightField::HeightField(const Footprint& footprint) : footprint_(footprint) {
    const auto n = static_cast<std::size_t>(footprint.rows) * static_cast<std::size_t>(footprint.columns);
    filled_.resize(n);
    intervals_.resize(n);
    for (int axis = 0; axis < 3; ++axis)
        images_[static_cast<std::size_t>(axis)] = footprint.domain.periodic(axis) && footprint.up[axis] == 0 ? 1 : 0;
}

void HeightField::clear() {
    filled_.assign(filled_.size(), 0.0);
    for (std::vector<Interval>& column : intervals_) column.clear();
}

// A grain covers a square of side V^(1/3); at walls, which it cannot pass, the square is moved inside.
void HeightField::add(const Vec3& x, double volume, double radius) {
    const double half = 0.5 * std::cbrt(volume);
    const Domain& domain = footprint_.domain;
    Vec3 inside = x;
    if (footprint_.measure == HeightMeasure::filled)
        for (int axis = 0; axis < 3; ++axis)
            if (!domain.periodic(axis) && footprint_.up[axis] == 0 && domain.max[axis] - domain.min[axis] > 2 * half)
                inside[axis] = std::clamp(x[axis], domain.min[axis] + half, domain.max[axis] - half);
    const Vec3 size = domain.size();
    for (int i = -images_[0]; i <= images_[0]; ++i)
        for (int j = -images_[1]; j <= images_[1]; ++j)
            for (int k = -images_[2]; k <= images_[2]; ++k)
                addImage(inside + componentProduct(size, Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)}), volume, radius);
}

void HeightField::addImage(const Vec3& x, double volume, double radius) {
    const Vec3 d = x - footprint_.corner;
    const double s = dot(d, footprint_.along), t = dot(d, footprint_.across);
    if (footprint_.measure == HeightMeasure::filled) addFilled(s, t, volume);
    else addSurface(s, t, dot(d, footprint_.up), radius);
}

void HeightField::addFilled(double s, double t, double volume) {
    const double half = 0.5 * std::cbrt(volume);
    if (!(half > 0)) return;
    const auto rows = static_cast<std::size_t>(footprint_.rows);
    spread(t - half, t + half, footprint_.width / footprint_.columns, footprint_.columns, [&](int column, double partAcross) {
        spread(s - half, s + half, footprint_.length / footprint_.rows, footprint_.rows, [&](int row, double partAlong) {
            filled_[static_cast<std::size_t>(column) * rows + static_cast<std::size_t>(row)] += volume * partAlong * partAcross;
        });
    });
}

void HeightField::addSurface(double s, double t, double height, double radius) {
    const auto rows = static_cast<std::size_t>(footprint_.rows);
    const Interval interval{height - radius, height + radius, footprint_.gap.value_or(4 * radius)};
    if (s < 0 || t < 0 || s >= footprint_.length || t >= footprint_.width) return;
    const auto row = std::min(rows - 1, static_cast<std::size_t>(s / footprint_.length * footprint_.rows));
    const auto column = std::min(static_cast<std::size_t>(footprint_.columns) - 1, static_cast<std::size_t>(t / footprint_.width * footprint_.columns));
    intervals_[column * rows + row].push_back(interval);
}

double HeightField::height(std::size_t column) {
    if (footprint_.measure == HeightMeasure::filled)
        return filled_[column] / (footprint_.length / footprint_.rows * footprint_.width / footprint_.columns);
    std::vector<Interval>& grains = intervals_[column];
    if (grains.empty()) return kUnknown;
    std::ranges::sort(grains, {}, &Interval::bottom);
    double top = grains.front().top;
    for (const Interval& grain : grains) {
        if (grain.bottom > top + grain.gap) break;   // it flies
        top = std::max(top, grain.top);
    }
    return top;
}

double HeightField::along(std::size_t column) const {
    return (static_cast<double>(column % static_cast<std::size_t>(footprint_.rows)) + 0.5) * footprint_.length / footprint_.rows;
}
double HeightField::across(std::size_t column) const {
    return (static_cast<double>(column / static_cast<std::size_t>(footprint_.rows)) + 0.5) * footprint_.width / footprint_.columns;
}

FlankVolumes::FlankVolumes(const Flank& flank, int sectors)
    : flank_(flank), sectors_(sectors), volumes_(static_cast<std::size_t>(sectors) * static_cast<std::size_t>(flank.bins)) {
    // Without a direction sectors are counted from the axis that lies flattest.
    Vec3 flattest{1, 0, 0};
    for (const Vec3& axis : {Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        if (std::abs(dot(axis, flank.up)) < std::abs(dot(flattest, flank.up))) flattest = axis;
    along_ = flank.direction ? *flank.direction : normalized(flattest - dot(flattest, flank.up) * flank.up);
    across_ = cross(flank.up, along_);
}

double FlankVolumes::distance(const Vec3& x) const {
    const Vec3 d = x - flank_.origin;
    if (flank_.direction) return dot(d, along_);
    return std::hypot(dot(d, along_), dot(d, across_));
}

void FlankVolumes::add(const Vec3& x, double volume) {
    const Vec3 d = x - flank_.origin;
    const double a = dot(d, along_), b = dot(d, across_), half = 0.5 * std::cbrt(volume);
    if (!(half > 0) || !covers(x)) return;
    if (flank_.direction) {
        for (int sector = 0; sector < sectors_; ++sector) {
            const double s = sector == 0 ? a : -a;
            spread(s - half, s + half, binWidth(), flank_.bins, [&](int bin, double part) { volumes_[slot(sector, bin)] += part * volume; });
        }
        return;
    }
    const double turn = std::atan2(b, a) / (2 * std::numbers::pi);
    const int sector = std::min(sectors_ - 1, static_cast<int>((turn - std::floor(turn)) * sectors_));
    const double r = std::hypot(a, b);
    spread(std::max(0.0, r - half), r + half, binWidth(), flank_.bins, [&](int bin, double part) { volumes_[slot(sector, bin)] += part * volume; });
}

double FlankVolumes::area(int bin) const {
    if (flank_.direction) return flank_.width * binWidth();
    const double inner = bin * binWidth(), outer = inner + binWidth();
    return std::numbers::pi * (outer * outer - inner * inner) / sectors_;
}

double FlankVolumes::height(int bin) const {
    double sum = 0;
    for (int sector = 0; sector < sectors_; ++sector) sum += height(sector, bin);
    return sum / sectors_;
}

// ∫ r² dr / ∫ r dr over a ring: the mean of a − b r over its area is a − b times this.
double FlankVolumes::centre(int bin) const {
    const double inner = bin * binWidth(), outer = inner + binWidth();
    if (flank_.direction) return 0.5 * (inner + outer);
    return 2.0 / 3.0 * (outer * outer + outer * inner + inner * inner) / (outer + inner);
}

}  // namespace talus::world
