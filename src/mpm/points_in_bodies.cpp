// SPDX-License-Identifier: Apache-2.0
#include "mpm/points_in_bodies.h"

#include "mpm/node_contact.h"
#include "world/free_bodies.h"
#include "world/world.h"

#include <algorithm>

namespace talus::mpm {
namespace {

/// A point that is put out of one body may come into its neighbour; in a corner of two it is on both surfaces after a few rounds.
constexpr int kMostRounds = 4;
/// Points may leave a narrow gap where it widens: by this part of the narrowest in a step.
constexpr double kWidening = 1e-3;
/// A point that moves further than this part of the narrowest gap is followed in parts, so that it cannot jump over a thin body.
constexpr double kLongestPart = 0.5;
/// Surfaces face each other where their normals enclose more than 120°.
constexpr double kFacing = -0.5;

struct Gap {
    double width;
    const world::BodySnapshot* body = nullptr;   // one of the two
    Vec3 normal;                                 // its
};

/// The narrowest gap between surfaces that face each other at x; of width `narrowest` if all are wider.
Gap gapAt(std::span<const world::BodySnapshot* const> bodies, double narrowest, const Vec3& x) {
    Gap gap{.width = narrowest, .normal = {}};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double distance = bodies[i]->distance(x);
        if (!(distance < narrowest)) continue;
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
            const double width = distance + bodies[j]->distance(x);
            if (!(width < gap.width)) continue;
            const Vec3 normal = bodies[i]->surface(x).normal;
            if (dot(normal, bodies[j]->surface(x).normal) < kFacing) gap = {width, bodies[i], normal};
        }
    }
    return gap;
}

void leaveAtOnce(std::span<const world::BodySnapshot* const> bodies, double narrowest, const Vec3& before, Vec3& x, FunctionRef<void(const Meeting&)> tell) {
    std::size_t near = 0;
    double nearest = narrowest;
    for (const world::BodySnapshot* body : bodies) {
        const double distance = body->distance(x);
        near += distance < narrowest;
        nearest = std::min(nearest, distance);
    }
    if (nearest >= 0 && near < 2) return;
    for (int round = 0; round < kMostRounds; ++round) {
        bool inside = false;
        for (const world::BodySnapshot* body : bodies) {
            if (!(body->distance(x) < 0)) continue;
            const world::SurfacePoint surface = body->surface(x);
            x -= surface.distance * surface.normal;
            inside = true;
            if (round == 0) tell({*body, surface.normal, false});
        }
        if (!inside || near < 2) break;
    }
    if (near < 2) return;
    const Gap gap = gapAt(bodies, narrowest, x);
    if (gap.width >= narrowest || gap.width >= gapAt(bodies, narrowest, before).width + kWidening * narrowest) return;
    x = before;
    tell({*gap.body, gap.normal, true});
}

}  // namespace

std::vector<world::BodySnapshot> bodiesAfter(const world::World& world, const world::FreeBodies& free, double dt) {
    std::vector<world::BodySnapshot> bodies;
    for (const world::Body& body : world.bodies)
        if (body.activeAt(world.time)) bodies.emplace_back(body, body.pose(world.time + dt), world.time);
    for (std::size_t k = 0; k < free.size(); ++k)
        for (world::BodySnapshot& body : bodies)
            if (&body.body() == &world.bodies[free.body(k)]) body = free.snapshot(free.body(k), world.time);
    return bodies;
}

void leave(std::span<const world::BodySnapshot* const> bodies, double narrowest, const Vec3& before, Vec3& x, FunctionRef<void(const Meeting&)> tell) {
    const Vec3 end = x, moved = end - before;
    const int parts = 1 + static_cast<int>(norm(moved) / (kLongestPart * narrowest));
    bool met = false;
    x = before;
    for (int part = 1; part <= parts; ++part) {
        const Vec3 from = x;
        x = met ? x + moved / parts : part == parts ? end : before + (static_cast<double>(part) / parts) * moved;
        leaveAtOnce(bodies, narrowest, from, x, [&](const Meeting& meeting) {
            met = true;
            tell(meeting);
        });
    }
}

PointLoad stop(const Meeting& meeting, double friction, const Vec3& x, double mass, double dt, Vec3& velocity) {
    const Vec3 surfaceVelocity = meeting.body.velocity(x, meeting.normal);
    const world::ContactMode mode = meeting.atGap ? world::ContactMode::sticky : meeting.body.body().contact;
    const Vec3 change = contactChange(mode, friction, {0, meeting.normal}, velocity - surfaceVelocity, dt, 0), impulse = -mass * change;
    velocity += change;
    return {&meeting.body.body(), {impulse, cross(x - meeting.body.pose().position, impulse), -dot(impulse, surfaceVelocity), 0}};
}

void addLoads(world::World& world, world::FreeBodies& free, std::span<const PointLoad> loads) {
    for (const auto& [body, load] : loads) {
        world.bodies[static_cast<std::size_t>(body - world.bodies.data())].load += load;
        for (std::size_t k = 0; k < free.size(); ++k)
            if (&world.bodies[free.body(k)] == body) free.push(k, {load.impulse, load.angularImpulse});
    }
}

std::optional<world::SurfacePoint> otherSide(const world::BodySnapshot& body, const Vec3& x, const world::SurfacePoint& nearest, double within) {
    if (nearest.distance > 0 || nearest.distance < -within) return std::nullopt;
    world::SurfacePoint other = body.surface(x - within * nearest.normal);
    if (!(other.distance > 0) || dot(other.normal, nearest.normal) > kFacing) return std::nullopt;
    other.distance -= within;
    return other;
}

}  // namespace talus::mpm
