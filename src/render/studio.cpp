// SPDX-License-Identifier: Apache-2.0
#include "render/studio.h"

#include "core/problems.h"
#include "io/poly_data.h"
#include "render/denoise.h"
#include "render/develop.h"
#include "render/grain_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

void requireOneOf(std::string_view option, const std::string& value, std::span<const std::string_view> names, std::string_view more = {}) {
    if (std::ranges::find(names, value) == names.end())
        throw Error(ExitCode::usage, fmt::format("{}: '{}' is not one of {}{}", option, value, fmt::join(names, ", "), more));
}

Vec3f single(const Vec3& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }

Surface surfaceOf(const io::BodyLook& look, double span) {
    Surface surface;
    surface.finish = look.finish == "glass" ? Finish::glass : look.finish == "checker" ? Finish::checker : Finish::plain;
    if (surface.finish == Finish::glass) surface.colour = {0.96f, 0.985f, 0.975f};
    if (surface.finish == Finish::checker) surface.colour = {0.62f, 0.60f, 0.57f};
    if (const auto rgb = io::parseColour(look.colour)) surface.colour = linearColour(*rgb);
    if (const auto rgb = io::parseColour(look.second)) surface.second = linearColour(*rgb);
    surface.checkerSize = static_cast<float>(look.checkerSize > 0 ? look.checkerSize : 0.1 * span);
    return surface;
}

/// The pose between two frames; rotations take the short way.
RigidTransform between(const RigidTransform& a, const RigidTransform& b, double t) {
    const double sign = a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x + a.rotation.y * b.rotation.y + a.rotation.z * b.rotation.z < 0 ? -1 : 1;
    const auto mix = [&](double p, double q) { return (1 - t) * p + t * sign * q; };
    return {Quat{mix(a.rotation.w, b.rotation.w), mix(a.rotation.x, b.rotation.x), mix(a.rotation.y, b.rotation.y), mix(a.rotation.z, b.rotation.z)}.normalizedQuat(),
            (1 - t) * a.translation + t * b.translation};
}

}  // namespace

Studio::Studio(const Exec& exec, const RunFiles& run, PictureStyle style) : exec_(exec), run_(run), style_(std::move(style)) {
    constexpr std::string_view kGrains[] = {"spheres", "clumps", "surface"}, kFinishes[] = {"plain", "checker"};
    requireOneOf("--grains", style_.grains, kGrains);
    if (style_.view) requireOneOf("--view", *style_.view, viewNames());
    if (style_.ground) requireOneOf("--ground", *style_.ground, kGroundNames);
    requireOneOf("--ground-finish", style_.groundFinish, kFinishes);
    requireOneOf("--map", style_.colours.map, colourMapNames());
    if (!io::parseColour(style_.background)) requireOneOf("--background", style_.background, kBackgroundNames, ", or a colour like '#e1a95f'");
    if (style_.position && style_.target && norm(*style_.position - *style_.target) == 0)
        throw Error(ExitCode::usage, "--camera and --target are the same point; the camera must stand away from what it looks at");
    if (style_.colours.isField() && !style_.colours.range) style_.colours.range = rangeOf(run, style_.colours.by);
    if (style_.colours.by == "plastic_case") requireField(run.frame(run.frames().back().number), "plastic_case", "asked for by --colour-by");
    if (!style_.extent) style_.extent = run.extent();
    extent_ = *style_.extent;
}

Camera Studio::cameraAt(const io::FrameTime& frame) const {
    const double aspect = static_cast<double>(style_.width) / style_.height;
    io::CameraLook look = style_.camera.value_or(run_.look().camera);
    if (style_.view) {
        look.view = *style_.view;
        look.position.reset();
        look.target.reset();
        look.keyframes.clear();
    }
    if (style_.position) look.position = style_.position, look.keyframes.clear();
    if (style_.target) look.target = style_.target, look.keyframes.clear();
    if (style_.fovDegrees) look.fovDegrees = *style_.fovDegrees;
    if (style_.aperture) look.aperture = *style_.aperture;
    if (style_.focus) look.focus = *style_.focus;
    look.orthographic = look.orthographic || style_.orthographic;
    Camera camera = cameraOf(look, extent_, aspect, frame.time);
    if (camera.distance() == 0) throw Error(ExitCode::usage, "the camera stands at the point that it looks at; move camera.position or camera.target");
    const double first = run_.frames().front().time, last = run_.frames().back().time;
    if (style_.orbitDegrees != 0) camera = orbited(camera, style_.orbitDegrees * (last > first ? (frame.time - first) / (last - first) : 0));
    return camera;
}

