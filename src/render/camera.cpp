// SPDX-License-Identifier: Apache-2.0
#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace talus::render {

namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMargin = 1.12;   // room around the box

struct View {
    std::string_view name;
    Vec3 from;                     // direction from the target to the camera
    double zoom = 1;
};
constexpr auto kViews = std::to_array<View>({{"fit", {0.42, -1, 0.38}}, {"front", {0, -1, 0.12}}, {"side", {1, 0, 0.12}},
                                             {"iso", {1, -1, 0.816}},   {"top", {0, -1e-6, 1}},   {"close", {0.55, -1, 0.45}, 2.6}});
constexpr auto kViewNames = [] {
    std::array<std::string_view, kViews.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kViews[i].name;
    return names;
}();

struct Axes {
    Vec3 forward, right, up;
};
Axes axesOf(const Camera& camera) {
    const Vec3 forward = normalized(camera.target - camera.position, Vec3{0, 1, 0});
    Vec3 right = cross(forward, camera.up);
    if (norm(right) < 1e-9 * norm(camera.up)) right = cross(forward, std::abs(forward.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
    right = normalized(right);
    return {forward, right, cross(right, forward)};
}

template <class Visit>
void eachCorner(const Aabb& box, const Visit& visit) {
    for (int corner = 0; corner < 8; ++corner)
        visit(Vec3{corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z});
}

/// Puts the camera where every corner of the box is inside the picture.
void fit(Camera& camera, const Aabb& box, double aspect, double zoom) {
    const Axes axes = axesOf(camera);
    const double tangent = std::tan(0.5 * camera.fovDegrees * kDegree);
    double height = 0, distance = 0;
    eachCorner(box, [&](const Vec3& corner) {
        const Vec3 d = corner - camera.target;
        const double across = std::max(std::abs(dot(d, axes.right)) / aspect, std::abs(dot(d, axes.up)));
        height = std::max(height, across);
        distance = std::max(distance, across / tangent - dot(d, axes.forward));
    });
    const double size = std::max(norm(box.size()), 1e-9);
    camera.height = std::max(2 * height * kMargin, 1e-3 * size) / zoom;
    distance = std::max(distance * kMargin / zoom, 1e-3 * size);
    if (camera.orthographic) distance = 2 * size;
    camera.position = camera.target - distance * axes.forward;
}

}  // namespace

double Camera::heightAtTarget() const { return orthographic ? height : 2 * distance() * std::tan(0.5 * fovDegrees * kDegree); }

std::span<const std::string_view> viewNames() { return kViewNames; }

Camera fitted(std::string_view name, const Aabb& box, double aspect, bool orthographic, double fovDegrees, const Vec3& up) {
    const auto view = std::ranges::find(kViews, name, &View::name);
    if (view == kViews.end()) throw std::out_of_range("no view of that name");
    Camera camera;
    camera.fovDegrees = fovDegrees;
    camera.orthographic = orthographic;
    camera.target = box.centre();
    camera.position = camera.target + normalized(view->from);
    camera.up = name == "top" && up == Vec3{0, 0, 1} ? Vec3{0, 1, 0} : up;
    fit(camera, box, aspect, view->zoom);
    return camera;
}

Camera orbited(Camera camera, double degrees) {
    const Quat turn = Quat::fromAxisAngle({0, 0, 1}, degrees * kDegree);
    camera.position = camera.target + turn.rotate(camera.position - camera.target);
    camera.up = turn.rotate(camera.up);
    return camera;
}

Camera cameraOf(const io::CameraLook& look, const Aabb& box, double aspect, double time) {
    Camera camera;
    camera.up = look.up;
    camera.fovDegrees = look.fovDegrees;
    camera.orthographic = look.orthographic;
    if (!look.keyframes.empty()) {
        const auto& keys = look.keyframes;
        const auto after = std::ranges::upper_bound(keys, time, {}, &io::CameraKey::time);
        const io::CameraKey& b = after == keys.end() ? keys.back() : *after;
        const io::CameraKey& a = after == keys.begin() ? keys.front() : *(after - 1);
        const double s = b.time > a.time ? std::clamp((time - a.time) / (b.time - a.time), 0.0, 1.0) : 0;
        const double t = s * s * (3 - 2 * s);   // starts and ends at rest
        camera.position = (1 - t) * a.position + t * b.position;
        camera.target = (1 - t) * a.target + t * b.target;
    } else if (look.position) {
        camera.position = *look.position;
        camera.target = look.target.value_or(box.centre());
    } else {
        camera = fitted(look.view, box, aspect, look.orthographic, look.fovDegrees, look.up);
        if (look.target) {
            camera.position += *look.target - camera.target;
            camera.target = *look.target;
        }
    }
    if (look.height) camera.height = *look.height;
    else if (look.position || !look.keyframes.empty()) camera.height = 2 * camera.distance() * std::tan(0.5 * look.fovDegrees * kDegree);
    camera.lensRadius = 0.5 * look.aperture;
    camera.focusDistance = look.focus.value_or(0);
    return camera;
}

CameraFrame::CameraFrame(const Camera& camera, double aspect) : orthographic(camera.orthographic) {
    const Axes axes = axesOf(camera);
    const auto single = [](const Vec3& v) { return Vec3f{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; };
    const double half = orthographic ? 0.5 * camera.height : std::tan(0.5 * camera.fovDegrees * kDegree);
    origin = single(camera.position);
    forward = single(axes.forward);
    right = single(half * aspect * axes.right);
    up = single(half * axes.up);
    lensRight = single(camera.lensRadius * axes.right);
    lensUp = single(camera.lensRadius * axes.up);
    focus = static_cast<float>(camera.focusDistance > 0 ? camera.focusDistance : camera.distance());
}

}  // namespace talus::render
