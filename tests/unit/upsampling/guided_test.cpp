// SPDX-License-Identifier: Apache-2.0
// What fine grains do when their guides do something known.
#include "unit/upsampling/kinematic_guides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace talus::upsampling::test {
namespace {

constexpr Vec3 kGravity{0, 0, -9.81};

Vec3 still(const Vec3&, double) { return {}; }

TEST(Guided, keepsMassAndMomentumOfItsGuides) {
    CarriedWorld run([](const Vec3&, double) { return Vec3{1, -2, 0.5}; });
    const world::Inserted inserted = run.insert();
    const double guide = 2600 * 4 * std::numbers::pi / 3 * std::pow(CarriedWorld::kRadius, 3);
    EXPECT_EQ(inserted.count, 32 * 216);
    EXPECT_NEAR(inserted.mass, 216 * guide, 1e-13 * 216 * guide);
    const world::FieldTable grains = run.read();
    Vec3 momentum;
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        momentum += grains.reals("mass")[i] * at(grains.reals("velocity"), i);
        ids.insert(grains.integers("id")[i]);
    }
    EXPECT_LT(norm(momentum - inserted.mass * Vec3{1, -2, 0.5}), 1e-12 * inserted.mass);
    EXPECT_EQ(ids.size(), grains.count());
    EXPECT_EQ(run.world.nextId, static_cast<std::int64_t>(grains.count())) << "guides count on their own";
}

// Grains within reach of two guides go with a constant velocity exactly; gravity is the guides' business.
TEST(Guided, constantGuideVelocityIsExact) {
    const Vec3 velocity{0.3, -0.2, 0.11};
    for (const Interpolation kind : {Interpolation::weighted, Interpolation::affine}) {
        Settings settings;
        settings.interpolateEvery = 7;
        settings.interpolation = kind;
        CarriedWorld run([=](const Vec3&, double) { return velocity; }, settings);
        run.world.gravity = kGravity;
        run.insert();
        std::map<std::int64_t, Vec3> start;
        const world::FieldTable before = run.read();
        for (std::size_t i = 0; i < before.count(); ++i) start[before.integers("id")[i]] = at(before.reals("position"), i);
        run.steps(Exec(2), 100);
        const world::FieldTable after = run.read();
        std::size_t carried = 0;
        for (std::size_t i = 0; i < after.count(); ++i) {
            if (after.integers("carried")[i] == 0) continue;
            ++carried;
            EXPECT_LT(norm(at(after.reals("velocity"), i) - velocity), 1e-15);
            EXPECT_LT(norm(at(after.reals("position"), i) - start[after.integers("id")[i]] - 0.1 * velocity), 1e-13);
        }
        EXPECT_GT(carried, 99 * after.count() / 100);
    }
}

// Guides whose velocities are those of the instant: grains follow their fall exactly, where velocity times step would be g t Δt/2 = 5 mm ahead.
TEST(Guided, aFallOfRecordedGuidesIsFollowedExactly) {
    for (const std::int64_t n : {1, 5}) {
        Settings settings;
        settings.interpolateEvery = n;
        CarriedWorld run([](const Vec3&, double) { return Vec3{0.1, 0, 1}; }, settings);
        run.insert();
        std::map<std::int64_t, Vec3> start;
        const world::FieldTable before = run.read();
        for (std::size_t i = 0; i < before.count(); ++i) start[before.integers("id")[i]] = at(before.reals("position"), i);
        run.guides->acceleration = kGravity;
        run.steps(Exec(2), 100);   // to the end of an interval
        const world::FieldTable after = run.read();
        const double held = static_cast<double>(n - 1) * CarriedWorld::kStep;   // what is not yet caught up
        for (std::size_t i = 0; i < after.count(); ++i) {
            if (after.integers("carried")[i] == 0) continue;
            const Vec3 way = at(after.reals("position"), i) - start[after.integers("id")[i]];
            ASSERT_LT(norm(way - Vec3{0.01, 0, 0.1} - 0.005 * kGravity), 0.5 * held * held * 9.81 + 1e-12) << "n = " << n;
        }
    }
}

