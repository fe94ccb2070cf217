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

/// A column at one sample: its value, or mean, least and greatest of its rows where there are several.
struct ColumnSample {
    double time = 0, mean = 0, min = 0, max = 0;
};

struct Reduced {
    double value = std::numeric_limits<double>::quiet_NaN();   // NaN where the window holds no sample
    std::int64_t samples = 0;
};

/// The slope is the least-squares change per second. min and max look at single rows, all others at the means of samples.
Reduced reduce(const std::vector<ColumnSample>&, const Reduction&);

}  // namespace talus::world
