// SPDX-License-Identifier: Apache-2.0
#include "world/covered_walls.h"

#include "world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace talus::world {
namespace {

/// Of a face, of which a body has to cover so much to be one floor with it.
constexpr int kPerAxis = 16;
constexpr double kLeastCovered = 0.05;

/// How far the wall lies behind the surface of the body at most, where it does so over a part of the face and both face the same way [m].
std::optional<double> behind(const BodySnapshot& wall, const BodySnapshot& body, const Domain& domain, double reach) {
    const Vec3 inward = wall.surface(wall.pose().position).normal, size = domain.size();
    const int axis = std::abs(inward.x) > 0.5 ? 0 : std::abs(inward.y) > 0.5 ? 1 : 2;
    const double rounding = 1e-9 * maxComponent(size);
    int covered = 0;
    double deepest = 0;
    for (int n = 0; n < kPerAxis * kPerAxis; ++n) {
        Vec3 x = wall.pose().position;
        x[(axis + 1) % 3] = domain.min[(axis + 1) % 3] + size[(axis + 1) % 3] * (n % kPerAxis + 0.5) / kPerAxis;
        x[(axis + 2) % 3] = domain.min[(axis + 2) % 3] + size[(axis + 2) % 3] * (n / kPerAxis + 0.5) / kPerAxis;
        const SurfacePoint surface = body.surface(x);
        if (surface.distance > rounding || surface.distance < -reach || dot(surface.normal, inward) < 0.99) continue;
        ++covered;
        deepest = std::max(deepest, -surface.distance);
    }
    return covered < kLeastCovered * kPerAxis * kPerAxis ? std::nullopt : std::optional(deepest);
}

/// The friction of some grains on two bodies, where it differs.
std::optional<std::pair<double, double>> differentFriction(const World& world, const Body& a, const Body& b) {
    for (const int material : world.grainMaterials()) {
        const double onA = world.contacts.between(material, a.material).friction, onB = world.contacts.between(material, b.material).friction;
        if (onA != onB) return std::pair(onA, onB);
    }
    return {};
}

}  // namespace

void warnOfCoveredWalls(const World& world, double reach, Problems& problems) {
    const std::vector<BodySnapshot> bodies = world.bodiesAt(world.time);
    for (const BodySnapshot& wall : bodies) {
        if (wall.body().source >= 0) continue;
        for (const BodySnapshot& other : bodies) {
            const Body& body = other.body();
            if (body.source < 0 || body.free() || !other.active()) continue;
            const auto friction = differentFriction(world, wall.body(), body);
            const bool moves = !body.fixed(), otherContact = body.contact != wall.body().contact;
            if (!friction && !moves && !otherContact) continue;
            const std::optional<double> depth = behind(wall, other, world.domain, reach);
            if (!depth) continue;
            const std::string_view face = std::string_view(wall.body().name).substr(std::string_view("domain.").size());
            problems.warn("bodies[" + std::to_string(body.source) + "]",
                          fmt::format("the wall {} of the domain {} the surface of '{}', so that grains feel both{}; make that face \"open\", or put it further behind", face,
                                      *depth > 1e-6 * reach ? fmt::format("lies only {:.2g} m behind", *depth) : "coincides with", body.name,
                                      moves ? ", of which the wall stands still" : friction ? fmt::format(", with friction {:.3g} and {:.3g}", friction->first, friction->second) : ""));
        }
    }
}

}  // namespace talus::world
