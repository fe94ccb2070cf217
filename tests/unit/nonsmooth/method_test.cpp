// SPDX-License-Identifier: Apache-2.0
// What the method does with fills and bodies that do not fit.
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "nonsmooth/nonsmooth.h"

#include <gtest/gtest.h>

#include <memory>

namespace talus::nonsmooth {
namespace {

/// A cube of 8 x 8 x 8 cells of sand in a domain of twice that, and a box that moves.
world::World boxWorld(const Vec3& speed) {
    world::World world;
    world.domain = {{0, 0, 0}, {0.16, 0.16, 0.16}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.resolution.size = 0.01;
    const auto box = [](double side) { return std::make_shared<geometry::Box>(Vec3{side, side, side}); };
    world.fills = {{std::make_shared<geometry::Placed>(box(0.08), RigidTransform{{}, {0.08, 0.08, 0.04}}), 0, 0, {}}};
    world.bodies.push_back({.name = "box", .shape = box(0.04), .motion = world::Motion({0.08, 0.08, 0.04}, {}, {world::Travel{speed}}), .load = {}});
    return world;
}

double counted(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.fallbacks())
        if (m.name == name) return m.value;
    return -1;
}

TEST(NonsmoothMethod, leavesOutPointsInBodiesAndCountsThem) {
    world::World world = boxWorld({});
    const auto method = info.create(Settings{}, world, world::Precision::float64);
    const world::Inserted inserted = method->insert(Exec(1), world, world.fills.front());
    EXPECT_EQ(inserted.count, 8 * (512 - 64));   // the box takes 4 x 4 x 4 cells
    EXPECT_EQ(counted(*method, "left_out_in_bodies"), 8 * 64);
}

TEST(NonsmoothMethod, fixedStepsEndBeforeABodyIsThroughACell) {
    Settings settings;
    settings.dt = 0.01;
    settings.fixedStep = true;
    const world::World slow = boxWorld({0.5, 0, 0}), fast = boxWorld({0, -20, 0});
    EXPECT_EQ(info.create(settings, slow, world::Precision::float64)->stableStep(slow), 0.01);
    const double step = info.create(settings, fast, world::Precision::float64)->stableStep(fast);
    EXPECT_NEAR(step, 0.01 / 20, 1e-9);
}

}  // namespace
}  // namespace talus::nonsmooth
