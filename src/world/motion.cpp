// SPDX-License-Identifier: Apache-2.0
#include "world/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

namespace talus::world {
namespace {

/// A function of time at an instant, with its derivative.
struct Value {
    Vec3 value, rate;
};
/// What one part adds: a displacement, and a rotation given by its rotation vector.
struct Increment {
    Value displacement, rotation;
};

/// Angular velocity of exp([θ]×) while θ changes at θ̇: ω = J(θ) θ̇ with the left Jacobian
/// J = 1 + (1 − cos θ)/θ² [θ]× + (θ − sin θ)/θ³ [θ]×².
Vec3 angularVelocity(const Value& rotation) {
    const Vec3& v = rotation.value;
    const double square = normSquared(v), angle = std::sqrt(square);
    double a = 0.5 - square / 24, b = 1.0 / 6 - square / 120;   // Taylor, to 1e-14 below the switch
    if (angle > 1e-3) {
        const double halfSine = std::sin(0.5 * angle);
        a = 2 * halfSine * halfSine / square;
        b = (angle - std::sin(angle)) / (square * angle);
    }
    const Vec3 turned = cross(v, rotation.rate);
    return rotation.rate + a * turned + b * cross(v, turned);
}

/// Slope of a monotone cubic at the key between two intervals of lengths h and chord slopes s: their weighted harmonic
/// mean, zero at an extremum [FritschButland1984]; within the region of [FritschCarlson1980] that forbids overshoot.
double monotoneSlope(double hLeft, double sLeft, double hRight, double sRight) {
    if (sLeft * sRight <= 0) return 0;
    const double wLeft = 2 * hRight + hLeft, wRight = hRight + 2 * hLeft;
    return (wLeft + wRight) / (wLeft / sLeft + wRight / sRight);
}

Vec3 slopeAtKey(std::span<const double> times, std::span<const Vec3> values, std::size_t k) {
    if (k == 0 || k + 1 == times.size()) return {};   // at rest before the first key and after the last
    const double hLeft = times[k] - times[k - 1], hRight = times[k + 1] - times[k];
    const Vec3 sLeft = (values[k] - values[k - 1]) / hLeft, sRight = (values[k + 1] - values[k]) / hRight;
    Vec3 slope;
    for (int axis = 0; axis < 3; ++axis) slope[axis] = monotoneSlope(hLeft, sLeft[axis], hRight, sRight[axis]);
    return slope;
}

Value interpolate(const Keyframes& keys, std::span<const Vec3> values, double time) {
    const std::vector<double>& times = keys.times;
    if (values.empty()) return {};
    if (time < times.front()) return {values.front(), {}};
    if (time >= times.back()) return {values.back(), {}};
    const auto k = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin()) - 1;
    const double h = times[k + 1] - times[k], u = (time - times[k]) / h;
    const Vec3 step = values[k + 1] - values[k];
    if (keys.interpolation == Interpolation::linear) return {values[k] + u * step, step / h};
    // Hermite cubic: f(u) = f₀ + h m₀ u + (3Δ − h(2m₀ + m₁)) u² + (h(m₀ + m₁) − 2Δ) u³.
    const Vec3 m0 = h * slopeAtKey(times, values, k), m1 = h * slopeAtKey(times, values, k + 1);
    const Vec3 square = 3.0 * step - 2.0 * m0 - m1, cubic = m0 + m1 - 2.0 * step;
    return {values[k] + u * (m0 + u * (square + u * cubic)), (m0 + u * (2.0 * square + 3.0 * u * cubic)) / h};
}

Increment increment(const Travel& part, double time) { return {{part.velocity.integral(0, time), part.velocity.at(time)}, {}}; }
Increment increment(const Spin& part, double time) { return {{}, {part.axis * part.rate.integral(0, time), part.axis * part.rate.at(time)}}; }
Increment increment(const Oscillation& part, double time) {
    const double omega = 2 * std::numbers::pi * part.frequency, angle = omega * time + part.phase;
    const Value swing{part.amplitude * std::sin(angle), part.amplitude * (omega * std::cos(angle))};
    return part.angular ? Increment{{}, swing} : Increment{swing, {}};
}
Increment increment(const Keyframes& part, double time) {
    return {interpolate(part, part.displacements, time), interpolate(part, part.rotations, time)};
}

}  // namespace

Pose Motion::at(double time) const {
    Pose pose{position_, rotation_, {}, {}};
    for (const MotionPart& part : parts_) {
        const Increment add = std::visit([&](const auto& p) { return increment(p, time - begin_); }, part);
        pose.position += add.displacement.value;
        pose.velocity += add.displacement.rate;
        const Quat turn = Quat::fromRotationVector(add.rotation.value);
        pose.rotation = turn * pose.rotation;
        pose.angularVelocity = angularVelocity(add.rotation) + turn.rotate(pose.angularVelocity);   // of the product
    }
    return pose;
}

}  // namespace talus::world
