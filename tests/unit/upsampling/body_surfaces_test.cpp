// SPDX-License-Identifier: Apache-2.0
#include "upsampling/body_surfaces.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace talus::upsampling {
namespace {

constexpr double kRadius = 0.01, kFriction = 0.5;

/// What a floor does to a grain that overlaps it by a tenth of its radius.
TouchingGrain pushed(world::ContactMode mode, const Vec3& velocity) {
    world::World world;
    world.materials = {world::Material{.name = "sand"}, world::Material{.name = "floor"}};
    world.contacts.set(0, 1, {kFriction, 0.25});
    world.bodies.push_back({.name = "floor", .material = 1, .contact = mode, .shape = std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{}), .motion = world::Motion({}, {}), .source = 0, .load = {}});
    BodySurfaces surfaces;
    surfaces.begin(world, 0, 1e-3);
    TouchingGrain grain{{0, 0, 0.9 * kRadius}, velocity, kRadius, 0};
    const std::vector<std::uint32_t> bodies{0};
    std::vector<double> rooms{0};
    EXPECT_TRUE(surfaces.push(bodies, rooms, grain));
    EXPECT_NEAR(grain.position.z, kRadius, 1e-12);
    return grain;
}

void expectNear(const Vec3& a, const Vec3& b) { EXPECT_LT(norm(a - b), 1e-12) << a.x << ' ' << a.y << ' ' << a.z; }

TEST(BodySurfaces, separateBouncesRubsAndLetsGo) {
    expectNear(pushed(world::ContactMode::separate, {2, 0, -1}).velocity, {2 - kFriction * 1.25, 0, 0.25});
    expectNear(pushed(world::ContactMode::separate, {0.1, 0, -1}).velocity, {0, 0, 0.25});
    expectNear(pushed(world::ContactMode::separate, {2, 0, 1}).velocity, {2, 0, 1});
}

// As with the other methods: sliding with friction, whichever way the surface pulls.
TEST(BodySurfaces, slipRubsAndHolds) {
    expectNear(pushed(world::ContactMode::slip, {2, 0, -1}).velocity, {2 - kFriction, 0, 0});
    expectNear(pushed(world::ContactMode::slip, {2, 0, 1}).velocity, {2 - kFriction, 0, 0});
}

TEST(BodySurfaces, stickyHoldsWhatTouches) { expectNear(pushed(world::ContactMode::sticky, {2, 0, 1}).velocity, {}); }

}  // namespace
}  // namespace talus::upsampling
