// SPDX-License-Identifier: Apache-2.0
// Sliding, rolling, standing: dem against closed forms.
#include "core/rng.h"
#include "csv.h"
#include "verification/dem_world.h"

namespace talus {
namespace {

using namespace test;

constexpr double kHertzModulus = 4.0 / 3 * 1e7 / (2 * (1 - 0.3 * 0.3));   // k_r over √R of the default material [Pa]

/// How far a contact gives way under a force [m].
double sunkBy(double force, double radius) { return std::pow(force / (kHertzModulus * std::sqrt(radius)), 2.0 / 3); }

TEST(DemVerification, slideToRoll) {
    constexpr double kSpeed = 1, kFriction = 0.3, kDiameter = 0.02, kStop = 2 * kSpeed / (7 * kFriction * kGravity);
    dem::Settings settings;
    settings.rollingFriction = 0;
    world::World world = emptyWorld(2500, kDiameter);
    world.gravity = {0, 0, -kGravity};
    world.contacts.set(0, 1, {.friction = kFriction});
    addFloor(world);
    const double arm = 0.5 * kDiameter - sunkBy(2500 * sphereVolume(kDiameter) * kGravity, 0.5 * kDiameter);   // rests from the start
    addGrain(world, {0, 0, arm}, {kSpeed, 0, 0}, kDiameter);
    world::Simulation run = startDem(std::move(world), settings);
    double stopped = 0;
    for (double time = 0.9 * kStop; stopped == 0 && time < 1.2 * kStop; time += 1e-3 * kStop) {
        advance(run, Exec(1), time);
        const GrainTable g(run.method());
        if (g.vector("velocity", 0).x - g.vector("angular_velocity", 0).y * arm <= 0.005 * kSpeed) stopped = time;
    }
    advance(run, Exec(1), 3 * kStop);
    const double v = GrainTable(run.method()).vector("velocity", 0).x;
    std::printf("    rolls after %.4f of 2 v/(7 mu g) with %.5f of 5/7 v\n", stopped / kStop, v / (5.0 / 7 * kSpeed));
    EXPECT_NEAR(stopped / kStop, 1, 0.01);
    EXPECT_NEAR(v, 5.0 / 7 * kSpeed, 0.01 * 5 / 7);
}

/// Spins the only grain about an axis [rad/s]; grains come without spin.
void spin(world::Simulation& run, const Vec3& rate) {
    const GrainTable g(run.method());
    const double inertia = 0.4 * g.number("mass", 0) * g.number("radius", 0) * g.number("radius", 0);
    MemoryArchive archive;
    run.save(archive);
    archive.put("method/grains/angular_momentum", std::vector<double>{inertia * rate.x, inertia * rate.y, inertia * rate.z});
    run.load(Exec(1), archive);
}

// The torque μ_w R m g stops a sphere, 2/5 m R² of inertia, after 2 R ω/(5 μ_w g); it then stands. The coefficient is that of all pairs, or of this one.
TEST(DemVerification, aSpinningTopStopsByTwistingFriction) {
    constexpr double kDiameter = 0.02, kRate = 40, kTwisting = 0.05, kStop = 0.4 * 0.5 * kDiameter * kRate / (kTwisting * kGravity);
    for (const dem::Shear shear : {dem::Shear::spring, dem::Shear::capped}) {
        dem::Settings settings;
        settings.shear = shear;
        settings.rollingFriction = 0;
        if (shear == dem::Shear::spring) settings.twistingFriction = kTwisting;
        else settings.pairs = {{.between = {"floor", "ball"}, .rollingFriction = {}, .twistingFriction = kTwisting}};
        world::World world = emptyWorld(2500, kDiameter);
        world.gravity = {0, 0, -kGravity};
        addFloor(world);
        addGrain(world, {0, 0, 0.5 * kDiameter - sunkBy(2500 * sphereVolume(kDiameter) * kGravity, 0.5 * kDiameter)}, {}, kDiameter);
        world::Simulation run = startDem(std::move(world), settings);
        spin(run, {0, 0, kRate});
        advance(run, Exec(1), 0.5 * kStop);
        const double half = GrainTable(run.method()).vector("angular_velocity", 0).z;
        double stopped = 0;
        for (double time = 0.9 * kStop; stopped == 0 && time < 1.2 * kStop; time += 1e-3 * kStop) {
            advance(run, Exec(1), time);
            if (GrainTable(run.method()).vector("angular_velocity", 0).z <= 0.002 * kRate) stopped = time;
        }
        advance(run, Exec(1), 2 * kStop);
        const Vec3 left = GrainTable(run.method()).vector("angular_velocity", 0);
        std::printf("    half the speed %.5f, stops after %.4f of 2 R w/(5 mu g), then %.1e of its speed\n", half / kRate, stopped / kStop, norm(left) / kRate);
        EXPECT_NEAR(half, 0.5 * kRate, 2e-3 * kRate);
        EXPECT_NEAR(stopped / kStop, 1, 0.01);
        EXPECT_LT(norm(left), 1e-6 * kRate);
        EXPECT_LT(norm(GrainTable(run.method()).vector("velocity", 0)), 1e-9);
    }
}

/// A flat clump of four spheres cannot roll. It lies on a floor, gravity is turned to the slope within 0.2 s, and speed and way are
/// taken a second apart.
struct Slide {
    double acceleration = 0, creep = 0;   // [m/s²], [m/s]
};
Slide slidePlate(double thetaDeg, double friction, dem::Settings settings) {
    constexpr double kDiameter = 0.1, kDensity = 2000;
    settings.templates = {{.shape = dem::Shape::spheres, .spacing = 1, .spheres = {-2, -2, 0, 1, 2, -2, 0, 1, -2, 2, 0, 1, 2, 2, 0, 1}, .fraction = 1}};
    settings.restitution = 0.3;
    settings.rollingFriction = 0;
    const double radius = kDiameter / std::cbrt(32.0), weight = kDensity * sphereVolume(kDiameter) * kGravity, theta = thetaDeg * std::numbers::pi / 180;
    world::World world = emptyWorld(kDensity, kDiameter);
    world.contacts.set(0, 1, {.friction = friction});
    addFloor(world);
    addGrain(world, {0, 0, radius - sunkBy(0.25 * weight * std::cos(theta), radius)}, {}, kDiameter, Quat::fromAxisAngle({0, 1, 0}, -0.5 * std::numbers::pi));   // the axis of the largest moment, its first, is upright
    const Vec3 across{0, 0, -kGravity * std::cos(theta)}, slope{kGravity * std::sin(theta), 0, -kGravity * std::cos(theta)};
    world.gravityOverTime = Schedule<Vec3>(TimeTable<Vec3>{{0, 0.2}, {across, slope}});
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), 0.5);
    const GrainTable early(run.method());
    advance(run, Exec(1), 1.5);
    const GrainTable late(run.method());
    EXPECT_LT(std::abs(late.vector("position", 0).z - early.vector("position", 0).z), 1e-4) << "it left the floor";
    return {late.vector("velocity", 0).x - early.vector("velocity", 0).x, late.vector("position", 0).x - early.vector("position", 0).x};
}

