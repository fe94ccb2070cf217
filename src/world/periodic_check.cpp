// SPDX-License-Identifier: Apache-2.0
// Bodies at periodic faces: one that crosses must be the same all along the axis.
#include "core/rng.h"
#include "world/body_path.h"
#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus::world {
namespace {

/// Whether the body's distance is the same all along an axis, judged at pairs of points inside the domain.
bool invariantAlong(const Domain& domain, const BodySnapshot& body, int axis) {
    constexpr std::uint64_t kPairs = 64;
    constexpr double kSame = 1e-9;   // of the domain's size
    const Vec3 size = domain.size();
    for (std::uint64_t i = 0; i < kPairs; ++i) {
        Rng rng(0, 0, i);
        Vec3 a = domain.min + componentProduct(size, {rng.uniform(), rng.uniform(), rng.uniform()}), b = a;
        b[axis] = domain.min[axis] + size[axis] * rng.uniform();
        if (std::abs(body.distance(a) - body.distance(b)) > kSame * norm(size)) return false;
    }
    return true;
}

bool crossesFace(const World& world, const BodySnapshot& body, int axis) {
    const Aabb box = worldBounds(body);
    const bool crosses = box.min[axis] <= world.domain.min[axis] || box.max[axis] >= world.domain.max[axis];
    return crosses && !invariantAlong(world.domain, body, axis);
}

/// Scripted bodies are looked at all through the run, so often that none crosses and comes back unseen in everyday scenes.
void checkScripted(const World& world, const Body& body, int axis, double end, Problems& problems) {
    constexpr int kInstants = 200;
    const int instants = std::get<Motion>(body.motion).fixed() ? 0 : kInstants;
    for (int i = 0; i <= instants; ++i) {
        const double time = instants == 0 ? world.time : world.time + (end - world.time) * i / instants;
        if (!body.activeAt(time) || !crossesFace(world, BodySnapshot(body, time), axis)) continue;
        const std::string name(1, "xyz"[axis]), when = i == 0 ? "" : fmt::format(" at about {:.3g} s", time);
        problems.error(pathOf(body) + (i == 0 ? ".shape" : ".motion"), "body '" + body.name + "' crosses the periodic face " + name + when + " and is not the same all along " + name +
                                                                           "; keep it inside the domain, or let it reach through the whole length");
        return;
    }
}

/// A free body may go anywhere that its locks allow.
void checkFree(const World& world, const Body& body, int axis, Problems& problems) {
    const FreeBody& free = *body.free();
    const std::string name(1, "xyz"[axis]);
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const bool straight = free.locked[static_cast<std::size_t>(3 + next)] && free.locked[static_cast<std::size_t>(3 + last)];
    const bool alike = invariantAlong(world.domain, BodySnapshot(body, world.time), axis);
    if (straight && alike) return;
    const Aabb box = worldBounds(BodySnapshot(body, world.time));
    if (alike && (box.min[axis] <= world.domain.min[axis] || box.max[axis] >= world.domain.max[axis]))
        problems.error(pathOf(body) + ".motion.locked", fmt::format("the free body '{}' reaches through the periodic faces {} and could turn across them; lock that, with locked = [\"r{}\", \"r{}\"]",
                                                                    body.name, name, "xyz"[std::min(next, last)], "xyz"[std::max(next, last)]));
    else if (crossesFace(world, BodySnapshot(body, world.time), axis))
        problems.error(pathOf(body) + ".shape", "body '" + body.name + "' crosses the periodic face " + name + "; keep it inside the domain");
    else if (!free.locked[static_cast<std::size_t>(axis)])
        problems.error(pathOf(body) + ".motion.locked", "the free body '" + body.name + "' could cross the periodic face " + name + "; write locked = [\"" + name + "\"]");
}

}  // namespace

void checkPeriodic(const World& world, double end, Problems& problems) {
    for (const Body& body : world.bodies)
        for (int axis = 0; axis < 3; ++axis) {
            if (body.source < 0 || !world.domain.periodic(axis)) continue;
            if (body.free()) checkFree(world, body, axis, problems);
            else checkScripted(world, body, axis, end, problems);
        }
}

}  // namespace talus::world
