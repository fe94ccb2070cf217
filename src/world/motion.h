// SPDX-License-Identifier: Apache-2.0
// How a scripted body moves: parts that add up, each a function of time with its exact rate.
#pragma once

#include "core/schedule.h"
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

struct Travel {
    Schedule<Vec3> velocity;   // [m/s]
};
/// About the body's position.
struct Spin {
    Vec3 axis{0, 0, 1};        // unit
    Schedule<double> rate;     // [rad/s]
};
inline Spin constantSpin(const Vec3& angularVelocity) { return {normalized(angularVelocity), norm(angularVelocity)}; }
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
using MotionPart = std::variant<Travel, Spin, Oscillation, Keyframes>;

class Motion {
public:
    Motion() = default;
    /// The parts begin at `begin`: their own time counts from there.
    Motion(const Vec3& position, const Quat& rotation, std::vector<MotionPart> parts = {}, double begin = 0)
        : position_(position), rotation_(rotation), parts_(std::move(parts)), begin_(begin) {}

    bool fixed() const { return parts_.empty(); }
    /// Displacements add; rotations are applied in the order of the parts, each about the moving position.
    Pose at(double time) const;

    /// The same motion seen from a clock that was set back by `by`.
    Motion earlier(double by) const { return {position_, rotation_, parts_, begin_ - by}; }
    /// The parts of this motion, from `pose` on, begun at `time`.
    Motion startedFrom(const Pose& pose, double time) const { return {pose.position, pose.rotation, parts_, time}; }

    /// Where its parts begin from; a stage may have begun them where its body was.
    const Vec3& startPosition() const { return position_; }
    const Quat& startRotation() const { return rotation_; }
    void startAt(const Vec3& position, const Quat& rotation) {
        position_ = position;
        rotation_ = rotation;
    }

private:
    Vec3 position_;
    Quat rotation_;
    std::vector<MotionPart> parts_;
    double begin_ = 0;   // [s]
};

}  // namespace talus::world