TEST(DemVerification, slidingBlock) {
    const CsvTable table("D_sliding_block.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double theta = table.number(row, "theta_deg"), friction = table.number(row, "mu"), expected = table.number(row, "acceleration_m_s2");
        if (std::abs(std::tan(theta * std::numbers::pi / 180) - friction) < 1e-6) continue;   // on the edge
        const Slide slide = slidePlate(theta, friction, {});
        worst = std::max(worst, std::abs(slide.acceleration - expected) / kGravity);
        EXPECT_NEAR(slide.acceleration, expected, 1e-3 * std::max(expected, 0.1 * kGravity)) << theta << " degrees, friction " << friction;
        if (expected == 0) {
            EXPECT_LT(std::abs(slide.creep), 1e-9) << "it creeps";
        }
    }
    std::printf("    worst %.1e g\n", worst);
}

// A block that friction could hold creeps with law (18) at F_t / k_t, of each of its four contacts.
TEST(DemVerification, aBlockCreepsWithTheCappedLaw) {
    dem::Settings settings;
    settings.shear = dem::Shear::capped;
    settings.shearViscosity = 50;
    const double expected = 2000 * sphereVolume(0.1) * kGravity * std::sin(15 * std::numbers::pi / 180) / (4 * 50);
    const Slide slide = slidePlate(15, 0.6, settings);
    std::printf("    creeps at %.5f of F_t/k_t\n", slide.creep / expected);
    EXPECT_NEAR(slide.creep, expected, 0.01 * expected);
}

