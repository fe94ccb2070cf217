// SPDX-License-Identifier: Apache-2.0
// The oracle against closed forms and tables.
#include "contract/sphere_dem.h"

#include "contract/inspect.h"
#include "world/metrics.h"
#include "world/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

namespace talus::contract {
namespace {

using namespace world;

constexpr auto kAlways = [] { return true; };
constexpr double kGravity = 9.81;
constexpr double kDiameter = 0.2;   // [m]
double densityFor(double mass) { return mass / (std::numbers::pi / 6 * std::pow(kDiameter, 3)); }

/// A large domain with open sides, no gravity and one material, friction μ with everything.
World emptyWorld(double sphereMass, double friction) {
    World world;
    world.domain.min = {-100, -100, -100};
    world.domain.max = {100, 100, 100};
    world.domain.faces.fill(FaceType::open);
    world.gravity = {};
    world.resolution.size = kDiameter;
    world.materials = {Material{.name = "ball", .density = densityFor(sphereMass)}};
    world.contacts.set(0, 0, {.friction = friction});
    world.contacts.set(0, -1, {.friction = friction});
    return world;
}
void addSphere(World& world, const Vec3& centre, const Vec3& velocity) {
    const Vec3 half = 0.5 * kDiameter * Vec3{1, 1, 1};
    world.fills.push_back({box(centre - half, centre + half), 0, static_cast<int>(world.fills.size()), velocity});
}
void addFloor(World& world, const Vec3& normal, std::vector<MotionPart> parts = {}) {
    Body floor;
    floor.name = "floor";
    floor.shape = std::make_shared<geometry::Plane>(normal, Vec3{});
    floor.motion = Motion({}, Quat{}, std::move(parts));
    world.bodies.push_back(std::move(floor));
}
Simulation start(World world, const SphereDemSettings& settings) {
    auto method = sphereDemInfo.create(settings, world, Precision::float64);
    Simulation simulation(std::move(world), std::move(method));
    simulation.fill(Exec(1));
    return simulation;
}
SphereDemSettings law(double stiffness, double damping, double stepFraction) {
    SphereDemSettings settings;
    settings.normalStiffness = stiffness;
    settings.normalDamping = damping;
    settings.stepFraction = stepFraction;
    return settings;
}

struct Impact {
    double restitution, duration;
};
/// Two spheres of mass 2 m_eff meet head-on at relative speed v. Before and after the contact they fly freely, so its
/// beginning and end follow from gap and speed.
Impact headOn(double effectiveMass, double speed, const SphereDemSettings& settings) {
    World world = emptyWorld(2 * effectiveMass, 0);
    const double gap = 1e-3 * speed;   // flown in 1 ms
    addSphere(world, {-0.5 * (kDiameter + gap), 0, 0}, {0.5 * speed, 0, 0});
    addSphere(world, {0.5 * (kDiameter + gap), 0, 0}, {-0.5 * speed, 0, 0});
    Simulation simulation = start(std::move(world), settings);
    EXPECT_EQ(simulation.advance(Exec(1), 0.1, kAlways), Reached::target);
    const FieldTable grains = read(simulation.method());
    const double out = vectorAt(grains, field::velocity, 1).x - vectorAt(grains, field::velocity, 0).x;
    const double gapOut = norm(vectorAt(grains, field::position, 1) - vectorAt(grains, field::position, 0)) - kDiameter;
    return {out / speed, 0.1 - gapOut / out - 1e-3};
}

TEST(SphereDem, undampedContactTime) {
    // ∫₀^1 dy / √(1 − y^{5/2}) = 1.4716375, with x_max = (5 m v² / 4 k)^{2/5} [Hertz; Landau and Lifshitz VII §9].
    for (const double speed : {0.1, 1.0, 10.0}) {
        const double deepest = std::pow(1.25 * speed * speed / 1e6, 0.4);
        const Impact impact = headOn(1, speed, law(1e6, 0, 0.005));
        EXPECT_NEAR(impact.duration / (2 * 1.4716375 * deepest / speed), 1, 1e-3) << speed;
        EXPECT_NEAR(impact.restitution, 1, 1e-4) << speed;
    }
}

TEST(SphereDem, restitutionAgainstTheTable) {
    std::ifstream file(TALUS_TEST_DATA "/bell_restitution.csv");
    std::string line;
    std::getline(file, line);
    int rows = 0;
    for (; std::getline(file, line); ++rows) {
        std::istringstream fields(line);
        double damping = 0, speed = 0, restitution = 0, duration = 0;
        char comma = 0;
        fields >> damping >> comma >> speed >> comma >> restitution >> comma >> duration;
        const Impact impact = headOn(1, speed, law(1e6, damping, 0.01));
        EXPECT_NEAR(impact.restitution, restitution, 1e-3) << line;
    }
    EXPECT_EQ(rows, 12);
}

TEST(SphereDem, slideToRoll) {
    constexpr double kSpeed = 1, kFriction = 0.3, kMass = 1, kStop = 2 * kSpeed / (7 * kFriction * kGravity);
    SphereDemSettings settings = law(1e6, 100, 0.05);
    settings.shearStiffness = 1e6;
    World world = emptyWorld(kMass, kFriction);
    world.gravity = {0, 0, -kGravity};
    addFloor(world, {0, 0, 1});
    const double sunk = std::pow(kMass * kGravity / settings.normalStiffness, 2.0 / 3);   // rests from the start
    addSphere(world, {0, 0, 0.5 * kDiameter - sunk}, {kSpeed, 0, 0});
    Simulation simulation = start(std::move(world), settings);
    simulation.advance(Exec(1), 0.5 * kStop, kAlways);
    EXPECT_NEAR(vectorAt(read(simulation.method()), field::velocity, 0).x, kSpeed - kFriction * kGravity * 0.5 * kStop, 0.01);

    // Slip of the contact point vanishes at kStop: from then on v = ω r = 5/7 v₀.
    double stopped = 0;
    for (double time = 0.9 * kStop; stopped == 0 && time < 1.2 * kStop; time += 1e-3 * kStop) {
        simulation.advance(Exec(1), time, kAlways);
        const FieldTable grains = read(simulation.method());
        const double slip =
            vectorAt(grains, field::velocity, 0).x - vectorAt(grains, "angular_velocity", 0).y * (0.5 * kDiameter - sunk);
        if (slip <= 0.005 * kSpeed) stopped = time;
    }
    EXPECT_NEAR(stopped / kStop, 1, 0.01);
    simulation.advance(Exec(1), 3 * kStop, kAlways);
    const FieldTable grains = read(simulation.method());
    EXPECT_NEAR(vectorAt(grains, field::velocity, 0).x, 5.0 / 7 * kSpeed, 0.01 * 5 / 7);
    EXPECT_NEAR(vectorAt(grains, "angular_velocity", 0).y, 5.0 / 7 * kSpeed / (0.5 * kDiameter),
                0.01 * 5 / 7 * kSpeed / (0.5 * kDiameter));
}

/// Acceleration of a sphere on an incline: 5/7 g sin θ where it rolls, g (sin θ − μ cos θ) where it slides, which a steep
/// incline with tan θ > 7/2 μ makes it do.
TEST(SphereDem, rollsOrSlidesDownAnIncline) {
    for (const double friction : {0.5, 0.05}) {
        constexpr double kAngle = 0.5, kTime = 0.5;
        const bool rolls = std::tan(kAngle) < 3.5 * friction;
        SphereDemSettings settings = law(1e6, 100, 0.05);
        settings.shearStiffness = 1e6;
        World world = emptyWorld(1, friction);
        world.gravity = kGravity * Vec3{std::sin(kAngle), 0, -std::cos(kAngle)};
        addFloor(world, {0, 0, 1});
        const double sunk = std::pow(kGravity * std::cos(kAngle) / settings.normalStiffness, 2.0 / 3);
        addSphere(world, {0, 0, 0.5 * kDiameter - sunk}, {});
        Simulation simulation = start(std::move(world), settings);
        simulation.advance(Exec(1), kTime, kAlways);
        const double expected =
            rolls ? 5.0 / 7 * kGravity * std::sin(kAngle) : kGravity * (std::sin(kAngle) - friction * std::cos(kAngle));
        EXPECT_NEAR(vectorAt(read(simulation.method()), field::velocity, 0).x / (expected * kTime), 1, 0.01) << friction;
    }
}

/// A cloud of spheres rushing together, with friction and without bodies.
World cloud(double friction) {
    World world = emptyWorld(0.5, friction);
    for (int k = 0; k < 27; ++k) {
        const Vec3 at = 1.1 * kDiameter * Vec3{k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0};
        addSphere(world, at + 0.02 * kDiameter * Vec3{std::sin(3.0 * k), std::sin(5.0 * k), std::sin(7.0 * k)},
                  -1.5 * at + Vec3{0.3, 0.1, 0});
    }
    return world;
}
struct Moments {
    Vec3 momentum, angularMomentum;
    double scale = 0;   // Σ m |v|
};
Moments moments(const Method& method) {
    const FieldTable g = read(method);
    Moments sum;
    for (std::size_t i = 0; i < g.count(); ++i) {
        const double mass = g.reals("mass")[i], radius = g.reals("radius")[i];
        const Vec3 p = mass * vectorAt(g, field::velocity, i);
        sum.momentum += p;
        sum.angularMomentum +=
            cross(vectorAt(g, field::position, i), p) + 0.4 * mass * radius * radius * vectorAt(g, "angular_velocity", i);
        sum.scale += norm(p);
    }
    return sum;
}

TEST(SphereDem, conservesMomentumAndAngularMomentum) {
    Simulation simulation = start(cloud(0.6), SphereDemSettings{});
    const Moments before = moments(simulation.method());
    simulation.advance(Exec(2), 0.2, kAlways);
    const Moments after = moments(simulation.method());
    EXPECT_GT(totals(Exec(1), simulation).grains, 1);
    EXPECT_LT(norm(after.momentum - before.momentum), 1e-12 * before.scale);
    // The pair of forces acts at one point, but positions move along the predicted path: second order in the step.
    EXPECT_LT(norm(after.angularMomentum - before.angularMomentum), 1e-4 * before.scale);
}

TEST(SphereDem, energyOfElasticCollisions) {
    SphereDemSettings settings = law(1e6, 0, 0.01);
    Simulation simulation = start(cloud(0), settings);
    const double before = *totals(Exec(1), simulation).energy();
    bool stored = false;
    for (int k = 1; k <= 40; ++k) {
        simulation.advance(Exec(1), 0.005 * k, kAlways);
        const Totals now = totals(Exec(1), simulation);
        stored = stored || *now.elasticEnergy > 0.1 * before;
        EXPECT_NEAR(*now.energy() / before, 1, 1e-3) << now.kineticEnergy;
    }
    EXPECT_TRUE(stored) << "the cloud never collided";
}

TEST(SphereDem, loadsOfBodiesBalanceGrainsMomentumAndEnergy) {
    World world = emptyWorld(1, 0.4);
    addFloor(world, {0, 0, 1}, {Oscillation{{0.05, 0, 0.02}, 3, 0, false}});
    addSphere(world, {0, 0, 0.5 * kDiameter + 0.001}, {0.5, 0, 0});
    world.gravity = {0, 0, -kGravity};
    Simulation simulation = start(std::move(world), law(1e6, 0, 0.005));
    const Totals before = totals(Exec(1), simulation);
    simulation.advance(Exec(1), 1.0, kAlways);
    const Totals after = totals(Exec(1), simulation);
    const BodyLoad& load = simulation.world().bodies[0].load;
    const Vec3 gained = after.momentum - before.momentum - after.mass * simulation.world().gravity;
    EXPECT_LT(norm(gained + load.impulse), 1e-11);
    EXPECT_GT(std::abs(after.bodyWork), 0.1);
    EXPECT_GT(load.slipWork, 0.01);
    EXPECT_NEAR(*after.energy() - *before.energy(), after.bodyWork - load.slipWork, 0.01 * std::abs(after.bodyWork));
}

TEST(SphereDem, contactsAcrossAPeriodicFace) {
    World world = emptyWorld(1, 0);
    world.domain.min = {-0.5, -1, -1};
    world.domain.max = {0.5, 1, 1};
    world.domain.faces[0] = world.domain.faces[1] = FaceType::periodic;
    addSphere(world, {-0.35, 0, 0}, {-1, 0, 0});
    addSphere(world, {0.35, 0, 0}, {1, 0, 0});
    Simulation simulation = start(std::move(world), law(1e6, 0, 0.005));
    simulation.advance(Exec(1), 0.15, kAlways);
    const FieldTable grains = read(simulation.method());
    EXPECT_NEAR(vectorAt(grains, field::velocity, 0).x, 1, 1e-4);   // they met at x = ±0.5 and exchanged velocities
    EXPECT_NEAR(vectorAt(grains, field::velocity, 1).x, -1, 1e-4);
}

}  // namespace
}  // namespace talus::contract
