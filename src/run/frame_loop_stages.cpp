// SPDX-License-Identifier: Apache-2.0
// From one stage of a run to the next.
#include "run/frame_loop.h"

#include <fmt/format.h>

namespace talus::run {

bool FrameLoop::endStage(bool conditionMet) {
    met_ = false;
    const std::string_view name = stages_.name(stages_.current());
    if (stages_.last() && !conditionMet && !(stages_.latestEnd(settings_.end) < settings_.end)) return true;   // a later time.end goes on from here
    if (stages_.finish(simulation_.world().time, conditionMet) == world::Stages::Ended::limit) {
        const auto latest = [&](const world::WhenProbe& when) { return measurements_.latest(when.probe, when.column); };
        const std::string message = fmt::format("stage '{}' was not over after {:.6g} s, the most it may last: {}", name,
                                                simulation_.world().time - stages_.parts().back().begin, stages_.unmet(exec_, simulation_, latest));
        if (stages_.limitIsFailure()) throw Error(ExitCode::diverged, message);
        warn(message);
    }
    if (stages_.last()) return true;
    beginStage();
    return false;
}

// A change of gravity changes the potential energy at once; what was lost until then is kept.
void FrameLoop::beginStage() {
    const std::optional<double> before = world::totals(exec_, simulation_).energy();
    const bool reset = stages_.resetsNext();
    const std::string ended(stages_.name(stages_.current()));
    const double time = simulation_.world().time;
    stages_.advance(simulation_);
    const world::Totals totals = world::totals(exec_, simulation_);
    if (!bodiesAloneWork(simulation_.world())) start_.energy.reset();
    if (start_.energy && before && totals.energy()) *start_.energy += *totals.energy() - *before;
    schedule_ = scheduleNow();
    tick_ = schedule_.firstAfter(simulation_.world().time);
    if (reset) beginTables(ended, time, totals);
}

// The frame of the change is the last row of the old tables and the first of the new ones; so is a sample of every probe.
void FrameLoop::beginTables(const std::string& closed, double setBack, const world::Totals& totals) {
    directory_.closeTables(closed);
    directory_.series().append(seriesHeader(simulation_));
    directory_.series().append(seriesRow(simulation_, totals, start_));
    directory_.flows().append(flowsHeader(simulation_.world()));
    directory_.flows().append(flowsRow(simulation_.world()));
    measurements_.closeTables(closed, setBack);
    measurements_.sample(exec_, simulation_, std::vector<bool>(measurements_.count(), true), true);
    measurements_.flush();
}

}  // namespace talus::run