/// How far the top sphere of a pyramid on `base` spheres has come down after half a second, over its radius.
double sunkPyramid(int base, double friction, dem::Settings settings) {
    constexpr double kDiameter = 0.02;
    settings.rollingFriction = 0;
    settings.restitution = 0.3;
    settings.youngsModulus = 1e8;
    world::World world = emptyWorld(2500, kDiameter);
    world.gravity = {0, 0, -kGravity};
    world.contacts.set(0, 1, {.friction = 1});
    world.contacts.set(0, 0, {.friction = friction});
    addFloor(world);
    const double ring = 0.5 * kDiameter / std::sin(std::numbers::pi / base) * (1 + 1e-3), r = 0.5 * kDiameter;
    for (int i = 0; i < base; ++i) addGrain(world, {ring * std::cos(2 * std::numbers::pi * i / base), ring * std::sin(2 * std::numbers::pi * i / base), r}, {}, kDiameter);
    const double top = r + std::sqrt(kDiameter * kDiameter - ring * ring);
    addGrain(world, {0, 0, top}, {}, kDiameter);
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), 0.5);
    return (top - GrainTable(run.method()).vector("position", static_cast<std::size_t>(base)).z) / r;
}

// Friction between the spheres must be at least tan(α/2), α the angle of a contact to the vertical: 0.318 on three spheres, 0.414 on four.
TEST(DemVerification, stacksStandFromTheirFrictionOn) {
    for (const auto& [base, least] : {std::pair{3, 0.318}, std::pair{4, 0.414}}) {
        EXPECT_LT(sunkPyramid(base, 1.03 * least, {}), 0.01) << base;
        EXPECT_GT(sunkPyramid(base, 0.95 * least, {}), 0.1) << base;
    }
    dem::Settings capped;
    capped.shear = dem::Shear::capped;
    EXPECT_GT(sunkPyramid(3, 0.5, capped), 0.02) << "law (18) lets a stack creep";
}

// Two small spheres roll down opposite sides of one ten times as large: from rest at θ₀ without slipping v² = 10/7 g (R + r)(cos θ₀ − cos θ).
// A spring that is not of the same instant as positions and velocities holds them back.
TEST(DemVerification, threeGrainsOneToTen) {
    constexpr double kLarge = 0.1, kSmall = 0.01, kStart = 0.3, kReach = 0.5 * (kLarge + kSmall);
    dem::Settings settings;
    settings.rollingFriction = 0;
    settings.restitution = 0.3;
    settings.youngsModulus = 1e8;
    settings.diameter = kSmall;
    world::World world = emptyWorld(2500, kSmall);
    world.gravity = {0, 0, -kGravity};
    world.contacts.set(0, 0, {.friction = 1});
    world.contacts.set(0, 1, {.friction = 1});
    addFloor(world);
    addGrain(world, {0, 0, 0.5 * kLarge}, {}, kLarge);
    for (const double side : {-1.0, 1.0}) addGrain(world, {side * kReach * std::sin(kStart), 0, 0.5 * kLarge + kReach * std::cos(kStart)}, {}, kSmall);
    world::Simulation run = startDem(std::move(world), settings);
    double worst = 0, angle = 0;
    for (double time = 0.005; angle < 0.7 && time < 0.5; time += 0.005) {
        advance(run, Exec(1), time);
        const GrainTable g(run.method());
        const Vec3 from = g.vector("position", 2) - g.vector("position", 0);
        angle = std::atan2(from.x, from.z);
        const double v = norm(g.vector("velocity", 2) - g.vector("velocity", 0)), expected = std::sqrt(10.0 / 7 * kGravity * kReach * (std::cos(kStart) - std::cos(angle)));
        if (angle > 0.45) worst = std::max(worst, std::abs(v / expected - 1));
        EXPECT_NEAR(g.vector("position", 0).x, 0, 1e-4 * kLarge);
    }
    std::printf("    speed of rolling %.1e\n", worst);
    EXPECT_GE(angle, 0.7) << "they stuck";
    EXPECT_LT(worst, 0.02);
}

// A grain that comes pressed against a free body: from the first step on each gets what the other loses.
TEST(DemVerification, whatPressesABodyFromTheStartIsPressedBack) {
    constexpr double kDiameter = 0.02;
    const dem::Settings settings = softGrains();
    world::World world = emptyWorld(2500, kDiameter);
    world::FreeBody free;
    free.mass = 0.05;
    free.inertia = 1e-5 * Mat3::identity();
    world::Body block;
    block.name = "block";
    block.material = 1;
    block.shape = std::make_shared<geometry::Box>(Vec3{0.04, 0.04, 0.04});
    block.motion = free;
    world.bodies.push_back(std::move(block));
    addGrain(world, {0, 0, 0.02 + 0.49 * kDiameter}, {}, kDiameter);
    world::Simulation run = startDem(std::move(world), settings);
    for (int step = 0; step < 3; ++step) {
        advance(run, Exec(1), run.world().time + 0.5 * run.method().stableStep(run.world()));
        const GrainTable grains(run.method());
        const Vec3 grain = grains.number("mass", 0) * grains.vector("velocity", 0), body = 0.05 * run.world().bodies[0].free()->pose.velocity;
        EXPECT_GT(grain.z, 0);
        EXPECT_LT(norm(grain + body), 1e-12 * norm(grain)) << "step " << step;
    }
}

