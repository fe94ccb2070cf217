// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "io/files.h"

#include <fmt/format.h>

#include <cctype>
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

}  // namespace

ExitCode execute(const CheckCommand& command) {
    const scene::Scene scene = scene::read(command.request, scene::builtInMethods());
    for (const std::string& warning : scene.warnings()) fmt::print(stderr, "warning: {}\n", warning);
    if (command.resolved) {
        print(scene.toml());
        return ExitCode::done;
    }
    const world::Estimate estimate = scene.estimate();
    run::requireMemory(estimate);
    std::string stages;
    for (const world::Stage& stage : scene.stages())
        stages += fmt::format("{:<9}{}: {}\n", stages.empty() ? "stages" : "", stage.name, !stage.until ? std::string("to the end") : fmt::format("{} {:.6g} s", stage.until->timed() ? "for" : "at most", stage.until->longest()));
    const double longest = run::longestRun(scene);
    print(fmt::format("ok: {}\nmethod   {}: {}\ngrains   about {} of {:.4g} m\nmemory   about {}\n{}time     {}{:.6g} s, {} frames\n", scene.name(), scene.method().name,
                      scene.method().summary, estimate.grains, estimate.size, run::readableBytes(estimate.bytes), stages, stages.empty() ? "" : "at most ", longest,
                      run::FrameSchedule(longest, scene.framesPerSecond()).last() + 1));
    print(bodySizes(scene));
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
    if (command.name.empty() || !std::ranges::all_of(command.name, plain))
        throw Error(ExitCode::usage, fmt::format("'{}' cannot name a scene: use letters, digits, '-' and '_'", command.name));
    const io::Path path = command.name + ".toml";
    if (std::filesystem::exists(path)) throw Error(ExitCode::usage, fmt::format("'{}' exists already", path.string()));
    io::writeFile(path, scene::newSceneText(command.name));
    print(path.string() + "\n");
    return ExitCode::done;
}

ExitCode execute(const SchemaCommand&) {
    print(scene::jsonSchema(scene::builtInMethods()));
    return ExitCode::done;
}

}  // namespace talus::cli
