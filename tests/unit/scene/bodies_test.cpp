// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

namespace talus::scene::test {
namespace {

world::World worldOf(const std::string& bodies) { return readText(kGood + bodies).buildWorld(); }

TEST(Bodies, aFreeOneTakesItsMassFromShapeAndMaterial) {
    const world::World world = worldOf(R"(
[[bodies]]
name = "box"
material = "sand"
position = [0.5, 0.5, 0.7]
rotation_deg = [0, 0, 90]
motion = { type = "free", velocity = [1, 0, 0], angular_velocity = [0, 0, "60 rpm"], force = [0, 0, 5], locked = ["y", "rx"] }
shape = { type = "box", size = [0.1, 0.2, 0.1], position = [0.05, 0, 0] }
)");
    const world::Body& body = world.bodies.back();
    ASSERT_TRUE(body.free());
    const world::FreeBody& free = *body.free();
    EXPECT_NEAR(free.mass, 2600 * 0.002, 1e-12);
    EXPECT_LT(norm(free.centre - Vec3{0.05, 0, 0}), 1e-15);
    EXPECT_NEAR(free.inertia(2, 2), free.mass / 12 * (0.01 + 0.04), 1e-12);
    EXPECT_EQ(free.at, free.centre);
    EXPECT_EQ(free.locked, (world::Locks{false, true, false, true, false, false}));
    EXPECT_EQ(free.pose.velocity, (Vec3{1, 0, 0}));
    EXPECT_NEAR(free.pose.angularVelocity.z, 2 * std::numbers::pi, 1e-12);
    EXPECT_EQ(body.source, 0);
    EXPECT_FALSE(body.fixed());
}

TEST(Bodies, givenMassAndInertiaReplaceThoseOfTheShape) {
    const world::World world = worldOf(R"(
[[bodies]]
name = "a"
position = [0.5, 0.5, 0.7]
motion = { type = "free", mass = 3, inertia = [1, 2, 2.5], centre_of_mass = [0, 0, 0.01], at = [0.1, 0, 0] }
shape = { type = "sphere", radius = 0.1 }
[[bodies]]
name = "b"
position = [0.2, 0.5, 0.7]
motion = { type = "free", mass = 3 }
shape = { type = "sphere", radius = 0.1 }
)");
    const world::FreeBody &a = *world.bodies[world.bodies.size() - 2].free(), &b = *world.bodies.back().free();
    EXPECT_EQ(a.mass, 3);
    EXPECT_EQ(a.inertia, Mat3::diagonal({1, 2, 2.5}));
    EXPECT_EQ(a.centre, (Vec3{0, 0, 0.01}));
    EXPECT_EQ(a.at, (Vec3{0.1, 0, 0}));
    EXPECT_NEAR(b.inertia(0, 0), 0.4 * 3 * 0.01, 1e-12);
}

TEST(Bodies, copiesStandAStepApart) {
    const world::World world = worldOf(R"(
[[bodies]]
name = "post"
position = [0.1, 0.5, 0.7]
copies = { count = 3, step = [0.2, 0, 0], rotation_step_deg = [0, 0, 30] }
shape = { type = "box", size = [0.1, 0.1, 0.1] }
[[bodies]]
name = "ball"
position = [0.1, 0.1, 0.7]
copies = { path = [[0, 0, 0], [0.2, 0, 0.1]] }
shape = { type = "sphere", radius = 0.05 }
)");
    const std::size_t first = world.bodies.size() - 5;
    EXPECT_EQ(world.bodies[first].name, "post-1");
    EXPECT_EQ(world.bodies[first + 2].name, "post-3");
    EXPECT_EQ(world.bodies[first + 2].source, 0);
    EXPECT_LT(norm(world.bodies[first + 2].pose(0).position - Vec3{0.5, 0.5, 0.7}), 1e-12);
    EXPECT_NEAR(world.bodies[first + 2].pose(0).rotation.rotate({1, 0, 0}).y, std::sin(std::numbers::pi / 3), 1e-12);
    EXPECT_EQ(world.bodies[first].shape, world.bodies[first + 2].shape) << "one shape for all";
    EXPECT_EQ(world.bodies.back().name, "ball-2");
    EXPECT_LT(norm(world.bodies.back().pose(0).position - Vec3{0.3, 0.1, 0.8}), 1e-12);
    EXPECT_EQ(world.bodies.back().source, 1);
}

TEST(Bodies, beltsAndWindows) {
    const world::World world = worldOf(R"(
[[bodies]]
name = "belt"
position = [0.5, 0.5, 0.7]
rotation_deg = [0, 0, 90]
active = [0.5, 2]
surface_velocity = { type = "along", velocity = [1, 0, 0] }
shape = { type = "box", size = [0.5, 0.2, 0.1] }
)");
    const world::Body& body = world.bodies.back();
    EXPECT_FALSE(body.fixed());
    EXPECT_FALSE(body.activeAt(0));
    EXPECT_TRUE(body.activeAt(0.5));
    EXPECT_FALSE(body.activeAt(2));
    const world::SurfacePoint top = world::BodySnapshot(body, 1).surface({0.5, 0.5, 0.8});
    EXPECT_LT(norm(top.velocity - Vec3{0, 1, 0}), 1e-12) << "along the belt, which lies along y";
}

TEST(Bodies, aSceneOfFreeBodiesNeedsNoGrains) {
    const std::string body = "[[materials]]\nname = \"wood\"\n[[bodies]]\nname = \"box\"\nmaterial = \"wood\"\nposition = [0.5, 0.5, 0.5]\nmotion = \"MOTION\"\nshape = { type = \"sphere\", radius = 0.1 }\n";
    const auto with = [&](const std::string& motion) {
        std::string text = body;
        return text.replace(text.find("MOTION"), 6, motion);
    };
    EXPECT_NO_THROW(readText(with("free"), {}, builtInMethods()));
    EXPECT_NE(errorOf(with("fixed")), "");
}

TEST(Bodies, aCutThatEndsWithTheSolidIsWarnedOf) {
    const auto warnings = [](const std::string& minus) {
        return readText(kGood + R"(
[[bodies]]
name = "plate"
position = [0.5, 0.5, 0.8]
shape = { type = "difference", from = { type = "box", min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.1] }, minus = [)" + minus + "] }\n").warnings();
    };
    const auto about = [](const std::vector<std::string>& all) { return std::ranges::count_if(all, [](const std::string& w) { return w.find("ends in the same plane as the solid") != std::string::npos; }); };
    EXPECT_EQ(about(warnings("{ type = \"cylinder\", radius = 0.05, height = 0.1 }")), 2);                              // above and below
    EXPECT_EQ(about(warnings("{ type = \"cylinder\", radius = 0.05, height = 0.2, position = [0, 0, -0.05] }")), 0);   // through and through
    EXPECT_EQ(about(warnings("{ type = \"cylinder\", radius = 0.05, height = 0.08, position = [0, 0, 0.02] }")), 1);   // a blind hole from above
    EXPECT_EQ(about(warnings("{ type = \"cylinder\", radius = 0.05, height = 0.06, position = [0, 0, 0.02] }")), 0);   // a hollow inside
    EXPECT_EQ(about(warnings("{ type = \"cylinder\", radius = 0.05, height = 0.1, position = [0.5, 0, 0] }")), 0);      // beside it
}

}  // namespace
}  // namespace talus::scene::test
