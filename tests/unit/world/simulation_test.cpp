// SPDX-License-Identifier: Apache-2.0
#include "world/simulation.h"

#include "ballistic_method.h"
#include "core/rng.h"
#include "geometry/primitives.h"
#include "world/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace talus::world {
namespace {

constexpr auto kAlways = [] { return true; };

/// A simulation together with the mock inside it and the log of its steps.
struct Bench {
    explicit Bench(World world = {}) : Bench(std::move(world), std::make_unique<BallisticMethod>()) {}
    Bench(World world, std::unique_ptr<BallisticMethod> method) : mock(*method), simulation(std::move(world), std::move(method)) {
        mock.log = &steps;
    }
    const Exec exec{1};
    std::vector<double> steps;
    BallisticMethod& mock;
    Simulation simulation;
};

TEST(Simulation, splitsTheTimeIntoEqualSteps) {
    Bench s;
    EXPECT_EQ(s.simulation.advance(s.exec, 0.95, kAlways), Reached::target);
    EXPECT_EQ(s.simulation.world().time, 0.95);
    ASSERT_EQ(s.steps.size(), 10u);
    for (const double dt : s.steps) EXPECT_EQ(dt, 0.95 / 10);
    EXPECT_EQ(s.simulation.steps(), 10);
    EXPECT_EQ(s.simulation.dt(), 0.095);
    EXPECT_EQ(s.simulation.advance(s.exec, 0.95, kAlways), Reached::target);   // nothing left
    EXPECT_EQ(s.steps.size(), 10u);
}

TEST(Simulation, neverExceedsTheStableStepAndMeetsTheTargetExactly) {
    for (const double stable : {0.1, 1.0 / 3, 0.7, 0.0137, 1e-4, std::numeric_limits<double>::infinity()}) {
        Bench s;
        s.mock.stable = [stable](const World&) { return stable; };
        for (const double target : {1.0 / 24, 2.0 / 24, 0.3, 1.0}) {
            EXPECT_EQ(s.simulation.advance(s.exec, target, kAlways), Reached::target);
            EXPECT_EQ(s.simulation.world().time, target);
        }
        for (const double dt : s.steps) EXPECT_LE(dt, stable);
    }
}

TEST(Simulation, moreStepsThanCanBeCountedAreAFailure) {
    Bench s;
    s.mock.stable = [](const World&) { return 1e-11; };
    EXPECT_EQ(s.simulation.advance(s.exec, 1e6, kAlways), Reached::failed);
    EXPECT_NE(s.simulation.failure()->what.find("1e+17 steps"), std::string::npos) << s.simulation.failure()->what;
}

TEST(Simulation, keepsDtUntilTheStableStepFallsBelowIt) {
    Bench s;
    s.mock.stable = [](const World& w) { return w.time < 0.35 ? 0.1 + w.time : 0.051; };   // rises, then falls
    s.simulation.advance(s.exec, 1.0, kAlways);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(s.steps[i], 0.1);
    for (std::size_t i = 4; i < s.steps.size(); ++i) EXPECT_NEAR(s.steps[i], 0.05, 1e-15);
    EXPECT_EQ(s.steps.size(), 4u + 12u);
}

TEST(Simulation, stopsBetweenSteps) {
    Bench s;
    int asked = 0;
    EXPECT_EQ(s.simulation.advance(s.exec, 1.0, [&] { return asked++ < 3; }), Reached::stopped);
    EXPECT_EQ(s.steps.size(), 3u);
    EXPECT_NEAR(s.simulation.world().time, 0.3, 1e-15);
}

TEST(Simulation, aRejectedStepIsTriedAgainFromTheSameTime) {
    Bench s;
    std::vector<double> triedAt;
    s.mock.answer = [&](const World& w, double dt) -> StepReport {
        triedAt.push_back(w.time);
        if (w.time > 0.45 && dt > 0.03) return Rejected{0.03};
        return Done{};
    };
    EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::target);
    EXPECT_EQ(triedAt[5], triedAt[6]);
    EXPECT_EQ(s.simulation.steps(), 5 + 17);   // 0.5 s in steps of at most 0.03 s
    for (std::size_t i = 5; i < s.steps.size(); ++i) EXPECT_NEAR(s.steps[i], 0.5 / 17, 1e-15);
    EXPECT_EQ(s.simulation.world().time, 1.0);
}

TEST(Simulation, aCollapsingStepIsAFailure) {
    for (const double factor : {0.01, 1.0}) {   // shorter and shorter, or stubbornly the same
        Bench s;
        s.mock.answer = [factor](const World&, double dt) { return StepReport{Rejected{factor * dt}}; };
        EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::failed);
        ASSERT_TRUE(s.simulation.failure());
        EXPECT_EQ(s.simulation.failure()->field, "velocity");
        EXPECT_EQ(s.simulation.world().time, 0.0);
    }
    Bench s;
    s.mock.stable = [](const World&) { return std::nan(""); };
    EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::failed);
}

