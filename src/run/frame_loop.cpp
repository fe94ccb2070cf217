// SPDX-License-Identifier: Apache-2.0
#include "run/frame_loop.h"

#include "io/vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace talus::run {

namespace {

constexpr double kResultsInterval = 5;   // wall time between two writings of results.json while the run goes [s]

}  // namespace

FrameLoop::FrameLoop(const Exec& exec, world::Simulation& simulation, RunDirectory& directory, Record record, LoopSettings settings,
                     Observer& observer)
    : exec_(exec), simulation_(simulation), directory_(directory), record_(std::move(record)), settings_(std::move(settings)),
      observer_(observer), measurements_(std::move(settings_.probes), directory.probes()), earlierSeconds_(record_.wallSeconds), earlierPhases_(record_.phaseSeconds) {
    if (measurements_.wantsRemoved()) simulation_.showLeavers(&leavers_);
}

FrameLoop::~FrameLoop() { simulation_.showLeavers(nullptr); }

void FrameLoop::begin(const std::string& sceneText, std::span<const scene::Asset> assets) {
    recordingFailure([&] {
        warnUnlessLocked();
        for (const scene::Asset& asset : assets) record_.assets.push_back(asset.name);
        writeRecord("running");   // first of all: it marks the folder as a run's
        writeScene(sceneText, assets);
        directory_.openAppended({});
        measurements_.begin();
        writeResults();
        writeCheckpoint(0);
    });
}

void FrameLoop::writeScene(const std::string& text, std::span<const scene::Asset> assets) {
    if (!assets.empty()) io::createDirectories(directory_.path() / kAssetFolder);
    for (const scene::Asset& asset : assets) io::writeFile(directory_.asset(asset.name), asset.bytes);
    io::writeFile(directory_.scene(), text);
    io::writeLook(directory_.look(), settings_.look);
}

bool FrameLoop::resume(const std::string& sceneText, bool force, std::span<const scene::Asset> assets) {
    record_.assets.clear();
    for (const scene::Asset& asset : assets) record_.assets.push_back(asset.name);
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
            recordingFailure([&] {
                cutBackTo(checkpoint, mark);
                writeScene(sceneText, assets);
                writeRecord("running");
            });
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
    {
        const auto group = archive.group("probes");
        measurements_.load(archive);
    }
    const auto group = archive.group("simulation");
    simulation_.load(exec_, archive);
    next_ = mark.nextFrame;
    start_ = mark.start;
    checkpointTime_ = mark.time;
}

// Checkpoints first: a newer one would look for rows and frames that are gone, should a kill come in between.
void FrameLoop::cutBackTo(const io::Checkpoint& checkpoint, const Bookmark& mark) {
    directory_.checkpoints().continueFrom(checkpoint, !settings_.schedule.isRegular(mark.headingFrame));
    directory_.openAppended(mark.lengths);
    measurements_.cutBack();
    directory_.removeFramesFrom(settings_.firstNumber + next_);
    if (next_ > 0) {
        directory_.listFrames(settings_.schedule, settings_.firstNumber, next_);
        if (BodyMeshes::anyMoves(simulation_.world())) directory_.listMovingBodies(settings_.schedule, settings_.firstNumber, next_);
    }
}

ExitCode FrameLoop::run(StopRequested stop) {
    return recordingFailure([&] { return runFrames(stop); });
}

ExitCode FrameLoop::runFrames(StopRequested stop) {
    if (next_ == 0) {
        simulation_.fill(exec_);
        if (!simulation_.world().fills.empty() && simulation_.method().count() == 0) warn("no grain was placed: the regions are too small for the resolution, or bodies cover them");
    }
    while (next_ <= settings_.schedule.last()) {
        const Event event = nextEvent();
        const auto reached = simulation_.advance(exec_, event.time, [&] { return keepGoing(stop); });
        for (std::string& warning : simulation_.takeWarnings()) warn(std::move(warning));
        if (reached == world::Reached::failed) {
            measurements_.flush();
            writeResults();
            throw Error(ExitCode::diverged, failureText());
        }
        if (reached == world::Reached::stopped) {
            writeCheckpoint(next_);
            if (!stopCode_) continue;   // it was only time for a checkpoint
            writeResults();
            writeRecord("interrupted");
            return *stopCode_;
        }
        const bool frame = event.due.front();
        measurements_.sample(exec_, simulation_, {event.due.begin() + 1, event.due.end()}, frame);
        if (!frame) continue;
        writeFrame();
        const bool lastRegular = next_ == settings_.schedule.last() || !settings_.schedule.isRegular(next_ + 1);
        ++next_;
        if (settings_.checkpointInterval <= 0 || checkpointDue() || lastRegular) writeCheckpoint(next_ - 1);
        if (secondsSinceStart() > resultsSeconds_ + kResultsInterval) writeResults();
        writeRecord("running");
    }
    observer_.stepped(progress());
    writeResults();
    writeRecord("done");
    return ExitCode::done;
}

// Frames come first in the list, so that samples which fall on a frame are taken at its time.
Event FrameLoop::nextEvent() const {
    constexpr double kSameInstant = 1e-9;   // of the shortest interval
    const double frameInterval = settings_.schedule.interval();
    std::vector<double> times{settings_.schedule.time(next_)};
    std::ranges::copy(measurements_.nextTimes(), std::back_inserter(times));
    return run::nextEvent(times, kSameInstant * std::min(frameInterval, measurements_.shortestInterval()));
}

void FrameLoop::writeResults() {
    io::writeFile(directory_.results(), measurements_.resultsJson());
    resultsSeconds_ = secondsSinceStart();
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
    writeBodies();
    directory_.listFrames(settings_.schedule, settings_.firstNumber, next_ + 1);

    const world::Totals totals = world::totals(exec_, simulation_);
    if (next_ == 0) {
        start_ = {totals.energy(), simulation_.account().insertedCount};
        directory_.series().append(seriesHeader(simulation_));
        directory_.bodies().append(bodiesHeader());
        directory_.flows().append(flowsHeader(simulation_.world()));
    }
    directory_.series().append(seriesRow(simulation_, totals, start_));
    directory_.bodies().append(bodiesRows(simulation_, number));
    directory_.flows().append(flowsRow(simulation_.world()));
    measurements_.flush();
}

// What stands still is written with the first frame, what moves with every one.
void FrameLoop::writeBodies() {
    if (!bodyMeshes_) bodyMeshes_.emplace(exec_, simulation_.world(), next_ == 0);
    if (next_ == 0) bodyMeshes_->writeOnce(directory_);
    if (!bodyMeshes_->moving()) return;
    bodyMeshes_->writeFrame(directory_.movingBodies(settings_.firstNumber + next_), simulation_.world());
    directory_.listMovingBodies(settings_.schedule, settings_.firstNumber, next_ + 1);
}

void FrameLoop::writeCheckpoint(std::int64_t headingFrame) {
    const auto phase = exec_.phase("checkpoint");
    measurements_.flush();
    const Bookmark mark{.time = simulation_.world().time, .headingFrame = headingFrame, .headingTime = settings_.schedule.time(headingFrame),
                        .nextFrame = next_, .firstNumber = settings_.firstNumber, .lengths = directory_.appendedLengths(), .start = start_};
    directory_.checkpoints().write(!settings_.schedule.isRegular(headingFrame), [&](Archive& archive) {
        settings_.stamp.save(archive);
        mark.save(archive);
        {
            const auto group = archive.group("probes");
            measurements_.save(archive);
        }
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
