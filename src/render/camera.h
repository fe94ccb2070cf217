// SPDX-License-Identifier: Apache-2.0
// From where a picture is taken: views by name, fitted to a box, turned about it, or keyframed.
#pragma once

#include "core/vec.h"
#include "io/look.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace talus::render {

struct Camera {
    Vec3 position{0, -3, 1}, target, up{0, 0, 1};   // [m]
    double fovDegrees = 30;          // of the picture's height; perspective
    bool orthographic = false;
    double height = 1;               // of the picture at the target; orthographic [m]
    double lensRadius = 0;           // [m]; 0: everything is sharp
    double focusDistance = 0;        // [m]; 0: the target is sharp

    double distance() const { return norm(target - position); }
    /// Metres that the picture's height covers at the target.
    double heightAtTarget() const;
};

/// "fit", "front", "side", "iso", "top", "close".
std::span<const std::string_view> viewNames();

/// A camera that looks at the box in the direction of the view and has all of it in a picture of this aspect (width over
/// height); `close` has the middle of it. From the top y is upwards, unless another `up` than z is asked for.
Camera fitted(std::string_view view, const Aabb& box, double aspect, bool orthographic, double fovDegrees, const Vec3& up = {0, 0, 1});

/// Turned about the vertical axis through its target, seen from above against the clock.
Camera orbited(Camera, double degrees);

/// What the scene says; the box stands in for what it leaves open.
Camera cameraOf(const io::CameraLook&, const Aabb& box, double aspect, double time);

/// Rays: direction = forward + sx right + sy up, with sx, sy in [-1, 1] across the picture; for an orthographic camera
/// origin = position + sx right + sy up. Right and up carry the scale.
struct CameraFrame {
    Vec3f origin, forward, right, up;
    Vec3f lensRight, lensUp;         // radius of the lens along both
    float focus = 1;                 // as a multiple of forward
    bool orthographic = false;
    CameraFrame(const Camera&, double aspect);
};

}  // namespace talus::render
