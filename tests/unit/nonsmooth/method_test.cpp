// SPDX-License-Identifier: Apache-2.0
// What the method does with fills and bodies that do not fit, and its second outputs.
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "nonsmooth/nonsmooth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>

namespace talus::nonsmooth {
namespace {

/// A cube of 8 x 8 x 8 cells of sand in a domain of twice that, and a box that moves.
world::World boxWorld(const Vec3& speed) {
    world::World world;
    world.domain = {{0, 0, 0}, {0.16, 0.16, 0.16}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.resolution.size = 0.01;
    const auto box = [](double side) { return std::make_shared<geometry::Box>(Vec3{side, side, side}); };
    world.fills = {{std::make_shared<geometry::Placed>(box(0.08), RigidTransform{{}, {0.08, 0.08, 0.04}}), 0, 0, {}}};
    world.bodies.push_back({.name = "box", .shape = box(0.04), .motion = world::Motion({0.08, 0.08, 0.04}, {}, {world::Travel{speed}}), .load = {}});
    return world;
}

double counted(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.fallbacks())
        if (m.name == name) return m.value;
    return -1;
}

TEST(NonsmoothMethod, leavesOutPointsInBodiesAndCountsThem) {
    world::World world = boxWorld({});
    const auto method = info.create(Settings{}, world, world::Precision::float64);
    const world::Inserted inserted = method->insert(Exec(1), world, world.fills.front());
    EXPECT_EQ(inserted.count, 8 * (512 - 64));   // the box takes 4 x 4 x 4 cells
    EXPECT_EQ(counted(*method, "left_out_in_bodies"), 8 * 64);
}

TEST(NonsmoothMethod, fixedStepsEndBeforeABodyIsThroughACell) {
    Settings settings;
    settings.dt = 0.01;
    settings.fixedStep = true;
    const world::World slow = boxWorld({0.5, 0, 0}), fast = boxWorld({0, -20, 0});
    EXPECT_EQ(info.create(settings, slow, world::Precision::float64)->stableStep(slow), 0.01);
    const double step = info.create(settings, fast, world::Precision::float64)->stableStep(fast);
    EXPECT_NEAR(step, 0.01 / 20, 1e-9);
}

/// Two blocks that fly against each other, without gravity and bodies.
world::World collision(double cohesion) {
    world::World world = boxWorld({});
    world.bodies.clear();
    world.gravity = {};
    world.materials[0].cohesion = cohesion;
    world.fills.clear();
    for (const double side : {-1.0, 1.0})
        world.fills.push_back({std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{0.04, 0.05, 0.05}), RigidTransform{{}, {0.08 + 0.02 * side, 0.08, 0.08}}), 0, 0, {-side, 0.1 * side, 0}});
    return world;
}

struct Stepped {
    std::unique_ptr<world::Method> method;
    double metric(std::string_view name) const {
        for (const world::Metric& m : method->metrics())
            if (m.name == name) return m.value;
        return -1;
    }
    world::FieldTable table(std::string_view output) const {
        world::FieldTable rows;
        for (const world::SecondOutput& second : info.secondOutputs)
            if (second.name == output) method->readSecond(second, rows);
        return rows;
    }
};

Stepped stepped(const Settings& settings, world::World world, int steps, world::Precision precision = world::Precision::float64) {
    Stepped run{info.create(settings, world, precision)};
    for (std::size_t f = 0; f < world.fills.size(); ++f) run.method->insert(Exec(1), world, world.fills[f]);
    for (int s = 0; s < steps; ++s) {
        const double dt = run.method->stableStep(world);
        EXPECT_TRUE(std::holds_alternative<world::Done>(run.method->step(Exec(1), world, dt)));
        world.time += dt;
    }
    return run;
}

double rms(std::span<const double> values) { return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / static_cast<double>(values.size())); }

// The residual of a site is found anew from stress and velocities, whatever the solver computed in and by which law: their mean square is what the solver
// stopped by.
TEST(SecondOutputs, residualsOfSitesAreThatOfTheSolve) {
    const auto expectAgreement = [](const std::string& what, const std::function<void(Settings&)>& change, double cohesion, world::Precision precision) {
        Settings settings;
        settings.tolerance = 1e-2;
        change(settings);
        const Stepped run = stepped(settings, collision(cohesion), 3, precision);
        const world::FieldTable sites = run.table(kSites);
        ASSERT_EQ(static_cast<double>(sites.count()), run.metric(settings.stressBasis == StressBasis::constant ? "cells" : "nodes")) << what;
        const double reported = run.metric("residual_Pa"), found = rms(sites.reals("residual"));
        ASSERT_GT(reported, 1e-3 * run.metric("tolerance_Pa")) << what;
        EXPECT_NEAR(found / reported, 1, precision == world::Precision::float64 ? 1e-9 : 1e-3) << what;
        EXPECT_GT(std::ranges::max(sites.reals("residual")), 2 * found) << what << ": all alike";
    };
    using enum world::Precision;
    expectAgreement("as it is", [](Settings&) {}, 0, float64);
    expectAgreement("in float", [](Settings&) {}, 0, float32);
    expectAgreement("no friction within cells", [](Settings& s) { s.hourglassFriction = false; }, 0, float64);
    expectAgreement("trilinear", [](Settings& s) { s.stressBasis = StressBasis::trilinear; }, 0, float64);
    expectAgreement("cohesive", [](Settings&) {}, 200, float64);
    expectAgreement("flat grains", [](Settings& s) { s.anisotropy = 0.5; }, 0, float64);
    expectAgreement("linf", [](Settings& s) { s.cone = ConeShape::box; }, 0, float64);
    expectAgreement("Cadoux", [](Settings& s) { s.solver = Solver::cadouxApgd; }, 0, float64);
}

TEST(SecondOutputs, showTheGridOfTheLastStep) {
    world::World world = boxWorld({0.5, 0, 0});
    EXPECT_EQ(stepped({}, world, 0).table(kSites).count(), 0U) << "before the first step";
    EXPECT_EQ(stepped({}, world, 0).table(kNodes).count(), 0U);
    const Stepped run = stepped({}, world, 5);
    const world::FieldTable sites = run.table(kSites), nodes = run.table(kNodes);
    ASSERT_EQ(static_cast<double>(nodes.count()), run.metric("nodes"));
    double mass = 0;
    for (const double m : nodes.reals("mass")) mass += m;
    EXPECT_NEAR(mass, static_cast<double>(run.method->count()) * world.materials[0].bulkDensity() * 1e-6 / 8, 1e-9);
    EXPECT_NEAR(std::ranges::max(nodes.reals("fullness")), 1, 0.3);
    const std::span<const double> x = sites.reals("position");
    EXPECT_NEAR(std::fmod(x[0], 0.01), 0.005, 1e-12) << "the middle of a cell";
    const std::span<const double> pressure = sites.reals("pressure"), deviator = sites.reals("root_j2");
    for (std::size_t j = 0; j < sites.count(); ++j) EXPECT_LE(deviator[j], world.materials[0].muHat * pressure[j] + 1e-2 * std::ranges::max(pressure)) << j;
    EXPECT_GT(std::ranges::max(pressure), 0);
    EXPECT_GT(std::ranges::max(sites.reals("shear_rate")), 1) << "beside the box, 0.5 m/s over a cell or two";
}

}  // namespace
}  // namespace talus::nonsmooth