TEST(Guided, aSparseGrainIsBallistic) {
    Settings settings;
    settings.interpolateEvery = 3;
    CarriedWorld run([](const Vec3&, double) { return Vec3{1, 0.5, 2}; }, settings, {0.3, 0.3, 0.3}, {1, 1, 1});   // one guide carries nobody
    run.world.gravity = kGravity;
    run.insert();
    std::map<std::int64_t, Vec3> start;
    const world::FieldTable before = run.read();
    for (std::size_t i = 0; i < before.count(); ++i) start[before.integers("id")[i]] = at(before.reals("position"), i);
    run.steps(Exec(1), 150);
    const double t = run.world.time;
    const world::FieldTable after = run.read();
    ASSERT_EQ(after.count(), 32u);
    for (std::size_t i = 0; i < after.count(); ++i) {
        EXPECT_EQ(after.integers("carried")[i], 0);
        EXPECT_LT(norm(at(after.reals("velocity"), i) - (Vec3{1, 0.5, 2} + t * kGravity)), 1e-12);
        EXPECT_LT(norm(at(after.reals("position"), i) - start[after.integers("id")[i]] - t * Vec3{1, 0.5, 2} - 0.5 * t * t * kGravity), 1e-12);
    }
}

// The composition of the paper sinks with g n Δt / 2: 7 cm/s at n = 50 and 0.3 ms.
TEST(Guided, aRestingPileDoesNotSink) {
    for (const std::int64_t n : {1, 20, 50}) {
        Settings settings;
        settings.interpolateEvery = n;
        CarriedWorld run(still, settings, {0.4, 0.4, 0.01});   // on the floor
        run.world.gravity = kGravity;
        run.insert();
        const Exec exec(2);
        run.steps(exec, 200, 3e-4);   // what is sparse at the edges has fallen
        std::map<std::int64_t, double> height;
        const world::FieldTable before = run.read();
        for (std::size_t i = 0; i < before.count(); ++i)
            if (before.integers("carried")[i]) height[before.integers("id")[i]] = at(before.reals("position"), i).z;
        run.steps(exec, 500, 3e-4);
        const world::FieldTable after = run.read();
        double worst = 0;
        for (std::size_t i = 0; i < after.count(); ++i)
            if (height.contains(after.integers("id")[i])) worst = std::max(worst, std::abs(at(after.reals("position"), i).z - height[after.integers("id")[i]]) / (500 * 3e-4));
        EXPECT_GT(height.size(), 9 * after.count() / 10);
        EXPECT_LT(worst, 1e-4) << "n = " << n;
    }
}

TEST(Guided, grainsOutOfReachFallAndComeBackIntoTheFlow) {
    CarriedWorld run([](const Vec3&, double) { return Vec3{0.2, 0, 0}; }, {}, {0.3, 0.3, 0.01}, {12, 6, 3});
    run.world.gravity = kGravity;
    run.insert();
    auto lone = std::make_shared<world::ListedGrains>();   // a guide 12 cm above the others, which is taken away
    lone->positions = {{0.35, 0.35, 0.2}};
    run.method->insert(Exec(1), run.world, {.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = lone});
    run.guides->ids.pop_back();
    run.guides->positions.pop_back();
    run.guides->velocities.pop_back();
    const std::int64_t first = 32 * 12 * 6 * 3;
    const auto carriedAmongLast = [&] {
        const world::FieldTable grains = run.read();
        int carried = 0;
        for (std::size_t i = 0; i < grains.count(); ++i) carried += grains.integers("id")[i] >= first && grains.integers("carried")[i] ? 1 : 0;
        return carried;
    };
    const Exec exec(1);
    run.steps(exec, 50);
    EXPECT_EQ(carriedAmongLast(), 0) << "in the air";
    run.steps(exec, 250);
    EXPECT_EQ(carriedAmongLast(), 32) << "landed";
    EXPECT_EQ(run.method->count(), first + 32);
}

TEST(Guided, erasedGuidesTakeTheirGrainsWithThemWhereAsked) {
    const auto half = std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{0.35, 2, 2}), RigidTransform{{}, {0.175, 0.5, 0.5}});
    for (const Removal removal : {Removal::own, Removal::withGuide}) {
        Settings settings;
        settings.removal = removal;
        CarriedWorld run(still, settings);
        run.insert();
        const Exec exec(2);
        run.steps(exec, 3);
        world::FieldTable taken;
        const world::Removed removed = run.method->erase(exec, {half, true}, &taken);
        EXPECT_EQ(static_cast<std::int64_t>(taken.count()), removed.count);
        EXPECT_EQ(run.method->count() + removed.count, 32 * 216);
        EXPECT_EQ(run.guides->count(), 3 * 36);
        if (removal == Removal::withGuide) {
            EXPECT_EQ(removed.count, 32 * 3 * 36);
        } else {
            for (std::size_t i = 0; i < taken.count(); ++i) EXPECT_LE(at(taken.reals("position"), i).x, 0.35);
            const world::FieldTable left = run.read();
            for (std::size_t i = 0; i < left.count(); ++i) EXPECT_GT(at(left.reals("position"), i).x, 0.35);
        }
        run.steps(exec, 30);
        EXPECT_EQ(run.method->count() + removed.count, 32 * 216) << "none is lost";
    }
}

