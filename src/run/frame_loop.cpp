// SPDX-License-Identifier: Apache-2.0
#include "run/cover_files.h"
#include "run/frame_loop.h"

#include "io/contact_files.h"
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
      observer_(observer), measurements_(std::move(settings_.probes), directory.probes()), stages_(settings_.stages), schedule_(scheduleNow()),
      earlierSeconds_(record_.wallSeconds), earlierPhases_(record_.phaseSeconds) {
    if (measurements_.wantsRemoved()) simulation_.showLeavers(&leavers_);
}

FrameLoop::~FrameLoop() { simulation_.showLeavers(nullptr); }

ExitCode FrameLoop::run(StopRequested stop) {
    return recordingFailure([&] { return runFrames(stop); });
}

ExitCode FrameLoop::runFrames(StopRequested stop) {
    if (next() == 0) {
        simulation_.fill(exec_);
        if (!simulation_.world().fills.empty() && simulation_.method().count() == 0) warn("no grain was placed: the regions are too small for the resolution, or bodies cover them");
    }
    bool over = stages_.finished() || (stages_.last() && tick_ > schedule_.last());
    while (!over && !enough()) {
        if (tick_ > schedule_.last()) {   // a stage shorter than rounding
            over = endStage(false);
            continue;
        }
        const Event event = nextEvent();
        const auto reached = simulation_.advance(exec_, event.time, [&] { return keepGoing(stop); });
        for (std::string& warning : simulation_.takeWarnings()) warn(std::move(warning));
        if (reached == world::Reached::failed) {
            measurements_.flush();
            writeResults();
            throw Error(ExitCode::diverged, failureText());
        }
        if (reached == world::Reached::stopped && !met_) {
            if (writer_.failed()) writer_.wait();
            writeCheckpoint(tick_);
            if (!stopCode_) continue;   // it was only time for a checkpoint
            writeResults();
            writeRecord("interrupted");
            return *stopCode_;
        }
        const bool onTick = reached == world::Reached::target && sampleAt(event);
        if (!onTick && !met_) continue;
        if (!onTick) measurements_.sample(exec_, simulation_, std::vector<bool>(measurements_.count(), false), true);
        writeFrame();
        if (onTick) ++tick_;
        const bool stageOver = met_ || tick_ > schedule_.last();
        const bool lastRegular = stageOver || enough() || !schedule_.isRegular(tick_);
        if (stageOver) over = endStage(met_);
        if (settings_.checkpointInterval <= 0 || checkpointDue() || lastRegular) writeCheckpoint(tick_ - 1);
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
    std::vector<double> times{schedule_.time(tick_)};
    std::ranges::copy(measurements_.nextTimes(), std::back_inserter(times));
    return run::nextEvent(times, kSameInstant * std::min(schedule_.interval(), measurements_.shortestInterval()));
}

// The condition of a stage is looked at once the samples of the instant are taken; where it ends the stage, there is a frame.
bool FrameLoop::sampleAt(const Event& event) {
    const std::vector<bool> due(event.due.begin() + 1, event.due.end());
    const bool frame = event.due.front();
    measurements_.sample(exec_, simulation_, due, frame);
    met_ = conditionMet();
    return frame;
}

bool FrameLoop::conditionMet() {
    return stages_.met(exec_, simulation_, [&](const world::WhenProbe& when) { return measurements_.latest(when.probe, when.column); });
}

void FrameLoop::writeResults() {
    io::writeFile(directory_.results(), measurements_.resultsJson());
    resultsSeconds_ = secondsSinceStart();
}

// A row counts only once a checkpoint has the table's length, and a checkpoint is written only after the frames that it knows of.
void FrameLoop::writeFrame() {
    const auto phase = exec_.phase("frames");
    writer_.wait();
    image_.reset();
    const std::int64_t number = settings_.firstNumber + next();
    std::vector<std::string_view> names(settings_.fields.begin(), settings_.fields.end());
    std::vector<world::FieldInfo> fields;
    for (const std::string_view name : names) {
        const world::FieldInfo* field = world::findField(simulation_.method().fields(), name);
        if (field == nullptr) throw Error(ExitCode::usage, fmt::format("method '{}' has no field '{}'", record_.method, name));
        fields.push_back(*field);
    }
    const auto sink = std::make_shared<io::FrameSink>(fields, static_cast<std::size_t>(simulation_.method().count()));
    simulation_.method().read(exec_, names, *sink);
    writer_.post([this, sink, path = directory_.frame(number), time = simulation_.world().time, style = settings_.style] { io::writeVtp(path, std::move(*sink).finish(exec_, time), style); });
    frameTimes_.push_back(stages_.sinceStart(simulation_.world().time));
    writeBodies();
    writeShapes();
    for (const world::SecondOutput& output : settings_.secondOutputs) writeSecond(output, number);
    writer_.post([this, times = frameTimes_] { directory_.listFrames(settings_.firstNumber, times); });
    appendRows(number);
}

// Shapes of clumps, with the first frame.
void FrameLoop::writeShapes() {
    if (next() != 1) return;
    if (const std::vector<world::GrainTemplate> templates = simulation_.method().templates(); !templates.empty()) io::writeTemplates(directory_.templates(), templates);
}

void FrameLoop::writeSecond(const world::SecondOutput& output, std::int64_t number) {
    const auto sink = std::make_shared<io::FrameSink>(output.fields);
    simulation_.method().readSecond(output, *sink);
    writer_.post([this, sink, output, number, time = simulation_.world().time, times = frameTimes_] {
        io::Frame rows = std::move(*sink).finish(exec_, time);
        const Path path = directory_.second(output.name, number);
        output.lines ? io::writeLines(path, rows) : io::writeVtp(path, std::move(rows));
        directory_.listSecond(output.name, settings_.firstNumber, times);
    });
}

void FrameLoop::appendRows(std::int64_t number) {
    const world::Totals totals = world::totals(exec_, simulation_);
    if (frameTimes_.size() == 1) {
        start_ = {bodiesAloneWork(simulation_.world()) ? totals.energy() : std::nullopt, simulation_.account().insertedCount};
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
    const bool first = next() == 1;
    if (!bodyMeshes_) bodyMeshes_.emplace(exec_, worldAtStart(), settings_.stages, first);
    if (first) {
        bodyMeshes_->writeOnce(directory_);
        writeCovers(directory_, simulation_.method(), worldAtStart());
    }
    if (!bodyMeshes_->moving()) return;
    bodyMeshes_->writeFrame(directory_.movingBodies(settings_.firstNumber + next() - 1), simulation_.world());
    directory_.listMovingBodies(settings_.firstNumber, frameTimes_);
}

bool FrameLoop::keepGoing(StopRequested stop) {
    observer_.stepped(progress());
    met_ = conditionMet();
    if (met_) return false;
    stopCode_ = stop();
    if (!stopCode_ && settings_.maxSeconds && secondsSinceStart() >= *settings_.maxSeconds) stopCode_ = ExitCode::timeUp;
    return !stopCode_ && !checkpointDue() && !writer_.failed();
}

double FrameLoop::secondsSinceStart() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count(); }

}  // namespace talus::run
