// SPDX-License-Identifier: Apache-2.0
#include "run/frame_loop.h"

#include "io/vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::run {

FrameLoop::FrameLoop(const Exec& exec, world::Simulation& simulation, RunDirectory& directory, Record record, LoopSettings settings,
                     Observer& observer)
    : exec_(exec), simulation_(simulation), directory_(directory), record_(std::move(record)), settings_(std::move(settings)),
      observer_(observer), stages_(settings_.stages), schedule_(scheduleNow()), earlierSeconds_(record_.wallSeconds), earlierPhases_(record_.phaseSeconds) {}

void FrameLoop::begin(const std::string& sceneText) {
    recordingFailure([&] {
        warnUnlessLocked();
        writeRecord("running");   // first of all: it marks the folder as a run's
        io::writeFile(directory_.scene(), sceneText);
        io::writeFile(directory_.results(), "{}\n");
        directory_.openAppended({});
        writeCheckpoint(0);
    });
}

bool FrameLoop::resume(const std::string& sceneText, bool force) {
    warnUnlessLocked();
    bool fromOtherSchedule = false;
    for (const io::Checkpoint& checkpoint : usableCheckpoints()) {
        try {
            const std::string difference = differentBuild(checkpoint, force);
            const Bookmark mark = Bookmark::load(checkpoint.archive());
            loadStages(checkpoint.archive());
            if (nothingLeftAfter(mark)) return false;
            fromOtherSchedule = !isOnSchedule(mark);
            if (fromOtherSchedule) continue;
            load(checkpoint.archive(), mark);
            if (!difference.empty()) warn(fmt::format("resumed although made by another build: {}", difference));
            recordingFailure([&] { cutBackTo(checkpoint, mark, sceneText); });
            return true;
        } catch (const ArchiveError& error) {
            warn(fmt::format("checkpoint '{}' cannot be resumed: {}", checkpoint.path().string(), error.what()));
        }
    }
    const std::string_view reason = fromOtherSchedule
        ? "cannot be resumed with this time.end and time.frames_per_second: its checkpoints stand between other frames; keep those of its scene.toml, or extend time.end"
        : "has no usable checkpoint to resume from; --overwrite starts the run anew";
    throw Error(ExitCode::missing, fmt::format("'{}' {}", directory_.path().string(), reason));
}

std::vector<io::Checkpoint> FrameLoop::usableCheckpoints() {
    std::vector<std::string> damaged;
    std::vector<io::Checkpoint> usable = directory_.checkpoints().usable(damaged);
    for (const std::string& message : damaged) warn(message);
    return usable;
}

std::string FrameLoop::differentBuild(const io::Checkpoint& checkpoint, bool force) const {
    const std::string difference = Stamp::load(checkpoint.archive()).difference(settings_.stamp);
    if (!difference.empty() && !force)
        throw Error(ExitCode::usage, fmt::format("'{}' was made by another build ({}): the results would not be the same; --force resumes it all the same",
                                                 checkpoint.path().string(), difference));
    return difference;
}

FrameSchedule FrameLoop::scheduleNow() const { return {stages_.latestEnd(settings_.end), settings_.framesPerSecond}; }

void FrameLoop::loadStages(const Archive& archive) {
    {
        const auto group = archive.group("stages");
        stages_.load(archive);
    }
    schedule_ = scheduleNow();
}

// One on its way to a frame that the schedule does not have belongs to another end of the run.
bool FrameLoop::isOnSchedule(const Bookmark& mark) const { return schedule_.time(mark.headingTick) == mark.headingTime; }

bool FrameLoop::nothingLeftAfter(const Bookmark& mark) const {
    const bool done = record_.status == "done";
    if (done && (stages_.finished() || (settings_.frames && static_cast<std::int64_t>(mark.frameTimes.size()) > *settings_.frames))) return true;
    if (!stages_.last()) return false;
    if (mark.time > schedule_.end()) return true;
    return isOnSchedule(mark) && mark.nextTick > schedule_.last() && done;
}

