// SPDX-License-Identifier: Apache-2.0
#include "dem/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

constexpr Range kRatio{.min = 0.01, .max = 100};

void bounds(KeyVisitor& v, double& min, double& max) {
    v.number({"min", "smallest diameter over that of the resolution", Dimension::none, kRatio}, min);
    v.number({"max", "largest diameter over that of the resolution", Dimension::none, kRatio}, max);
    if (!(min <= max)) v.problem("max", fmt::format("the largest diameter, {:g}, is less than the smallest, {:g}", max, min));
}

/// Box and Muller.
double normalDeviate(Rng& rng) {
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

/// The first of the draws within the bounds; where hardly any is, the nearest bound.
template <class Draw>
double cutOff(double min, double max, const Draw& draw) {
    double value = 1;
    for (int i = 0; i < 100; ++i)
        if (value = draw(); value >= min && value <= max) return value;
    return std::clamp(value, min, max);
}

struct Drawer {
    Rng& rng;
    double operator()(const ConstantSize&) const { return 1; }
    double operator()(const UniformSize& s) const { return rng.uniform(s.min, s.max); }
    double operator()(const NormalSize& s) const {
        return cutOff(s.min, s.max, [&] { return 1 + s.deviation * normalDeviate(rng); });
    }
    double operator()(const LognormalSize& s) const {
        return cutOff(s.min, s.max, [&] { return std::exp(s.deviation * normalDeviate(rng)); });
    }
    double operator()(const TableSize& s) const {   // a share of mass is a share of number times the cube
        double sum = 0;
        for (std::size_t i = 0; i < s.rows.size(); i += 2) sum += s.rows[i + 1] / std::pow(s.rows[i], 3);
        double left = sum * rng.uniform();
        for (std::size_t i = 0; i < s.rows.size(); i += 2)
            if ((left -= s.rows[i + 1] / std::pow(s.rows[i], 3)) < 0) return s.rows[i];
        return s.rows[s.rows.size() - 2];
    }
};

struct Ends {
    double low = 1, high = 1;
};
Ends endsOf(const SizeDistribution& sizes) {
    if (const auto* s = std::get_if<UniformSize>(&sizes)) return {s->min, s->max};
    if (const auto* s = std::get_if<NormalSize>(&sizes)) return {s->min, s->max};
    if (const auto* s = std::get_if<LognormalSize>(&sizes)) return {s->min, s->max};
    const auto* table = std::get_if<TableSize>(&sizes);
    if (!table) return {};
    Ends ends{table->rows[0], table->rows[0]};
    for (std::size_t i = 0; i < table->rows.size(); i += 2) ends = {std::min(ends.low, table->rows[i]), std::max(ends.high, table->rows[i])};
    return ends;
}

}  // namespace

void UniformSize::keys(KeyVisitor& v) { bounds(v, min, max); }
void NormalSize::keys(KeyVisitor& v) {
    v.number({"deviation", "standard deviation over the diameter of the resolution", Dimension::none, nonNegative()}, deviation);
    bounds(v, min, max);
}
void LognormalSize::keys(KeyVisitor& v) {
    v.number({"deviation", "standard deviation of the natural logarithm; the median is the diameter of the resolution", Dimension::none, nonNegative()}, deviation);
    bounds(v, min, max);
}
void TableSize::keys(KeyVisitor& v) {
    v.rows({.name = "rows", .help = "[diameter over that of the resolution, share of the mass]", .required = true}, 2, rows);
    if (rows.empty()) {
        v.problem("rows", "needs at least one row [diameter, share]");
        rows = {1, 1};
    }
    for (std::size_t i = 0; i < rows.size(); i += 2)
        if (!kRatio.contains(rows[i]) || !(rows[i + 1] > 0)) {
            v.problem("rows", fmt::format("row {} is [{:g}, {:g}]; a diameter lies between 0.01 and 100 and a share is above 0", i / 2 + 1, rows[i], rows[i + 1]));
            rows = {1, 1};
        }
}

double drawSize(const SizeDistribution& sizes, Rng& rng) { return std::visit(Drawer{rng}, sizes); }

double meanCube(const SizeDistribution& sizes) {
    if (std::holds_alternative<ConstantSize>(sizes)) return 1;
    if (const auto* s = std::get_if<UniformSize>(&sizes))
        return 0.25 * (s->min + s->max) * (s->min * s->min + s->max * s->max);
    constexpr int kDraws = 4096;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
        Rng rng(0, 0, static_cast<std::uint64_t>(i));
        sum += std::pow(drawSize(sizes, rng), 3);
    }
    return sum / kDraws;
}

double smallestSize(const SizeDistribution& sizes) { return endsOf(sizes).low; }
double largestSize(const SizeDistribution& sizes) { return endsOf(sizes).high; }

}  // namespace talus::dem
