// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include <gtest/gtest.h>

#include <set>

#include <algorithm>

namespace talus::scene::test {
namespace {

const std::string kStaged = R"(time = { end = 2 }
[parameters]
speed = 0.5
[[materials]]
name = "sand"
friction_angle_deg = 30
[[materials]]
name = "steel"
[[contacts]]
between = ["sand", "steel"]
friction = 0.4
[[bodies]]
name = "floor"
shape = { type = "box", size = [1, 1, 0.1] }
[[bodies]]
name = "gate"
material = "steel"
position = [0.5, 0.5, 0]
motion = { type = "velocity", velocity = [0, 0, 1] }
shape = { type = "box", size = [0.1, 0.1, 0.1] }
[[grains]]
material = "sand"
region = { type = "box", min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.4] }
[[stages]]
name = "fill"
until = { time = "200 ms" }
set = { "bodies.gate.active" = [-1, 0] }
[[stages]]
name = "settle"
until = { speed_below = "1 mm/s", for = 0.1, at_most = 1, required = true }
[stages.set]
"materials.sand.friction_angle_deg" = 35
contacts = [{ between = ["steel", "sand"], friction = 0.1 }]
[[stages]]
name = "run"
reset_time = true
set = { "bodies[1].active" = [], "bodies.gate.motion" = { type = "velocity", velocity = ["= 2*speed", 0, 0] }, gravity = [1, 0, 0] }
)";

TEST(StagesOfAScene, addUpTheirChanges) {
    const Scene scene = readText(kStaged.substr(0, kStaged.find("contacts = [{")) + kStaged.substr(kStaged.find("[[stages]]\nname = \"run\"")));
    const std::vector<world::Stage>& stages = scene.stages();
    ASSERT_EQ(stages.size(), 3u);
    const auto gate = [](const world::World& world) -> const world::Body& { return *std::ranges::find(world.bodies, "gate", &world::Body::name); };
    EXPECT_FALSE(gate(scene.buildWorld()).activeAt(0)) << "the world starts as the first stage";
    EXPECT_FALSE(gate(stages[1].world).activeAt(0)) << "a change holds on";
    EXPECT_TRUE(gate(stages[2].world).activeAt(0));
    EXPECT_EQ(gate(stages[2].world).pose(1).velocity, (Vec3{1, 0, 0}));
    EXPECT_EQ(stages[2].given, (std::set<std::string>{"bodies.gate.active", "bodies.gate.motion", "gravity"}));
    EXPECT_TRUE(stages[2].resetTime && stages[1].given.empty());
    EXPECT_EQ(stages[2].world.gravity, (Vec3{1, 0, 0}));
    EXPECT_NEAR(stages[1].world.materials[0].muHat, world::muHatFromAngle(35, world::FrictionMatch::tan), 1e-15);
    EXPECT_EQ(stages[2].world.materials[0].muHat, stages[1].world.materials[0].muHat);
    EXPECT_EQ(gate(stages[2].world).shape, gate(stages[0].world).shape) << "shapes are built once";
    ASSERT_TRUE(stages[0].until && stages[1].until && !stages[2].until);
    EXPECT_EQ(stages[0].until->longest(), 0.2);
    EXPECT_EQ(std::get<world::WhenSlow>(stages[1].until->condition).speed, 1e-3);
    EXPECT_TRUE(stages[1].until->required);
}

TEST(StagesOfAScene, readBackAsTheyWereResolved) {
    const std::string text = readText(kStaged.substr(0, kStaged.find("contacts = [{")) + kStaged.substr(kStaged.find("[[stages]]\nname = \"run\""))).toml();
    EXPECT_EQ(readText(text).toml(), text);
    EXPECT_NE(text.find("\"bodies.gate.motion\" = { \"type\" = \"velocity\", \"velocity\" = [\"= 2*speed\", 0, 0] }"), std::string::npos) << text;
}

