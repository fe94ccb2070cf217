// SPDX-License-Identifier: Apache-2.0
// One number from a column of a probe over a window of time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::world {

enum class Reduce { last, mean, min, max, slope, percentile };
inline constexpr std::array<std::string_view, 6> kReduceNames{"last", "mean", "min", "max", "slope", "percentile"};

struct Reduction {
    std::string name;                    // in results.json
    std::string column;                  // as in the table, with its unit
    Reduce reduce = Reduce::last;
    double percentile = 50;              // [%]
    std::optional<double> from, to;      // window [s], ends included; none: the whole run
};

/// Values of a column at the times of the samples; several rows of a sample have the same time. NaN: unknown.
struct ColumnHistory {
    std::vector<double> times, values;
};

struct Reduced {
    double value = std::numeric_limits<double>::quiet_NaN();   // NaN where the window holds no known value
    std::int64_t samples = 0;                                  // with a known value
};

/// Where a sample has several rows its value is their mean; only min, max and percentile look at the single rows. The mean is that
/// of the samples, the slope the least-squares change per second.
Reduced reduce(const ColumnHistory&, const Reduction&);

}  // namespace talus::world