TEST(Simulation, aFailureIsReportedAndFinal) {
    Bench s;
    s.mock.answer = [](const World& w, double) -> StepReport {
        if (w.time > 0.25) return Failed{"velocity is not finite", 7, {1, 2, 3}, "velocity"};
        return Done{};
    };
    EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::failed);
    ASSERT_TRUE(s.simulation.failure());
    EXPECT_EQ(s.simulation.failure()->grain, 7);
    EXPECT_NEAR(s.simulation.world().time, 0.3, 1e-15);
    EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::failed);
    EXPECT_EQ(s.steps.size(), 3u);
}

TEST(Simulation, aBodyOrGravityThatIsNotFiniteIsAFailureAtOnce) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::pair<std::function<void(World&)>, std::string>> spoil{
        {[](World& w) { w.gravity.y = kNothing; }, "gravity is not finite"},
        {[](World& w) { std::get<FreeBody>(w.bodies[0].motion).pose.angularVelocity.z = kNothing; }, "the velocity of body 'box' is not finite"},
        {[](World& w) { std::get<FreeBody>(w.bodies[0].motion).pose.rotation.w = kNothing; }, "the pose of body 'box' is not finite"},
    };
    for (const auto& [change, told] : spoil) {
        Bench s;
        World world = s.simulation.world();
        world.bodies = {Body{.name = "box", .shape = std::make_shared<geometry::Box>(Vec3{1, 1, 1}), .motion = FreeBody{}, .source = 0, .load = {}}};
        s.simulation.replaceWorld(world);
        EXPECT_EQ(s.simulation.advance(s.exec, 0.2, kAlways), Reached::target);
        world = s.simulation.world();
        change(world);
        s.simulation.replaceWorld(world);
        const std::size_t before = s.steps.size();
        EXPECT_EQ(s.simulation.advance(s.exec, 1.0, kAlways), Reached::failed);
        EXPECT_EQ(s.steps.size(), before) << "no further step";
        ASSERT_TRUE(s.simulation.failure());
        EXPECT_EQ(s.simulation.failure()->what, told);
    }
}

// The stable step grows, so that a run which forgot its plan would take longer steps after the resume.
TEST(Simulation, aResumedRunTakesTheSameSteps) {
    const auto growing = [](const World& w) { return 0.05 + 0.1 * w.time; };
    Bench whole;
    whole.mock.stable = growing;
    whole.simulation.advance(whole.exec, 1.0, kAlways);
    whole.simulation.advance(whole.exec, 2.0, kAlways);
    for (int stopAt = 0; stopAt <= static_cast<int>(whole.steps.size()); ++stopAt) {
        Bench first, second;
        first.mock.stable = second.mock.stable = growing;
        int left = stopAt;
        const auto budget = [&] { return left-- > 0; };
        if (first.simulation.advance(first.exec, 1.0, budget) == Reached::target)
            first.simulation.advance(first.exec, 2.0, budget);
        MemoryArchive archive;
        first.simulation.save(archive);
        second.simulation.load(second.exec, archive);
        second.simulation.advance(second.exec, 1.0, kAlways);
        second.simulation.advance(second.exec, 2.0, kAlways);
        std::vector<double> joined = first.steps;
        joined.insert(joined.end(), second.steps.begin(), second.steps.end());
        EXPECT_EQ(joined, whole.steps) << "stopped after " << stopAt;
        EXPECT_EQ(second.simulation.steps(), whole.simulation.steps());
        EXPECT_EQ(second.simulation.world().time, 2.0);
    }
}

Fill pointFill(const Vec3& at, const Vec3& velocity, int source) {
    struct Point final : geometry::Shape {
        explicit Point(const Vec3& p) : at(p) {}
        geometry::Surface surface(const Vec3& x) const override { return {norm(x - at), normalized(x - at)}; }
        Aabb levelBounds(double level) const override { return geometry::grown({at, at}, level); }
        Vec3 at;
    };
    return {std::make_shared<Point>(at), 0, source, velocity};
}

TEST(Simulation, GravityOverTimeGivesItsExactImpulse) {
    World world;
    world.gravityOverTime = Schedule<Vec3>(TimeTable<Vec3>{{0.1, 0.35, 0.35, 1}, {{}, {0, 0, -4}, {2, 0, 0}, {0, 0, -1}}});
    Bench bench(world);
    Vec3 impulse;
    bench.mock.stable = [](const World&) { return 0.03; };
    double time = 0;
    bench.simulation.advance(bench.exec, 1.2, [&] {
        impulse += bench.simulation.world().gravity * (bench.simulation.world().time - time);
        time = bench.simulation.world().time;
        return true;
    });
    impulse += bench.simulation.world().gravity * (bench.simulation.world().time - time);
    EXPECT_LT(norm(impulse - world.gravityOverTime->integral(0, 1.2)), 1e-14);
}