// Changes no file: whatever is wrong with the checkpoint must come out before anything is cut.
void FrameLoop::load(const Archive& archive, const Bookmark& mark) {
    if (mark.firstNumber != settings_.firstNumber) throw Error(ExitCode::usage, "output.first_frame cannot change on resume");
    directory_.requireAppended(mark.lengths, laterSeries());
    if (stages_.any()) simulation_.replaceWorld(stages_.world());
    const auto group = archive.group("simulation");
    simulation_.load(exec_, archive);
    tick_ = mark.nextTick;
    frameTimes_ = mark.frameTimes;
    start_ = mark.start;
    checkpointTime_ = stages_.sinceStart(mark.time);
}

// Checkpoints first: a newer one would look for rows and frames that are gone, should a kill come in between.
void FrameLoop::cutBackTo(const io::Checkpoint& checkpoint, const Bookmark& mark, const std::string& sceneText) {
    directory_.checkpoints().continueFrom(checkpoint, provisional(mark.headingTick));
    directory_.reopenSeries(laterSeries());
    directory_.openAppended(mark.lengths);
    directory_.removeFramesFrom(settings_.firstNumber + next());
    if (next() > 0) directory_.listFrames(settings_.firstNumber, frameTimes_);
    io::writeFile(directory_.scene(), sceneText);
    writeRecord("running");
}

ExitCode FrameLoop::run(StopRequested stop) {
    return recordingFailure([&] { return runFrames(stop); });
}

ExitCode FrameLoop::runFrames(StopRequested stop) {
    if (next() == 0) {
        simulation_.fill(exec_);
        if (simulation_.method().count() == 0) warn("no grain was placed: the regions are too small for the resolution, or bodies cover them");
    }
    bool over = stages_.finished() || (stages_.last() && tick_ > schedule_.last());
    while (!over && !enough()) {
        if (tick_ > schedule_.last()) {   // a stage shorter than rounding
            over = endStage(false);
            continue;
        }
        const auto reached = simulation_.advance(exec_, schedule_.time(tick_), [&] { return keepGoing(stop); });
        if (reached == world::Reached::failed) throw Error(ExitCode::diverged, failureText());
        if (reached == world::Reached::target) met_ = stages_.met(exec_, simulation_);
        if (reached == world::Reached::stopped && !met_) {
            writeCheckpoint(tick_);
            if (!stopCode_) continue;   // it was only time for a checkpoint
            writeRecord("interrupted");
            return *stopCode_;
        }
        writeFrame();
        if (reached == world::Reached::target) ++tick_;
        const bool stageOver = met_ || tick_ > schedule_.last();
        const bool lastRegular = stageOver || enough() || !schedule_.isRegular(tick_);
        if (stageOver) over = endStage(met_);
        if (settings_.checkpointInterval <= 0 || checkpointDue() || lastRegular) writeCheckpoint(tick_ - 1);
        writeRecord("running");
    }
    observer_.stepped(progress());
    writeRecord("done");
    return ExitCode::done;
}

