// SPDX-License-Identifier: Apache-2.0
#include "geometry/primitives.h"
#include "world/free_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace talus::world {
namespace {

FreeBody box(const Vec3& size, double density = 1000) { return freeBody(geometry::Box(size).massProperties(), density); }

World worldOf(FreeBody free, std::shared_ptr<const geometry::Shape> shape, const Vec3& gravity = {}) {
    World world;
    world.gravity = gravity;
    Body body{.name = "body", .shape = std::move(shape), .motion = {}, .source = 0, .load = {}};
    body.motion = std::move(free);
    world.bodies.push_back(std::move(body));
    return world;
}
const FreeBody& only(const World& world) { return *world.bodies.front().free(); }

void step(World& world, double dt) {
    FreeBodies bodies;
    bodies.begin(world, dt);
    bodies.meet();
    bodies.move();
    bodies.commit(world);
    world.time += dt;
}

TEST(FreeBody, anAsymmetricTopKeepsItsMomentumAndItsEnergy) {
    FreeBody body = box({0.1, 0.2, 0.4});
    body.pose.velocity = {1, -2, 3};
    body.pose.angularVelocity = {0.02, 20, 0.01};   // about the middle axis: it tumbles
    const Vec3 p = momentum(body), h = angularMomentum(body);
    const double energy = kineticEnergy(body);
    double worst = 0, tilt = 1;
    for (int i = 0; i < 20000; ++i) {
        body.pose = drifted(body, body.pose, 1e-3);
        worst = std::max(worst, std::abs(kineticEnergy(body) / energy - 1));
        tilt = std::min(tilt, body.pose.rotation.rotate({0, 1, 0}).y);
    }
    EXPECT_LT(tilt, -0.9) << "it did not tumble";
    EXPECT_LT(norm(momentum(body) - p), 1e-11 * norm(p));
    EXPECT_LT(norm(angularMomentum(body) - h), 1e-9 * (norm(h)));
    EXPECT_LT(worst, 1e-4);
    RecordProperty("energy_error", std::to_string(worst));
    EXPECT_LT(norm(body.pose.position - Vec3{20, -40, 60}), 1e-8) << "the centre goes straight";
}

TEST(FreeBody, theErrorOfATopFallsWithTheSquareOfTheStep) {
    const auto end = [](int steps) {
        FreeBody body = box({0.1, 0.2, 0.4});
        body.pose.angularVelocity = {3, 20, 5};
        for (int i = 0; i < steps; ++i) body.pose = drifted(body, body.pose, 0.2 / steps);
        return body.pose.rotation.rotate({1, 1, 1});
    };
    const Vec3 exact = end(6400);
    const double coarse = norm(end(100) - exact), fine = norm(end(200) - exact);
    EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST(FreeBody, aHingedBoxSwingsWithThePeriodOfAPhysicalPendulum) {
    const Vec3 size{0.05, 0.04, 0.3};
    FreeBody body = freeBody(geometry::placed(geometry::Box(size).massProperties(), Mat3::identity(), {0, 0, -0.15}), 1000);
    body.locked = {true, true, true, true, false, true};   // a hinge along y through its upper end
    const double angle = 0.3;
    body.pose.rotation = Quat::fromAxisAngle({0, 1, 0}, angle);
    World world = worldOf(body, std::make_shared<geometry::Box>(size), {0, 0, -9.81});
    const double inertia = body.inertia(1, 1) + body.mass * 0.15 * 0.15;
    // T = 4 √(I / m g l) K(sin α/2), K by the arithmetic-geometric mean.
    double a = 1, b = std::cos(0.5 * angle);
    for (int i = 0; i < 10; ++i) std::tie(a, b) = std::pair{0.5 * (a + b), std::sqrt(a * b)};
    const double period = 4 * std::sqrt(inertia / (body.mass * 9.81 * 0.15)) * (std::numbers::pi / 2 / a);
    const double dt = 1e-4;
    int crossings = 0;
    double before = angle, first = 0, last = 0, lowest = 1;
    while (crossings < 21) {
        step(world, dt);
        const Pose& pose = only(world).pose;
        EXPECT_EQ(pose.position, Vec3{}) << "the hinge holds";
        const double now = std::asin(-pose.rotation.rotate({0, 0, 1}).x) * -1;
        if (before * now < 0) {
            last = world.time - dt * now / (now - before);
            if (crossings++ == 0) first = last;
        }
        lowest = std::min(lowest, std::cos(now));
        before = now;
        ASSERT_LT(world.time, 30);
    }
    EXPECT_NEAR((last - first) / 10, period, 1e-4 * period);
    EXPECT_NEAR(lowest, std::cos(angle), 1e-3);
}

TEST(FreeBody, fallsAsItShould) {
    FreeBody body = box({0.1, 0.1, 0.1});
    body.pose.velocity = {1, 0, 5};
    World world = worldOf(body, std::make_shared<geometry::Box>(Vec3{0.1, 0.1, 0.1}), {0, 0, -9.81});
    const double dt = 1e-3;
    for (int i = 0; i < 1000; ++i) step(world, dt);
    EXPECT_NEAR(only(world).pose.velocity.z, 5 - 9.81, 1e-11);
    EXPECT_NEAR(only(world).pose.position.x, 1, 1e-11);
    EXPECT_NEAR(only(world).pose.position.z, 5 - 0.5 * 9.81 - 0.5 * 9.81 * dt, 1e-10) << "as grains: velocity first, so late by half a step";
}

TEST(FreeBody, appliedLoadsDoWhatNewtonSays) {
    FreeBody body = box({0.2, 0.2, 0.2});
    body.force = Vec3{0, 0, 4};
    body.at = {0.1, 0, 0};
    body.torque = Schedule<Vec3>(TimeTable<Vec3>{{0, 0.5, 0.5, 1}, {{1, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}}});
    World world = worldOf(body, std::make_shared<geometry::Box>(Vec3{0.2, 0.2, 0.2}));
    step(world, 1e-3);
    EXPECT_NEAR(only(world).pose.velocity.z, 4e-3 / 8, 1e-12);
    EXPECT_NEAR(only(world).pose.angularVelocity.y, -0.4e-3 / body.inertia(1, 1), 1e-9);   // 0.1 m × 4 N turns z towards −x
    EXPECT_NEAR(only(world).pose.angularVelocity.x, 1e-3 / body.inertia(0, 0), 1e-9);
}

TEST(FreeBody, locksHoldAndOnlyTheyHold) {
    const Vec3 wrench{1, 2, 3};
    for (std::size_t lock = 0; lock < 6; ++lock) {
        FreeBody body = box({0.1, 0.2, 0.3});
        body.centre = {0.05, 0.02, -0.03};
        body.locked[lock] = true;
        body.force = 100.0 * wrench;
        body.torque = wrench;
        World world = worldOf(body, std::make_shared<geometry::Box>(Vec3{0.1, 0.2, 0.3}));
        for (int i = 0; i < 300; ++i) step(world, 1e-3);
        const Pose& pose = only(world).pose;
        for (std::size_t axis = 0; axis < 6; ++axis) {
            const double v = axis < 3 ? pose.velocity[static_cast<int>(axis)] : pose.angularVelocity[static_cast<int>(axis) - 3];
            if (axis == lock) {
                EXPECT_EQ(v, 0) << "lock " << lock;
            } else {
                EXPECT_GT(std::abs(v), 1e-3) << "lock " << lock << " axis " << axis;
            }
        }
        if (lock < 3) {
            EXPECT_EQ(pose.position[static_cast<int>(lock)], 0);
        }
    }
}

TEST(FreeBody, aGuidedBodyKeepsItsEnergy) {
    FreeBody body = box({0.1, 0.2, 0.3});   // its position runs along z, and it spins about all axes off its centre
    body.centre = {0.1, 0.05, 0};
    body.locked = {true, true, false, false, false, false};
    body.pose.angularVelocity = {3, 2, 1};
    const double energy = kineticEnergy(body);
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
        body.pose = drifted(body, body.pose, 1e-3);
        worst = std::max(worst, std::abs(kineticEnergy(body) / energy - 1));
    }
    EXPECT_LT(worst, 1e-3);
}

TEST(FreeBody, staysWhereItIsWhileNotActive) {
    FreeBody body = box({0.1, 0.1, 0.1});
    body.pose.velocity = {1, 0, 0};
    World world = worldOf(body, std::make_shared<geometry::Box>(Vec3{0.1, 0.1, 0.1}), {0, 0, -9.81});
    world.bodies[0].active = {0.0095, 0.0195};
    for (int i = 0; i < 10; ++i) step(world, 1e-3);
    EXPECT_EQ(only(world).pose.position, Vec3{});
    EXPECT_EQ(world.bodies[0].pose(0.001).velocity, Vec3{});
    EXPECT_GT(BodySnapshot(world.bodies[0], 0.001).distance({}), 1e300);
    for (int i = 0; i < 20; ++i) step(world, 1e-3);
    EXPECT_NEAR(only(world).pose.position.x, 0.01, 1e-12);
}

TEST(Belt, runsAlongEveryFaceWithItsSpeed) {
    const Belt belt{BeltAlong{Vec3{2, 0, 0}}};
    EXPECT_EQ(belt.velocity({}, {0, 0, 1}, 0), (Vec3{2, 0, 0}));
    EXPECT_EQ(belt.velocity({}, {1, 0, 0}, 0), Vec3{}) << "a face across the belt";
    const Vec3 slope = belt.velocity({}, normalized(Vec3{-1, 0, 1}), 0);
    EXPECT_NEAR(norm(slope), 2, 1e-12);
    EXPECT_NEAR(slope.x, slope.z, 1e-12);
    const Belt table{BeltAbout{{0, 0, 1}, {1, 0, 0}, 3.0}};
    EXPECT_LT(norm(table.velocity({2, 0, 0.5}, {0, 0, 1}, 0) - Vec3{0, 3, 0}), 1e-12);
}

}  // namespace
}  // namespace talus::world
