// SPDX-License-Identifier: Apache-2.0
// A run of falling grains in parts: interrupted, killed, resumed.
#pragma once

#include "run/frame_loop.h"
#include "unit/io/temporary_folder.h"
#include "unit/run/falling_grains.h"
#include "world/probes.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace talus::run {

using test::TemporaryFolder;

inline constexpr double kEnd = 0.25, kFramesPerSecond = 20;

/// Everything that must be the same to the byte, and nothing that may differ.
inline std::map<std::string, std::string> results(const Path& directory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        const std::string name = std::filesystem::relative(entry.path(), directory).string();
        if (entry.is_regular_file() && (name.starts_with("frames/") || name.starts_with("series.") || name.starts_with("flows.") || name.starts_with("probes/") || name == "results.json")) files[name] = io::readFile(entry.path());
    }
    return files;
}

struct Part {
    double end = kEnd;
    std::optional<std::int64_t> frames = {};
    std::int64_t stopAfter = -1;               // steps of this part
    double checkpointInterval = 0, failTime = 1e300;
    std::optional<double> maxSeconds = {};
    Stamp stamp{"1", "AVX2", "float", "abc"};
    bool resume = false, force = false, loadable = true;
    std::function<void(std::int64_t step)> eachStep = [](std::int64_t) {};
    std::vector<world::Stage> stages = {};
    bool probes = false;                       // one with the frames, one at a rate of its own
    bool second = false;                       // second outputs
};

struct Outcome {
    ExitCode code = ExitCode::done;
    bool nothingLeft = false;
    Record record;
};

/// Not an exception that anyone handles: the nearest to a kill inside one process.
struct Killed {};

inline Record recordOf(const Path& path, const Part& part) {
    Record record;
    record.version = part.stamp.version;
    record.simd = part.stamp.simd;
    if (part.resume) record.carryOver(readRecord(path));
    return record;
}

inline std::vector<world::ProbePlan> probesOf(const Part& part) {
    std::vector<world::ProbePlan> plans(part.probes ? 2 : 0);
    if (!part.probes) return plans;
    world::StatisticProbe median;
    median.of = {world::field::position, 2, "position_z"};
    median.statistic = world::Statistic::percentile;
    median.percentiles = {50};
    plans[0].probe = world::makeProbe({"heights", {}}, median);
    plans[0].rate = 70;   // none of its times is a frame's but 0, 0.1, …
    plans[1].probe = world::makeProbe({"down", {}}, world::FluxProbe{{0, 0, 0.1}, {0, 0, -1}, {}, {}});
    return plans;
}

inline Outcome play(const Path& path, const Part& part) {
    const Exec exec(1);
    world::Simulation simulation = test::fallingGrains(part.failTime, part.loadable);
    RunDirectory directory = part.resume ? RunDirectory::open(path) : RunDirectory::create(path, false);
    Observer observer;
    LoopSettings settings{.end = part.end, .framesPerSecond = kFramesPerSecond, .frames = part.frames, .stages = part.stages, .firstNumber = 0, .fields = {"id", "position", "velocity"},
                          .secondOutputs = part.second ? std::vector(test::FallingGrains::kSecondOutputs.begin(), test::FallingGrains::kSecondOutputs.end()) : std::vector<world::SecondOutput>{},
                          .checkpointInterval = part.checkpointInterval, .maxSeconds = part.maxSeconds, .stamp = part.stamp, .probes = probesOf(part)};
    FrameLoop loop(exec, simulation, directory, recordOf(path, part), std::move(settings), observer);
    if (!part.resume) loop.begin("scene");
    else if (!loop.resume("scene", part.force)) return {ExitCode::done, true, readRecord(path)};
    std::int64_t steps = 0;
    const ExitCode code = loop.run([&]() -> std::optional<ExitCode> {
        part.eachStep(steps);
        if (steps++ == part.stopAfter) return ExitCode::interrupted;
        return {};
    });
    return {code, false, readRecord(path)};
}

inline ExitCode codeOf(auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::done;
}

}  // namespace talus::run