// Both that of the scene, which the first stage does not change, and that of a stage.
TEST(StagesOfAScene, pathsFromFilesAreKeyframesInTheResolvedScene) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("talus_stage_path_" + std::to_string(::getpid()) + ".csv");
    std::ofstream(file) << "time,x,y,z\n0,0,0,0\n2,0,0,1\n";
    const std::string path = "{ type = \"path\", file = \"" + file.string() + "\", interpolation = \"linear\" }";
    std::string text = kStaged.substr(0, kStaged.find("[[stages]]"));
    text.replace(text.find("{ type = \"velocity\", velocity = [0, 0, 1] }"), 43, path);
    text += "[[stages]]\nname = \"a\"\nuntil = { time = 1 }\n[[stages]]\nname = \"b\"\nset = { \"bodies.floor.motion.type\" = \"path\", \"bodies.floor.motion.file\" = \"" + file.string() + "\", gravity = [1, 0, 0] }\n";
    text.replace(text.find("name = \"floor\"\n"), 15, "name = \"floor\"\nmotion = { type = \"fixed\" }\n");
    const Scene scene = readText(text);
    const auto body = [](const world::World& world, std::string_view name) -> const world::Body& { return *std::ranges::find(world.bodies, name, &world::Body::name); };
    EXPECT_NEAR(body(scene.buildWorld(), "gate").pose(1).position.z, 0.5, 1e-12) << "the motion of the scene goes on";
    EXPECT_TRUE(body(scene.buildWorld(), "floor").fixed());
    EXPECT_GT(body(scene.stages()[1].world, "floor").pose(1).position.z, 0.2);
    std::filesystem::remove(file);
    const Scene again = readText(scene.toml());
    EXPECT_EQ(again.toml(), scene.toml());
    EXPECT_EQ(again.stages()[1].given, (std::set<std::string>{"bodies.floor.motion", "gravity"}));
    EXPECT_EQ(body(again.stages()[1].world, "floor").pose(1).position, body(scene.stages()[1].world, "floor").pose(1).position);
}

TEST(StagesOfAScene, listsOfContactsStayAsTheyAre) {
    EXPECT_NE(errorOf(kStaged).find("scene.toml:33:1: a stage cannot change 'contacts'; it may change gravity, air; of materials:"), std::string::npos) << errorOf(kStaged);
}

TEST(Presets, fillInWhatIsNotGiven) {
    const std::string grains = "[[grains]]\nmaterial = \"a\"\nregion = { type = \"box\", min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.4] }\n";
    const auto world = [&](const std::string& materials) { return readText(materials + grains).buildWorld(); };
    const world::Material wheat = world("[[materials]]\nname = \"a\"\npreset = \"wheat\"\n").materials[0];
    EXPECT_EQ(wheat.name, "a");
    EXPECT_EQ(wheat.density, 1250);
    EXPECT_NEAR(wheat.packingFraction, 0.576, 1e-12);
    EXPECT_EQ(wheat.grainDiameter, 0.00394);
    const world::Material own = world("[[materials]]\nname = \"a\"\npreset = \"dry sand\"\nmu_hat = 0.7\nbulk_density = 1500\n").materials[0];
    EXPECT_EQ(own.muHat, 0.7);
    EXPECT_EQ(own.density, 2650);
    EXPECT_NEAR(own.packingFraction, 1500.0 / 2650, 1e-12);

    const std::string two = "[[materials]]\nname = \"a\"\npreset = \"dry sand\"\n[[materials]]\nname = \"b\"\npreset = \"steel\"\n";
    EXPECT_EQ(world(two).contacts.between(0, 1).friction, 0.36);
    EXPECT_EQ(world(two + "[[contacts]]\nbetween = [\"b\", \"a\"]\nfriction = 0.2\n").contacts.between(0, 1).friction, 0.2);
    EXPECT_EQ(world(two + "[[materials]]\nname = \"c\"\n").contacts.between(0, 2).friction, world::Contact{}.friction);
    const std::string resolved = readText(two + grains).toml();
    EXPECT_EQ(readText(resolved).toml(), resolved);
    EXPECT_NE(resolved.find("friction = 0.36"), std::string::npos);
}

TEST(Presets, areAllFitToBeUsed) {
    const std::vector<MaterialPreset> presets = materialPresets();
    EXPECT_EQ(presets.size(), 12u);
    for (const MaterialPreset& preset : presets) {
        const Scene scene = readText("[[materials]]\nname = \"sand\"\npreset = \"" + preset.name + "\"\n" + kGood.substr(kGood.find("[[grains]]")));
        EXPECT_TRUE(scene.warnings().empty()) << preset.name;
        const world::Material material = scene.buildWorld().materials[0];
        EXPECT_EQ(material.density, preset.density);
        EXPECT_NEAR(material.packingFraction, preset.packingFraction, 1e-12);
        EXPECT_NEAR(material.muHat, world::muHatFromAngle(preset.frictionAngleDeg, world::FrictionMatch::tan), 1e-12);
    }
}

}  // namespace
}  // namespace talus::scene::test