TEST(Guided, anEmitterThatCountsCountsFineGrains) {
    CarriedWorld run(still);
    auto list = std::make_shared<world::ListedGrains>(*run.fill.listed);
    list->mostCount = 32 * 5 + 31;
    run.fill.listed = list;
    EXPECT_EQ(run.insert().count, 32 * 5);
}

// Guides pour through a funnel of bodies that they do not feel; a plate moves among them.
TEST(Guided, noGrainEndsInABodyAndNoneIsLost) {
    Settings settings;
    settings.interpolateEvery = 5;
    CarriedWorld run([](const Vec3&, double) { return Vec3{0.1, 0, -1}; }, settings, {0.4, 0.4, 0.6}, {6, 6, 10});
    run.world.gravity = kGravity;
    run.world.bodies.push_back({.name = "ball", .shape = std::make_shared<geometry::Sphere>(0.06), .motion = world::Motion({0.48, 0.46, 0.45}, {}), .source = 0, .load = {}});
    run.world.bodies.push_back({.name = "plate", .shape = std::make_shared<geometry::Box>(Vec3{0.3, 0.3, 0.01}),
                                .motion = world::Motion({0.5, 0.45, 0.25}, Quat::fromAxisAngle({0, 1, 0}, 0.5), {world::Travel{Vec3{0, 0, 0.1}}}), .source = 1, .load = {}});
    const world::Inserted inserted = run.insert();
    const Exec exec(2);
    for (int i = 0; i < 40; ++i) {
        run.steps(exec, 20);
        const std::vector<world::BodySnapshot> bodies = run.world.bodiesAt(run.world.time);
        const world::FieldTable grains = run.read();
        ASSERT_EQ(static_cast<std::int64_t>(grains.count()), inserted.count);
        for (std::size_t k = 0; k < grains.count(); ++k)
            for (const world::BodySnapshot& body : bodies)
                ASSERT_GE(body.distance(at(grains.reals("position"), k)), 0) << body.body().name << ", grain " << grains.integers("id")[k] << ", time " << run.world.time;
    }
    EXPECT_EQ(run.method->fallbacks().back().value, 0) << "squeezed grains";
    for (const world::Body& body : run.world.bodies) EXPECT_EQ(body.load.impulse, Vec3{}) << "bodies feel guides only";
}

TEST(Guided, aGrainFasterThanAPlateIsThickDoesNotPass) {
    CarriedWorld run([](const Vec3&, double) { return Vec3{0, 0, -20}; }, {}, {0.5, 0.5, 0.6}, {1, 1, 1});   // 2 cm a step
    run.world.bodies.push_back({.name = "plate", .shape = std::make_shared<geometry::Box>(Vec3{0.4, 0.4, 0.006}), .motion = world::Motion({0.5, 0.5, 0.3}, {}), .source = 0, .load = {}});
    run.insert();
    run.steps(Exec(1), 40);
    const world::FieldTable grains = run.read();
    for (std::size_t i = 0; i < grains.count(); ++i) EXPECT_GT(at(grains.reals("position"), i).z, 0.303);
}

