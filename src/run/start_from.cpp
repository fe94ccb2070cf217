// SPDX-License-Identifier: Apache-2.0
// --from DIR[@FRAME]: grains of another run, as its last checkpoint or one of its frames has them.
#include "run/start_from.h"

#include "io/vtp.h"
#include "scene/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace talus::run {
namespace {

struct From {
    Path directory;
    std::optional<std::string> frame;
};

From parse(const std::string& from) {
    const std::size_t at = from.rfind('@');
    if (at == std::string::npos || std::filesystem::exists(Path(from) / "run.json")) return {from, {}};
    return {from.substr(0, at), from.substr(at + 1)};
}

void refuseCarriedGrains(const From& from, scene::Methods methods) {
    if (!std::filesystem::exists(from.directory / "run.json")) return;
    const std::string method = readRecord(from.directory).method;
    if (std::ranges::none_of(methods, [&](const world::MethodInfo* known) { return known->name == method && !known->startsFromFrames; })) return;
    throw Error(ExitCode::usage, fmt::format("--from: the grains of '{}' were carried by guides, which are not in its frames; start from a run of the guides' own method", from.directory.string()));
}

std::int64_t frameNumber(const From& from) {
    const Path series = from.directory / "frames" / "grains.vtp.series";
    if (!std::filesystem::exists(series)) throw Error(ExitCode::missing, fmt::format("--from: there is no run with frames in '{}'", from.directory.string()));
    const std::vector<io::FrameTime> frames = io::readVtpSeries(series);
    if (frames.empty()) throw Error(ExitCode::missing, fmt::format("--from: the run in '{}' has no frames", from.directory.string()));
    std::int64_t number = frames.back().number;
    if (from.frame) {
        const char* const end = from.frame->data() + from.frame->size();
        const auto [stopped, error] = std::from_chars(from.frame->data(), end, number);
        if (error != std::errc{} || stopped != end)
            throw Error(ExitCode::usage, fmt::format("--from: '{}' is not the number of a frame; write DIR@FRAME, for example {}@{}", *from.frame, from.directory.string(), frames.back().number));
    }
    if (!std::filesystem::exists(from.directory / "frames" / io::frameName(number)))
        throw Error(ExitCode::missing, fmt::format("--from: the run in '{}' has no frame {}; it has {} to {}", from.directory.string(), number, frames.front().number, frames.back().number));
    return number;
}

bool periodsAreEqual(const world::Domain& a, const world::Domain& b) {
    for (int axis = 0; axis < 3; ++axis)
        if (a.periodic(axis) != b.periodic(axis) || (a.periodic(axis) && a.max[axis] != b.max[axis])) return false;
    return true;
}

bool contains(const world::Domain& outer, const world::Domain& inner) {
    return outer.max.x >= inner.max.x && outer.max.y >= inner.max.y && outer.max.z >= inner.max.z;
}

/// The first setting of the method that one scene has otherwise than the other: "youngs_modulus = 1e6".
std::string differentSetting(const scene::Scene& there, const scene::Scene& here, scene::Methods methods) {
    // A method that owns another one depends on its table too.
    const auto concerns = [&](std::string_view setting) {
        return std::ranges::any_of(methods, [&](const world::MethodInfo* method) { return setting.starts_with(fmt::format("{}.", method->name)); });
    };
    for (const std::vector<std::string>& settings : scene::settingsThatDiffer({there.toml(), here.toml()}))
        for (const std::string& setting : settings)
            if (concerns(setting)) return setting;
    return {};
}

/// Names of bodies or materials: whether those of the other run come first, in their order.
template <class Items>
bool comeFirst(const Items& first, const Items& all) {
    return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin(), [](const auto& a, const auto& b) { return a.name == b.name; });
}

/// Why the state of one scene's run cannot go on in the other; empty where it can.
std::string obstacleBetween(const scene::Scene& there, const scene::Scene& here, const world::World& from, const world::World& to, scene::Methods methods) {
    if (there.method().name != here.method().name) return fmt::format("its method is {}", there.method().name);
    if (there.precision() != here.precision()) return "its precision is another";
    if (from.domain.min != to.domain.min || !periodsAreEqual(from.domain, to.domain) || !contains(to.domain, from.domain))
        return "its domain is another: the new one must begin at the same corner, be at least as large, and have the same periods";
    if (const double size = there.estimate().size; size != here.estimate().size) return fmt::format("its grains have another size: write resolution.size = {}", size);
    if (!comeFirst(from.materials, to.materials)) return "its materials are not the first of this scene";
    for (std::size_t m = 0; m < from.materials.size(); ++m)
        if (from.materials[m].density != to.materials[m].density || from.materials[m].packingFraction != to.materials[m].packingFraction) return fmt::format("its '{}' has another density", from.materials[m].name);
    if (!comeFirst(from.bodies, to.bodies)) return "its bodies and walls are not the first of this scene";
    if (const std::string setting = differentSetting(there, here, methods); !setting.empty()) return fmt::format("the settings of the method differ in {}", setting);
    return {};
}

/// The world of a run as its checkpoint has it.
world::World worldAt(const scene::Scene& scene, const Archive& archive) {
    world::Stages stages(scene.stages());
    {
        const auto group = archive.group("stages");
        stages.load(archive);
    }
    world::World world = stages.any() ? stages.world() : scene.buildWorld();
    const auto simulation = archive.group("simulation");
    const auto group = archive.group("world");
    world.load(archive);
    return world;
}

}  // namespace

scene::Request requestOf(const Options& options, scene::Methods methods) {
    scene::Request request = options.request;
    if (options.from) {
        const From from = parse(*options.from);
        refuseCarriedGrains(from, methods);
        request.grains = std::filesystem::absolute(from.directory / "frames" / io::frameName(frameNumber(from))).string();
        request.stateFollows = !from.frame;
    }
    return request;
}

TakenFrom takeOver(const Exec& exec, const std::string& text, const scene::Scene& scene, scene::Methods methods, world::Simulation& simulation) {
    const From from = parse(text);
    TakenFrom taken{fmt::format("{}, frame {}", from.directory.string(), frameNumber(from)), {}, 0};
    if (from.frame) return taken;

    scene::Request request;
    request.scene = (from.directory / "scene.toml").string();
    request.stateFollows = true;
    const scene::Scene there = scene::read(request, methods);
    std::vector<std::string> damaged;
    const std::vector<io::Checkpoint> checkpoints = io::CheckpointPair(from.directory / "checkpoint").usable(damaged);
    if (checkpoints.empty()) {
        taken.obstacle = "it has no usable checkpoint";
        return taken;
    }
    const Archive& archive = checkpoints.front().archive();
    try {
        const world::World source = worldAt(there, archive);
        taken.obstacle = obstacleBetween(there, scene, source, simulation.world(), methods);
        if (!taken.obstacle.empty()) return taken;
        const auto group = archive.group("simulation");
        taken.removed = simulation.takeOver(exec, archive, source, !scene.method().continuum);
        taken.what = fmt::format("{}, checkpoint at {:.6g} s", from.directory.string(), source.time);
    } catch (const ArchiveError& error) {   // part of the state may be in the method already
        taken.obstacle = fmt::format("its checkpoint is of another build: {}", error.what());
        world::World world = scene.buildWorld();
        auto method = scene.createMethod(world);
        simulation = world::Simulation(std::move(world), std::move(method));
    }
    return taken;
}

}  // namespace talus::run
