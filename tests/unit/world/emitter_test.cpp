// SPDX-License-Identifier: Apache-2.0
#include "world/emitter.h"

#include "ballistic_method.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace talus::world {
namespace {

constexpr auto kAlways = [] { return true; };

Emitter spout(Schedule<double> rate, double speed = 1) {
    Emitter e;
    e.name = "spout";
    e.from = Outlet{{0.5, 0.5, 0.9}, {0, 0, -1}, 0.1};
    e.rate = rate;
    e.velocity = Vec3{0, 0, -speed};
    e.parts = {{0, 1}};
    e.state.counts = {0};
    e.state.masses = {0};
    return e;
}

World worldWith(Emitter e) {
    World world;
    world.gravity = {};
    world.domain.max = {1, 1, 1};
    world.materials = {Material{.name = "sand"}, Material{.name = "lead", .density = 11000}};
    world.emitters = {std::move(e)};
    return world;
}

struct Bench {
    explicit Bench(World world, double grainMass = 0.01) : Bench(std::move(world), std::make_unique<BallisticMethod>(), grainMass) {}
    Bench(World world, std::unique_ptr<BallisticMethod> method, double grainMass) : mock(*method), simulation(std::move(world), std::move(method)) {
        mock.spacing = 0.02;
        mock.grainMass = grainMass;
        mock.stable = [](const World&) { return 0.003; };
    }
    void to(double time) { ASSERT_EQ(simulation.advance(exec, time, kAlways), Reached::target); }
    const Emitter& emitter() const { return simulation.world().emitters[0]; }
    const Exec exec{1};
    BallisticMethod& mock;
    Simulation simulation;
};

// One layer may wait for its turn: spacing / speed = 20 ms here, then what left is the integral of the rate to one grain.
TEST(Emitter, whatLeavesIsTheIntegralOfTheRate) {
    const Schedule<double> constant(0.7), table(TimeTable<double>{{0, 0.3, 0.3, 1}, {0, 1.2, 0.2, 0.9}}), sine(Sine<double>{0.5, 0.5, 2.5, 30});
    for (const Schedule<double>& rate : {constant, table, sine}) {
        Bench b(worldWith(spout(rate)));
        for (const double time : {0.1, 0.35, 0.8, 1.0}) {
            b.to(time);
            const double mass = b.emitter().state.mass();
            EXPECT_LE(mass, rate.integral(0, time) + 1e-12);
            EXPECT_GT(mass, rate.integral(0, time - 0.023) - b.mock.grainMass);
            EXPECT_NEAR(mass, 0.01 * static_cast<double>(b.emitter().state.count()), 1e-12);
            EXPECT_NEAR(b.emitter().owed(time), rate.integral(0, time) - mass, 1e-12);
        }
        EXPECT_EQ(b.simulation.account().insertedCount, b.mock.count());
        EXPECT_TRUE(b.simulation.takeWarnings().empty());
    }
}

TEST(Emitter, countsGrainsPerSecond) {
    Emitter e = spout(400);
    e.byCount = true;
    Bench b(worldWith(e));
    b.to(1);
    EXPECT_LE(b.mock.count(), 400);
    EXPECT_GE(b.mock.count(), 391);   // 400 less one layer's time of 20 ms and a step
}

TEST(Emitter, keepsItsWindowAndItsLimit) {
    Emitter e = spout(1.0);
    e.begin = 0.2;
    e.end = 0.6;
    Bench b(worldWith(e));
    b.to(0.2);
    EXPECT_EQ(b.mock.count(), 0);
    b.to(1);
    EXPECT_NEAR(b.emitter().state.mass(), 0.4, 0.01 + 1e-9);
    EXPECT_LE(b.emitter().state.mass(), 0.4 + 1e-9);

    e.mostMass = 0.155;
    Bench limited(worldWith(e));
    limited.to(1);
    EXPECT_NEAR(limited.emitter().state.mass(), 0.15, 1e-9);

    e.byCount = true;
    e.rate = 100;
    Bench counted(worldWith(e));
    counted.to(1);
    EXPECT_NEAR(counted.emitter().state.mass(), 0.15, 1e-9);
    EXPECT_TRUE(counted.simulation.takeWarnings().empty());
}

TEST(Emitter, aMixtureKeepsItsMassFractions) {
    Emitter e = spout(2.0);
    e.parts = {{0, 0.75}, {1, 0.25}};
    e.state.counts = {0, 0};
    e.state.masses = {0, 0};
    World world = worldWith(e);
    world.materials[1].density = world.materials[0].density;   // as the grains of the mock all weigh the same
    Bench b(std::move(world), 0.001);
    b.to(1);
    EXPECT_GT(b.emitter().state.mass(), 1.9);
    EXPECT_NEAR(b.emitter().state.masses[0], 0.75 * b.emitter().state.mass(), 0.002);   // each to one grain
}

TEST(Emitter, aFullStreamHasLayersAtTheirSpacing) {
    // As much as the disc passes: every place of every layer is taken.
    Emitter e = spout(1e9);
    Bench b(worldWith(e), 1e-6);
    b.to(0.5);
    std::vector<double> heights;
    for (const BallisticMethod::Point& p : b.mock.points) heights.push_back(p.position.z);
    std::ranges::sort(heights);
    std::vector<double> layers{heights.front()};
    for (const double z : heights)
        if (z > layers.back() + 1e-6) layers.push_back(z);
    ASSERT_GT(layers.size(), 20u);
    for (std::size_t k = 1; k < layers.size(); ++k) EXPECT_NEAR(layers[k] - layers[k - 1], 0.02, 1e-9);
    const double perLayer = static_cast<double>(b.mock.count()) / static_cast<double>(layers.size());
    EXPECT_NEAR(perLayer, std::numbers::pi * 25, 2);   // π R²/s²
    const auto warnings = b.simulation.takeWarnings();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("more than its outlet passes, area x bulk density x velocity = 49.01 kg/s"), std::string::npos) << warnings[0];
    for (const BallisticMethod::Point& p : b.mock.points) EXPECT_LE(std::hypot(p.position.x - 0.5, p.position.y - 0.5), 0.1 + 1e-12);
}

