// SPDX-License-Identifier: Apache-2.0
// From frame to frame until the end: what is written when, so that a kill at any moment loses no more than the work since
// the last checkpoint and changes no bit of the result.
#pragma once

#include "core/exec.h"
#include "core/function_ref.h"
#include "core/problems.h"
#include "io/look.h"
#include "io/vtp.h"
#include "run/background_writer.h"
#include "run/body_meshes.h"
#include "run/bookmark.h"
#include "run/frame_schedule.h"
#include "run/events.h"
#include "run/machine.h"
#include "run/measurements.h"
#include "run/record.h"
#include "run/run_directory.h"
#include "scene/scene.h"
#include "world/simulation.h"
#include "world/stages.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::run {

struct Progress {
    std::int64_t frame = 0, lastFrame = 0;   // the last written, the last to write
    double time = 0, endTime = 0;            // simulated, since the start; the latest end [s]
    std::string_view stage;                  // empty in a run without stages
    std::int64_t grains = 0, steps = 0, grainSteps = 0;
    double stepSeconds = 0;                  // wall time inside Method::step
};

/// Told between steps; must be quick.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void stepped(const Progress&) {}
    virtual void warned(const std::string&) {}
};

/// The code with which to leave now (interrupted, terminated), if someone asks for it.
using StopRequested = FunctionRef<std::optional<ExitCode>()>;

struct LoopSettings {
    double end = 0, framesPerSecond = 24;    // on the clock of the last stage [s]
    std::optional<std::int64_t> frames;      // the most to write after frame 0
    std::vector<world::Stage> stages;
    std::int64_t firstNumber = 0;            // of the file of frame 0
    std::vector<std::string> fields;         // in each frame
    std::vector<world::SecondOutput> secondOutputs = {};   // beside them
    io::FrameStyle style = io::FrameStyle::exact;
    double checkpointInterval = 0;           // simulated [s]; 0: with every frame
    std::optional<double> maxSeconds;        // wall time
    Stamp stamp;
    std::vector<world::ProbePlan> probes = {};
    io::Look look = {};                      // written for pictures
};

class FrameLoop {
public:
    FrameLoop(const Exec&, world::Simulation&, RunDirectory&, Record, LoopSettings, Observer&);
    ~FrameLoop();
    FrameLoop(const FrameLoop&) = delete;
    FrameLoop& operator=(const FrameLoop&) = delete;

    /// Before the first frame: run.json, scene.toml, empty tables and the checkpoint of an empty world.
    void begin(const std::string& sceneText, std::span<const scene::Asset> assets = {});
    /// Goes back to the newest checkpoint that fits the schedule, and cuts the files back to it. False where nothing is
    /// left to do. Errors: no usable checkpoint (3); one of another build (2) unless `force`. Neither changes a file.
    bool resume(const std::string& sceneText, bool force, std::span<const scene::Asset> assets = {});

    /// done, timeUp or what `stop` asked for; a failed step is an Error with exit code 4. Errors are in run.json too.
    ExitCode run(StopRequested stop);

    const Record& record() const { return record_; }

private:
    std::vector<io::Checkpoint> usableCheckpoints();   // newest first
    /// How the build that made it differs from this one; an Error unless `force`.
    std::string differentBuild(const io::Checkpoint&, bool force) const;
    /// The stages of a checkpoint, and with them the schedule that its bookmark belongs to.
    void loadStages(const Archive&);
    bool isOnSchedule(const Bookmark&) const;
    bool nothingLeftAfter(const Bookmark&) const;
    void load(const Archive&, const Bookmark&);
    void cutBackTo(const io::Checkpoint&, const Bookmark&);
    void writeScene(const std::string& text, std::span<const scene::Asset>);

    ExitCode runFrames(StopRequested stop);
    Event nextEvent() const;
    /// Samples that are due where the simulation stands; true where a frame is.
    bool sampleAt(const Event&);
    bool conditionMet();
    void writeResults();
    std::int64_t next() const { return static_cast<std::int64_t>(frameTimes_.size()); }   // frame to write
    bool enough() const { return settings_.frames && next() > *settings_.frames; }
    /// The frame where the simulation stands, and what goes with it.
    void writeFrame();
    void writeBodies();
    void writeShapes();
    void writeSecond(const world::SecondOutput&, std::int64_t number);
    void appendRows(std::int64_t number);
    /// Of the stage that the simulation is in; true where the run is over with it.
    bool endStage(bool conditionMet);
    void beginStage();
    void beginTables(const std::string& closed, double setBack, const world::Totals&);
    /// Names of the stages after which the tables are closed: those before the present one, and from it on.
    std::vector<std::string> earlierTables() const;
    std::vector<std::string> laterTables() const;
    /// A changed time.end would make a checkpoint on its way there useless.
    bool provisional(std::int64_t headingTick) const;
    FrameSchedule scheduleNow() const;
    void writeCheckpoint(std::int64_t headingTick);
    bool checkpointDue() const;
    bool keepGoing(StopRequested stop);
    std::string failureText() const;
    /// What `action` throws is written to run.json on its way.
    template <class Action>
    auto recordingFailure(const Action& action) -> decltype(action());
    void writeRecord(std::string_view status);
    void warnUnlessLocked();
    void warn(std::string message);
    Progress progress() const;
    double secondsSinceStart() const;

    const Exec& exec_;
    world::Simulation& simulation_;
    RunDirectory& directory_;
    Record record_;
    LoopSettings settings_;
    Observer& observer_;
    Measurements measurements_;

    /// The world as the first stage has it; without stages that of the simulation, whose scripted bodies know their start.
    const world::World& worldAtStart() const { return settings_.stages.empty() ? simulation_.world() : settings_.stages.front().world; }

    /// Hands grains that leave the world to the probes.
    class Leavers final : public world::ChunkSink {
    public:
        explicit Leavers(FrameLoop& loop) : loop_(loop) {}
        void take(const world::Chunk& chunk) override { loop_.measurements_.removed(world::Grains(chunk), loop_.simulation_.world().time); }

    private:
        FrameLoop& loop_;
    };
    Leavers leavers_{*this};

    world::Stages stages_;
    FrameSchedule schedule_;                 // of the present stage
    std::int64_t tick_ = 0;                  // frame of its clock to come
    bool met_ = false;                       // the condition of the stage
    std::vector<double> frameTimes_;         // of the frames written, since the start of the run [s]
    StartEnergy start_;
    std::optional<BodyMeshes> bodyMeshes_;   // made when they are first written
    double checkpointTime_ = 0;              // of the last checkpoint, since the start of the run [s]
    std::optional<ExitCode> stopCode_;
    std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
    double resultsSeconds_ = 0;              // wall time when results.json was written last
    double earlierSeconds_;                  // wall time of the parts before a resume
    std::map<std::string, double> earlierPhases_;
    std::unique_ptr<io::CheckpointImage> image_;   // that is being written
    BackgroundWriter writer_;                // of frames, checkpoints and run.json while the run goes: at most one frame and one checkpoint wait
};

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

}  // namespace talus::run
