// SPDX-License-Identifier: Apache-2.0
#include "world/reduction.h"

#include "world/probe.h"

#include <algorithm>

namespace talus::world {
namespace {

double meanOf(const std::vector<ColumnSample>& samples) {
    double sum = 0;
    for (const ColumnSample& s : samples) sum += s.mean;
    return sum / static_cast<double>(samples.size());
}

double slopeOf(const std::vector<ColumnSample>& samples) {
    const double value = meanOf(samples);
    double time = 0, above = 0, below = 0;
    for (const ColumnSample& s : samples) time += s.time / static_cast<double>(samples.size());
    for (const ColumnSample& s : samples) {
        above += (s.time - time) * (s.mean - value);
        below += (s.time - time) * (s.time - time);
    }
    return below > 0 ? above / below : kUnknown;
}

double percentileOf(const std::vector<ColumnSample>& samples, double percentile) {
    std::vector<Weighted> values;
    for (const ColumnSample& s : samples) values.push_back({s.mean, 1});
    return quantile(values, percentile / 100);
}

}  // namespace

Reduced reduce(const std::vector<ColumnSample>& history, const Reduction& reduction) {
    std::vector<ColumnSample> samples;
    std::ranges::copy_if(history, std::back_inserter(samples),
                         [&](const ColumnSample& s) { return s.time >= reduction.from.value_or(s.time) && s.time <= reduction.to.value_or(s.time); });
    if (samples.empty()) return {};
    const auto n = static_cast<std::int64_t>(samples.size());
    switch (reduction.reduce) {
        case Reduce::last: return {samples.back().mean, n};
        case Reduce::mean: return {meanOf(samples), n};
        case Reduce::min: return {std::ranges::min(samples, {}, &ColumnSample::min).min, n};
        case Reduce::max: return {std::ranges::max(samples, {}, &ColumnSample::max).max, n};
        case Reduce::slope: return {slopeOf(samples), n};
        case Reduce::percentile: return {percentileOf(samples, reduction.percentile), n};
    }
    return {};
}

}  // namespace talus::world
