// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include "world/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

namespace talus::scene::test {
namespace {

const std::string kFlows = R"([[materials]]
name = "sand"
[[materials]]
name = "lead"
density = 11000
[[grains]]
material = "sand"
region = { type = "box", min = [0.2, 0.2, 0.2], max = [0.4, 0.4, 0.4] }
[[bodies]]
name = "cart"
shape = { type = "sphere", radius = 0.01 }
position = [0.5, 0.5, 0.5]
[[emitters]]
name = "spout"
mixture = [{ material = "sand", fraction = 0.25 }, { material = "lead", fraction = 0.75 }]
disc = { centre = [0, 0, 0.2], normal = [0, 0, -2], radius = "3 cm" }
rate = { table = [[0, "1 t/h"], [2, "3.6 t/h"]] }
speed = { mean = 2, amplitude = 1, frequency = 4 }
spread_deg = 10
begin = 0.5
mass_limit = "2 t"
body = "cart"
[[emitters]]
name = "rain"
material = "lead"
region = { type = "sphere", radius = 0.1, position = [0.5, 0.5, 0.8] }
grains_per_second = "500 1/s"
velocity = [0, 0, -1]
end = 3
[[sinks]]
name = "bin"
region = { type = "plane", position = [0, 0, 0.1] }
begin = "200 ms"
[[forces]]
type = "wind"
velocity = [3, 0, 0]
region = { type = "box", min = [0, 0, 0.5], max = [1, 1, 1] }
[[forces]]
type = "vortex"
centre = [0.5, 0.5, 0]
circulation = { mean = 1, amplitude = 0.5, frequency = 2 }
[air]
density = 1.1
drag = "constant"
)";

TEST(Flows, areBuiltAsTheSceneSays) {
    const world::World world = readText(kFlows).buildWorld();
    ASSERT_EQ(world.emitters.size(), 2u);
    const world::Emitter& spout = world.emitters[0];
    EXPECT_EQ(spout.source, 1);
    EXPECT_EQ(world.bodies[static_cast<std::size_t>(spout.body)].name, "cart");
    EXPECT_NEAR(spout.rate.at(1), 2300.0 / 3600, 1e-12);
    EXPECT_NEAR(spout.due(2), 0.5 * 1.5 * (1 + 0.25 * 2.6 + 3.6) * 1000 / 3600, 1e-9);   // from 0.5 to 2 s
    EXPECT_FALSE(spout.byCount);
    EXPECT_EQ(std::get<world::Outlet>(spout.from).normal, (Vec3{0, 0, -1}));
    EXPECT_EQ(std::get<world::Outlet>(spout.from).radius, 0.03);
    EXPECT_NEAR(spout.velocity.at(1.0 / 16).z, -3, 1e-12);
    EXPECT_NEAR(spout.spread, 10 * std::numbers::pi / 180, 1e-12);
    EXPECT_EQ(spout.mostMass, 2000);
    EXPECT_EQ(spout.parts.size(), 2u);
    EXPECT_EQ(spout.parts[1].material, 1);
    EXPECT_TRUE(world.emitters[1].byCount);
    EXPECT_EQ(world.emitters[1].rate.at(0), 500);
    EXPECT_EQ(world.emitters[1].source, 2);
    EXPECT_EQ(world.emitters[1].due(9), 1500);
    EXPECT_EQ(world.sinks.at(0).begin, 0.2);
    EXPECT_LT(world.sinks[0].region->distance({5, 5, 0.05}), 0);
    ASSERT_EQ(world.forces.forces.size(), 2u);
    EXPECT_TRUE(world.forces.forces[0].region);
    EXPECT_EQ(world.forces.air.density, 1.1);
    EXPECT_EQ(world.forces.air.law, world::DragLaw::constant);
    EXPECT_EQ(world.grainMaterials(), (std::vector<int>{0, 1}));
}

// A region that reaches through a periodic face is there again on the other side, as the stream of an emitter is.
TEST(Flows, regionsReachAcrossPeriodicFaces) {
    const world::World world = readText(R"(resolution = { size = 0.05 }
domain = { min = [0, 0, 0], max = [1, 2, 1], x = "periodic", y = "periodic" }
[[materials]]
name = "sand"
[[emitters]]
name = "spout"
material = "sand"
disc = { centre = [0, 0, 0.9], radius = 0.1 }
rate = 1
speed = 1
[[sinks]]
name = "corner"
region = { type = "box", min = [-0.1, 1.8, 0], max = [0.1, 2.1, 0.3] }
[[sinks]]
name = "whole"
region = { type = "plane", position = [0, 0, 0.1] }
[[sinks]]
name = "middle"
region = { type = "sphere", radius = 0.1, position = [0.5, 0.5, 0.5] }
)", {}, builtInMethods()).buildWorld();
    const geometry::Shape& corner = *world.sinks[0].region;
    for (const Vec3& x : {Vec3{0.05, 1.9, 0.1}, Vec3{0.95, 1.9, 0.1}, Vec3{0.05, 0.05, 0.1}, Vec3{0.95, 0.05, 0.1}}) EXPECT_NEAR(corner.distance(x), -0.05, 1e-12);
    for (const Vec3& x : {Vec3{0.5, 1.9, 0.1}, Vec3{0.05, 1, 0.1}, Vec3{0.95, 0.2, 0.1}}) EXPECT_GT(corner.distance(x), 0.05);
    EXPECT_NEAR(world.sinks[1].region->distance({0.5, 0.5, 0.05}), -0.05, 1e-12);
    EXPECT_GT(world.sinks[2].region->distance({0.5, 1.5, 0.5}), 0.5);
}

TEST(Flows, theResolvedSceneIsTheSameScene) {
    const Scene scene = readText(kFlows);
    EXPECT_EQ(readText(scene.toml()).toml(), scene.toml());
}

struct File {
    File(const std::string& ending, const std::string& text) : path(std::filesystem::temp_directory_path() / ("talus_flows_test_" + std::to_string(::getpid()) + ending)) {
        std::ofstream(path, std::ios::binary) << text;
    }
    ~File() { std::filesystem::remove(path); }
    std::filesystem::path path;
};

TEST(TableFill, movesScalesAndSizesItsGrains) {
    const File csv(".csv", "x,y,z,velocity_x,velocity_y,velocity_z,mass,material,stress_xx,stress_yy,stress_zz,stress_xy,stress_yz,stress_xz\n"
                           "100,0,0,1,0,0,0.1,0,1,2,3,4,5,6\n0,50,0,0,1,0,0.2,1,0,0,0,0,0,0\n9000,0,0,0,0,0,0.1,0,0,0,0,0,0,0\n");
    const Scene scene = readText("[[materials]]\nname = \"sand\"\n[[materials]]\nname = \"lead\"\ndensity = 10000\n[[grains]]\ntable = \"" + csv.path.string() +
                                 "\"\nscale = 1e-3\nposition = [0.5, 0.5, 0.5]\nrotation_deg = [0, 0, 90]\nvelocity = [0, 0, -2]\n");
    const world::World world = scene.buildWorld();
    ASSERT_TRUE(world.fills.at(0).listed);
    const world::ListedGrains& grains = *world.fills[0].listed;
    ASSERT_EQ(grains.positions.size(), 2u);
    EXPECT_LT(norm(grains.positions[0] - Vec3{0.5, 0.6, 0.5}), 1e-12);
    EXPECT_LT(norm(grains.positions[1] - Vec3{0.45, 0.5, 0.5}), 1e-12);
    EXPECT_LT(norm(grains.velocities[0] - Vec3{0, 1, -2}), 1e-12);
    EXPECT_EQ(grains.materials, (std::vector<int>{0, 1}));
    EXPECT_NEAR(grains.volumes[0], 0.1 / 1560, 1e-15);
    EXPECT_NEAR(grains.volumes[1], 0.2 / 6000, 1e-15);
    const std::array<double, 6> turned{2, 1, 3, -4, 6, -5};   // x → y, y → −x
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(grains.stresses[0][c], turned[c], 1e-12) << c;
    ASSERT_EQ(scene.warnings().size(), 1u);
    EXPECT_NE(scene.warnings()[0].find("1 of its 3 grains lie outside the domain"), std::string::npos) << scene.warnings()[0];
}

TEST(TableFill, countsInTheMemoryOfTheRun) {
    std::string rows = "x,y,z,mass\n";
    constexpr double kRows = 1000, kLeastBytes = 2 * sizeof(Vec3) + sizeof(int) + sizeof(double);
    for (int i = 0; i < static_cast<int>(kRows); ++i) rows += "0.5,0.5," + std::to_string(0.0005 * i) + ",0.1\n";
    const File csv(".csv", rows);
    const std::string materials = "[[materials]]\nname = \"sand\"\n[[grains]]\nmaterial = \"sand\"\n";
    const double without = readText(materials + "region = { type = \"box\", size = [0.1, 0.1, 0.1], position = [0.5, 0.5, 0.5] }\n").estimate().bytes;
    const double with = readText(materials + "table = \"" + csv.path.string() + "\"\n").estimate().bytes;
    EXPECT_GE(with - without, kRows * kLeastBytes + static_cast<double>(rows.size()));
    EXPECT_LE(with - without, 2 * kRows * kLeastBytes + static_cast<double>(rows.size()));
}

// By the name of the field the angle whose tangent is the slope, by that of the key what the material's `match` makes of it.
TEST(TableFill, givesGrainsAFrictionOfTheirOwn) {
    const auto slopes = [](const std::string& column) {
        const File csv(".csv", "x,y,z,material," + column + "\n0.5,0.5,0.5,0,30\n0.6,0.5,0.5,1,0\n0.7,0.5,0.5,1,25\n");
        const Scene scene = readText("method = \"elastoplastic\"\n[[materials]]\nname = \"sand\"\nmatch = \"circumscribed\"\n[[materials]]\nname = \"lead\"\n[[grains]]\ntable = \"" + csv.path.string() + "\"\n");
        EXPECT_EQ(scene.warnings().size(), 1u);
        EXPECT_NE(scene.warnings()[0].find("the friction angles of the table are left out"), std::string::npos) << "the stand-in does not take them: " << scene.warnings()[0];
        return scene.buildWorld().fills.at(0).listed->muHats;
    };
    using world::FrictionMatch, world::muHatFromAngle;
    EXPECT_EQ(slopes("friction_angle"), (std::vector{muHatFromAngle(30, FrictionMatch::tan), 0.0, muHatFromAngle(25, FrictionMatch::tan)}));
    EXPECT_EQ(slopes("friction_angle_deg"), (std::vector{muHatFromAngle(30, FrictionMatch::circumscribed), 0.0, muHatFromAngle(25, FrictionMatch::tan)}));
}

TEST(ForceField, isReadInAnyOrderOfRows) {
    const File csv(".csv", "x,y,z,acceleration_x,acceleration_y,acceleration_z\n1,0,0,2,0,0\n0,0,2,0,0,5\n0,0,0,1,0,0\n1,0,2,0,0,7\n");
    const world::World world = readText(kGood + "[[forces]]\ntype = \"field\"\nfile = \"" + csv.path.string() + "\"\nscale = 2\n").buildWorld();
    const world::Force& force = world.forces.forces.at(0);
    EXPECT_TRUE(force.accelerates());
    EXPECT_LT(norm(force.at({0.5, 0.7, 0}, 0) - Vec3{3, 0, 0}), 1e-12);
    EXPECT_LT(norm(force.at({1, 0, 1}, 0) - Vec3{2, 0, 7}), 1e-12);
}

}  // namespace
}  // namespace talus::scene::test
