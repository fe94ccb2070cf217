// SPDX-License-Identifier: Apache-2.0
// A free body as numbers with rates, for schemes that take forces at several stages of a step.
#pragma once

#include "core/vec6.h"
#include "world/free_body.h"

#include <array>

namespace talus::world {

/// A point of the body, its velocity, the rotation (w, x, y, z) and the angular velocity. The point is the centre of mass where nothing holds the
/// body in place, so that its momentum is a plain sum of impulses; else the body's position.
using BodyNumbers = std::array<double, 13>;

/// Whether nothing holds the body in place.
inline bool movesFreely(const FreeBody& body) { return !body.locked[0] && !body.locked[1] && !body.locked[2]; }

BodyNumbers bodyNumbers(const FreeBody&, const Pose&);
Pose bodyPose(const FreeBody&, const BodyNumbers&);

/// Rates under a force and its moment about the body's position, by Newton and Euler: M(q) u̇ = wrench − m ω × (ω × r), − ω × I ω − m r × (ω × (ω × r))
/// on the axes that are not locked, r from position to centre of mass. `jump` is added to them: change of the velocities of the point per second.
BodyNumbers bodyRates(const FreeBody&, const BodyNumbers&, const Vec6& wrench, const Vec6& jump);

/// What a change of the velocities of the body's position is to the point.
Vec6 atPoint(const FreeBody&, const Quat& rotation, const Vec6& change);

}  // namespace talus::world
