// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include "io/checksum.h"
#include "run/refine.h"
#include "run/start_from.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string_view>

namespace talus::run {

namespace {

std::string precisionName(const scene::Scene& scene) { return scene.precision() == world::Precision::float32 ? "float" : "double"; }

Stamp stampOf(const scene::Scene& scene) { return {version(), simd(), precisionName(scene), fingerprint(scene)}; }

LoopSettings settingsOf(const scene::Scene& scene, const Options& options) {
    return {.end = scene.endTime(), .framesPerSecond = scene.framesPerSecond(), .frames = options.frames, .stages = scene.stages(), .firstNumber = scene.firstFrame(),
            .fields = scene.outputFields(), .secondOutputs = scene.secondOutputs(), .style = scene.frameStyle(), .checkpointInterval = scene.checkpointInterval(), .maxSeconds = options.maxSeconds, .stamp = stampOf(scene),
            .probes = scene.createProbes(), .look = scene.look()};
}

std::string resolvedText(const scene::Scene& scene, std::string_view name) {
    return scene.toml(fmt::format("{}, as resolved by Talus {} ({}) for the run in this folder", name, version(), simd()), kAssetFolder);
}

Record newRecord(const scene::Scene& scene, const world::World& world) {
    Record record;
    record.scene = scene.name();
    record.version = version();
    record.method = scene.method().name;
    record.precision = precisionName(scene);
    record.simd = simd();
    record.seed = world.seed;
    record.warnings = scene.warnings();
    return record;
}

/// Two texts that should be equal: the first line of each where they part.
void requireSameScene(const scene::Scene& stored, const scene::Scene& asked, const Path& directory) {
    std::istringstream there(stored.identity()), here(asked.identity());
    std::string lineThere, lineHere;
    for (;;) {
        const bool more = static_cast<bool>(std::getline(there, lineThere)), moreHere = static_cast<bool>(std::getline(here, lineHere));
        if (!more && !moreHere) return;
        if (more != moreHere || lineThere != lineHere) break;
    }
    throw Error(ExitCode::usage, fmt::format("the run in '{}' is of another scene: it has `{}` where this one has `{}`; use --out for another folder", directory.string(),
                                             there ? lineThere : "", here ? lineHere : ""));
}

Path directoryOf(const scene::Scene& scene, const Options& options) {
    if (options.out && options.out->empty()) throw Error(ExitCode::usage, "--out is empty; give the directory that the run is written to");
    return options.out.value_or(Path(fmt::format("{}-{}", scene.name(), scene.method().name)));
}

Outcome finish(FrameLoop& loop, const RunDirectory& directory, StopRequested stop) {
    const ExitCode code = loop.run(stop);
    return {code, directory.path(), false, loop.record()};
}

/// The last frame stands instead of a state that does not fit: it must be fit to start from by itself. Returns what is to be said of it.
std::vector<std::string> requireFitFrame(const Options& options, scene::Methods methods, const std::string& obstacle) {
    scene::Request request = requestOf(options, methods);
    request.stateFollows = false;
    try {
        return scene::read(request, methods).warnings();
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}\n--from: the state of the checkpoint, which has more than the frame, does not go on here: {}", error.what(), obstacle));
    }
}

std::vector<std::string> warningsOf(const TakenFrom& taken) {
    std::vector<std::string> warnings;
    if (!taken.obstacle.empty()) warnings.push_back(fmt::format("--from: took the fields of the last frame, not the state of the checkpoint: {}", taken.obstacle));
    if (taken.removed > 0) warnings.push_back(fmt::format("--from: left out {} grains where bodies stand now", taken.removed));
    return warnings;
}

Outcome start(const Options& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    const scene::Scene scene = scene::read(requestOf(options, methods), methods);
    for (const std::string& warning : scene.warnings()) observer.warned(warning);
    requireMemory(scene.estimate());

    const Exec exec(options.threads);
    world::World world = scene.buildWorld();
    Record record = newRecord(scene, world);
    record.refinedFrom = options.refinedFrom;
    auto method = scene.createMethod(world);
    world::Simulation simulation(std::move(world), std::move(method));
    if (options.from) {
        const TakenFrom taken = takeOver(exec, *options.from, scene, methods, simulation);
        record.startedFrom = taken.what;
        std::vector<std::string> warnings = warningsOf(taken);
        if (!taken.obstacle.empty()) std::ranges::move(requireFitFrame(options, methods, taken.obstacle), std::back_inserter(warnings));
        for (const std::string& warning : warnings) {
            if (std::ranges::find(record.warnings, warning) != record.warnings.end()) continue;   // the scene's own, said above
            record.warnings.push_back(warning);
            observer.warned(warning);
        }
    }
    RunDirectory directory = RunDirectory::create(directoryOf(scene, options), options.overwrite);
    FrameLoop loop(exec, simulation, directory, record, settingsOf(scene, options), observer);
    loop.begin(resolvedText(scene, record.scene), scene.assets());
    return finish(loop, directory, stop);
}

/// The folder of a run may stand where its scene would: `run --resume DIR` is `run --resume --out DIR`.
Options withFolderAsOut(Options options) {
    const Path folder = options.request.scene;
    if (folder.empty() || scene::isBuiltIn(folder.string())) return options;
    if (!holdsRun(folder)) {
        const bool meantAsRun = folder.extension() != ".toml" && !std::filesystem::exists(folder);
        if (meantAsRun && !options.out) throw Error(ExitCode::missing, fmt::format("there is no run in '{}' to resume, nor a scene of that name", folder.string()));
        return options;
    }
    if (options.out && !(std::filesystem::exists(*options.out) && std::filesystem::equivalent(folder, *options.out)))
        throw Error(ExitCode::usage, fmt::format("'{}' and '{}' are two runs; --resume goes on with one", folder.string(), options.out->string()));
    options.out = folder;
    options.request.scene.clear();
    return options;
}

/// Where someone who gave a scene and no --out may have left its run.
std::string nearbyRun(const Options& options) {
    if (options.out) return {};
    for (const Path& folder : {Path(options.request.scene), Path(options.request.scene).parent_path()})
        if (!folder.empty() && holdsRun(folder)) return fmt::format("; go on with that in '{}' by: {}", folder.string(), resumeCommand(folder));
    return {};
}

Outcome resume(const Options& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    std::optional<scene::Scene> asked;
    scene::Request request = options.request;
    request.stateFollows = true;
    if (!request.scene.empty()) asked.emplace(scene::read(request, methods));
    else if (!options.out) throw Error(ExitCode::usage, "--resume needs a scene or --out DIR");
    const Path folder = asked ? directoryOf(*asked, options) : *options.out;
    if (asked && !std::filesystem::is_directory(folder)) throw Error(ExitCode::missing, fmt::format("there is no run in '{}' to resume{}", folder.string(), nearbyRun(options)));
    RunDirectory directory = RunDirectory::open(folder);

    scene::Request own;
    own.scene = directory.scene().string();
    own.stateFollows = true;
    const scene::Scene stored = scene::read(own, methods);
    if (!asked) {   // the run's own scene with the changes of this command line
        request.scene = own.scene;
        asked.emplace(scene::read(request, methods));
    }
    if (!options.force) requireSameScene(stored, *asked, directory.path());

    const Exec exec(options.threads);
    world::World world = asked->buildWorld();
    const Record earlier = readRecord(directory.path());
    Record record = newRecord(*asked, world);
    record.carryOver(earlier);
    auto method = asked->createMethod(world);
    world::Simulation simulation(std::move(world), std::move(method));
    FrameLoop loop(exec, simulation, directory, record, settingsOf(*asked, options), observer);
    if (!loop.resume(resolvedText(*asked, record.scene), options.force, asked->assets())) return {ExitCode::done, directory.path(), true, earlier};
    return finish(loop, directory, stop);
}

}  // namespace

