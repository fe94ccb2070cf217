// SPDX-License-Identifier: Apache-2.0
// Bodies at periodic faces: one that crosses, or that grains beyond the face would feel, must be the same all along the axis.
#include "core/rng.h"
#include "world/body_path.h"
#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// From the nearer of the two faces [m]; not positive where the body crosses it, endless where it may.
double gapToFace(const World& world, const BodySnapshot& body, int axis, double reach) {
    const Aabb box = worldBounds(body);
    const double gap = std::min(box.min[axis] - world.domain.min[axis], world.domain.max[axis] - box.max[axis]);
    const bool matters = gap <= 0 || gap < reach * (1 - 1e-9);
    return matters && !invariantAlong(world.domain, body, axis) ? gap : std::numeric_limits<double>::infinity();
}

/// What is wrong with the body's place; empty where nothing is. Grains see only the image of a body that lies in the domain.
std::string fault(const Body& body, double gap, int axis, double reach, const std::string& when, std::string_view otherwise) {
    const char name = "xyz"[axis];
    const std::string alike = body.free() ? "" : fmt::format(" and is not the same all along {}", name);
    if (gap <= 0) return fmt::format("body '{}' crosses the periodic face {}{}{}; keep it inside the domain{}", body.name, name, when, alike, otherwise);
    if (std::isinf(gap)) return {};
    return fmt::format("body '{}' comes within {:.3g} m of the periodic face {}{}{}: grains beyond the face would not feel it; keep it {:.3g} m away from there{}", body.name, gap, name, when, alike, reach, otherwise);
}

/// Scripted bodies are looked at all through the run, so often that none crosses and comes back unseen in everyday scenes.
void checkScripted(const World& world, const Body& body, int axis, double end, double reach, Problems& problems) {
    constexpr int kInstants = 200;
    const int instants = std::get<Motion>(body.motion).fixed() ? 0 : kInstants;
    for (int i = 0; i <= instants; ++i) {
        const double time = instants == 0 ? world.time : world.time + (end - world.time) * i / instants;
        if (!body.activeAt(time)) continue;
        const std::string wrong = fault(body, gapToFace(world, BodySnapshot(body, time), axis, reach), axis, reach, i == 0 ? "" : fmt::format(" at about {:.3g} s", time), ", or let it reach through the whole length");
        if (wrong.empty()) continue;
        problems.error(pathOf(body) + (i == 0 ? ".shape" : ".motion"), wrong);
        return;
    }
}

/// A free body may go anywhere that its locks allow.
void checkFree(const World& world, const Body& body, int axis, double reach, Problems& problems) {
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
    else if (const std::string wrong = fault(body, gapToFace(world, BodySnapshot(body, world.time), axis, reach), axis, reach, "", ""); !wrong.empty())
        problems.error(pathOf(body) + ".shape", wrong);
    else if (!free.locked[static_cast<std::size_t>(axis)])
        problems.error(pathOf(body) + ".motion.locked", "the free body '" + body.name + "' could cross the periodic face " + name + "; write locked = [\"" + name + "\"]");
}

}  // namespace

void checkPeriodic(const World& world, double end, const Vec3& reach, Problems& problems) {
    for (const Body& body : world.bodies)
        for (int axis = 0; axis < 3; ++axis) {
            if (body.source < 0 || !world.domain.periodic(axis)) continue;
            if (body.free()) checkFree(world, body, axis, reach[axis], problems);
            else checkScripted(world, body, axis, end, reach[axis], problems);
        }
}

}  // namespace talus::world
