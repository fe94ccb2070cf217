// SPDX-License-Identifier: Apache-2.0
#include "run/refine.h"

#include "run/playback.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::run {
namespace {

/// A text as TOML writes it.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::vector<io::FrameTime> framesToRefine(const Path& directory) {
    std::vector<io::FrameTime> frames = framesOf(directory);
    if (frames.size() < 2) throw Error(ExitCode::missing, fmt::format("the run in '{}' has {} to refine; it takes two", directory.string(), frames.empty() ? "no frames" : "one frame"));
    return frames;
}

/// Stages end when they ended: what their conditions looked at may be otherwise among fine grains, and probes are left out. Those
/// that had not begun, or not ended by the last frame, will not either.
std::vector<std::string> stageEnds(const scene::Scene& scene, const std::vector<StageRecord>& begun, double lastTime) {
    std::vector<std::string> sets;
    for (std::size_t k = 0; k < scene.stages().size(); ++k) {
        double lasts = 1e-6;   // [s]
        if (k < begun.size()) {
            if (begun[k].ended == "time") continue;
            lasts = std::max(lasts, (k + 1 < begun.size() ? begun[k + 1].begin : lastTime) - begun[k].begin);
        }
        sets.push_back(fmt::format("stages[{}].until={{time={}}}", k, lasts));
    }
    return sets;
}

/// Why the probes of the scene cannot be followed: one of them measures forces, which nobody computes again, or a field that fine grains do not have.
/// Empty where they can.
std::string obstacleToProbes(const scene::Request& request, scene::Methods methods) {
    try {
        const scene::Scene scene = scene::read(request, methods);
        for (const world::ProbePlan& plan : scene.createProbes())
            for (const world::ProbeColumn& column : plan.probe->columns())
                if (column.unit == "N") return fmt::format("'{}' measures forces, which are not computed again", plan.probe->name());
    } catch (const Error& error) {
        const std::string_view all = error.what();
        return std::string(all.substr(0, all.find('\n')));
    }
    return {};
}

std::vector<std::string> allBut(std::vector<std::string> names, std::string_view one) {
    std::erase(names, one);
    return names;
}

struct LeftOut {
    std::vector<std::string> probes, reasons;
};
/// The probes that cannot be followed, each looked at without the others.
LeftOut probesToLeaveOut(scene::Request request, scene::Methods methods, const scene::Scene& recorded) {
    LeftOut left;
    if (obstacleToProbes(request, methods).empty()) return left;
    std::vector<std::string> names;
    for (const world::ProbePlan& plan : recorded.createProbes()) names.push_back(plan.probe->name());
    request.withoutProbes = names;
    if (!obstacleToProbes(request, methods).empty()) return left;   // not because of them: the run will say what is wrong
    for (const std::string& name : names) {
        request.withoutProbes = allBut(names, name);
        const std::string obstacle = obstacleToProbes(request, methods);
        if (obstacle.empty()) continue;
        left.probes.push_back(name);
        left.reasons.push_back(obstacle);
    }
    return left;
}

/// DIR-refined, also of "DIR/" and of ".".
Path besideRun(const Path& directory) {
    Path run = directory.lexically_normal();
    if (!run.has_filename()) run = run.parent_path();
    if (run == "." || run.filename() == "..") run = std::filesystem::canonical(run);
    return run += "-refined";
}

/// The methods with the playback of a run that was made by the method `recorded`.
struct MethodsWithPlayback {
    world::MethodInfo playback = playbackInfo;
    std::vector<const world::MethodInfo*> all;

    MethodsWithPlayback(scene::Methods methods, std::string_view recorded) : all(methods.begin(), methods.end()) {
        for (const world::MethodInfo* method : methods)
            if (method->name == recorded) playback.continuum = method->continuum;
        all.push_back(&playback);
    }
    MethodsWithPlayback(const MethodsWithPlayback&) = delete;
    MethodsWithPlayback& operator=(const MethodsWithPlayback&) = delete;
};

bool sameFolder(const Path& a, const Path& b) { return std::filesystem::weakly_canonical(a) == std::filesystem::weakly_canonical(b); }

