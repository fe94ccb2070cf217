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
      observer_(observer), earlierSeconds_(record_.wallSeconds), earlierPhases_(record_.phaseSeconds) {}

void FrameLoop::begin(const std::string& sceneText) {
    recordingFailure([&] {
        warnUnlessLocked();
        writeRecord("running");   // first of all: it marks the folder as a run's
        io::writeFile(directory_.scene(), sceneText);
        io::writeLook(directory_.look(), settings_.look);
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

// One on its way to a frame that the schedule does not have belongs to another end of the run.
bool FrameLoop::isOnSchedule(const Bookmark& mark) const { return settings_.schedule.time(mark.headingFrame) == mark.headingTime; }

bool FrameLoop::nothingLeftAfter(const Bookmark& mark) const {
    if (mark.time > settings_.schedule.end()) return true;
    return isOnSchedule(mark) && mark.nextFrame > settings_.schedule.last() && record_.status == "done";
}

// Changes no file: whatever is wrong with the checkpoint must come out before anything is cut.
void FrameLoop::load(const Archive& archive, const Bookmark& mark) {
    if (mark.firstNumber != settings_.firstNumber) throw Error(ExitCode::usage, "output.first_frame cannot change on resume");
    directory_.requireAppended(mark.lengths);
    const auto group = archive.group("simulation");
    simulation_.load(exec_, archive);
    next_ = mark.nextFrame;
    start_ = mark.start;
    checkpointTime_ = mark.time;
}

// Checkpoints first: a newer one would look for rows and frames that are gone, should a kill come in between.
void FrameLoop::cutBackTo(const io::Checkpoint& checkpoint, const Bookmark& mark, const std::string& sceneText) {
    directory_.checkpoints().continueFrom(checkpoint, !settings_.schedule.isRegular(mark.headingFrame));
    directory_.openAppended(mark.lengths);
    directory_.removeFramesFrom(settings_.firstNumber + next_);
    if (next_ > 0) directory_.listFrames(settings_.schedule, settings_.firstNumber, next_);
    io::writeFile(directory_.scene(), sceneText);
    io::writeLook(directory_.look(), settings_.look);
    writeRecord("running");
}

ExitCode FrameLoop::run(StopRequested stop) {
    return recordingFailure([&] { return runFrames(stop); });
}

ExitCode FrameLoop::runFrames(StopRequested stop) {
    if (next_ == 0) {
        simulation_.fill(exec_);
        if (simulation_.method().count() == 0) warn("no grain was placed: the regions are too small for the resolution, or bodies cover them");
    }
    while (next_ <= settings_.schedule.last()) {
        const auto reached = simulation_.advance(exec_, settings_.schedule.time(next_), [&] { return keepGoing(stop); });
        if (reached == world::Reached::failed) throw Error(ExitCode::diverged, failureText());
        if (reached == world::Reached::stopped) {
            writeCheckpoint(next_);
            if (!stopCode_) continue;   // it was only time for a checkpoint
            writeRecord("interrupted");
            return *stopCode_;
        }
        writeFrame();
        const bool lastRegular = next_ == settings_.schedule.last() || !settings_.schedule.isRegular(next_ + 1);
        ++next_;
        if (settings_.checkpointInterval <= 0 || checkpointDue() || lastRegular) writeCheckpoint(next_ - 1);
        writeRecord("running");
    }
    observer_.stepped(progress());
    writeRecord("done");
    return ExitCode::done;
}

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
    const std::int64_t number = settings_.firstNumber + next_;
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
    directory_.listFrames(settings_.schedule, settings_.firstNumber, next_ + 1);

    const world::Totals totals = world::totals(exec_, simulation_);
    if (next_ == 0) {
        start_ = {totals.energy(), simulation_.account().insertedCount};
        directory_.series().append(seriesHeader(simulation_));
        directory_.bodies().append(bodiesHeader());
    }
    directory_.series().append(seriesRow(simulation_, totals, start_));
    directory_.bodies().append(bodiesRows(simulation_, number));
}

void FrameLoop::writeCheckpoint(std::int64_t headingFrame) {
    const auto phase = exec_.phase("checkpoint");
    const Bookmark mark{.time = simulation_.world().time, .headingFrame = headingFrame, .headingTime = settings_.schedule.time(headingFrame),
                        .nextFrame = next_, .firstNumber = settings_.firstNumber, .lengths = directory_.appendedLengths(), .start = start_};
    directory_.checkpoints().write(!settings_.schedule.isRegular(headingFrame), [&](Archive& archive) {
        settings_.stamp.save(archive);
        mark.save(archive);
        const auto group = archive.group("simulation");
        simulation_.save(archive);
    });
    checkpointTime_ = mark.time;
}

bool FrameLoop::checkpointDue() const {
    return settings_.checkpointInterval > 0 && simulation_.world().time >= checkpointTime_ + settings_.checkpointInterval;
}

bool FrameLoop::keepGoing(StopRequested stop) {
    observer_.stepped(progress());
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
    record_.warnings.push_back(std::move(message));
}

void FrameLoop::writeRecord(std::string_view status) {
    record_.status = status;
    record_.threads = exec_.threads();
    record_.grains = simulation_.method().count();
    record_.frames = next_;
    record_.steps = simulation_.steps();
    record_.time = simulation_.world().time;
    record_.endTime = settings_.schedule.end();
    record_.wallSeconds = earlierSeconds_ + secondsSinceStart();
    record_.phaseSeconds = earlierPhases_;
    for (const auto& [name, seconds] : exec_.phaseSeconds()) record_.phaseSeconds[name] += seconds;
    record_.grainStepsPerSecond = simulation_.stepSeconds() > 0 ? static_cast<double>(simulation_.grainSteps()) / simulation_.stepSeconds() : 0;
    record_.peakMemoryBytes = std::max(record_.peakMemoryBytes, static_cast<std::int64_t>(peakMemory()));
    for (const world::Metric& fallback : simulation_.method().fallbacks()) record_.fallbacks[fallback.name] = std::llround(fallback.value);
    io::writeFile(directory_.record(), record_.json());
}

Progress FrameLoop::progress() const {
    return {next_ - 1, settings_.schedule.last(), simulation_.world().time, settings_.schedule.time(settings_.schedule.last()),
            simulation_.method().count(), simulation_.steps(), simulation_.grainSteps(), simulation_.stepSeconds()};
}

double FrameLoop::secondsSinceStart() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count(); }

}  // namespace talus::run
