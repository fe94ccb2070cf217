// SPDX-License-Identifier: Apache-2.0
// A surface that runs while its body stays: a conveyor, a turntable.
#pragma once

#include "core/schedule.h"
#include "core/vec.h"

#include <cmath>
#include <variant>

namespace talus::world {

/// Runs along every face: the velocity turned into the plane of the face, with its speed. A face across it does not run.
struct BeltAlong {
    Schedule<Vec3> velocity;       // in the body's axes [m/s]
};
/// Runs about an axis, only as far as that is along the face.
struct BeltAbout {
    Vec3 axis{0, 0, 1};            // unit, in the body's axes
    Vec3 centre;                   // a point of the axis, in the body's coordinates [m]
    Schedule<double> rate;         // [rad/s]
};

struct Belt {
    std::variant<BeltAlong, BeltAbout> kind;

    /// At a point with an outward normal, in the body's coordinates [m/s].
    Vec3 velocity(const Vec3& x, const Vec3& normal, double time) const {
        constexpr double kAcross = 1e-3;   // sine of the angle to the normal below which there is no direction along the face
        if (const auto* along = std::get_if<BeltAlong>(&kind)) {
            const Vec3 v = along->velocity.at(time), tangential = v - dot(v, normal) * normal;
            const double speed = norm(v), size = norm(tangential);
            return size > kAcross * speed ? tangential * (speed / size) : Vec3{};
        }
        const auto& about = std::get<BeltAbout>(kind);
        const Vec3 v = about.rate.at(time) * cross(about.axis, x - about.centre);
        return v - dot(v, normal) * normal;
    }
    /// The same belt, its schedule `by` later.
    Belt later(double by) const {
        if (const auto* along = std::get_if<BeltAlong>(&kind)) return {BeltAlong{along->velocity.later(by)}};
        const auto& about = std::get<BeltAbout>(kind);
        return {BeltAbout{about.axis, about.centre, about.rate.later(by)}};
    }
    /// Bound on its speed up to a distance from the body's position [m/s].
    double fastest(double time, double arm) const {
        if (const auto* along = std::get_if<BeltAlong>(&kind)) return norm(along->velocity.at(time));
        const auto& about = std::get<BeltAbout>(kind);
        const double rate = std::abs(about.rate.at(time));
        return rate == 0 ? 0 : rate * (arm + norm(about.centre));
    }
};

}  // namespace talus::world
