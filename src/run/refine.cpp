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

/// The number of the last frame after frame 0.
std::int64_t lastFrame(const Path& directory) {
    const Path list = directory / "frames" / "grains.vtp.series";
    const std::size_t frames = std::filesystem::exists(list) ? io::readVtpSeries(list).size() : 0;
    if (frames < 2) throw Error(ExitCode::missing, fmt::format("the run in '{}' has {} to refine; it takes two", directory.string(), frames == 0 ? "no frames" : "one frame"));
    return static_cast<std::int64_t>(frames) - 1;
}

}  // namespace

Outcome refine(const RefineOptions& options, scene::Methods methods, Observer& observer, StopRequested stop) {
    const Record recorded = readRecord(options.directory);
    const std::int64_t last = lastFrame(options.directory);
    if (!recorded.stages.empty())
        throw Error(ExitCode::usage, fmt::format("the run in '{}' has stages; refine follows one clock only: refine a run of each stage by itself", options.directory.string()));
    const Path from = std::filesystem::weakly_canonical(options.directory);

    Options own = options.run;
    own.out = own.out.value_or(Path(options.directory.lexically_normal().string() + "-refined"));
    if (std::filesystem::weakly_canonical(*own.out) == from) throw Error(ExitCode::usage, "--out is the run that is to be refined; give another folder");
    own.frames = std::min(own.frames.value_or(last), last);
    own.request.scene = (from / "scene.toml").string();
    own.request.method = "guided";
    std::vector<std::string> sets{"guided.guides=\"playback\"", "guided.interpolate_every=1", fmt::format("guided.factor={}", options.factor), fmt::format("playback.directory={}", quoted(from.string())), "probes=[]", "output.fields=[]"};
    sets.insert(sets.end(), options.run.request.sets.begin(), options.run.request.sets.end());
    own.request.sets = std::move(sets);

    world::MethodInfo playback = playbackInfo;
    for (const world::MethodInfo* method : methods)
        if (method->name == recorded.method) playback.continuum = method->continuum;
    std::vector<const world::MethodInfo*> all(methods.begin(), methods.end());
    all.push_back(&playback);
    return run(own, all, observer, stop);
}

}  // namespace talus::run
