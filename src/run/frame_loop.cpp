// SPDX-License-Identifier: Apache-2.0
#include "run/frame_loop.h"

#include "io/vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::run {

namespace {

Stamp loadStamp(const Archive& archive) {
    const auto group = archive.group("stamp");
    return {archive.text("version"), archive.text("simd"), archive.text("precision"), archive.text("scene")};
}

void saveStamp(Archive& archive, const Stamp& stamp) {
    const auto group = archive.group("stamp");
    archive.put("version", std::string_view(stamp.version));
    archive.put("simd", std::string_view(stamp.simd));
    archive.put("precision", std::string_view(stamp.precision));
    archive.put("scene", std::string_view(stamp.scene));
}

}  // namespace

FrameLoop::FrameLoop(const Exec& exec, world::Simulation& simulation, RunDirectory& directory, Record record, LoopSettings settings,
                     Observer& observer)
    : exec_(exec), simulation_(simulation), directory_(directory), record_(std::move(record)), settings_(std::move(settings)),
      observer_(observer), earlierSeconds_(record_.wallSeconds), earlierPhases_(record_.phaseSeconds) {}

void FrameLoop::begin(const std::string& sceneText) {
    writeRecord("running");   // first of all: it marks the folder as a run's
    io::writeFile(directory_.scene(), sceneText);
    io::writeFile(directory_.results(), "{}\n");
    directory_.openAppended({});
    writeCheckpoint(0);
}

bool FrameLoop::resume(const std::string& sceneText, bool force) {
    std::vector<std::string> damaged;
    const std::vector<io::Checkpoint> usable = directory_.checkpoints().usable(damaged);
    for (const std::string& message : damaged) warn(message);
    if (usable.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no usable checkpoint to resume from; --overwrite starts the run anew", directory_.path().string()));

    const FrameSchedule& schedule = settings_.schedule;
    if (usable.front().archive().value<double>("time") > schedule.end()) return false;
    // Newest first. One on its way to a frame that the schedule does not have belongs to another end of the run.
    for (const io::Checkpoint& checkpoint : usable) {
        const Archive& archive = checkpoint.archive();
        const auto headingFrame = archive.value<std::int64_t>("heading_frame");
        if (schedule.time(headingFrame) != archive.value<double>("heading_time")) continue;
        if (archive.value<std::int64_t>("next_frame") > schedule.last() && record_.status == "done") return false;

        const std::string difference = loadStamp(archive).difference(settings_.stamp);
        if (!difference.empty() && !force)
            throw Error(ExitCode::usage, fmt::format("'{}' was made by another build ({}): the results would not be the same; --force resumes it all the same",
                                                     checkpoint.path().string(), difference));
        if (!difference.empty()) warn(fmt::format("resumed although made by another build: {}", difference));
        load(archive);
        directory_.checkpoints().continueFrom(checkpoint, !schedule.isRegular(headingFrame));
        directory_.removeFramesFrom(settings_.firstNumber + next_);
        if (next_ > 0) directory_.listFrames(schedule, settings_.firstNumber, next_);
        io::writeFile(directory_.scene(), sceneText);
        record_.failure.clear();
        writeRecord("running");
        return true;
    }
    throw Error(ExitCode::missing, fmt::format("'{}' cannot be resumed with this time.end and time.frames_per_second: its checkpoints stand between other frames; keep those of its scene.toml, or extend time.end", directory_.path().string()));
}

ExitCode FrameLoop::run(StopRequested stop) {
    try {
        return runToEnd(stop);
    } catch (const Error& error) {
        if (error.code() == ExitCode::io) recordFailure(error.what());
        throw;
    }
}

ExitCode FrameLoop::runToEnd(StopRequested stop) {
    if (next_ == 0) {
        simulation_.fill(exec_);
        if (simulation_.method().count() == 0) warn("no grain was placed: the regions are too small for the resolution, or bodies cover them");
    }
    while (next_ <= settings_.schedule.last()) {
        const auto reached = simulation_.advance(exec_, settings_.schedule.time(next_), [&] { return keepGoing(stop); });
        if (reached == world::Reached::failed) fail();
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
    writeRecord("done");
    return ExitCode::done;
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
    const AppendedLengths lengths = directory_.appendedLengths();
    directory_.checkpoints().write(!settings_.schedule.isRegular(headingFrame), [&](Archive& archive) {
        saveStamp(archive, settings_.stamp);
        archive.put("time", simulation_.world().time);
        archive.put("heading_frame", headingFrame);   // where it stands or is on its way to
        archive.put("heading_time", settings_.schedule.time(headingFrame));
        archive.put("next_frame", next_);
        archive.put("first_number", settings_.firstNumber);
        archive.put("series_bytes", lengths.series);
        archive.put("bodies_bytes", lengths.bodies);
        archive.put("start_energy", start_.energy.value_or(std::numeric_limits<double>::quiet_NaN()));
        archive.put("start_inserted", start_.inserted);
        const auto group = archive.group("simulation");
        simulation_.save(archive);
    });
    checkpointTime_ = simulation_.world().time;
}

void FrameLoop::load(const Archive& archive) {
    if (archive.value<std::int64_t>("first_number") != settings_.firstNumber)
        throw Error(ExitCode::usage, "output.first_frame cannot change on resume");
    directory_.openAppended({archive.value<std::uint64_t>("series_bytes"), archive.value<std::uint64_t>("bodies_bytes")});
    next_ = archive.value<std::int64_t>("next_frame");
    const auto energy = archive.value<double>("start_energy");
    start_ = {std::isfinite(energy) ? std::optional(energy) : std::nullopt, archive.value<std::int64_t>("start_inserted")};
    const auto group = archive.group("simulation");
    simulation_.load(archive);
    checkpointTime_ = simulation_.world().time;
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

void FrameLoop::fail() {
    const world::Failed& failed = *simulation_.failure();
    std::string where;
    if (failed.grain >= 0)
        where = fmt::format(", grain {} at ({:.6g}, {:.6g}, {:.6g}) m", failed.grain, failed.position.x, failed.position.y, failed.position.z);
    if (!failed.field.empty()) where += fmt::format(", field {}", failed.field);
    record_.failure = fmt::format("diverged in step {} at {:.9g} s{}: {}", simulation_.steps() + 1, simulation_.world().time, where, failed.what);
    writeRecord("failed");
    throw Error(ExitCode::diverged, record_.failure);
}

/// The disk that just failed may take no record either: what it holds then still says "running".
void FrameLoop::recordFailure(const std::string& what) {
    record_.failure = what;
    try {
        writeRecord("failed");
    } catch (const Error&) {
    }
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
