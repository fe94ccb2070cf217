// SPDX-License-Identifier: Apache-2.0
// Known-answer worlds of the verification tests: boxes of grains on the floor of a domain.
#pragma once

#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/method.h"
#include "world/metrics.h"
#include "world/simulation.h"

#include <gtest/gtest.h>

#include <memory>
#include <numbers>

namespace talus::test {

inline geometry::ShapePtr boxBetween(const Vec3& min, const Vec3& max) {
    return std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(max - min), RigidTransform{{}, 0.5 * (min + max)});
}

/// Gravity of 9.81 m/s² on a floor tilted by an angle about y: the grains want to slide towards +x.
inline Vec3 tiltedGravity(double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    return {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)};
}

/// A layer of so many cells on a floor that holds it, 4 x 4 cells wide with periodic sides, gravity tilted.
inline world::World layerOnASlope(double cell, double cellsDeep, double muHat, double degrees) {
    world::World world;
    world.domain = {{0, 0, 0}, {4 * cell, 4 * cell, (cellsDeep + 4) * cell}, {}};
    for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "sand", .muHat = muHat}};
    world.bodies = world::domainFaces(world.domain);
    world.bodies[0].contact = world::ContactMode::sticky;
    world.fills = {{boxBetween({0, 0, 0}, {4 * cell, 4 * cell, cellsDeep * cell}), 0, 0, {}}};
    world.resolution.size = cell;
    world.gravity = tiltedGravity(degrees);
    return world;
}

inline void advance(world::Simulation& simulation, const Exec& exec, double until) {
    const world::Reached reached = simulation.advance(exec, until, [] { return true; });
    ASSERT_EQ(reached, world::Reached::target) << (simulation.failure() ? simulation.failure()->what : "");
}

}  // namespace talus::test
