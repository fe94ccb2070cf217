// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry/primitives.h"
#include "unit/run/falling_grains.h"

#include <memory>
#include <vector>

namespace talus::run {

/// 0.07 s; then until the grains, which bounce, are slower than they ever are, at most 0.06 s; then with a new clock and
/// half the gravity until the lowest of them is below 5 cm, which is found by a look every 5 ms.
inline std::vector<world::Stage> threeStages() {
    world::Stage first{.name = "drop", .until = world::Until{.condition = world::AfterTime{0.07}}, .resetTime = false, .world = test::fallingGrains(1e300, true).world()};
    world::Stage second = first, third = first;
    second.name = "rest";
    second.until = world::Until{.condition = world::WhenSlow{1e-6}, .every = 0.01, .atMost = 0.06};
    third.name = "lift";
    third.resetTime = true;
    third.given = {"gravity"};
    third.world.gravity = {0, 0, -4};
    third.world.gravityOverTime = Schedule<Vec3>(Vec3{0, 0, -4});
    const auto all = std::make_shared<geometry::Sphere>(100);
    third.until = world::Until{.condition = world::WhenMass{all, 9.5, true}, .hold = 0.05, .every = 0.005, .atMost = 0.2};
    return {first, second, third};
}

}  // namespace talus::run
