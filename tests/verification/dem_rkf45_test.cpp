// SPDX-License-Identifier: Apache-2.0
// The adaptive integrator against closed forms and tables (PHYSICS §3).
#include "core/rng.h"
#include "csv.h"
#include "verification/dem_world.h"

namespace talus::test {
namespace {

dem::Settings adaptive(double tolerance) {
    dem::Settings settings;
    settings.integrator = dem::Integrator::rkf45;
    settings.tolerance = tolerance;
    return settings;
}

struct Impact {
    double restitution = 0, duration = 0, substeps = 0;
};

/// Two spheres meet head-on at relative speed v, in one go: the integrator alone chooses where to look.
Impact headOn(double density, double diameter, double speed, double contactTime, dem::Settings settings) {
    settings.contactFriction = 0;
    settings.referenceSpeed = speed;
    settings.dt = contactTime;
    world::World world = emptyWorld(density, diameter);
    const double before = 0.3 * contactTime, gap = before * speed, end = 2.5 * contactTime;
    for (const double side : {-1.0, 1.0}) addGrain(world, {0.5 * side * (diameter + gap), 0, 0}, {-0.5 * side * speed, 0, 0}, diameter);
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), end);
    const GrainTable grains(run.method());
    const double out = grains.vector("velocity", 1).x - grains.vector("velocity", 0).x, gapOut = norm(grains.vector("position", 1) - grains.vector("position", 0)) - diameter;
    double substeps = 0;
    for (const world::Metric& m : run.method().metrics())
        if (m.name == "substeps") substeps = m.value;
    return {out / speed, end - gapOut / out - before, substeps};
}

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    ADD_FAILURE() << "no metric " << name;
    return 0;
}

// G_bell_fig3_restitution.csv: figure 3 of Bell et al. A damped linear contact begins and ends with a jump of its force, where errors fall with the first power of the
// substep; all others are continuous.
TEST(DemRkf45, restitutionCurves) {
    const CsvTable table("G_bell_fig3_restitution.csv");
    double worst = 0;
    constexpr double kDiameter = 0.2;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        dem::Settings settings = adaptive(1e-9);
        settings.normal = table.number(row, "b") == 1 ? dem::Normal::linear : dem::Normal::hertz;
        settings.dampingExponent = table.number(row, "a");
        settings.stiffness = 1e6;
        settings.damping = table.number(row, "kd");
        const double time = table.number(row, "t_contact_clamped_s"), e = table.number(row, "e_n (end at f_n=0, no attraction)");
        const Impact impact = headOn(2 / sphereVolume(kDiameter), kDiameter, table.number(row, "v_m_s"), time, settings);
        worst = std::max(worst, std::abs(impact.restitution - e));
        EXPECT_NEAR(impact.restitution, e, 1e-4) << "row " << row;
    }
    std::printf("    restitution %.1e\n", worst);
}

// G_hertz_contact_times.csv: undamped.
TEST(DemRkf45, contactTimes) {
    const CsvTable table("G_hertz_contact_times.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double diameter = 2 * table.number(row, "R_m"), time = table.number(row, "tc_s");
        dem::Settings settings = adaptive(1e-6);
        settings.stiffness = table.number(row, "kr_N_m^1.5");
        settings.damping = 0;
        const Impact impact = headOn(table.number(row, "m_kg") / sphereVolume(diameter), diameter, table.number(row, "v"), time, settings);
        worst = std::max({worst, std::abs(impact.duration / time - 1), std::abs(impact.restitution - 1)});
    }
    std::printf("    worst %.1e\n", worst);
    EXPECT_LT(worst, 1e-4);
}

// The error of an impact falls with the tolerance, and the number of substeps grows slowly.
TEST(DemRkf45, errorsFollowTheTolerance) {
    double error = 1, substeps = 0;
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
        dem::Settings settings = adaptive(tolerance);
        settings.stiffness = 1e6;
        settings.damping = 0;
        constexpr double kDiameter = 0.2, kTime = 0.01287;   // 2.9432 x/v with x = (5/4 m v²/k_r)^(2/5), m = 1 kg
        const Impact impact = headOn(2 / sphereVolume(kDiameter), kDiameter, 1, kTime, settings);
        std::printf("    tolerance %.0e: restitution %.1e, %g substeps\n", tolerance, std::abs(impact.restitution - 1), impact.substeps);
        EXPECT_LT(std::abs(impact.restitution - 1), 50 * tolerance);   // of a dozen substeps and more
        EXPECT_LT(std::abs(impact.restitution - 1), 0.3 * error);
        EXPECT_GT(impact.substeps, substeps);
        error = std::abs(impact.restitution - 1);
        substeps = impact.substeps;
    }
    EXPECT_LT(substeps, 400);
}

