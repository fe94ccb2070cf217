// SPDX-License-Identifier: Apache-2.0
// Points that came into bodies. Nodes are stopped at surfaces, but a surface between nodes stops points only on average, so
// some of them end a step inside.
#pragma once

#include "core/function_ref.h"
#include "core/vec.h"
#include "world/body.h"

#include <optional>
#include <span>
#include <vector>

namespace talus::world {
class FreeBodies;
struct World;
}

namespace talus::mpm {

/// Points do not enter gaps between bodies that are narrower than this [cells].
inline constexpr double kNarrowestGap = 0.5;
/// A node inside a body from which the opposite surface is this near stands for both sides: no other node does [cells].
inline constexpr double kOtherSide = 0.999;

/// The active bodies as they stand after a step; free bodies have moved.
std::vector<world::BodySnapshot> bodiesAfter(const world::World&, const world::FreeBodies&, double dt);

/// What a point met when it was put out.
struct Meeting {
    const world::BodySnapshot& body;
    Vec3 normal;   // outward
    bool atGap;    // it was stopped at a gap that is closed to it
};

/// Puts a point that moved from `before` to x out of the bodies it came into, on their surface. Gaps between bodies narrower than
/// `narrowest` [m] are closed: a point that would enter one stays where it was. Tells every meeting.
void leave(std::span<const world::BodySnapshot* const>, double narrowest, const Vec3& before, Vec3& x, FunctionRef<void(const Meeting&)> tell);

/// What a point did to the body that it met.
struct PointLoad {
    const world::Body* body;
    world::BodyLoad load;
};
/// Stops a point at x as a node is stopped at that surface, at a closed gap altogether: it keeps no velocity into the body, and the body gets what it
/// loses.
PointLoad stop(const Meeting&, double friction, const Vec3& x, double mass, double dt, Vec3& velocity);
/// Adds such loads in their order; to free bodies, which have moved, their momentum too.
void addLoads(world::World&, world::FreeBodies&, std::span<const PointLoad>);

/// The opposite surface of a body seen from x inside, if it is less than `within` [m] away.
std::optional<world::SurfacePoint> otherSide(const world::BodySnapshot&, const Vec3& x, const world::SurfacePoint& nearest, double within);

}  // namespace talus::mpm