TEST(Simulation, openFacesAccountForEveryGrain) {
    World world;
    world.gravity = {};
    world.domain.faces = {FaceType::wall, FaceType::open, FaceType::open, FaceType::wall, FaceType::wall, FaceType::wall};
    const auto add = [&](const Vec3& velocity) {
        world.fills.push_back(pointFill({0.5, 0.5, 0.5}, velocity, static_cast<int>(world.fills.size())));
    };
    add({1, 0, 0});     // leaves at x_max after 0.5 s
    add({0, -1, 0});    // leaves at y_min after 0.5 s
    add({-1, 0, 0});    // crosses a closed face, which is the method's business
    add({0, 0.1, 0});   // stays
    Bench s(std::move(world));
    s.simulation.fill(s.exec);
    EXPECT_EQ(s.simulation.account().insertedCount, 4);
    EXPECT_EQ(s.simulation.account().insertedMass, 8.0);
    s.simulation.advance(s.exec, 0.4, kAlways);
    EXPECT_EQ(s.simulation.account().removedCount, 0);
    s.simulation.advance(s.exec, 1.0, kAlways);
    EXPECT_EQ(s.simulation.account().removedCount, 2);
    EXPECT_EQ(s.simulation.account().removedMass, 4.0);
    EXPECT_EQ(s.mock.points.size(), 2u);
    EXPECT_EQ(s.mock.points[0].id, 2);
    // 4 grains for the steps up to the one that leaves the domain, 2 afterwards.
    const std::int64_t steps = s.simulation.steps();
    EXPECT_GT(s.simulation.grainSteps(), 2 * steps);
    EXPECT_LT(s.simulation.grainSteps(), 4 * steps);
}

TEST(Totals, agreeWithDirectSumsAndWithThemselvesForAnyThreads) {
    World world;
    world.bodies = domainFaces(world.domain);
    world.bodies[0].load.work = 2;
    world.bodies[3].load.work = 0.5;
    Bench s(std::move(world));
    long double mass = 0, kinetic = 0, potential = 0, momentum = 0, moment = 0;
    double fastest = 0;
    for (int i = 0; i < 10000; ++i) {
        Rng rng(1, 0, static_cast<std::uint64_t>(i));
        const auto vec = [&] { return Vec3{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; };
        const BallisticMethod::Point p{i, vec(), vec(), rng.uniform(0.1, 2)};
        s.mock.points.push_back(p);
        mass += p.mass;
        momentum += p.mass * p.velocity.y;
        moment += p.mass * p.position.z;
        kinetic += 0.5 * p.mass * normSquared(p.velocity);
        potential += p.mass * 9.81 * p.position.z;
        fastest = std::max(fastest, norm(p.velocity));
    }
    const Totals t = totals(Exec(1), s.simulation);
    EXPECT_EQ(t.grains, 10000);
    EXPECT_NEAR(t.mass, static_cast<double>(mass), 1e-9);
    EXPECT_NEAR(t.momentum.y, static_cast<double>(momentum), 1e-9);
    EXPECT_NEAR(t.centreOfMass.z, static_cast<double>(moment / mass), 1e-12);
    EXPECT_NEAR(t.kineticEnergy, static_cast<double>(kinetic), 1e-9);
    ASSERT_TRUE(t.potentialEnergy);
    EXPECT_NEAR(*t.potentialEnergy, static_cast<double>(potential), 1e-8);
    EXPECT_FALSE(t.elasticEnergy);
    EXPECT_FALSE(t.energy());
    EXPECT_EQ(t.bodyWork, 2.5);
    EXPECT_EQ(t.maxSpeed, fastest);
    for (const int threads : {2, 3}) {
        const Totals other = totals(Exec(threads), s.simulation);
        EXPECT_EQ(other.kineticEnergy, t.kineticEnergy);
        EXPECT_EQ(other.momentum, t.momentum);
        EXPECT_EQ(other.centreOfMass, t.centreOfMass);
    }
}

TEST(Totals, potentialEnergyIsUnknownAlongAPeriodicAxis) {
    World world;
    world.domain.faces[4] = world.domain.faces[5] = FaceType::periodic;
    EXPECT_FALSE(totals(Exec(1), Bench(world).simulation).potentialEnergy);
    world.gravity = {9.81, 0, 0};
    EXPECT_TRUE(totals(Exec(1), Bench(world).simulation).potentialEnergy);
}

}  // namespace
}  // namespace talus::world
