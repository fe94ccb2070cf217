// SPDX-License-Identifier: Apache-2.0
// A scene from request to run directory.
#pragma once

#include "run/frame_loop.h"
#include "scene/scene.h"

#include <cstdint>
#include <optional>
#include <string>

namespace talus::run {

struct Options {
    scene::Request request;                  // without a scene, or with the folder of a run for it: that of the run to resume
    std::optional<Path> out;                 // ./NAME-METHOD unless given
    std::optional<std::int64_t> frames;      // after frame 0
    int threads = 0;                         // 0: as many as the machine has
    std::optional<double> maxSeconds;        // wall time
    std::optional<std::string> from;         // DIR or DIR@FRAME: a run whose grains are put in besides those of the scene
    bool resume = false, overwrite = false, force = false;
    std::string refinedFrom = {};            // the run whose frames are the guides (refine.h)
};

/// The request with the file of grains that `from` names. Errors: no such run or frame (3).
scene::Request requestOf(const Options&, scene::Methods);

struct Outcome {
    ExitCode code = ExitCode::done;
    Path directory;
    bool nothingLeft = false;                // a resumed run that was at its end
    Record record;
};

/// Runs or resumes. Errors: bad scene or usage (2), missing scene or run (3), diverged (4), files (5).
Outcome run(const Options&, scene::Methods, Observer&, StopRequested);

/// What to type to go on with the run in a folder.
std::string resumeCommand(const Path& directory);

/// Of all that makes a run what it is; the same where --resume goes on without --force.
std::string fingerprint(const scene::Scene&);

/// Simulated time that the run lasts at most, over all stages [s].
double longestRun(const scene::Scene&);

/// What a run would need, found without writing anything.
struct Forecast {
    world::Estimate estimate;
    std::int64_t grains = 0;                 // really put in
    std::int64_t frames = 0;
    double dt = 0, stepSeconds = 0;          // of the one step that was taken [s], simulated and wall
    double steps = 0, seconds = 0;           // of the whole run, at that step
};
Forecast forecast(const scene::Scene&, const Options&);

/// Refuses (exit code 2) what does not fit into memory, before any of it is allocated.
void requireMemory(const world::Estimate&);

std::string readableBytes(double bytes);     // "1.5 GB"

}  // namespace talus::run
