// SPDX-License-Identifier: Apache-2.0
#include "scene/look.h"

#include "scene/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace talus::scene {

namespace {

constexpr std::array<std::string_view, 6> kViewNames{"fit", "front", "side", "iso", "top", "close"};
constexpr std::size_t kKeyWidth = 7;

void checkColour(KeyVisitor& v, std::string_view key, const std::string& colour) {
    if (!io::parseColour(colour))
        v.problem(key, fmt::format("'{}' is not a colour; write \"#e1a95f\" or one of {}", colour, fmt::join(io::colourNames(), ", ")));
}

Vec3 vectorAt(const std::vector<double>& rows, std::size_t at) { return {rows[at], rows[at + 1], rows[at + 2]}; }

}  // namespace

void CameraDescription::keys(KeyVisitor& v) {
    v.choice({"view", "from where to look at the grains, where no position is given; the picture is fitted to them"}, kViewNames, view);
    v.vector({"position", "where the camera stands", Dimension::length}, position);
    v.vector({"target", "what it looks at; default the middle of the grains", Dimension::length}, target);
    v.vector({"up", "direction that is up in the picture"}, up);
    v.number({"fov_deg", "angle that the height of the picture spans", Dimension::angle, openBetween(0, 170)}, fovDeg);
    v.flag({"orthographic", "no perspective: lengths are the same near and far"}, orthographic);
    v.number({"height", "of an orthographic picture; default as fov_deg gives at the target", Dimension::length, positive()}, height);
    v.number({"aperture", "diameter of the lens; 0: everything is sharp", Dimension::length, nonNegative()}, aperture);
    v.number({"focus", "distance that is sharp; default that of the target", Dimension::length, positive()}, focus);
    v.rows({"keyframes", "instead of position and target, rows of [time, position x, y, z, target x, y, z]; in SI units"}, static_cast<int>(kKeyWidth), keyframes);

    if (!keyframes.empty() && (position || target)) v.problem("keyframes", "give either 'camera.keyframes', or 'camera.position' and 'camera.target'");
    if (!(norm(up) > 0)) v.problem("up", "'camera.up' must not be zero; write for example [0, 0, 1]");
    if (position && target && norm(*position - *target) == 0) v.problem("target", "'camera.target' is the camera's own position; it must look at another point");
    for (std::size_t row = 0; row + kKeyWidth <= keyframes.size(); row += kKeyWidth) {
        if (row > 0 && !(keyframes[row] > keyframes[row - kKeyWidth])) v.problem("keyframes", "the times of camera keyframes must ascend");
        if (norm(vectorAt(keyframes, row + 1) - vectorAt(keyframes, row + 4)) == 0)
            v.problem("keyframes", fmt::format("at time {} the camera stands at its target; it must look at another point", keyframes[row]));
    }
}

void BodyLookDescription::keys(KeyVisitor& v) {
    v.choice({"finish", "plain: matte; checker: squares of two colours, which show how it turns; glass: clear; hidden: not in pictures"}, io::kFinishNames, finish);
    v.text({"colour", "\"#rrggbb\" or a name; of glass, what passes through it"}, colour);
    v.text({"second", "second colour of a checker"}, second);
    v.number({"checker_size", "edge of a square; default a tenth of what the picture shows", Dimension::length, positive()}, checkerSize);
    if (colour) checkColour(v, "colour", *colour);
    if (second) checkColour(v, "second", *second);
}

void MaterialLookDescription::keys(KeyVisitor& v) {
    v.texts({"colours", "of its grains, chosen at random; default a mix of sand: yellow, brown and white"}, colours);
    v.numbers({"shares", "how often each colour is chosen; default all alike", Dimension::none, positive()}, shares);
    for (const std::string& colour : colours) checkColour(v, "colours", colour);
    if (!shares.empty() && shares.size() != colours.size())
        v.problem("shares", fmt::format("{} colours need as many shares, not {}", colours.size(), shares.size()));
}

io::Look lookOf(const SceneDescription& scene) {
    io::Look look;
    const CameraDescription& camera = scene.camera;
    look.camera = {.view = std::string(kViewNames[static_cast<std::size_t>(camera.view)]),
                   .position = camera.position,
                   .target = camera.target,
                   .up = camera.up,
                   .fovDegrees = camera.fovDeg,
                   .orthographic = camera.orthographic,
                   .height = camera.height,
                   .aperture = camera.aperture,
                   .focus = camera.focus,
                   .keyframes = {}};
    for (std::size_t row = 0; row + kKeyWidth <= camera.keyframes.size(); row += kKeyWidth)
        look.camera.keyframes.push_back({camera.keyframes[row], vectorAt(camera.keyframes, row + 1), vectorAt(camera.keyframes, row + 4)});
    look.domainMin = scene.domain.min;
    look.domainMax = scene.domain.max;
    for (std::size_t face = 0; face < look.faces.size(); ++face)
        look.faces[face] = scene.domain.axes[face / 2].given ? scene.domain.axes[face / 2].type : scene.domain.faces[face].type;
    constexpr std::size_t kFloor = 4;   // z_min
    if (!scene.domain.axes[2].given && scene.domain.faces[kFloor].type == world::FaceType::wall) look.floor = scene.domain.min.z;
    look.framesPerSecond = scene.time.framesPerSecond;
    for (const BodyDescription& body : scene.bodies)
        for (std::size_t copy = 0; copy < body.copies.size(); ++copy)
            look.bodies.push_back({nameOfCopy(body.name, body.copies, copy), std::string(io::kFinishNames[static_cast<std::size_t>(body.look.finish)]), body.look.colour.value_or(""),
                               body.look.second.value_or(""), body.look.checkerSize.value_or(0)});
    for (const MaterialDescription& material : scene.materials) look.materials.push_back({material.name, material.look.colours, material.look.shares, material.density.value_or(0)});
    for (std::size_t i = 0; i < scene.grains.size(); ++i) look.sources.push_back(fmt::format("grains {} ({})", i, scene.grains[i].material));
    for (const EmitterDescription& emitter : scene.emitters) look.sources.push_back(emitter.name);
    for (const world::FieldInfo& field : scene.methodInfo().fields) look.fields.push_back({std::string(field.name), std::string(field.unit)});
    return look;
}

}  // namespace talus::scene
