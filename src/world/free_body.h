// SPDX-License-Identifier: Apache-2.0
// A rigid body that moves by the forces on it. Its motion is that of its `position`, a point fixed in the body and not in
// general its centre of mass, so that locked axes make hinges and guides.
#pragma once

#include "core/schedule.h"
#include "core/vec6.h"
#include "geometry/mass_properties.h"
#include "world/motion.h"

#include <array>
#include <string_view>

namespace talus::world {

/// What may be locked, in world axes: the velocity of the body's position, and its angular velocity.
inline constexpr std::array<std::string_view, 6> kLockNames{"x", "y", "z", "rx", "ry", "rz"};
using Locks = std::array<bool, 6>;

struct FreeBody {
    double mass = 1;              // [kg]
    Vec3 centre;                  // of mass, in the body's coordinates [m]
    Mat3 inertia = Mat3::identity();   // about the centre of mass, in the body's axes [kg m²]
    Locks locked{};
    Schedule<Vec3> force{}, torque{};  // applied, in world axes [N], [N m]
    Vec3 at;                      // where the force acts, in the body's coordinates [m]
    Pose pose{};                  // now
};

/// A free body of the shape, of unit density times `density`.
FreeBody freeBody(const geometry::MassProperties&, double density);

/// M(q): generalised mass at the body's position, so that M u is momentum and angular momentum about it.
Mat6 massMatrix(const FreeBody&, const Quat& rotation);
/// The inverse of M on the axes that are not locked, zero on the others: change of velocity by an impulse.
Mat6 mobility(const FreeBody&, const Quat& rotation);

/// Impulse and moment about its position of gravity, force and torque between two times, for the present pose.
Vec6 appliedImpulse(const FreeBody&, const Vec3& gravity, double from, double to);

/// The pose after `dt` without forces. Momentum is kept exactly, and angular momentum about a point fixed in space, along the
/// axes that are not locked; the midpoint rule in these is symmetric, so the energy does not drift.
Pose drifted(const FreeBody&, const Pose& start, double dt);

Vec3 momentum(const FreeBody&);             // [kg m/s]
Vec3 angularMomentum(const FreeBody&);      // about the origin of the world [kg m²/s]
double kineticEnergy(const FreeBody&);      // [J]

}  // namespace talus::world