TEST(Emitter, owesWhatThereIsNoRoomForAndPaysItBack) {
    Bench b(worldWith(spout(0.5)));
    bool open = false;
    b.mock.hasRoom = [&](const Vec3&) { return open; };
    b.to(0.4);
    EXPECT_EQ(b.mock.count(), 0);
    EXPECT_NEAR(b.emitter().owed(0.4), 0.2, 1e-12);
    open = true;
    b.to(0.8);
    EXPECT_LT(b.emitter().owed(0.8), 0.02);
}

TEST(Emitter, velocitiesFillTheConeAndTheSpeeds) {
    Emitter e = spout(1000, 2);
    e.spread = 0.3;
    e.speedSpread = 0.1;
    Bench b(worldWith(e), 0.01);
    b.to(0.2);
    double widest = 0, slowest = 9, fastest = 0;
    for (const BallisticMethod::Point& p : b.mock.points) {
        widest = std::max(widest, std::acos(-p.velocity.z / norm(p.velocity)));
        slowest = std::min(slowest, norm(p.velocity));
        fastest = std::max(fastest, norm(p.velocity));
    }
    EXPECT_LE(widest, 0.3 + 1e-9);
    EXPECT_GT(widest, 0.28);
    EXPECT_GT(slowest, 1.8 - 1e-9);
    EXPECT_LT(slowest, 1.82);
    EXPECT_LT(fastest, 2.2 + 1e-9);
    EXPECT_GT(fastest, 2.18);
}

TEST(Emitter, movesWithItsBody) {
    Emitter e = spout(10);
    e.from = Outlet{{0, 0, 0}, {1, 0, 0}, 0.05};   // in coordinates of the body
    e.velocity = Vec3{1, 0, 0};
    e.body = 0;
    World world = worldWith(e);
    Body cart;
    cart.name = "cart";
    cart.shape = std::make_shared<geometry::Sphere>(0.01);
    // Turned by 90° about z: the body's x is the world's y.
    cart.motion = Motion({0.2, 0.2, 0.5}, Quat::fromRotationVector({0, 0, std::numbers::pi / 2}), {Travel{Vec3{0.5, 0, 0}}});
    world.bodies = {cart};
    Bench b(std::move(world));
    b.to(0.8);
    ASSERT_GT(b.mock.count(), 100);
    for (const BallisticMethod::Point& p : b.mock.points) {
        EXPECT_NEAR(p.velocity.x, 0.5, 1e-12);
        EXPECT_NEAR(p.velocity.y, 1, 1e-12);
        EXPECT_NEAR(p.velocity.z, 0, 1e-12);
    }
}

TEST(Emitter, aRegionIsFilledAtRandomPlaces) {
    Emitter e = spout(5);
    e.from = geometry::ShapePtr(std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{0.2, 0.2, 0.1}), RigidTransform{{}, {0.5, 0.5, 0.8}}));
    Bench b(worldWith(e));
    b.to(1);
    EXPECT_NEAR(b.emitter().state.mass(), 5, 5 * 0.025);
    Vec3 mean;
    for (const BallisticMethod::Point& p : b.mock.points) mean += p.position / static_cast<double>(b.mock.count());
    EXPECT_NEAR(mean.x, 0.5, 0.01);
    EXPECT_NEAR(mean.y, 0.5, 0.01);
}

TEST(Emitter, goesOnFromItsArchive) {
    Emitter e = spout(Sine<double>{0.5, 0.4, 3, 0});
    e.spread = 0.2;
    Bench whole(worldWith(e));
    whole.to(0.4);
    MemoryArchive checkpoint, expected, resumed;
    whole.simulation.save(checkpoint);
    whole.to(1);
    whole.mock.save(expected);
    Bench second(worldWith(e));
    second.simulation.load(second.exec, checkpoint);
    second.to(1);
    second.mock.save(resumed);
    EXPECT_GT(second.mock.count(), 40);
    EXPECT_TRUE(resumed.entries() == expected.entries());
}

TEST(Sink, keepsAnExactAccount) {
    World world = worldWith(spout(3.0));
    world.sinks = {{"bin", std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{0, 0, 0.3}), 0.2, 0.7, {}}};
    Bench b(std::move(world));
    b.to(1);
    const SinkAccount& bin = b.simulation.world().sinks[0].account;
    EXPECT_GT(bin.count, 0);
    EXPECT_EQ(b.simulation.account().insertedCount - bin.count, b.mock.count());
    EXPECT_NEAR(b.emitter().state.mass() - bin.mass, 0.01 * static_cast<double>(b.mock.count()), 1e-12);
    EXPECT_NEAR(bin.momentum.z, -bin.mass, 1e-12);   // they fall at 1 m/s
    EXPECT_EQ(b.simulation.account().removedCount, bin.count);
}

}  // namespace
}  // namespace talus::world
