// SPDX-License-Identifier: Apache-2.0
// Sand, with friction by point, from a table and by speed, and elastic solids of both laws in one world, thrown onto the floor: what the suite asks of one
// material holds for several.
#include "contract/method_contract.h"
#include "elastoplastic/elastoplastic.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <array>

namespace talus::contract {
namespace {

const world::MethodInfo kSolids = [] {
    world::MethodInfo info = elastoplastic::info;
    info.settings = []() -> std::unique_ptr<world::MethodSettings> {
        auto settings = std::make_unique<elastoplastic::Settings>();
        settings->frictionSpreadDeg = 5;
        settings->fastMuHat = 0.8;
        settings->materials = {{.name = "rubber", .law = elastoplastic::Law::fixedCorotated, .youngsModulus = 1e5, .poissonRatio = 0.4},
                               {.name = "wood", .law = elastoplastic::Law::hencky, .youngsModulus = 5e5, .poissonRatio = {}}};
        return settings;
    };
    return info;
}();

/// Rubber below, sand in the middle, wood on top, and on it sand from a table that has friction of its own; the borders lie within blocks of the grid.
world::World threeLayers(double size) {
    world::World world = thrownBlock(size);
    world.materials.push_back({.name = "rubber", .density = 1000, .packingFraction = 1});
    world.materials.push_back({.name = "wood", .density = 700, .packingFraction = 1});
    const Vec3 velocity = world.fills.front().velocity;
    world.fills.clear();
    constexpr int kMaterials[] = {1, 0, 2};
    constexpr double kBorders[] = {0.5, 3, 6, 8};   // cells
    for (int part = 0; part < 3; ++part) {
        const double low = kBorders[part] * size, high = kBorders[part + 1] * size;
        const auto region = std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{8 * size, 8 * size, high - low}), RigidTransform{{}, {8 * size, 8 * size, 0.5 * (low + high)}});
        world.fills.push_back({region, kMaterials[part], part, velocity});
    }
    auto list = std::make_shared<world::ListedGrains>();
    for (int i = 0; i < 200; ++i) {
        list->positions.push_back(size * Vec3{8 + 0.4 * (i % 10), 8 + 0.4 * (i / 10 % 10), 8.2 + 0.4 * (i / 100)});
        list->muHats.push_back(0.3 + 0.002 * i);
    }
    world.fills.push_back({.region = {}, .material = 0, .source = 3, .velocity = velocity, .listed = list});
    return world;
}

class SandAndSolids : public testing::TestWithParam<world::Precision> {
protected:
    MethodCase method() const { return {.name = "solids", .info = &kSolids, .precision = GetParam()}; }
};

TEST_P(SandAndSolids, theSameBitsForAnyNumberOfThreads) {
    LiveWorld one(method(), threeLayers(0.05));
    one.steps(Exec(1), 60);
    for (const int threads : {2, 3}) {
        LiveWorld other(method(), threeLayers(0.05), Exec(threads));
        other.steps(Exec(threads), 60);
        EXPECT_EQ(difference(one.save(), other.save()), "") << threads << " threads";
    }
}

TEST_P(SandAndSolids, aResumedRunIsTheSameRun) {
    LiveWorld whole(method(), threeLayers(0.05));
    whole.steps(Exec(1), 37);
    LiveWorld resumed(method(), threeLayers(0.05), whole.save());
    whole.steps(Exec(1), 30);
    resumed.steps(Exec(1), 30);
    EXPECT_EQ(difference(whole.save(), resumed.save()), "");
}

// The stiffness of a material by itself or by the method's: the same bits, though the scene then counts as one of several materials.
TEST_P(SandAndSolids, aStiffnessCanBeGivenByEitherTable) {
    world::World world = thrownBlock(0.05);
    world.materials.push_back({.name = "glass"});
    elastoplastic::Settings ofMethod, ofMaterial;
    ofMethod.youngsModulus = 7e5;
    ofMaterial.materials = {{.name = "sand", .law = elastoplastic::Law::sand, .youngsModulus = 7e5, .poissonRatio = {}}};
    std::array<MemoryArchive, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) {
        LiveWorld live(method(), world);
        live.method = elastoplastic::info.create(i == 0 ? ofMethod : ofMaterial, world, GetParam());
        live.world = world;
        live.method->insert(Exec(1), live.world, live.world.fills.front());
        live.steps(Exec(1), 60);
        ends[i] = live.save();
    }
    EXPECT_EQ(difference(ends[0], ends[1]), "");
}

INSTANTIATE_TEST_SUITE_P(BothPrecisions, SandAndSolids, testing::Values(world::Precision::float32, world::Precision::float64),
                         [](const auto& test) { return test.param == world::Precision::float32 ? "float32" : "float64"; });

}  // namespace
}  // namespace talus::contract
