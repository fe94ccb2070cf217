// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace talus::run {

/// An instant at which the run stops stepping, and what is done there.
struct Event {
    double time = 0;             // [s]
    std::vector<bool> due;       // of those that were asked
};

/// The earliest of the times at which somebody wants something (infinity: never). Those within `tolerance` of it are due
/// together, at the time of the first of them in the list: 3/30 s and 1/10 s are one instant although their bits differ.
inline Event nextEvent(std::span<const double> times, double tolerance) {
    Event event{*std::ranges::min_element(times), std::vector<bool>(times.size())};
    const double latest = event.time + tolerance;
    bool first = true;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] > latest) continue;
        if (first) event.time = times[i];
        first = false;
        event.due[i] = true;
    }
    return event;
}

}  // namespace talus::run
