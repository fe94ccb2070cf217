// SPDX-License-Identifier: Apache-2.0
#include "world/reduction.h"

#include "world/probe.h"

#include <algorithm>
#include <cmath>

namespace talus::world {
namespace {

struct Sample {
    double time, value;   // mean of its rows
};

double meanOf(const std::vector<Sample>& samples) {
    double sum = 0;
    for (const Sample& s : samples) sum += s.value;
    return sum / static_cast<double>(samples.size());
}

double slopeOf(const std::vector<Sample>& samples) {
    const double value = meanOf(samples);
    double time = 0, above = 0, below = 0;
    for (const Sample& s : samples) time += s.time / static_cast<double>(samples.size());
    for (const Sample& s : samples) {
        above += (s.time - time) * (s.value - value);
        below += (s.time - time) * (s.time - time);
    }
    return below > 0 ? above / below : kUnknown;
}

}  // namespace

Reduced reduce(const ColumnHistory& history, const Reduction& reduction) {
    std::vector<Sample> samples;
    std::vector<Weighted> rows;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < history.times.size(); ++i) {
        const double time = history.times[i], value = history.values[i];
        const bool inWindow = time >= reduction.from.value_or(time) && time <= reduction.to.value_or(time);
        if (inWindow && std::isfinite(value)) {
            rows.push_back({value, 1});
            sum += value;
            ++count;
        }
        if (i + 1 < history.times.size() && history.times[i + 1] == time) continue;
        if (count > 0) samples.push_back({time, sum / count});
        sum = count = 0;
    }
    if (samples.empty()) return {};
    const auto n = static_cast<std::int64_t>(samples.size());
    switch (reduction.reduce) {
        case Reduce::last: return {samples.back().value, n};
        case Reduce::mean: return {meanOf(samples), n};
        case Reduce::min: return {quantile(rows, 0), n};
        case Reduce::max: return {quantile(rows, 1), n};
        case Reduce::slope: return {slopeOf(samples), n};
        case Reduce::percentile: return {quantile(rows, reduction.percentile / 100), n};
    }
    return {};
}

}  // namespace talus::world