TEST(DemRkf45, elasticGasKeepsItsEnergy) {
    for (const dem::Shape shape : {dem::Shape::sphere, dem::Shape::tetra4}) {
        dem::Settings settings = adaptive(1e-5);
        settings.templates = {{.shape = shape, .spacing = 0.8, .spheres = {}, .fraction = 1}};
        settings.restitution = 1;
        settings.contactFriction = settings.rollingFriction = 0;
        settings.shear = dem::Shear::viscous;
        settings.shearViscosity = 1e-30;
        world::World world = emptyWorld(2500, 0.02);
        world.domain.min = {0, 0, 0};
        world.domain.max = {0.12, 0.12, 0.12};
        world.domain.faces.fill(world::FaceType::periodic);
        for (int i = 0; i < 27; ++i) {
            Rng rng(3, 1, static_cast<std::uint64_t>(i));
            addGrain(world, 0.04 * Vec3{i % 3 + 0.5, i / 3 % 3 + 0.5, i / 9 + 0.5}, {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, 0.02);
        }
        world::Simulation run = startDem(std::move(world), settings);
        const world::Totals start = world::totals(Exec(1), run);
        advance(run, Exec(2), 0.3);
        const world::Totals end = world::totals(Exec(1), run);
        const double energy = std::abs(*end.energy() / *start.energy() - 1);
        std::printf("    %s: energy %.1e, momentum %.1e, %g substeps, %g rejected\n", std::string(dem::kShapeNames[static_cast<std::size_t>(shape)]).c_str(), energy,
                    norm(end.momentum - start.momentum) / (start.mass * 0.5), metric(run.method(), "substeps"), metric(run.method(), "rejected_substeps"));
        EXPECT_LT(energy, 1e-3);
        EXPECT_LT(norm(end.momentum - start.momentum), 1e-12 * start.mass);
        EXPECT_GT(metric(run.method(), "substeps"), 0);
        EXPECT_EQ(run.method().fallbacks().back().value, 0) << "substeps above the tolerance";
    }
}

// t = 2 v/(7 μ g), then 5/7 v.
TEST(DemRkf45, slideToRoll) {
    constexpr double kSpeed = 1, kFriction = 0.3, kDiameter = 0.02, kStop = 2 * kSpeed / (7 * kFriction * kGravity);
    dem::Settings settings = adaptive(1e-5);
    settings.rollingFriction = 0;
    world::World world = emptyWorld(2500, kDiameter);
    world.gravity = {0, 0, -kGravity};
    world.contacts.set(0, 1, {.friction = kFriction});
    addFloor(world);
    const double stiffness = 4.0 / 3 * 1e7 / (2 * (1 - 0.3 * 0.3)) * std::sqrt(0.5 * kDiameter), arm = 0.5 * kDiameter - std::pow(2500 * sphereVolume(kDiameter) * kGravity / stiffness, 2.0 / 3);
    addGrain(world, {0, 0, arm}, {kSpeed, 0, 0}, kDiameter);
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), 0.5 * kStop);
    const double half = GrainTable(run.method()).vector("velocity", 0).x;
    advance(run, Exec(1), 2 * kStop);
    const GrainTable g(run.method());
    const double v = g.vector("velocity", 0).x, slip = v - g.vector("angular_velocity", 0).y * arm;
    std::printf("    half the time %.6f of 6/7 v, then %.6f of 5/7 v, slip %.1e\n", half / (6.0 / 7 * kSpeed), v / (5.0 / 7 * kSpeed), slip);
    EXPECT_NEAR(half, 6.0 / 7 * kSpeed, 1e-3);
    EXPECT_NEAR(v, 5.0 / 7 * kSpeed, 0.01 * 5 / 7);
    EXPECT_NEAR(slip, 0, 1e-3);
}

// Springs hold a block that friction can hold: what a substep that is not taken did to them must not stay.
TEST(DemRkf45, aPyramidStandsAndFalls) {
    const auto sunk = [](double friction) {
        constexpr double kDiameter = 0.02, r = 0.5 * kDiameter;
        dem::Settings settings = adaptive(1e-4);
        settings.rollingFriction = 0;
        settings.restitution = 0.3;
        settings.youngsModulus = 1e8;
        world::World world = emptyWorld(2500, kDiameter);
        world.gravity = {0, 0, -kGravity};
        world.contacts.set(0, 1, {.friction = 1});
        world.contacts.set(0, 0, {.friction = friction});
        addFloor(world);
        const double ring = kDiameter / std::sqrt(3.0) * (1 + 1e-3), top = r + std::sqrt(kDiameter * kDiameter - ring * ring);
        for (int i = 0; i < 3; ++i) addGrain(world, {ring * std::cos(2 * std::numbers::pi * i / 3), ring * std::sin(2 * std::numbers::pi * i / 3), r}, {}, kDiameter);
        addGrain(world, {0, 0, top}, {}, kDiameter);
        world::Simulation run = startDem(std::move(world), settings);
        advance(run, Exec(1), 0.3);
        EXPECT_GT(metric(run.method(), "rejected_substeps"), 0);
        return (top - GrainTable(run.method()).vector("position", 3).z) / r;
    };
    EXPECT_LT(sunk(1.03 * 0.318), 0.01);
    EXPECT_GT(sunk(0.95 * 0.318), 0.1);
}

// Bodies that touch: a stack of free boxes rests on a floor, and one that is dropped on it bounces no more than restitution lets it.
TEST(DemRkf45, freeBodiesMeet) {
    world::World world = emptyWorld(2500, 0.02);
    world.gravity = {0, 0, -kGravity};
    addFloor(world);
    for (int i = 0; i < 2; ++i) {
        world::Body box{.name = "box", .material = 1, .shape = std::make_shared<geometry::Box>(Vec3{0.1, 0.1, 0.1}), .motion = {}, .source = i, .load = {}};
        world::FreeBody free = world::freeBody(box.shape->massProperties(), 1000);
        free.pose.position = {0, 0, 0.051 + 0.12 * i};
        box.motion = free;
        world.bodies.push_back(std::move(box));
    }
    addGrain(world, {1, 0, 0.01}, {}, 0.02);   // far away
    world::Simulation run = startDem(std::move(world), adaptive(1e-4));
    advance(run, Exec(1), 1);
    for (std::size_t i = 0; i < 2; ++i) {
        const world::Pose& pose = run.world().bodies[1 + i].free()->pose;
        EXPECT_NEAR(pose.position.z, 0.05 + 0.1 * static_cast<double>(i), 1e-3);
        EXPECT_LT(norm(pose.velocity) + norm(pose.angularVelocity), 1e-3);
    }
}

}  // namespace
}  // namespace talus::test