// Fine grains in an expanding cloud of guides. Carried by single guides they stay in clumps as the guides part; flying freely
// they spread. The statistic is the index of dispersion of their numbers in cells of half a guide's distance: 1 for a random medium.
double dispersion(std::int64_t leastGuides, double expansion) {
    Settings settings;
    settings.leastGuides = leastGuides;
    settings.interpolateEvery = 5;
    const double rate = 10, spacing = 2 * CarriedWorld::kRadius;
    const Vec3 centre{0.5, 0.5, 0.5};
    // Each guide keeps the velocity H (x₀ − c) it started with: x − c = (x₀ − c)(1 + H t).
    CarriedWorld run([=](const Vec3& x, double time) { return rate / (1 + rate * time) * (x - centre); }, settings, {0.45, 0.45, 0.45});
    run.world.gravity = {};
    run.insert();
    const int steps = static_cast<int>(std::lround((expansion - 1) / rate / CarriedWorld::kStep));
    run.steps(Exec(2), steps);
    const double cell = 0.5 * spacing * expansion;
    std::map<std::array<int, 3>, double> counts;
    const Vec3 corner = centre - Vec3{3.5, 3.5, 3.5} * cell;   // inside the cloud, guides in the middle of cells
    for (int k = 0; k < 7; ++k)
        for (int j = 0; j < 7; ++j)
            for (int i = 0; i < 7; ++i) counts[{i, j, k}] = 0;
    const world::FieldTable grains = run.read();
    for (std::size_t i = 0; i < grains.count(); ++i) {
        const Vec3 d = (at(grains.reals("position"), i) - corner) / cell;
        const std::array<int, 3> at{static_cast<int>(std::floor(d.x)), static_cast<int>(std::floor(d.y)), static_cast<int>(std::floor(d.z))};
        if (counts.contains(at)) ++counts[at];
    }
    double mean = 0, squares = 0;
    for (const auto& [at, n] : counts) mean += n / 343;
    for (const auto& [at, n] : counts) squares += (n - mean) * (n - mean) / 343;
    return squares / mean;
}

TEST(Guided, theSparseRuleRemovesClumps) {
    const double start = dispersion(2, 1), naive = dispersion(1, 4), ruled = dispersion(2, 4);
    std::printf("[ measured ] index of dispersion: start %.2f, naive %.2f, with the rule %.2f\n", start, naive, ruled);
    EXPECT_LT(ruled, 2 * start);
    EXPECT_GT(naive, 3 * ruled);
}

TEST(Guided, severalStepsOfTheGuidesInOneOfTheGrains) {
    const auto turning = [](const Vec3& x, double) { return cross(Vec3{0, 0, 1}, x - Vec3{0.36, 0.36, 0.36}); };
    Settings settings;
    settings.interpolateEvery = 1;
    CarriedWorld one(turning, settings);
    settings.guideSteps = 5;
    CarriedWorld five(turning, settings);
    one.world.gravity = five.world.gravity = {};
    one.insert();
    five.insert();
    EXPECT_DOUBLE_EQ(five.method->stableStep(five.world), 5 * one.method->stableStep(one.world));
    one.steps(Exec(1), 100);
    five.steps(Exec(1), 20, 5 * CarriedWorld::kStep);
    EXPECT_LT(norm(one.guides->positions[5] - five.guides->positions[5]), 1e-12) << "the guides take the same steps";
    std::map<std::int64_t, Vec3> expected;
    const world::FieldTable a = one.read(), b = five.read();
    for (std::size_t i = 0; i < a.count(); ++i) expected[a.integers("id")[i]] = at(a.reals("position"), i);
    double worst = 0;
    for (std::size_t i = 0; i < b.count(); ++i) worst = std::max(worst, norm(at(b.reals("position"), i) - expected[b.integers("id")[i]]));
    EXPECT_LT(worst, 1e-3) << "0.1 rad at 6 cm: 6 mm of way";
    EXPECT_GT(worst, 1e-7);
}

TEST(Guided, periodicFacesAreNoPlace) {
    const auto flow = [](const Vec3& x, double) { return Vec3{2 + std::sin(40 * x.z), 0, 0}; };
    std::map<std::int64_t, Vec3> expected;
    for (const double shift : {0.0, 0.5}) {
        Settings settings;
        settings.interpolateEvery = 4;
        CarriedWorld run(flow, settings, {0.2 + shift, 0.3, 0.3}, {10, 4, 8});
        run.world.domain.faces[0] = run.world.domain.faces[1] = world::FaceType::periodic;
        run.world.bodies = world::domainFaces(run.world.domain);
        run.world.gravity = {};
        auto own = std::make_unique<KinematicGuides>(flow, CarriedWorld::kRadius, CarriedWorld::kStep);
        run.method = std::make_unique<GuidedMethod<double>>(settings, run.world, std::move(own), false);
        run.insert();
        run.steps(Exec(1), 300);
        const world::FieldTable grains = run.read();
        for (std::size_t i = 0; i < grains.count(); ++i) {
            const Vec3 x = at(grains.reals("position"), i);
            ASSERT_GE(x.x, 0);
            ASSERT_LT(x.x, 1);
            if (shift == 0) expected[grains.integers("id")[i]] = x;
            else EXPECT_LT(norm(run.world.domain.nearestImage(x - expected[grains.integers("id")[i]] - Vec3{shift, 0, 0})), 1e-9);
        }
    }
}

}  // namespace
}  // namespace talus::upsampling::test
