// SPDX-License-Identifier: Apache-2.0
#include "run/bookmark.h"

#include <cmath>
#include <limits>

namespace talus::run {

void Bookmark::save(Archive& archive) const {
    archive.put("time", time);
    archive.put("heading_tick", headingTick);
    archive.put("heading_time", headingTime);
    archive.put("next_tick", nextTick);
    archive.put("frame_times", frameTimes);
    archive.put("first_number", firstNumber);
    archive.put("series_bytes", lengths.series);
    archive.put("bodies_bytes", lengths.bodies);
    archive.put("flows_bytes", lengths.flows);
    archive.put("start_energy", start.energy.value_or(std::numeric_limits<double>::quiet_NaN()));
    archive.put("start_inserted", start.inserted);
}

Bookmark Bookmark::load(const Archive& archive) {
    const auto energy = archive.value<double>("start_energy");
    return {.time = archive.value<double>("time"),
            .headingTick = archive.value<std::int64_t>("heading_tick"),
            .headingTime = archive.value<double>("heading_time"),
            .nextTick = archive.value<std::int64_t>("next_tick"),
            .frameTimes = archive.get<double>("frame_times"),
            .firstNumber = archive.value<std::int64_t>("first_number"),
            .lengths = {archive.value<std::uint64_t>("series_bytes"), archive.value<std::uint64_t>("bodies_bytes"), archive.value<std::uint64_t>("flows_bytes")},
            .start = {std::isfinite(energy) ? std::optional(energy) : std::nullopt, archive.value<std::int64_t>("start_inserted")}};
}

}  // namespace talus::run
