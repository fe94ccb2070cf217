// SPDX-License-Identifier: Apache-2.0
// Bodies mean the same to every method: free ones take part in the momentum, belts carry, what is not there does not touch.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "world/free_bodies.h"
#include "world/stage.h"

#include <cmath>
#include <memory>

namespace talus::contract {
namespace {

using namespace world;

Body freeBox(const Vec3& centre, const Vec3& size, double density) {
    Body body{.name = "box", .shape = std::make_shared<geometry::Box>(size), .motion = {}, .source = 0, .load = {}};
    FreeBody free = freeBody(body.shape->massProperties(), density);
    free.pose.position = centre;
    body.motion = free;
    return body;
}

struct Momenta {
    Vec3 linear, angular;   // [kg m/s], about the origin [kg m²/s]
    double scale = 0;       // Σ m |v|
};
Momenta ofGrains(const Method& method) {
    const FieldTable table = read(method);
    Momenta m;
    for (std::size_t i = 0; i < table.count(); ++i) {
        const double mass = table.reals("mass")[i];
        const Vec3 p = mass * vectorAt(table, field::velocity, i);
        m.linear += p;
        m.angular += cross(vectorAt(table, field::position, i), p);
        m.scale += norm(p);
    }
    return m;
}

/// A block of grains thrown at a free box in the middle of the domain, of which no wall is near.
World thrownAtABox(const MethodCase& c, double size, double density) {
    World world = c.makeWorld(size);
    world.fills = {{box(size * Vec3{4, 6, 6}, size * Vec3{7, 10, 10}), 0, 0, {2, 0.3, 0}}};
    Body body = freeBox(size * Vec3{10, 8.4, 8.2}, size * Vec3{3, 3, 3}, density);
    std::get<FreeBody>(body.motion).pose.rotation = Quat::fromAxisAngle({0.2, 0.5, 1}, 0.4);
    std::get<FreeBody>(body.motion).pose.angularVelocity = {1, 2, -3};
    world.bodies.push_back(std::move(body));
    return world;
}

TEST_P(MethodContract, whatAFreeBodyGetsTheGrainsLose) {
    if (GetParam().carried) GTEST_SKIP() << "bodies feel the guides";
    const Exec exec(2);
    for (const double density : {10000.0, 2000.0, 20.0}) {   // heavier and much lighter than what it touches
        World world = thrownAtABox(GetParam(), kSize, density);
        world.gravity = {1, -1, 2};
        LiveWorld run(GetParam(), std::move(world));
        const Body& body = run.world.bodies.back();
        const double mass = body.free()->mass;
        const Vec3 start = momentum(*body.free());
        double fastest = 0;
        for (int step = 0; run.world.time < 0.08; ++step) {   // by then none has come to a wall
            const Momenta before = ofGrains(*run.method);
            const Vec3 bodyBefore = momentum(*body.free());
            const double time = run.world.time;
            run.steps(exec, 1);
            const Vec3 fall = (run.inserted.mass + mass) * (run.world.time - time) * run.world.gravity;
            const Vec3 change = ofGrains(*run.method).linear + momentum(*body.free()) - before.linear - bodyBefore - fall;
            EXPECT_LT(norm(change), (GetParam().single() ? 1e-6 : 1e-12) * (before.scale + norm(bodyBefore))) << "step " << step << ", density " << density;
            fastest = std::max(fastest, norm(body.free()->pose.velocity));
        }
        const Vec3 given = momentum(*body.free()) - start - mass * run.world.time * run.world.gravity;
        EXPECT_GT(norm(given), 1e-3 * mass) << "they did not meet";
        EXPECT_LT(norm(given - body.load.impulse), 1e-9 * norm(given)) << "the load is the impulse";
        EXPECT_LT(fastest, 8) << "grains at 2 m/s threw it";
    }
}

// A run that goes on from a checkpoint knows the stages, but not where the body was when it was caught.
TEST_P(MethodContract, aStageHoldsAFreeBodyAndLetsItGoAgain) {
    const Exec exec(2);
    const auto start = [&] { return thrownAtABox(GetParam(), kSize, 500); };
    Stage release{.name = "release", .until = {}, .resetTime = false, .world = start()}, hold = release;
    release.given = hold.given = {"bodies." + hold.world.bodies.back().name + ".motion"};
    hold.world.bodies.back().motion = Motion({}, {});
    const auto until = [&](LiveWorld& live, double time) {
        while (live.world.time < time) live.steps(exec, 1);
    };
    LiveWorld run(GetParam(), start());
    until(run, 0.02);
    const double caught = run.world.time;
    const Pose before = run.world.bodies.back().pose(caught);
    enter(run.world, hold, caught);
    until(run, 0.03);
    EXPECT_EQ(run.world.bodies.back().pose(run.world.time).position, before.position);
    World rebuilt = start();
    enter(rebuilt, hold, caught);
    LiveWorld resumed(GetParam(), rebuilt, run.save());
    for (LiveWorld* each : {&run, &resumed}) {
        until(*each, 0.035);
        enter(each->world, release, each->world.time);
        EXPECT_EQ(each->world.bodies.back().free()->pose.position, before.position);
        EXPECT_EQ(norm(each->world.bodies.back().free()->pose.velocity), 0) << "it stood still";
        until(*each, 0.06);
    }
    EXPECT_GT(norm(run.world.bodies.back().free()->pose.position - before.position), 1e-4);
    EXPECT_EQ(difference(run.save(), resumed.save()), "");
}

TEST_P(MethodContract, aFreeBodyGivesTheSameBitsForAnyNumberOfThreadsAndAcrossResume) {
    const auto start = [&] { return thrownAtABox(GetParam(), kSize, 500); };
    const Exec one(1), three(3);
    LiveWorld reference(GetParam(), start()), parallel(GetParam(), start(), three), first(GetParam(), start());
    reference.steps(one, 200);
    parallel.steps(three, 200);
    EXPECT_NE(reference.world.bodies.back().load.impulse, Vec3{}) << "they did not meet";
    EXPECT_EQ(difference(parallel.save(), reference.save()), "");
    first.steps(three, 157);
    LiveWorld second(GetParam(), start(), first.save());
    second.steps(one, 43);
    EXPECT_EQ(difference(second.save(), reference.save()), "");
}

TEST_P(MethodContract, aRejectedStepLeavesAFreeBodyWhereItWas) {
    const Exec exec(2);
    LiveWorld run(GetParam(), thrownAtABox(GetParam(), kSize, 500));
    run.steps(exec, 40);
    const MemoryArchive before = run.save();
    for (double factor = 2; factor < 1e7; factor *= 2) {
        if (std::holds_alternative<Rejected>(run.method->step(exec, run.world, factor * run.method->stableStep(run.world)))) {
            EXPECT_EQ(difference(run.save(), before), "");
            return;
        }
        run.load(before);
    }
    FAIL() << "no step was too long";
}

TEST_P(MethodContract, aBeltCarriesGrains) {
    if (GetParam().carried) GTEST_SKIP() << "bodies feel the guides";
    const Exec exec(2);
    World world = makeWorld();
    world.fills[0].velocity = {};
    world.bodies[4].belt = Belt{BeltAlong{Vec3{0, 1, 0}}};   // the floor
    LiveWorld run(GetParam(), std::move(world));
    while (run.world.time < 0.1) run.steps(exec, 1);
    const Momenta m = ofGrains(*run.method);
    EXPECT_GT(m.linear.y, 0.15 * 0.5 * 9.81 * 0.1 * run.inserted.mass) << "friction 0.5 pulls with half the weight";
    EXPECT_LT(std::abs(m.linear.x), (GetParam().bumpy ? 0.25 : 0.05) * m.linear.y);   // bumps throw grains aside
    const BodyLoad& load = run.world.bodies[4].load;
    EXPECT_NEAR(load.impulse.y, -m.linear.y, 0.01 * m.linear.y);
    EXPECT_NEAR(load.work, -load.impulse.y, 0.02 * load.work) << "impulse times the speed of the belt";
}

TEST_P(MethodContract, aBodyThatIsNotActiveIsNotThere) {
    const Exec exec(1);
    const auto height = [&](TimeWindow window, double until) {
        World world = makeWorld();
        world.fills = {{box(kSize * Vec3{6, 6, 9}, kSize * Vec3{10, 10, 11}), 0, 0, {0, 0, -1}}};
        world.bodies.push_back({.name = "shelf", .shape = box(kSize * Vec3{-8, -8, -4}, kSize * Vec3{8, 8, 0}), .motion = Motion(kSize * Vec3{8, 8, 8.5}, {}), .active = window,
                                .source = 0, .load = {}});
        LiveWorld run(GetParam(), std::move(world));
        while (run.world.time < until) run.steps(exec, 1);
        const FieldTable grains = read(*run.method);
        double lowest = 1e300;
        for (std::size_t i = 0; i < grains.count(); ++i) lowest = std::min(lowest, vectorAt(grains, field::position, i).z);
        return lowest / kSize;
    };
    EXPECT_GT(height({}, 0.15), 8) << "the shelf holds";
    EXPECT_LT(height({1, 2}, 0.15), 7) << "there is no shelf yet";
    EXPECT_LT(height({-1, 0.03}, 0.3), 7.5) << "the shelf has gone";
}

}  // namespace
}  // namespace talus::contract
