// SPDX-License-Identifier: Apache-2.0
// How a scripted body moves: parts that add up, each a function of time with its exact rate.
#pragma once

#include "core/vec.h"

#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace talus::world {

/// Where a rigid thing is and how fast it moves; the angular velocity is about `position`.
struct Pose {
    Vec3 position;           // [m]
    Quat rotation;
    Vec3 velocity;           // [m/s]
    Vec3 angularVelocity;    // [rad/s]

    Vec3 velocityAt(const Vec3& x) const { return velocity + cross(angularVelocity, x - position); }
};

struct ConstantVelocity {
    Vec3 velocity;           // [m/s]
};
struct Spin {
    Vec3 angularVelocity;    // [rad/s], about the body's position
};
/// Displacement amplitude sin(2π f t + phase) along `amplitude`, or rotation by that angle about it.
struct Oscillation {
    Vec3 amplitude;          // [m], or [rad] about its direction if angular
    double frequency = 1;    // [Hz]
    double phase = 0;        // [rad]
    bool angular = false;
};
enum class Interpolation { linear, smooth };
inline constexpr std::array<std::string_view, 2> kInterpolationNames{"linear", "smooth"};
/// Displacement and rotation at given times; held before the first and after the last. `smooth` is a monotone cubic: no
/// overshoot, velocity continuous, starting and ending at rest.
struct Keyframes {
    Interpolation interpolation = Interpolation::smooth;
    std::vector<double> times;           // [s], ascending
    std::vector<Vec3> displacements;     // [m], one for each time or none
    std::vector<Vec3> rotations;         // rotation vectors [rad], as many or none; a turn of more than π keeps its count
};
using MotionPart = std::variant<ConstantVelocity, Spin, Oscillation, Keyframes>;

class Motion {
public:
    Motion() = default;
    Motion(const Vec3& position, const Quat& rotation, std::vector<MotionPart> parts = {})
        : position_(position), rotation_(rotation), parts_(std::move(parts)) {}

    bool fixed() const { return parts_.empty(); }
    /// Displacements add; rotations are applied in the order of the parts, each about the moving position.
    Pose at(double time) const;

private:
    Vec3 position_;
    Quat rotation_;
    std::vector<MotionPart> parts_;
};

}  // namespace talus::world