void Studio::addBodies(const io::FrameTime& frame, Subject& subject) const {
    for (const RunFiles::Body& body : run_.bodies()) {
        const auto look = std::ranges::find(run_.look().bodies, body.name, &io::BodyLook::name);
        const io::BodyLook own = look != run_.look().bodies.end() ? *look : io::BodyLook{};
        const auto pose = body.poses.find(frame.number);
        if (own.finish == "hidden" || pose == body.poses.end() || body.mesh.triangles.empty()) continue;
        const Surface surface = surfaceOf(own, norm(extent_.size()));
        if (!style_.clips.empty()) {
            TriangleMesh cut = clipped(body.mesh, pose->second, style_.clips);
            if (cut.triangles.empty()) continue;
            subject.instances.push_back({subject.meshes.size(), {}, surface});
            subject.meshes.push_back(std::move(cut));
            continue;
        }
        Placement placement{pose->second, pose->second};
        if (style_.shutter > 0) {   // half the shutter's way towards the frames before and after
            const auto before = pose == body.poses.begin() ? pose : std::prev(pose), after = std::next(pose) == body.poses.end() ? pose : std::next(pose);
            placement.open = between(pose->second, before->second, 0.5 * style_.shutter);
            placement.close = between(pose->second, after->second, 0.5 * style_.shutter);
        }
        subject.instances.push_back({subject.meshes.size(), placement, surface});
        subject.meshes.push_back(body.mesh);
    }
}

void Studio::addChains(const io::FrameTime& frame, Subject& subject) const {
    const io::Path file = run_.contacts(frame.number);
    if (!std::filesystem::exists(file))
        throw Error(ExitCode::missing, fmt::format("--chains: there is no '{}'; the run wrote no contacts", file.string()));
    float radius = 0;
    for (const auto& sphere : subject.spheres.open) radius = std::max(radius, sphere[3]);
    subject.tubes = tubesOf(file, radius > 0 ? 0.8 * radius : 0.01 * norm(extent_.size()), style_.clips);
}

std::vector<Tube> tubesOf(const io::Path& file, double largestRadius, const std::vector<Clip>& clips) {
    const io::PolyData data = io::readPolyData(file);
    const io::PolyArray* force = data.findCellData("force");
    if (force == nullptr || force->values.size() < data.lines.size() * force->components)
        throw Error(ExitCode::io, fmt::format("'{}' has no value 'force' for each line", file.string()));
    const auto size = [&](std::size_t line) {
        double squares = 0;
        for (std::size_t k = 0; k < force->components; ++k) squares += std::pow(force->values[line * force->components + k], 2);
        return std::sqrt(squares);
    };
    double largest = 0;
    for (std::size_t i = 0; i < data.lines.size(); ++i) largest = std::max(largest, size(i));
    std::vector<Tube> tubes;
    for (std::size_t i = 0; i < data.lines.size(); ++i) {
        const double part = largest > 0 ? size(i) / largest : 0;
        const Vec3f shade = colourMapSrgb("inferno", static_cast<float>(0.85 - 0.6 * part));
        for (std::size_t k = 1; k < data.lines[i].size(); ++k) {
            const Vec3f &a = data.points[data.lines[i][k - 1]], &b = data.points[data.lines[i][k]];
            if (!std::ranges::all_of(clips, [&](const Clip& clip) { return clip.keeps(a) && clip.keeps(b); })) continue;
            tubes.push_back({a, b, static_cast<float>(largestRadius * std::sqrt(std::max(part, 0.01))), packColour({toLinear(shade.x), toLinear(shade.y), toLinear(shade.z)})});
        }
    }
    return tubes;
}

void Studio::setLights(Subject& subject) const {
    subject.lights.sunDirection = style_.sunDirection;
    if (style_.areaLight) {   // a soft box above, left of and before the grains, instead of most of the sun
        const Vec3 size = extent_.size();
        const double reach = std::max(norm(size), 1e-9);
        const Vec3 centre = extent_.centre() + reach * Vec3{-0.9, -0.8, 1.3};
        const Vec3 towards = normalized(extent_.centre() - centre), across = normalized(cross(towards, Vec3{0, 0, 1})), up = cross(across, towards);
        subject.lights.area = AreaLight{single(centre), single(0.5 * reach * across), single(-0.5 * reach * up), {9, 8.8f, 8.4f}};
        if (dot(cross(across, -up), towards) < 0) subject.lights.area->halfHeight = -subject.lights.area->halfHeight;
        subject.lights.sunIrradiance *= 0.25f;
    }
    Background& background = subject.background;
    if (const auto rgb = io::parseColour(style_.background); rgb && style_.background != "white" && style_.background != "black")
        background.top = background.bottom = linearColour(*rgb);
    else if (style_.background == "sky") background.sky = true;
    else if (style_.background == "white") background.top = background.bottom = {4, 4, 4};
    else if (style_.background == "black") background.top = background.bottom = {0, 0, 0};
    else background.transparent = style_.background == "transparent";
}

