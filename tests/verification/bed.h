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

inline void advance(world::Simulation& simulation, const Exec& exec, double until) {
    const world::Reached reached = simulation.advance(exec, until, [] { return true; });
    ASSERT_EQ(reached, world::Reached::target) << (simulation.failure() ? simulation.failure()->what : "");
}

}  // namespace talus::test
