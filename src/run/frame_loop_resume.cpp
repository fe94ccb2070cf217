// SPDX-License-Identifier: Apache-2.0
// Where a run begins or goes on: checkpoints, and what is cut back to them.
#include "run/frame_loop.h"

#include <fmt/format.h>

namespace talus::run {

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
        writer_.wait();
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
            loadStages(checkpoint.archive());
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
    const std::vector<std::string> later = laterTables();
    directory_.requireAppended(mark.lengths, later);
    {
        const auto group = archive.group("probes");
        measurements_.load(archive, later);
    }
    if (stages_.any()) simulation_.replaceWorld(stages_.world());
    const auto group = archive.group("simulation");
    simulation_.load(exec_, archive);
    tick_ = mark.nextTick;
    frameTimes_ = mark.frameTimes;
    start_ = mark.start;
    checkpointTime_ = stages_.sinceStart(mark.time);
}

// Checkpoints first: a newer one would look for rows and frames that are gone, should a kill come in between.
void FrameLoop::cutBackTo(const io::Checkpoint& checkpoint, const Bookmark& mark) {
    directory_.checkpoints().continueFrom(checkpoint, provisional(mark.headingTick));
    directory_.reopenTables(laterTables());
    directory_.openAppended(mark.lengths);
    measurements_.cutBack(earlierTables(), laterTables());
    directory_.removeFramesFrom(settings_.firstNumber + next());
    if (next() == 0) return;
    for (const world::SecondOutput& output : settings_.secondOutputs) directory_.listSecond(output.name, settings_.firstNumber, frameTimes_);
    directory_.listFrames(settings_.firstNumber, frameTimes_);
    if (BodyMeshes::anyMoves(worldAtStart(), settings_.stages)) directory_.listMovingBodies(settings_.firstNumber, frameTimes_);
}

void FrameLoop::writeCheckpoint(std::int64_t headingTick) {
    const auto phase = exec_.phase("checkpoint");
    measurements_.flush();
    if (image_) writer_.wait();
    image_.reset();
    const Bookmark mark{.time = simulation_.world().time, .headingTick = headingTick, .headingTime = schedule_.time(headingTick), .nextTick = tick_,
                        .frameTimes = frameTimes_, .firstNumber = settings_.firstNumber, .lengths = directory_.appendedLengths(), .start = start_};
    image_ = directory_.checkpoints().prepare(provisional(headingTick), [&](Archive& archive) {
        settings_.stamp.save(archive);
        mark.save(archive);
        {
            const auto group = archive.group("stages");
            stages_.save(archive);
        }
        {
            const auto group = archive.group("probes");
            measurements_.save(archive);
        }
        const auto group = archive.group("simulation");
        simulation_.save(archive);
    });
    writer_.post([image = image_.get()] { image->write(); });
    checkpointTime_ = stages_.sinceStart(mark.time);
}

bool FrameLoop::checkpointDue() const {
    return settings_.checkpointInterval > 0 && stages_.sinceStart(simulation_.world().time) >= checkpointTime_ + settings_.checkpointInterval;
}

std::vector<std::string> FrameLoop::earlierTables() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < stages_.current(); ++k)
        if (settings_.stages[k + 1].resetTime) names.push_back(settings_.stages[k].name);
    return names;
}

std::vector<std::string> FrameLoop::laterTables() const {
    std::vector<std::string> names;
    for (std::size_t k = stages_.current(); k + 1 < settings_.stages.size(); ++k)
        if (settings_.stages[k + 1].resetTime) names.push_back(settings_.stages[k].name);
    return names;
}

bool FrameLoop::provisional(std::int64_t headingTick) const { return stages_.last() && !schedule_.isRegular(headingTick); }

}  // namespace talus::run