void Studio::setGround(Subject& subject) const {
    Ground& ground = subject.ground;
    const std::optional<double> floor = run_.look().floor;
    ground.kind = style_.ground ? static_cast<GroundKind>(std::ranges::find(kGroundNames, *style_.ground) - std::begin(kGroundNames))
                                : floor || !run_.hasLook() ? GroundKind::plane : GroundKind::none;
    if (ground.kind == GroundKind::plane && style_.background == "transparent") ground.kind = GroundKind::catcher;
    ground.height = static_cast<float>(floor.value_or(extent_.min.z));
    const double span = norm(extent_.size());
    ground.surface.finish = style_.groundFinish == "checker" ? Finish::checker : Finish::plain;
    ground.surface.checkerSize = static_cast<float>(std::pow(10, std::floor(std::log10(std::max(0.5 * span, 1e-9)))));
    ground.centre = single({extent_.centre().x, extent_.centre().y, ground.height});
    ground.fade = static_cast<float>(6 * span);
}

void Studio::count(const io::Frame& frame, const Camera& camera) {
    const CameraFrame view(camera, static_cast<double>(style_.width) / style_.height);
    const io::FrameColumn& position = *frame.find("position");
    seen_ = {0, frame.count};
    for (std::size_t i = 0; i < frame.count; ++i) {
        const Vec3f d = Vec3f{position.reals[3 * i], position.reals[3 * i + 1], position.reals[3 * i + 2]} - view.origin;
        const float depth = dot(d, view.forward), scale = view.orthographic ? 1 : depth;
        if (depth > 0 && std::abs(dot(d, view.right)) <= scale * normSquared(view.right) && std::abs(dot(d, view.up)) <= scale * normSquared(view.up)) ++seen_.inside;
    }
}

Picture Studio::take(const io::FrameTime& time) {
    Subject subject;
    const Camera camera = cameraAt(time);
    {
        const io::Frame frame = run_.frame(time.number);
        const double shutter = style_.shutter / std::max(run_.look().framesPerSecond, 1e-9);
        const GrainShapes shapes{style_.clips, shutter, style_.grains != "clumps", style_.grainScale};
        if (frame.count > 0) addGrains(exec_, run_, frame, colourGrains(exec_, run_, frame, style_.colours), shapes, subject);
        count(frame, camera);
        if (style_.grains == "surface") {
            subject.spheres.close.clear();   // a surface stands still
            TriangleMesh surface = surfaceOf(exec_, subject.spheres, extentOf(frame));
            if (!surface.triangles.empty()) {
                subject.instances.push_back({subject.meshes.size(), {}, {}});
                subject.meshes.push_back(std::move(surface));
            }
        }
    }
    addBodies(time, subject);
    if (style_.chains) addChains(time, subject);
    setLights(subject);
    setGround(subject);

    const TracedSubject traced(subject);
    Film film = traced.trace(exec_, camera, {style_.width, style_.height, style_.samples, style_.bounces, 1});
    if (style_.denoise) denoise(exec_, film);
    Picture picture;
    picture.light = film.picture();
    picture.screen = develop(picture.light, style_.exposure);
    if (style_.legend && style_.colours.isField()) {
        const std::string unit = unitOf(run_.look(), style_.colours.by);
        drawScale(picture.screen, text_, unit.empty() || unit == "1" ? style_.colours.by : fmt::format("{} [{}]", style_.colours.by, unit), style_.colours.map, *style_.colours.range);
    } else if (style_.legend) {
        drawShades(picture.screen, text_, shadesOf(run_, style_.colours));
    }
    if (style_.timeStamp) drawTimeStamp(picture.screen, text_, time.time);
    if (style_.scaleBar) drawScaleBar(picture.screen, text_, camera);
    return picture;
}

}  // namespace talus::render
