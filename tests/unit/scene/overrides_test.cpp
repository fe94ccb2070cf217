// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include <gtest/gtest.h>

namespace talus::scene::test {
namespace {

const std::string kScene = kGood + R"(
[time]
end = 3
frames_per_second = 10
[[bodies]]
name = "floor"
shape = { type = "plane" }
[[bodies]]
name = "ball"
motion = { type = "spin", rate = "12 rpm" }
shape = { type = "sphere", radius = 0.1 }
[variant.smoke]
"time.end" = 0.05
"bodies.ball.shape.radius" = 0.2
[variant.dotted]
time.end = 0.07
resolution = { size = 0.01 }
[variant.bad]
"time.end" = -4
"bodies[7].name" = "x"
)";

Request sets(std::vector<std::string> list) {
    return {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = std::move(list)};
}
Request variant(std::string name) { return {.scene = {}, .method = {}, .variant = std::move(name), .precision = {}, .sets = {}}; }
bool has(const Scene& scene, std::string_view line) { return scene.toml().find(line) != std::string::npos; }

TEST(Overrides, Variants) {
    const Scene smoke = readText(kScene, variant("smoke"));
    EXPECT_EQ(smoke.endTime(), 0.05);
    EXPECT_EQ(smoke.framesPerSecond(), 10);
    EXPECT_TRUE(has(smoke, "type = \"sphere\", radius = 0.2"));
    EXPECT_EQ(readText(kScene).endTime(), 3);
}

TEST(Overrides, DottedKeysMergeAndBracesReplace) {
    const Scene scene = readText("resolution = { grains = 5 }\n" + kScene, variant("dotted"));
    EXPECT_EQ(scene.endTime(), 0.07);
    EXPECT_EQ(scene.framesPerSecond(), 10);
    EXPECT_TRUE(has(scene, "size = 0.01"));
    EXPECT_FALSE(has(scene, "grains = 5"));
}

TEST(Overrides, SetWinsOverVariantAndOptionsOverSet) {
    Request request = variant("smoke");
    request.sets = {"time.end=1", "time.end=2", "method=dem", "precision=float"};
    request.method = "elastoplastic";
    request.precision = "double";
    const Scene scene = readText(kScene, request);
    EXPECT_EQ(scene.endTime(), 2);
    EXPECT_EQ(&scene.method(), &kFake);
    EXPECT_EQ(scene.precision(), world::Precision::float64);
}

TEST(Overrides, PathsByNameAndIndex) {
    EXPECT_TRUE(has(readText(kScene, sets({"bodies.ball.shape.radius=7 cm"})), "radius = 0.07"));
    EXPECT_TRUE(has(readText(kScene, sets({"bodies[1].shape.radius=0.08"})), "radius = 0.08"));
    EXPECT_TRUE(has(readText(kScene, sets({"grains[0].velocity=[0, 0, \"-1 cm/s\"]"})), "velocity = [0, 0, -0.01]"));
    EXPECT_TRUE(has(readText(kScene, sets({"elastoplastic.youngs_modulus=2 MPa"})), "youngs_modulus = 2000000"));
    EXPECT_TRUE(has(readText(kScene, sets({"bodies.floor.shape={ type = \"sphere\", radius = 0.3 }"})), "radius = 0.3"));
    EXPECT_TRUE(has(readText(kScene, sets({"bodies.ball.motion.rate=1"})), "rate = 1"));
}

TEST(Overrides, Messages) {
    EXPECT_EQ(errorOf(kScene, variant("smok")),
              "--variant smok: the scene has no variant 'smok'; did you mean 'smoke'? its variants are 'smoke', 'dotted', 'bad'");
    EXPECT_EQ(errorOf(kGood, variant("smoke")), "--variant smoke: the scene has no variant 'smoke'; it has none");
    EXPECT_EQ(errorOf(kScene, variant("bad")),
              "scene.toml:25:14: 'time.end' is -4; it must be between 1e-09 and 1000000\n"
              "scene.toml:26:1: 'bodies' has 2 items, counted from [0]");
    EXPECT_EQ(errorOf(kScene, sets({"time.end=-1"})), "--set time.end=-1: 'time.end' is -1; it must be between 1e-09 and 1000000");
    EXPECT_EQ(errorOf(kScene, sets({"time.edn=1"})), "--set time.edn=1: unknown key 'time.edn'; did you mean 'end'?");
    EXPECT_EQ(errorOf(kScene, sets({"bodies.flor.contact=slip"})),
              "--set bodies.flor.contact=slip: 'bodies' has no item with the name 'flor'; did you mean 'floor'?");
    EXPECT_EQ(errorOf(kScene, sets({"time.end.x=1"})), "--set time.end.x=1: 'time.end' is a whole number, not a table");
    EXPECT_EQ(errorOf(kScene, sets({"time"})), "--set time: write KEY=VALUE, for example --set time.end=2");
    EXPECT_EQ(errorOf(kScene, sets({"time..end=1"})),
              "--set time..end=1: 'time..end' is not the path of a key; write for example time.end or bodies[0].material");
    EXPECT_EQ(errorOf(kScene, {.scene = {}, .method = "mpm", .variant = {}, .precision = {}, .sets = {}}),
              "--method mpm: 'method' is \"mpm\"; choices are \"elastoplastic\", \"dem\"");
    EXPECT_EQ(errorOf(kScene, sets({"seed=-1", "gravity=[1]", "time.end=0"})),
              "--set seed=-1: 'seed' is -1; it must be between 0 and 9007199254740992\n"
              "--set gravity=[1]: 'gravity' must be a list of 3 numbers, not 1\n"
              "--set time.end=0: 'time.end' is 0; it must be between 1e-09 and 1000000");
}

}  // namespace
}  // namespace talus::scene::test