/// The refined run that is to be resumed, where its own folder says all that there is to know: no scene, factor or settings were given, and
/// DIR, if given, is the run that it was refined from, or stands for the folder itself.
std::optional<Options> resumedByFolder(const RefineOptions& options) {
    if (!options.run.resume) return {};
    Options own = options.run;
    if (!own.out && !refinedFrom(options.directory).empty()) own.out = options.directory;
    else if (!own.out) own.out = besideRun(options.directory);
    const std::string from = refinedFrom(*own.out);
    if (options.directory.empty() && from.empty()) throw Error(ExitCode::usage, fmt::format("the run in '{}' is not refined from another; go on with it by: {}", own.out->string(), resumeCommand(*own.out)));
    if (from.empty() || options.factor || !own.request.sets.empty()) return {};
    if (!options.directory.empty() && !sameFolder(options.directory, from) && !sameFolder(options.directory, *own.out)) return {};
    return own;
}

}  // namespace

std::string refinedFrom(const Path& directory) {
    try {
        return directory.empty() || !holdsRun(directory) ? std::string() : readRecord(directory).refinedFrom;
    } catch (const Error&) {   // damaged: who reads it for more will say so
        return {};
    }
}

Outcome resumeRefined(const Options& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    Options own = options;
    own.refinedFrom = refinedFrom(*options.out);
    const Path from = own.refinedFrom;
    if (!holdsRun(from)) throw Error(ExitCode::missing, fmt::format("the run in '{}' is refined from that in '{}', which is no longer there", options.out->string(), from.string()));
    const auto last = static_cast<std::int64_t>(framesToRefine(from).size()) - 1;
    own.frames = std::min(own.frames.value_or(last), last);
    const MethodsWithPlayback known(methods, readRecord(from).method);
    return run(own, known.all, observer, stop);
}

Outcome refine(const RefineOptions& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    if (const std::optional<Options> resumed = resumedByFolder(options)) {
        Options own = *resumed;
        const scene::Scene scene = scene::read({.scene = (Path(refinedFrom(*own.out)) / "scene.toml").string(), .method = {}, .variant = {}, .precision = {}, .sets = {}, .stateFollows = true}, methods);
        own.request.sets = {fmt::format("time.end={}", scene.endTime())};   // the other run may have become longer since
        return resumeRefined(own, methods, observer, stop);
    }
    const Record recorded = readRecord(options.directory);
    if (!recorded.refinedFrom.empty()) throw Error(ExitCode::usage, fmt::format("the run in '{}' is itself refined, from that in '{}': refine that one, with a larger --factor", options.directory.string(), recorded.refinedFrom));
    const std::vector<io::FrameTime> frames = framesToRefine(options.directory);
    const auto last = static_cast<std::int64_t>(frames.size()) - 1;   // after frame 0
    const Path from = std::filesystem::weakly_canonical(options.directory);

    Options own = options.run;
    if (!own.out) own.out = besideRun(options.directory);
    if (std::filesystem::weakly_canonical(*own.out) == from) throw Error(ExitCode::usage, "--out is the run that is to be refined; give another folder");
    own.frames = std::min(own.frames.value_or(last), last);
    own.request.scene = (from / "scene.toml").string();
    own.request.name = recorded.scene;
    own.request.method = "guided";
    std::vector<std::string> sets{"guided.guides=\"playback\"", "guided.interpolate_every=1", fmt::format("guided.factor={}", options.factor.value_or(32)), fmt::format("playback.directory={}", quoted(from.string())), "output.fields=[]"};
    const scene::Scene scene = scene::read({.scene = own.request.scene, .method = {}, .variant = {}, .precision = {}, .sets = {}, .stateFollows = true}, methods);
    if (!recorded.stages.empty()) {
        const std::vector<std::string> ends = stageEnds(scene, recorded.stages, frames.back().time);
        sets.insert(sets.end(), ends.begin(), ends.end());
    }
    sets.insert(sets.end(), options.run.request.sets.begin(), options.run.request.sets.end());
    own.request.sets = std::move(sets);

    const MethodsWithPlayback known(methods, recorded.method);
    const LeftOut left = probesToLeaveOut(own.request, known.all, scene);
    own.request.withoutProbes = left.probes;
    for (std::size_t i = 0; i < left.probes.size(); ++i) observer.warned(fmt::format("the probe '{}' of the scene is left out: {}", left.probes[i], left.reasons[i]));
    own.refinedFrom = from.string();
    return run(own, known.all, observer, stop);
}

}  // namespace talus::run