Outcome run(const Options& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    if (!options.resume) return start(options, methods, observer, stop);
    const Options own = withFolderAsOut(options);
    const bool byFolder = own.request.scene.empty() && own.out && own.refinedFrom.empty();
    if (byFolder && !refinedFrom(*own.out).empty()) return resumeRefined(own, methods, observer, stop);
    return resume(own, methods, observer, stop);
}

std::string resumeCommand(const Path& directory) { return "talus run --resume --out " + scene::shellWord(directory.string()); }

std::string fingerprint(const scene::Scene& scene) {
    io::Checksum sum;
    const std::string identity = scene.identity();
    sum.add(std::as_bytes(std::span(identity)));
    return fmt::format("{:016x}", sum.value());
}

double longestRun(const scene::Scene& scene) { return world::Stages(scene.stages()).longest(scene.endTime()); }

void requireMemory(const world::Estimate& estimate) {
    const double available = physicalMemory();
    if (estimate.bytes <= available) return;
    throw Error(ExitCode::usage, fmt::format("the run needs about {} for {} grains and this machine has {}; lower resolution.grains or raise resolution.size",
                                             readableBytes(estimate.bytes), estimate.grains, readableBytes(available)));
}

Forecast forecast(const scene::Scene& scene, const Options& options) {
    Forecast result;
    result.estimate = scene.estimate();
    requireMemory(result.estimate);
    const FrameSchedule schedule(longestRun(scene), scene.framesPerSecond(), options.frames);
    const double end = schedule.time(schedule.last());
    result.frames = schedule.last() + 1;

    const Exec exec(options.threads);
    world::World world = scene.buildWorld();
    auto method = scene.createMethod(world);
    world::Simulation simulation(std::move(world), std::move(method));
    simulation.fill(exec);
    result.grains = simulation.method().count();
    if (schedule.last() > 0 && simulation.advance(exec, schedule.time(1), [&] { return simulation.steps() == 0; }) == world::Reached::failed)
        throw Error(ExitCode::diverged, fmt::format("the first step fails: {}", simulation.failure()->what));
    result.dt = simulation.dt();
    result.stepSeconds = simulation.stepSeconds();
    result.steps = result.dt > 0 ? std::ceil(end / result.dt) : 0;
    result.seconds = result.steps * result.stepSeconds;
    return result;
}

std::string readableBytes(double bytes) {
    static constexpr std::array<const char*, 6> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
    return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace talus::run