bool FrameLoop::endStage(bool conditionMet) {
    met_ = false;
    const std::string_view name = stages_.name(stages_.current());
    if (stages_.last() && !conditionMet && !(stages_.latestEnd(settings_.end) < settings_.end)) return true;   // a later time.end goes on from here
    if (stages_.finish(simulation_.world().time, conditionMet) == world::Stages::Ended::limit) {
        const std::string message = fmt::format("stage '{}' was not over after {:.6g} s, the most it may last: {}", name,
                                                simulation_.world().time - stages_.parts().back().begin, stages_.unmet(exec_, simulation_));
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
    const std::string closed(stages_.name(stages_.current()));
    stages_.advance(simulation_);
    const world::Totals totals = world::totals(exec_, simulation_);
    if (start_.energy && before && totals.energy()) *start_.energy += *totals.energy() - *before;
    schedule_ = scheduleNow();
    tick_ = schedule_.firstAfter(simulation_.world().time);
    if (reset) {
        directory_.closeSeries(closed);
        directory_.series().append(seriesHeader(simulation_));
        directory_.series().append(seriesRow(simulation_, totals, start_));
    }
}

/// Names of the stages that close series.csv from the present one on.
std::vector<std::string> FrameLoop::laterSeries() const {
    std::vector<std::string> names;
    for (std::size_t k = stages_.current(); k + 1 < settings_.stages.size(); ++k)
        if (settings_.stages[k + 1].resetTime) names.push_back(settings_.stages[k].name);
    return names;
}

bool FrameLoop::provisional(std::int64_t headingTick) const { return stages_.last() && !schedule_.isRegular(headingTick); }

template <class Action>
auto FrameLoop::recordingFailure(const Action& action) -> decltype(action()) {
    try {
        return action();
    } catch (const std::exception& error) {
        record_.failure = error.what();
        try {
            writeRecord("failed");
        } catch (const std::exception&) {   // where the disk is full there may be no room for it either
        }
        throw;
    }
}

// A row stands in a table only after its frame file is whole, and counts only once a checkpoint has the table's length.
void FrameLoop::writeFrame() {
    const auto phase = exec_.phase("frames");
    const std::int64_t number = settings_.firstNumber + next();
    std::vector<std::string_view> names(settings_.fields.begin(), settings_.fields.end());
    std::vector<world::FieldInfo> fields;
    for (const std::string_view name : names) {
        const world::FieldInfo* field = world::findField(simulation_.method().fields(), name);
        if (field == nullptr) throw Error(ExitCode::usage, fmt::format("method '{}' has no field '{}'", record_.method, name));
        fields.push_back(*field);
    }
    io::FrameSink sink(fields);
    simulation_.method().read(exec_, names, sink);
    io::writeVtp(directory_.frame(number), std::move(sink).finish(simulation_.world().time));
    frameTimes_.push_back(stages_.sinceStart(simulation_.world().time));
    directory_.listFrames(settings_.firstNumber, frameTimes_);
    appendRows(number);
}

void FrameLoop::appendRows(std::int64_t number) {
    const world::Totals totals = world::totals(exec_, simulation_);
    if (frameTimes_.size() == 1) {
        start_ = {totals.energy(), simulation_.account().insertedCount};
        directory_.series().append(seriesHeader(simulation_));
        directory_.bodies().append(bodiesHeader());
    }
    directory_.series().append(seriesRow(simulation_, totals, start_));
    directory_.bodies().append(bodiesRows(simulation_, number));
}

void FrameLoop::writeCheckpoint(std::int64_t headingTick) {
    const auto phase = exec_.phase("checkpoint");
    const Bookmark mark{.time = simulation_.world().time, .headingTick = headingTick, .headingTime = schedule_.time(headingTick), .nextTick = tick_,
                        .frameTimes = frameTimes_, .firstNumber = settings_.firstNumber, .lengths = directory_.appendedLengths(), .start = start_};
    directory_.checkpoints().write(provisional(headingTick), [&](Archive& archive) {
        settings_.stamp.save(archive);
        mark.save(archive);
        {
            const auto group = archive.group("stages");
            stages_.save(archive);
        }
        const auto group = archive.group("simulation");
        simulation_.save(archive);
    });
    checkpointTime_ = stages_.sinceStart(mark.time);
}

bool FrameLoop::checkpointDue() const {
    return settings_.checkpointInterval > 0 && stages_.sinceStart(simulation_.world().time) >= checkpointTime_ + settings_.checkpointInterval;
}

bool FrameLoop::keepGoing(StopRequested stop) {
    observer_.stepped(progress());
    met_ = stages_.met(exec_, simulation_);
    if (met_) return false;
    stopCode_ = stop();
    if (!stopCode_ && settings_.maxSeconds && secondsSinceStart() >= *settings_.maxSeconds) stopCode_ = ExitCode::timeUp;
    return !stopCode_ && !checkpointDue();
}

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
    io::writeFile(directory_.record(), record_.json());
}

Progress FrameLoop::progress() const {
    const double latest = stages_.longest(settings_.end);
    const std::int64_t last = FrameSchedule(latest, settings_.framesPerSecond, settings_.frames).last();
    const double end = settings_.frames && !stages_.any() ? std::min(latest, schedule_.time(last)) : latest;
    return {next() - 1, last, stages_.sinceStart(simulation_.world().time), end, stages_.name(stages_.current()),
            simulation_.method().count(), simulation_.steps(), simulation_.grainSteps(), simulation_.stepSeconds()};
}

double FrameLoop::secondsSinceStart() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count(); }

}  // namespace talus::run
