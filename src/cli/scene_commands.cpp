// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "io/files.h"
#include "world/openings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace talus::cli {

namespace {

/// Extents of each body in its own coordinates, those of copies once: a mesh in the wrong unit is seen here.
std::string bodySizes(const scene::Scene& scene) {
    const std::vector<world::Body> bodies = scene.buildWorld().bodies;
    std::string text;
    for (std::size_t first = 0, next = 0; first < bodies.size(); first = next) {
        const world::Body& body = bodies[first];
        for (next = first + 1; next < bodies.size() && body.source >= 0 && bodies[next].source == body.source;) ++next;
        if (body.name.starts_with("domain.")) continue;
        const Vec3 size = body.shape->bounds().size();
        text += fmt::format("body     {}{}: ", body.name, next - first > 1 ? " … " + bodies[next - 1].name : "");
        text += body.shape->bounded() ? fmt::format("{:.4g} x {:.4g} x {:.4g} m\n", size.x, size.y, size.z) : "without end\n";
    }
    return text;
}

/// Openings and layers, in metres and in what the method resolves; warnings of those too narrow for it.
struct NarrowPlaces {
    std::string text;
    std::vector<std::string> warnings;
};
NarrowPlaces narrowPlaces(const scene::Scene& scene, const world::Estimate& estimate) {
    constexpr double kEnough = 6;
    constexpr std::size_t kMostShown = 3;
    NarrowPlaces found;
    if (!(estimate.resolved() > 0)) return found;
    const world::World world = scene.buildWorld();
    const std::string_view unit = estimate.carrierSize > 0 ? "guides" : scene.method().continuum ? "cells" : "grains";
    const auto add = [&](std::string_view kind, const std::string& what, double width, std::string_view consequence) {
        const double n = width / estimate.resolved();
        found.text += fmt::format("{:<9}{}: {:.4g} m, {:.1f} {}\n", kind, what, width, n, unit);
        if (n < kEnough)
            found.warnings.push_back(fmt::format("{} {}: {:.1f} {} across, and below {} {}; about {:.2g} times as many grains would do", kind, what, n, unit, kEnough, consequence, std::pow(kEnough / n, 3)));
    };
    const auto keptByStages = [&](const world::Body& body) {
        const auto changes = [&](const std::string& path) { return path.starts_with("bodies." + body.name + "."); };
        return std::ranges::none_of(scene.stages(), [&](const world::Stage& stage) { return std::ranges::any_of(stage.given, changes); });
    };
    std::vector<world::Opening> openings = world::findOpenings(world, estimate.resolved(), keptByStages);
    if (openings.size() > kMostShown) openings.resize(kMostShown);
    for (const world::Opening& o : openings) {
        const auto rounded = [&](double x) { return std::round(100 * x / o.width) * 0.01 * o.width + 0.0; };   // its middle is known no better
        add("opening", fmt::format("at ({:.4g}, {:.4g}, {:.4g}) m", rounded(o.place.x), rounded(o.place.y), rounded(o.place.z)), o.width, "grains pass too slowly or not at all");
    }
    for (std::size_t i = 0; i < world.fills.size(); ++i)
        if (const auto& region = world.fills[i].region) add("layer", fmt::format("grains[{}]", i), world::thickness(*region, world.domain), "a layer does not flow as a thick one");
    return found;
}

}  // namespace

ExitCode execute(const CheckCommand& command) {
    const scene::Scene scene = scene::read(command.request, scene::builtInMethods());
    for (const std::string& warning : scene.warnings()) warn(warning);
    if (command.resolved) {
        print(scene.toml());
        return ExitCode::done;
    }
    const world::Estimate estimate = scene.estimate();
    run::requireMemory(estimate);
    std::string stages;
    for (const world::Stage& stage : scene.stages())
        stages += fmt::format("{:<9}{}: {}\n", stages.empty() ? "stages" : "", stage.name, !stage.until ? std::string("to the end") : fmt::format("{} {:.6g} s", stage.until->timed() ? "for" : "at most", stage.until->longest()));
    const world::Domain& domain = scene.domain();
    const std::string slab = domain.slab < 0 ? "" : fmt::format("slab     {:.6g} m wide along {}\n", domain.slabWidth(), "xyz"[domain.slab]);
    const std::string guides = estimate.carrierSize > 0 ? fmt::format(", carried by guides of {:.4g} m, {:.0f} on each", estimate.carrierSize, std::pow(estimate.carrierSize / estimate.size, 3)) : "";
    const double longest = run::longestRun(scene);
    print(fmt::format("ok: {}\nmethod   {}: {}\ngrains   about {} of {:.4g} m{}\nmemory   about {}\n{}{}time     {}{:.6g} s, {} frames\n", scene.name(), scene.method().name,
                      scene.method().summary, estimate.grains, estimate.size, guides, run::readableBytes(estimate.bytes), slab, stages, stages.empty() ? "" : "at most ", longest,
                      run::FrameSchedule(longest, scene.framesPerSecond()).last() + 1));
    print(bodySizes(scene));
    const NarrowPlaces narrow = narrowPlaces(scene, estimate);
    for (const std::string& warning : narrow.warnings) warn(warning);
    print(narrow.text);
    return ExitCode::done;
}

ExitCode execute(const ScenesCommand&) {
    std::string text;
    for (const scene::BuiltInScene& scene : scene::builtInScenes())
        text += fmt::format("{:<14}{}\n{:<14}variants: {}\n", scene.name, scene.summary, "", fmt::join(scene.variants, ", "));
    print(text);
    return ExitCode::done;
}

ExitCode execute(const MaterialsCommand&) {
    std::string text = fmt::format("{:<14}{:>16}{:>16}{:>16}\n", "preset", "density [kg/m3]", "packing", "friction [deg]");
    for (const scene::MaterialPreset& preset : scene::materialPresets()) {
        const bool solid = preset.packingFraction == 1;
        text += fmt::format("{:<14}{:>16}{:>16}{:>16}\n", preset.name, preset.density, solid ? "solid" : fmt::format("{:.3g}", preset.packingFraction),
                            solid ? "" : fmt::format("{:.3g}", preset.frictionAngleDeg));
    }
    print(text);
    return ExitCode::done;
}

ExitCode execute(const NewCommand& command) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
    const std::string name = command.name.ends_with(".toml") ? command.name.substr(0, command.name.size() - 5) : command.name;
    if (name.empty() || !std::ranges::all_of(name, plain))
        throw Error(ExitCode::usage, fmt::format("'{}' cannot name a scene: use letters, digits, '-' and '_'", command.name));
    const io::Path path = name + ".toml";
    if (std::filesystem::exists(path)) throw Error(ExitCode::usage, fmt::format("'{}' exists already", path.string()));
    io::writeFile(path, scene::newSceneText(name));
    print(path.string() + "\n");
    return ExitCode::done;
}

ExitCode execute(const SchemaCommand&) {
    print(scene::jsonSchema(scene::builtInMethods()));
    return ExitCode::done;
}

}  // namespace talus::cli
