// SPDX-License-Identifier: Apache-2.0
#include "fake_method.h"

#include "scene/scene.h"
#include "world/emitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::scene::test {
namespace {

/// Four cells of eight grains each, as an MPM has it.
double fourCells(const world::World& world) {
    if (world.resolution.size) return 4 * *world.resolution.size;
    return 4 * std::cbrt(8 * world.fillVolume() / static_cast<double>(*world.resolution.grains));
}

const world::MethodInfo kSlabs = [] {
    world::MethodInfo info = kFake;
    info.slabWidth = [](const world::MethodSettings&, const world::World& world, int) { return fourCells(world); };
    return info;
}();
constexpr std::array<const world::MethodInfo*, 1> kSlabMethods{&kSlabs};

const std::string kSlab = R"(domain = { min = [0, 0, 0], max = [1, 0, 1], slab = "y" }
resolution = { grains = 5000 }
[[materials]]
name = "sand"
density = 2000
[[grains]]
material = "sand"
region = { type = "box", min = [0.2, -1, 0], max = [0.6, 1, 0.5] }
)";

world::World worldOf(const std::string& text, Request request = {}) { return readText(text, std::move(request), kSlabMethods).buildWorld(); }

std::string replaced(std::string text, const std::string& what, const std::string& by) { return text.replace(text.find(what), what.size(), by); }

// h³ = 8 A w / N with w = 4 h: h = √(32 A / N).
TEST(Slab, isAsWideAsTheMethodWantsForANumberOfGrains) {
    const world::World world = worldOf(kSlab);
    const double wanted = 4 * std::sqrt(32 * 0.2 / 5000);
    EXPECT_EQ(world.domain.slab, 1);
    EXPECT_NEAR(world.domain.slabWidth(), wanted, 1e-5 * wanted);
    EXPECT_NEAR(fourCells(world), world.domain.slabWidth(), 1e-4 * wanted) << "what the method wants in the slab that it got";
    EXPECT_TRUE(world.domain.periodic(1));
    EXPECT_FALSE(world.domain.periodic(0));
    EXPECT_NEAR(world.fillVolume(), 0.2 * wanted, 1e-4 * wanted) << "a region is cut by the slab";
    EXPECT_TRUE(readText(kSlab, {}, kSlabMethods).warnings().empty());
}

TEST(Slab, isAsWideAsItsSizeOrTheSceneSays) {
    EXPECT_EQ(worldOf(kSlab, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = {"resolution={size=\"12.5 mm\"}"}}).domain.slabWidth(), 0.05);
    EXPECT_EQ(worldOf(replaced(kSlab, "max = [1, 0, 1]", "max = [1, 0.3, 1]")).domain.slabWidth(), 0.3);
}

TEST(Slab, readsBackAsItWasResolved) {
    const Scene first = readText(kSlab, {}, kSlabMethods), second = readText(first.toml(), {}, kSlabMethods);
    EXPECT_EQ(first.toml(), second.toml());
    EXPECT_EQ(first.domain().max, second.domain().max);
    EXPECT_EQ(second.domain().slab, 1);
}

TEST(Slab, hasItsWidthInStagesToo) {
    const Scene scene = readText(kSlab + "[[stages]]\nname = \"a\"\nuntil = { time = 0.1 }\n[[stages]]\nname = \"b\"\nset = { gravity = [1, 0, 0] }\n", {}, kSlabMethods);
    ASSERT_EQ(scene.stages().size(), 2u);
    EXPECT_EQ(scene.stages()[1].world.domain.max, scene.domain().max);
    EXPECT_GT(scene.domain().slabWidth(), 0);
}

TEST(Slab, saysWhatIsNotTheSameAllAlong) {
    const Scene scene = readText(replaced(kSlab, "min = [0.2, -1, 0], max = [0.6, 1, 0.5]", "min = [0.2, 0.01, 0], max = [0.6, 1, 0.5]"), {}, kSlabMethods);
    ASSERT_EQ(scene.warnings().size(), 1u);
    EXPECT_NE(scene.warnings()[0].find("not the same all along y"), std::string::npos) << scene.warnings()[0];
}

// Of a cylinder across the slab only the part inside is moved; mass and inertia about y are of that part.
TEST(Slab, aFreeBodyCountsWithItsPartInside) {
    const std::string roller = R"([[bodies]]
name = "roller"
motion = { type = "free", density = 800, locked = ["y", "rx", "rz"] }
position = [0.3, -1, 0.8]
rotation_deg = [-90, 0, 0]
shape = { type = "cylinder", radius = 0.1, height = 3 }
)";
    const world::World world = worldOf(kSlab + roller);
    const world::FreeBody& free = *world.bodies.back().free();
    const double mass = 800 * std::numbers::pi * 0.01 * world.domain.slabWidth();
    EXPECT_NEAR(free.mass, mass, 1e-9 * mass);
    EXPECT_NEAR(free.inertia(2, 2), 0.5 * mass * 0.01, 1e-9 * mass) << "z is the axis of the cylinder";
    const world::World given = worldOf(kSlab + replaced(roller, "density = 800", "mass = 2"));
    EXPECT_NEAR(given.bodies.back().free()->mass, 2, 1e-12);
}

TEST(Slab, ratesPerMetreAreTimesTheWidth) {
    const std::string emitter = R"([[emitters]]
name = "feed"
material = "sand"
disc = { centre = [0.5, 0, 0.9], radius = 0.2 }
speed = 1
rate_per_metre = { table = [[0, 0], [1, 10]] }
)";
    const world::World world = worldOf(kSlab + emitter);
    const double width = world.domain.slabWidth();
    EXPECT_NEAR(world.emitters[0].rate.at(0.5), 5 * width, 1e-12);
    const auto& disc = std::get<world::Outlet>(world.emitters[0].from);
    const double strip = world::openArea(world, world.emitters[0], disc);   // a little less than 2 r w
    double sum = 0;
    for (int i = 0; i < 10000; ++i) sum += 2 * std::sqrt(0.04 - std::pow((i + 0.5) / 10000 * width, 2)) * width / 10000;
    EXPECT_NEAR(strip, sum, 1e-9);
    EXPECT_NEAR(worldOf(kSlab + replaced(emitter, "rate_per_metre = { table = [[0, 0], [1, 10]] }", "rate = 3")).emitters[0].rate.at(0), 3, 0);
}

TEST(Slab, probesOfTotalsArePerMetre) {
    const Scene scene = readText(kSlab + "[[probes]]\nname = \"all\"\ntype = \"region\"\n[[probes]]\nname = \"front\"\ntype = \"front\"\norigin = [0, 0, 0]\n", {}, kSlabMethods);
    const std::vector<world::ProbePlan> probes = scene.createProbes();
    std::string names;
    for (const world::ProbePlan& plan : probes)
        for (const world::ProbeColumn& column : plan.probe->columns()) names += column.csvName() + " ";
    EXPECT_EQ(names.substr(0, 68), "grains mass_kg_per_m volume_fraction kinetic_energy_J_per_m momentum");
    EXPECT_NE(names.find(" com_x_m "), std::string::npos);
    EXPECT_NE(names.find(" mass_front_m "), std::string::npos);
}

}  // namespace
}  // namespace talus::scene::test