/// A gas of elastic grains without friction in a periodic box.
TEST(DemVerification, elasticGasKeepsItsEnergy) {
    for (const dem::Shape shape : {dem::Shape::sphere, dem::Shape::tetra4}) {
        dem::Settings settings;
        settings.templates = {{.shape = shape, .spacing = 0.8, .spheres = {}, .fraction = 1}};
        settings.restitution = 1;
        settings.contactFriction = settings.rollingFriction = 0;
        settings.shear = dem::Shear::coulomb;
        settings.stepFraction = 0.02;
        world::World world = emptyWorld(2500, 0.02);
        world.domain.min = {0, 0, 0};
        world.domain.max = {0.12, 0.12, 0.12};
        world.domain.faces.fill(world::FaceType::periodic);
        for (int i = 0; i < 64; ++i) {
            Rng rng(3, 1, static_cast<std::uint64_t>(i));
            addGrain(world, 0.03 * Vec3{i % 4 + 0.5, i / 4 % 4 + 0.5, i / 16 + 0.5}, {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, 0.02);
        }
        world::Simulation run = startDem(std::move(world), settings);
        const world::Totals start = world::totals(Exec(1), run);
        double worst = 0;
        for (int k = 1; k <= 20; ++k) {
            advance(run, Exec(1), 0.05 * k);
            worst = std::max(worst, std::abs(*world::totals(Exec(1), run).energy() / *start.energy() - 1));
        }
        const world::Totals end = world::totals(Exec(1), run);
        std::printf("    %s: energy %.1e, momentum %.1e\n", std::string(dem::kShapeNames[static_cast<std::size_t>(shape)]).c_str(), worst,
                    norm(end.momentum - start.momentum) / (start.mass * 0.5));
        EXPECT_LT(worst, 5e-3);
        EXPECT_LT(norm(end.momentum - start.momentum), 1e-12 * start.mass);
    }
}

// A resting bed: Σ V σ_zz = −Σ m g z for grains on a floor at z = 0, and the floor carries the weight.
TEST(DemVerification, aRestingBedCarriesItsWeight) {
    dem::Settings settings;
    world::World world = emptyWorld(2500, 0.02);
    world.domain.min = {0, 0, 0};
    world.domain.max = {0.1, 0.1, 0.5};
    world.domain.faces = {world::FaceType::periodic, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::wall};
    world.bodies = world::domainFaces(world.domain);
    world.gravity = {0, 0, -kGravity};
    world.materials[0].packingFraction = 0.6;
    world.fills = {{boxBetween({0, 0, 0}, {0.1, 0.1, 0.16}), 0, 0, {}}};
    world::Simulation run = startDem(std::move(world), settings);
    EXPECT_GT(run.method().metrics().front().value, 0.5) << "packing fraction";
    advance(run, Exec(2), 1.0);
    // The bed rings a little: means over a tenth of a second.
    constexpr int kSamples = 50;
    double stress = 0, weight = 0, moment = 0, speed = 0;
    const double before = run.world().bodies[0].load.impulse.z;
    for (int k = 1; k <= kSamples; ++k) {
        advance(run, Exec(2), 1.0 + 0.1 * k / kSamples);
        const GrainTable grains(run.method());
        speed = weight = 0;
        for (std::size_t i = 0; i < grains.count(); ++i) {
            stress += grains.number("volume", i) * grains.stressZZ(i);
            moment += grains.number("mass", i) * kGravity * grains.vector("position", i).z;
            weight += grains.number("mass", i) * kGravity;
            speed = std::max(speed, norm(grains.vector("velocity", i)));
        }
    }
    const double floor = -(run.world().bodies[0].load.impulse.z - before) / 0.1;
    std::printf("    %lld grains: stress %.4f, floor %.4f, fastest %.1e m/s\n", static_cast<long long>(run.method().count()), -stress / moment, floor / weight, speed);
    EXPECT_NEAR(-stress / moment, 1, 0.02);
    EXPECT_NEAR(floor / weight, 1, 0.02);
}

}  // namespace
}  // namespace talus
