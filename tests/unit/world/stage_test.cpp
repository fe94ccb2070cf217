// SPDX-License-Identifier: Apache-2.0
#include "world/rehearsal.h"
#include "world/stages.h"

#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "unit/world/ballistic_method.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::world {
namespace {

constexpr auto kForEver = [] { return true; };

World worldWithBodies() {
    World world;
    world.materials = {{.name = "sand"}, {.name = "steel"}};
    world.contacts.set(0, 1, {0.3, 0});
    for (const char* name : {"gate", "stirrer"}) {
        Body body;
        body.name = name;
        body.material = 1;
        body.shape = std::make_shared<geometry::Sphere>(0.1);
        world.bodies.push_back(body);
    }
    world.bodies[0].motion = Motion({1, 0, 0}, {}, {Travel{Vec3{0, 0, 2}}});
    world.bodies[1].motion = Motion({0, 1, 0}, {}, {Spin{{0, 0, 1}, 3.0}});
    world.gravityOverTime = Schedule<Vec3>(TimeTable<Vec3>{{0, 1}, {{0, 0, 0}, {0, 0, -10}}});
    return world;
}

Stage stageOf(World world) {
    Stage stage;
    stage.name = "next";
    stage.world = std::move(world);
    return stage;
}

double far(const Pose& a, const Pose& b) {
    return norm(a.position - b.position) + norm(a.velocity - b.velocity) + norm(a.angularVelocity - b.angularVelocity) +
           norm(a.rotation.rotate({1, 0, 0}) - b.rotation.rotate({1, 0, 0}));
}

TEST(Stage, aNewMotionBeginsWhereTheBodyIsAndTheOthersGoOn) {
    World world = worldWithBodies();
    world.bodies[0].load.work = 7;
    Stage stage = stageOf(worldWithBodies());
    stage.world.bodies[0].motion = Motion({5, 5, 5}, {}, {Travel{Vec3{-1, 0, 0}}});   // its position is where it began the run
    stage.given = {"bodies.gate.motion"};
    enter(world, stage, 0.5);
    EXPECT_EQ(world.bodies[0].pose(0.5).position, (Vec3{1, 0, 1}));
    EXPECT_LT(norm(world.bodies[0].pose(0.75).position - Vec3{0.75, 0, 1}), 1e-15);
    EXPECT_EQ(far(world.bodies[1].pose(0.8), worldWithBodies().bodies[1].pose(0.8)), 0);
    EXPECT_EQ(world.bodies[0].load.work, 7);
    EXPECT_EQ(world.revision, 1);
}

TEST(Stage, settingTheClockBackMovesNothing) {
    World world = worldWithBodies();
    const World before = world;
    Stage stage = stageOf(worldWithBodies());
    stage.resetTime = true;
    enter(world, stage, 0.4);
    EXPECT_EQ(world.time, 0);
    for (std::size_t b = 0; b < 2; ++b) EXPECT_LT(far(world.bodies[b].pose(0.3), before.bodies[b].pose(0.7)), 1e-14);
    EXPECT_NEAR(world.gravityOverTime->at(0.3).z, before.gravityOverTime->at(0.7).z, 1e-14);
}

TEST(Stage, aScheduleThatItGivesBeginsWithIt) {
    World world = worldWithBodies();
    Stage stage = stageOf(worldWithBodies());
    stage.world.gravityOverTime = Schedule<Vec3>(Sine<Vec3>{{0, 0, -10}, {1, 0, 0}, 2, 90});
    stage.given = {"gravity"};
    enter(world, stage, 3);
    EXPECT_NEAR(world.gravityOverTime->at(3.1).x, std::sin(2 * M_PI * (2 * 0.1 + 0.25)), 1e-12);
    EXPECT_NEAR(world.gravityOverTime->integral(3, 3.1).z, -1, 1e-12);
}

TEST(Stage, bringsMaterialsContactsAndBodiesInAndOut) {
    World world = worldWithBodies();
    Stage stage = stageOf(worldWithBodies());
    stage.world.materials[0].muHat = 0.1;
    stage.world.contacts.set(0, 1, {0.9, 0});
    stage.world.bodies[0].active = {-1, 0};
    stage.given = {"bodies.gate.active"};
    stage.world.bodies[1].contact = ContactMode::sticky;
    enter(world, stage, 0);
    EXPECT_EQ(world.materials[0].muHat, 0.1);
    EXPECT_EQ(world.contacts.between(1, 0).friction, 0.9);
    EXPECT_EQ(world.bodies[1].contact, ContactMode::sticky);
    const BodySnapshot gate(world.bodies[0], 0), stirrer(world.bodies[1], 0);
    EXPECT_TRUE(std::isinf(gate.distance({1, 0, 0})) && gate.distance({1, 0, 0}) > 0);
    EXPECT_TRUE(std::isinf(gate.surface({1, 0, 0}).distance));
    EXPECT_NEAR(stirrer.distance({0, 1, 0}), -0.1, 1e-15);
    EXPECT_EQ(world.bodies[0].fastest(0, {{0, 0, 0}, {1, 1, 1}}), 0);
}

/// 2 kg/s from 0.25 s on, through a disc at 3 m/s.
World worldWithEmitter() {
    World world;
    Emitter e;
    e.name = "feed";
    e.from = Outlet{{}, {0, 0, -1}, 0.1};
    e.rate = 2.0;
    e.velocity = Vec3{0, 0, -3};
    e.begin = 0.25;
    e.parts = {{0, 1}};
    e.state.counts = {0};
    e.state.masses = {0};
    world.emitters = {e};
    world.sinks.push_back({"drain", std::make_shared<geometry::Sphere>(1), 0.5, 1.5, {}});
    world.forces.forces.push_back({"", Wind{Schedule<Vec3>(TimeTable<Vec3>{{0, 1}, {{0, 0, 0}, {4, 0, 0}}})}, nullptr});
    return world;
}

TEST(Stage, anEmitterKeepsWhatWasDueWhenItsRateOrTheClockChanges) {
    World world = worldWithEmitter();
    world.emitters[0].state.masses = {0.6};
    Stage stage = stageOf(worldWithEmitter());
    stage.world.emitters[0].rate = Schedule<double>(TimeTable<double>{{0, 1}, {4, 8}});   // its times count from the stage
    stage.given = {"emitters.feed.rate"};
    stage.resetTime = true;
    enter(world, stage, 0.75);
    const Emitter& e = world.emitters[0];
    EXPECT_EQ(e.due(0), 1.0) << "2 kg/s for 0.5 s";
    EXPECT_EQ(e.owed(0), 0.4);
    EXPECT_NEAR(e.due(0.5), 1.0 + 4 * 0.5 + 0.5 * 4 * 0.25, 1e-15);
    EXPECT_NEAR(e.travel(0.5), 3 * (0.5 + 0.5), 1e-15) << "layers go on without a gap";
    Stage later = stageOf(stage.world);
    later.world.emitters[0].begin = 0.1;
    later.world.emitters[0].end = 0.2;
    later.given = {"emitters.feed.window"};
    enter(world, later, 0.5);
    EXPECT_EQ(e.due(0.6), e.due(0.5)) << "the window begins 0.1 s after the stage";
    EXPECT_NEAR(e.due(9) - e.due(0.5), 0.5 * (6.4 + 6.8) * 0.1, 1e-14) << "the rate goes on by its own time";
    EXPECT_EQ(e.due(9), e.due(0.7));
}

TEST(Stage, theAccountOfAnEmitterIsTheSameWhereOnlyTheClockIsSetBack) {
    World world = worldWithEmitter();
    world.emitters[0].rate = Schedule<double>(Sine<double>{2, 1, 1.7, 30});
    world.emitters[0].end = 2;
    const World before = world;
    Stage stage = stageOf(world);
    stage.resetTime = true;
    enter(world, stage, 0.75);
    for (const double time : {0.75, 0.9, 1.6, 3.0}) {
        EXPECT_NEAR(world.emitters[0].due(time - 0.75), before.emitters[0].due(time), 1e-14);
        EXPECT_NEAR(world.emitters[0].travel(time - 0.75), before.emitters[0].travel(time), 1e-14);
    }
    EXPECT_EQ(world.sinks[0].begin, -0.25);
    EXPECT_EQ(world.sinks[0].end, 0.75);
    EXPECT_NEAR(world.forces.forces[0].at({}, 0.1).x, 4 * 0.85, 1e-14);
}

TEST(Stage, windowsAndFieldsThatItGivesBeginWithIt) {
    World world = worldWithEmitter();
    Stage stage = stageOf(worldWithEmitter());
    stage.given = {"sinks.drain.window", "forces[0].field"};
    stage.world.forces.air.density = 5;
    enter(world, stage, 2);
    EXPECT_EQ(world.sinks[0].begin, 2.5);
    EXPECT_EQ(world.sinks[0].end, 3.5);
    EXPECT_NEAR(world.forces.forces[0].at({}, 2.25).x, 1, 1e-14);
    EXPECT_EQ(world.forces.air.density, 5);
}

TEST(Stage, aFreeBodyKeepsItsStateAndGetsANewForce) {
    World world = worldWithBodies();
    FreeBody free;
    free.pose = {{1, 2, 3}, {}, {4, 5, 6}, {}};
    world.bodies[0].motion = free;
    world.bodies[0].belt = Belt{BeltAlong{Vec3{1, 0, 0}}};
    Stage stage = stageOf(world);
    std::get<FreeBody>(stage.world.bodies[0].motion).force = Schedule<Vec3>(TimeTable<Vec3>{{0, 1}, {{0, 0, 0}, {8, 0, 0}}});
    std::get<FreeBody>(stage.world.bodies[0].motion).pose = {};
    stage.world.bodies[0].belt = Belt{BeltAlong{Vec3{2, 0, 0}}};
    stage.given = {"bodies.gate.force", "bodies.gate.surface_velocity"};
    enter(world, stage, 0.5);
    const FreeBody& now = *world.bodies[0].free();
    EXPECT_EQ(now.pose.velocity, (Vec3{4, 5, 6}));
    EXPECT_EQ(now.pose.position, (Vec3{1, 2, 3}));
    EXPECT_NEAR(now.force.at(1).x, 4, 1e-14);
    EXPECT_EQ(norm(world.bodies[0].belt->velocity({}, {0, 0, 1}, 0.5)), 2);
}

TEST(Stage, aScriptedBodyThatBecomesFreeGoesOnAsItMoved) {
    World world = worldWithBodies();
    Stage stage = stageOf(world);
    FreeBody free;
    free.mass = 3;
    free.locked[3 + 2] = true;
    free.force = Schedule<Vec3>(TimeTable<Vec3>{{0, 1}, {{0, 0, 0}, {8, 0, 0}}});
    free.pose = {{9, 9, 9}, {}, {9, 9, 9}, {}};   // where it began the run
    stage.world.bodies[0].motion = stage.world.bodies[1].motion = free;
    stage.given = {"bodies.gate.motion", "bodies.stirrer.motion"};
    const Pose before = world.bodies[0].pose(0.5), turned = world.bodies[1].pose(0.5);
    world.bodyContacts = {{0, 1, 0, {1, 2, 3}}};
    enter(world, stage, 0.5);
    ASSERT_TRUE(world.bodies[0].free() && world.bodies[1].free());
    EXPECT_EQ(far(world.bodies[0].pose(0.5), before), 0);
    EXPECT_EQ(before.velocity, (Vec3{0, 0, 2}));
    EXPECT_EQ(world.bodies[0].free()->mass, 3);
    EXPECT_NEAR(world.bodies[0].free()->force.at(1).x, 4, 1e-14) << "its times count from the stage";
    EXPECT_EQ(norm(world.bodies[1].pose(0.5).rotation.rotate({1, 0, 0}) - turned.rotation.rotate({1, 0, 0})), 0);
    EXPECT_EQ(norm(turned.angularVelocity), 3);
    EXPECT_EQ(norm(world.bodies[1].pose(0.5).angularVelocity), 0) << "what is locked stops";
    EXPECT_TRUE(world.bodyContacts.empty());
}

TEST(Stage, aFreeBodyIsHeldWhereItIsAndResumedThere) {
    const auto make = [] {
        World world = worldWithBodies();
        world.bodies[0].motion = FreeBody{};
        return world;
    };
    Stage hold = stageOf(worldWithBodies());
    hold.world.bodies[0].motion = Motion({5, 5, 5}, {}, {});
    hold.given = {"bodies.gate.motion"};
    Stage lift = hold;
    lift.world.bodies[0].motion = Motion({5, 5, 5}, {}, {Travel{Vec3{0, 0, 1}}});
    lift.resetTime = true;
    World world = make(), resumed = make();
    std::get<FreeBody>(world.bodies[0].motion).pose = {{1, 2, 3}, Quat::fromRotationVector({0.3, 0, 0}), {4, 5, 6}, {1, 0, 0}};
    for (World* each : {&world, &resumed}) {   // the second does not know where the body had got to
        enter(*each, hold, 0.5);
        enter(*each, lift, 0.75);
    }
    EXPECT_EQ(world.bodies[0].pose(0).position, (Vec3{1, 2, 3}));
    EXPECT_EQ(norm(world.bodies[0].pose(0).angularVelocity), 0);
    EXPECT_LT(norm(world.bodies[0].pose(0.5).position - Vec3{1, 2, 3.5}), 1e-15);
    EXPECT_NE(far(world.bodies[0].pose(0.5), resumed.bodies[0].pose(0.5)), 0);
    MemoryArchive archive;
    world.save(archive);
    resumed.load(archive);
    EXPECT_EQ(far(world.bodies[0].pose(0.5), resumed.bodies[0].pose(0.5)), 0);
    EXPECT_THROW(make().load(archive), ArchiveError) << "there it is free";
}

TEST(Rehearsal, findsABodyThatAStageMovesThroughAPeriodicFace) {
    World world;
    world.domain = {{-1, -1, -1}, {1, 1, 1}, {}, -1};
    world.domain.faces[0] = world.domain.faces[1] = FaceType::periodic;
    Body body;
    body.name = "ball";
    body.source = 0;
    body.shape = std::make_shared<geometry::Sphere>(0.1);
    body.motion = Motion({}, {});
    world.bodies = {body};
    Stage wait = stageOf(world), move = stageOf(world), back = stageOf(world);
    wait.until = Until{.condition = WhenSlow{0.1}, .every = 0.01, .atMost = 5};
    move.until = Until{.condition = WhenSlow{0.1}, .every = 0.01, .atMost = 0.8};
    move.world.bodies[0].motion = Motion({}, {}, {Travel{Vec3{1, 0, 0}}});
    move.given = back.given = {"bodies.ball.motion"};
    const auto found = [&](double speedBack, double end, Rehearsal::Ends ends) {
        back.world.bodies[0].motion = Motion({}, {}, {Travel{Vec3{speedBack, 0, 0}}});
        Problems problems;
        Rehearsal rehearsal(ends);
        for (const Stage* stage : {&wait, &move, &back}) rehearsal.enter(*stage, end, {}, problems);
        return problems.errors().size();
    };
    EXPECT_EQ(found(-1, 7, Rehearsal::Ends::late), 0u) << "0.8 m there and 1.2 m back";
    EXPECT_EQ(found(-1, 8, Rehearsal::Ends::late), 1u);
    EXPECT_EQ(found(-1, 1.2, Rehearsal::Ends::early), 1u) << "back from 0.01 m";
    EXPECT_EQ(found(0.2, 7, Rehearsal::Ends::late), 1u);
}

/// Two grains of 2 kg at rest at z = 1 and 3, falling with 10 m/s².
Simulation falling() {
    World world;
    world.gravity = {0, 0, -10};
    auto method = std::make_unique<BallisticMethod>();
    method->stable = [](const World&) { return 0.01; };
    method->points = {{0, {0, 0, 1}, {}, 2.0}, {1, {0, 0, 3}, {}, 2.0}};
    return {std::move(world), std::move(method)};
}

/// The clock when the condition is met, within `limit`.
double whenMet(Until until, double limit) {
    Simulation simulation = falling();
    Stage stage = stageOf(simulation.world());
    stage.until = until;
    Stages stages({stage, stage});
    const Exec exec(1);
    bool met = false;
    simulation.advance(exec, limit, [&] { return !(met = stages.met(exec, simulation)); });
    return met ? simulation.world().time : NAN;
}

TEST(Stages, lookAtSetTimesAndWaitUntilTheConditionHasHeld) {
    const auto below = std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{9, 9, 2}), RigidTransform{{}, {0, 0, -1}});
    // z < 0 after sqrt(2/10) = 0.447 s for one grain, sqrt(6/10) = 0.775 s for both; steps of 0.01 s fall a little faster.
    EXPECT_NEAR(whenMet({.condition = WhenMass{below, 1, true}, .every = 0.05, .atMost = 9}, 2), 0.45, 1e-9);
    EXPECT_TRUE(std::isnan(whenMet({.condition = WhenMass{below, 3, true}, .every = 0.05, .atMost = 9}, 0.74))) << "only one so far";
    EXPECT_NEAR(whenMet({.condition = WhenMass{below, 1, true}, .hold = 0.12, .every = 0.05, .atMost = 9}, 2), 0.60, 1e-9);
    EXPECT_NEAR(whenMet({.condition = WhenMass{below, 1, false}, .every = 0.2, .atMost = 9}, 2), 0.2, 1e-9);
    // The mean speed is 10 t: below 0.3 m/s it is only at the first looks, and does not stay there for 0.05 s.
    EXPECT_NEAR(whenMet({.condition = WhenSlow{0.3}, .every = 0.02, .atMost = 9}, 2), 0.02, 1e-9);
    EXPECT_TRUE(std::isnan(whenMet({.condition = WhenSlow{0.3}, .hold = 0.05, .every = 0.02, .atMost = 9}, 2)));
    EXPECT_TRUE(std::isnan(whenMet({.condition = AfterTime{0.1}}, 1))) << "a length of time is the schedule's business";
}

TEST(Stages, keepTheirStateThroughAnArchive) {
    Simulation simulation = falling();
    const Exec exec(1);
    Stage stage = stageOf(simulation.world());
    stage.until = Until{.condition = WhenSlow{0.3}, .hold = 1, .every = 0.02, .atMost = 9};
    Stage second = stage;
    second.resetTime = true;
    Stages stages({stage, second}), copy({stage, second});
    simulation.advance(exec, 0.5, kForEver);
    stages.finish(0.5, false);
    stages.advance(simulation);
    EXPECT_EQ(simulation.world().time, 0);
    simulation.advance(exec, 0.03, kForEver);
    stages.met(exec, simulation);
    MemoryArchive archive, again;
    stages.save(archive);
    copy.load(archive);
    copy.save(again);
    EXPECT_EQ(archive.entries(), again.entries());
    EXPECT_EQ(copy.current(), 1u);
    EXPECT_EQ(copy.sinceStart(0.03), 0.53);
    EXPECT_EQ(copy.world().revision, 1);
    EXPECT_EQ(copy.longest(100), 9.5);
    EXPECT_THROW(Stages({stage}).load(archive), ArchiveError) << "of a scene with fewer stages";
}

}  // namespace
}  // namespace talus::world
