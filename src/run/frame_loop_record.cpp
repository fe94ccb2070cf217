// SPDX-License-Identifier: Apache-2.0
// What a run says of itself while it goes: run.json, warnings, progress.
#include "run/frame_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::run {

std::string FrameLoop::failureText() const {
    const world::Failed& failed = *simulation_.failure();
    std::string where;
    if (failed.grain >= 0)
        where = fmt::format(", grain {} at ({:.6g}, {:.6g}, {:.6g}) m", failed.grain, failed.position.x, failed.position.y, failed.position.z);
    if (!failed.field.empty()) where += fmt::format(", field {}", failed.field);
    return fmt::format("diverged in step {} at {:.9g} s{}: {}", simulation_.steps() + 1, simulation_.world().time, where, failed.what);
}

void FrameLoop::warnUnlessLocked() {
    if (!directory_.locked())
        warn(fmt::format("the file system of '{}' has no locks: take care that no other run writes there", directory_.path().string()));
}

void FrameLoop::warn(std::string message) {
    observer_.warned(message);
    if (std::ranges::find(record_.warnings, message) == record_.warnings.end()) record_.warnings.push_back(std::move(message));   // a resumed part finds it again
}

void FrameLoop::writeRecord(std::string_view status) {
    record_.status = status;
    record_.threads = exec_.threads();
    record_.grains = simulation_.method().count();
    record_.frames = next();
    record_.steps = simulation_.steps();
    record_.time = simulation_.world().time;
    record_.endTime = stages_.any() ? schedule_.end() : settings_.end;
    record_.stages.clear();
    for (std::size_t k = 0; stages_.any() && k < stages_.parts().size(); ++k) {
        const world::Stages::Part& part = stages_.parts()[k];
        record_.stages.push_back({std::string(stages_.name(k)), part.offset + part.begin, part.begin, part.step,
                                  std::string(world::kEndedNames[static_cast<std::size_t>(part.ended)])});
    }
    record_.wallSeconds = earlierSeconds_ + secondsSinceStart();
    record_.phaseSeconds = earlierPhases_;
    for (const auto& [name, seconds] : exec_.phaseSeconds()) record_.phaseSeconds[name] += seconds;
    record_.grainStepsPerSecond = simulation_.stepSeconds() > 0 ? static_cast<double>(simulation_.grainSteps()) / simulation_.stepSeconds() : 0;
    record_.peakMemoryBytes = std::max(record_.peakMemoryBytes, static_cast<std::int64_t>(peakMemory()));
    for (const world::Metric& fallback : simulation_.method().fallbacks()) record_.fallbacks[fallback.name] = std::llround(fallback.value);
    if (status == "running" && next() > 0) {
        writer_.post([path = directory_.record(), text = record_.json()] { io::writeFile(path, text); });
        return;
    }
    if (status == "failed") writer_.settle();
    else writer_.wait();
    io::writeFile(directory_.record(), record_.json());
}

Progress FrameLoop::progress() const {
    const double latest = stages_.longest(settings_.end);
    const std::int64_t last = FrameSchedule(latest, settings_.framesPerSecond, settings_.frames).last();
    const double end = settings_.frames && !stages_.any() ? std::min(latest, schedule_.time(last)) : latest;
    return {next() - 1, last, stages_.sinceStart(simulation_.world().time), end, stages_.name(stages_.current()),
            simulation_.method().count(), simulation_.steps(), simulation_.grainSteps(), simulation_.stepSeconds()};
}

}  // namespace talus::run
