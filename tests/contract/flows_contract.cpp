// SPDX-License-Identifier: Apache-2.0
// Grains come from emitters and leave through sinks and open faces, exactly accounted, with the same bits.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "geometry/primitives.h"
#include "world/metrics.h"
#include "world/simulation.h"

#include <cmath>
#include <set>
#include <string>

namespace talus::contract {
namespace {

using namespace world;

constexpr auto kAlways = [] { return true; };

/// Two emitters into a box without a floor, and a sink in its way: a full disc of a mixture and a region of slow grains.
World streams(World world, double size) {
    world.domain.faces[4] = FaceType::open;
    world.bodies = domainFaces(world.domain);
    world.fills.clear();
    world.materials.push_back({.name = "lead", .density = 8000});
    Emitter disc;
    disc.name = "spout";
    disc.source = 0;
    disc.from = Outlet{size * Vec3{6, 6, 14}, {0, 0, -1}, 3 * size};
    disc.parts = {{0, 0.6}, {1, 0.4}};
    disc.rate = Sine<double>{9, 5, 20, 0};
    disc.velocity = Vec3{0, 0, -1.5};
    disc.spread = 0.1;
    disc.speedSpread = 0.05;
    Emitter rain;
    rain.name = "rain";
    rain.source = 1;
    rain.from = box(size * Vec3{9, 9, 10}, size * Vec3{14, 14, 13});
    rain.parts = {{0, 1}};
    rain.byCount = true;
    rain.rate = 800;
    world.emitters = {disc, rain};
    for (Emitter& e : world.emitters) {
        e.state.counts.assign(e.parts.size(), 0);
        e.state.masses.assign(e.parts.size(), 0);
    }
    world.sinks = {{"bin", box(size * Vec3{-1, -1, -1}, size * Vec3{8, 8, 8}), 0, 1e9, {}}};
    return world;
}

Simulation start(const MethodCase& c, World world) {
    auto method = create(c, world);
    return {std::move(world), std::move(method)};
}

class Ids final : public ChunkSink {
public:
    void take(const Chunk& chunk) override { ids.insert(chunk.columns[0].integers.begin(), chunk.columns[0].integers.end()); }
    std::set<std::int64_t> ids;
};

TEST_P(MethodContract, whatCameLessWhatWentIsWhatIsThere) {
    const Exec exec(2);
    Simulation run = start(GetParam(), streams(makeWorld(), kSize));
    for (const double time : {0.1, 0.2, 0.3, 0.45}) {
        ASSERT_EQ(run.advance(exec, time, kAlways), Reached::target);
        const Account& account = run.account();
        const World& world = run.world();
        const Totals now = totals(exec, run);
        if (!GetParam().divided) {
            EXPECT_EQ(account.insertedCount - account.removedCount, now.grains);
        }
        EXPECT_EQ(run.method().count(), now.grains);
        EXPECT_NEAR(account.insertedMass - account.removedMass, now.mass, rounding() * account.insertedMass);
        EXPECT_EQ(world.emitters[0].state.count() + world.emitters[1].state.count(), account.insertedCount);
        EXPECT_EQ(world.sinks[0].account.count + world.openFaces.count, account.removedCount);
        EXPECT_NEAR(world.sinks[0].account.mass + world.openFaces.mass, account.removedMass, 1e-12 * account.removedMass);
        for (const Emitter& e : world.emitters) EXPECT_GE(e.owed(time), -1e-9);
    }
    const World& world = run.world();
    EXPECT_GT(world.sinks[0].account.count, 0);
    EXPECT_GT(world.openFaces.count, 0);
    EXPECT_LT(world.sinks[0].account.momentum.z, 0);
    // Grains of both emitters, of both materials, each id once.
    Ids ids;
    run.method().read(exec, std::array{field::id.name}, ids);
    EXPECT_EQ(static_cast<std::int64_t>(ids.ids.size()), run.method().count());
    const EmitterState& mixed = world.emitters[0].state;
    EXPECT_NEAR(mixed.masses[1] / mixed.mass(), 0.4, 0.1);
    EXPECT_GT(world.emitters[1].state.count(), 100);
}

TEST_P(MethodContract, streamsHaveTheSameBitsForAnyThreadsAndAfterAResume) {
    const auto state = [](const Simulation& run) {
        MemoryArchive archive;
        run.save(archive);
        return archive;
    };
    const auto sameState = [](const MemoryArchive& a, const MemoryArchive& b) {
        std::string names = difference(a, b);
        for (const std::string_view clock : {"step_seconds "})
            if (const std::size_t at = names.find(clock); at != std::string::npos) names.erase(at, clock.size());
        return names;
    };
    const Exec one(1), three(3);
    Simulation whole = start(GetParam(), streams(makeWorld(), kSize));
    ASSERT_EQ(whole.advance(one, 0.12, kAlways), Reached::target);
    const MemoryArchive middle = state(whole);
    ASSERT_EQ(whole.advance(one, 0.24, kAlways), Reached::target);
    ASSERT_GT(whole.account().removedCount, 0);

    Simulation threaded = start(GetParam(), streams(makeWorld(), kSize));
    ASSERT_EQ(threaded.advance(three, 0.12, kAlways), Reached::target);
    EXPECT_EQ(sameState(state(threaded), middle), "") << "3 threads";

    Simulation resumed = start(GetParam(), streams(makeWorld(), kSize));
    resumed.load(three, middle);
    ASSERT_EQ(resumed.advance(three, 0.24, kAlways), Reached::target);
    EXPECT_EQ(sameState(state(resumed), state(whole)), "") << "resumed, 3 threads";
}

TEST_P(MethodContract, anOutletThatIsFullLetsNothingMoreOut) {
    const Exec exec(2);
    World world = makeWorld();   // a closed box
    world.fills.clear();
    Emitter e;
    e.name = "spout";
    e.from = box(kSize * Vec3{6, 6, 0}, kSize * Vec3{10, 10, 4});
    e.parts = {{0, 1}};
    e.rate = 1e4;
    e.state.counts = {0};
    e.state.masses = {0};
    world.emitters = {e};
    world.gravity = {};
    Simulation run = start(GetParam(), std::move(world));
    ASSERT_EQ(run.advance(exec, 0.1, kAlways), Reached::target);
    const double packed = run.world().materials[0].bulkDensity() * std::pow(4 * kSize, 3);
    EXPECT_GT(run.account().insertedMass, 0.3 * packed);
    EXPECT_LT(run.account().insertedMass, 1.4 * packed) << "the kernel reaches beyond the region, so its rim holds a little more";
    EXPECT_EQ(run.takeWarnings().size(), 1u);
    EXPECT_NEAR(run.world().emitters[0].owed(0.1), 1e4 * 0.1 - run.account().insertedMass, 1e-6);
}

TEST_P(MethodContract, windDragsGrainsToItsVelocity) {
    const Exec exec(2);
    World world = makeWorld();
    world.gravity = {};
    world.fills = {{box(kSize * Vec3{4, 4, 4}, kSize * Vec3{8, 8, 8}), 0, 0, {}}};
    world.materials[0].grainDiameter = 1e-3;
    world.forces.forces.push_back({"wind", Wind{Vec3{2, 0, 0}}, nullptr});
    Simulation run = start(GetParam(), world);
    run.fill(exec);
    ASSERT_EQ(run.advance(exec, 0.05, kAlways), Reached::target);
    // The closed form of one grain, by the same law in small steps: all grains move alike, so they do not touch.
    Vec3 v;
    for (int i = 0; i < 20000; ++i) v += world.forces.velocityChange(world.materials[0], {}, v, {}, 0, 0.05 / 20000);
    const Totals now = totals(exec, run);
    EXPECT_GT(v.x, 0.05);
    EXPECT_NEAR(now.momentum.x, now.mass * v.x, 2e-3 * now.mass * v.x);
    EXPECT_NEAR(now.momentum.y, 0, 1e-5 * now.mass * v.x);
}

TEST_P(MethodContract, takesListedGrainsAsTheyAre) {
    if (GetParam().carried) GTEST_SKIP() << "what is listed are the guides";
    const Exec exec(1);
    World world = makeWorld();
    world.materials.push_back({.name = "lead", .density = 8000});
    auto list = std::make_shared<ListedGrains>();
    for (int i = 0; i < 20; ++i) {
        list->positions.push_back(kSize * Vec3{4 + 0.4 * i, 5, 6});
        list->velocities.push_back({0.1 * i, 0, -1});
        list->materials.push_back(i % 2);
        list->volumes.push_back((1 + 0.01 * i) * std::pow(0.3 * kSize, 3));
    }
    world.fills = {{.region = {}, .material = 0, .source = 3, .velocity = {}, .listed = list}};
    LiveWorld run(GetParam(), world);
    ASSERT_EQ(run.inserted.count, 20);
    const FieldTable grains = read(*run.method);
    double sum = 0;
    for (std::size_t k = 0; k < 20; ++k) {
        const auto i = static_cast<std::size_t>(grains.integers("id")[k]);   // ids in the order of the table
        const Material& material = world.materials[i % 2];
        EXPECT_LT(norm(vectorAt(grains, field::position, k) - list->positions[i]), 1e-6 * kSize);
        EXPECT_LT(norm(vectorAt(grains, field::velocity, k) - list->velocities[i]), 1e-6);
        EXPECT_EQ(grains.integers("material")[k], static_cast<std::int64_t>(i % 2));
        EXPECT_EQ(grains.integers("source")[k], 3);
        EXPECT_NEAR(grains.reals("mass")[k], material.bulkDensity() * list->volumes[i], 1e-6 * material.bulkDensity() * list->volumes[i]);
        EXPECT_NEAR(grains.reals("volume")[k], list->volumes[i], 1e-6 * list->volumes[i]);
        sum += grains.reals("mass")[k];
    }
    EXPECT_NEAR(run.inserted.mass, sum, rounding() * sum);
}

TEST_P(MethodContract, leavesOutListedGrainsInBodies) {
    if (GetParam().carried) GTEST_SKIP() << "what is listed are the guides";
    World world = makeWorld();
    Body block;
    block.name = "block";
    block.shape = box(kSize * Vec3{6, 4, 4}, kSize * Vec3{10, 8, 8});
    block.motion = Motion({}, {}, {});
    world.bodies.push_back(std::move(block));
    auto list = std::make_shared<ListedGrains>();
    for (int i = 0; i < 20; ++i)
        if (const double x = 3.1 + 0.5 * i; std::abs(x - 8) < 2 || std::abs(x - 8) > 3.2) list->positions.push_back(kSize * Vec3{x, 6, 6});   // none reaches into the block from outside
    world.fills = {{.region = {}, .material = 0, .source = 3, .velocity = {}, .listed = list}};
    LiveWorld run(GetParam(), world);
    const FieldTable grains = read(*run.method);
    EXPECT_EQ(run.inserted.count, static_cast<std::int64_t>(grains.count()));
    ASSERT_EQ(grains.count(), 7u);
    for (std::size_t k = 0; k < grains.count(); ++k) EXPECT_GT(std::abs(vectorAt(grains, field::position, k).x - 8 * kSize), 2 * kSize);
}

}  // namespace
}  // namespace talus::contract
