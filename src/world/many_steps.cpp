// SPDX-License-Identifier: Apache-2.0
#include "world/many_steps.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace talus::world {

void warnOfManySteps(const World& world, double step, std::string_view given, std::string_view reason, Problems& problems) {
    constexpr double kManySteps = 1e7;
    const double steps = (world.end - world.time) / step;
    if (!std::isfinite(step) || !(steps > kManySteps)) return;
    const std::string why = given.empty() ? fmt::format(": {}", reason) : "";
    problems.warn(std::string(given.empty() ? "time.end" : given), fmt::format("the run takes {:.2g} steps of {:.2g} s{}", steps, step, why));
}

}  // namespace talus::world
