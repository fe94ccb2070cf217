// SPDX-License-Identifier: Apache-2.0
// Grains that hold together: dem against closed forms.
#include "verification/dem_world.h"

#include "world/metrics.h"

namespace talus {
namespace {

using namespace test;

constexpr double kDiameter = 2e-3, kRadius = 0.5 * kDiameter, kDensity = 2500, kPi = std::numbers::pi;
constexpr double kModulus = 1e7 / (2 * (1 - 0.3 * 0.3));   // effective, of two grains of the default material [Pa]

dem::Settings withLaw(const auto& law) {
    dem::Settings settings;
    settings.cohesion = {{.between = {}, .law = law}};
    return settings;
}

/// A grain hangs from a ceiling (the floor, with gravity upwards), pressed to it at the start by what holds it; its weight grows from zero to
/// `weight` in 50 ms and stays. Returns how far it has come down another 50 ms later [m].
double hungDown(const dem::Settings& settings, double weight, double start) {
    world::World world = emptyWorld(kDensity, kDiameter);
    addFloor(world);
    addGrain(world, {0, 0, kRadius - start}, {}, kDiameter);
    const Vec3 most{0, 0, weight / (kDensity * sphereVolume(kDiameter))};
    world.gravityOverTime = Schedule<Vec3>(TimeTable<Vec3>{{0, 0.05}, {Vec3{}, most}});
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), 0.1);
    return GrainTable(run.method()).vector("position", 0).z - kRadius;
}

// 32 π³ k³ R³/(27 k_r²) against a wall, where R is the radius of the grain.
TEST(DemCohesion, sjkrHoldsUpToItsPullOffForce) {
    constexpr double k = 4e5;
    const double stiffness = 4.0 / 3 * kModulus * std::sqrt(kRadius), pull = 2 * kPi * k * kRadius;
    const double expected = 4 * std::pow(pull, 3) / (27 * stiffness * stiffness), rest = std::pow(pull / stiffness, 2);
    const dem::Settings settings = withLaw(dem::SjkrCohesion{k});
    const double below = hungDown(settings, 0.98 * expected, rest), above = hungDown(settings, 1.02 * expected, rest);
    std::printf("    pull-off %.3e N, %.1f weights; at 0.98 of it %.3e m below the surface, at 1.02 %.3e m above\n", expected, expected / (kDensity * sphereVolume(kDiameter) * kGravity), -below, above);
    EXPECT_LT(below, 0);
    EXPECT_GT(above, kDiameter);
}

// 4 π r γ cos θ against a wall; the bridge is stretched and breaks.
TEST(DemCohesion, aBridgeHoldsUpToItsPullOffForce) {
    const dem::BridgeCohesion water{.surfaceTension = 0.0728, .contactAngleDeg = 20, .liquid = 0.01};
    const double expected = 4 * kPi * kRadius * 0.0728 * std::cos(20 * kPi / 180), stiffness = 4.0 / 3 * kModulus * std::sqrt(kRadius);
    const double rest = std::pow(expected / stiffness, 2.0 / 3);
    const double below = hungDown(withLaw(water), 0.99 * expected, rest), above = hungDown(withLaw(water), 1.01 * expected, rest);
    std::printf("    pull-off %.3e N, %.1f weights; at 0.99 of it %.3e m below the surface, at 1.01 %.3e m above\n", expected, expected / (kDensity * sphereVolume(kDiameter) * kGravity), -below, above);
    EXPECT_LT(below, 0);
    EXPECT_GT(above, kDiameter);
}

/// Two grains that touch lightly part with that speed each; how they do is left to the test. No damping, so that energy is kept.
struct Parting {
    double gap = 0, speed = 0;            // greatest gap [m]; of one at the end [m/s]
    double drift = 0;                     // of the energy while nothing breaks, over the kinetic at the start
    double lost = 0;                      // energy at the end less that at the start [J]
};
Parting part(dem::Settings settings, double speed, double until) {
    settings.damping = 0;
    settings.stepFraction = 0.02;
    world::World world = emptyWorld(kDensity, kDiameter);
    const double half = kRadius * (1 - 1e-7);
    addGrain(world, {-half, 0, 0}, {-speed, 0, 0}, kDiameter);
    addGrain(world, {half, 0, 0}, {speed, 0, 0}, kDiameter);
    world::Simulation run = startDem(std::move(world), settings);
    const auto energy = [&] { return *world::totals(Exec(1), run).energy(); };
    const double kinetic = kDensity * sphereVolume(kDiameter) * speed * speed;
    double start = 0;
    Parting result;
    for (int i = 1; i <= 400; ++i) {
        advance(run, Exec(1), until * i / 400);
        if (i == 1) start = energy();
        const GrainTable g(run.method());
        result.gap = std::max(result.gap, g.vector("position", 1).x - g.vector("position", 0).x - kDiameter);
        result.drift = std::max(result.drift, std::abs(energy() - start) / kinetic);
        result.speed = g.vector("velocity", 1).x;
    }
    result.lost = start - energy();
    return result;
}

/// Work to break the bridge of two equal grains [J].
double breakingWork(const dem::BridgeCohesion& law) {
    const dem::HoldConstants hold = dem::holdConstants(law, kRadius, kRadius);
    return dem::heldEnergy(hold, -hold.rupture);
}

// Two grains whose energy is 0.9 of the work of the bridge turn round before it breaks and come back; the energy of the bridge is in the books.
TEST(DemCohesion, aBridgeBringsGrainsBackThatCouldNotBreakIt) {
    const dem::BridgeCohesion water{.surfaceTension = 0.0728, .contactAngleDeg = 0, .liquid = 0.01};
    const double work = breakingWork(water), mass = kDensity * sphereVolume(kDiameter), rupture = dem::holdConstants(water, kRadius, kRadius).rupture;
    const double speed = std::sqrt(0.9 * work / mass);
    const Parting back = part(withLaw(water), speed, 0.02);
    std::printf("    furthest %.4f of the rupture length; energy to %.1e of the kinetic\n", back.gap / rupture, back.drift);
    EXPECT_LT(back.gap, rupture);
    EXPECT_GT(back.gap, 0.5 * rupture);
    EXPECT_LT(back.drift, 1e-3);
}

// With 1.1 of it they part, and what is lost is the work of the bridge: each keeps 1 − 1/1.1 of its kinetic energy.
TEST(DemCohesion, aBridgeThatBreaksCostsItsWork) {
    const dem::BridgeCohesion water{.surfaceTension = 0.0728, .contactAngleDeg = 0, .liquid = 0.01};
    const double work = breakingWork(water), mass = kDensity * sphereVolume(kDiameter);
    const double speed = std::sqrt(1.1 * work / mass);
    const Parting away = part(withLaw(water), speed, 0.02);
    std::printf("    leaves with %.5f of the speed, expected %.5f; lost %.5f of the work\n", away.speed / speed, std::sqrt(1 - 1 / 1.1), away.lost / work);
    EXPECT_NEAR(away.speed / speed, std::sqrt(1 - 1 / 1.1), 2e-3);
    EXPECT_NEAR(away.lost / work, 1, 2e-3);
}

// A bridge longer than the skin, so that the list must reach for it, is still there after a checkpoint and after the list was made anew.
TEST(DemCohesion, aStretchedBridgeIsKeptByCheckpointsAndLists) {
    dem::Settings settings = withLaw(dem::BridgeCohesion{.surfaceTension = 0.0728, .contactAngleDeg = 0, .liquid = 0.01});
    settings.skin = 0.01;
    const double rupture = dem::holdConstants(dem::BridgeCohesion{}, kRadius, kRadius).rupture, speed = std::sqrt(0.9 * breakingWork({}) / (kDensity * sphereVolume(kDiameter)));
    ASSERT_GT(rupture, 5 * settings.skin * kDiameter);
    world::World world = emptyWorld(kDensity, kDiameter);
    addGrain(world, {-kRadius * (1 - 1e-7), 0, 0}, {-speed, 0, 0}, kDiameter);
    addGrain(world, {kRadius * (1 - 1e-7), 0, 0}, {speed, 0, 0}, kDiameter);
    world::Simulation run = startDem(world, settings), resumed = startDem(world, settings);
    const auto gap = [](const world::Simulation& s) {
        const GrainTable g(s.method());
        return g.vector("position", 1).x - g.vector("position", 0).x - kDiameter;
    };
    double time = 0;
    while (gap(run) < 0.5 * rupture && time < 0.05) advance(run, Exec(1), time += 1e-4);
    MemoryArchive archive;
    run.save(archive);
    resumed.load(Exec(1), archive);
    EXPECT_EQ(GrainTable(resumed.method()).number("elastic_energy", 0), GrainTable(run.method()).number("elastic_energy", 0));
    EXPECT_GT(GrainTable(run.method()).number("elastic_energy", 0), 0);
    for (world::Simulation* s : {&run, &resumed}) advance(*s, Exec(1), 0.05);
    EXPECT_EQ(GrainTable(run.method()).vector("position", 0), GrainTable(resumed.method()).vector("position", 0));
    EXPECT_LT(gap(run), rupture) << "held";
}

TEST(DemCohesion, dryGrainsThatComeNearAreNotHeld) {
    world::World world = emptyWorld(kDensity, kDiameter);
    addGrain(world, {0, 0, 0}, {}, kDiameter);
    addGrain(world, {kDiameter * 1.001, 0, 0}, {}, kDiameter);
    world::Simulation run = startDem(std::move(world), withLaw(dem::BridgeCohesion{}));
    advance(run, Exec(1), 0.05);
    EXPECT_EQ(GrainTable(run.method()).vector("velocity", 0), Vec3{});
}

// Entries that name two materials come before one that names none.
TEST(DemCohesion, holdsForTheMaterialsItNames) {
    dem::Settings settings = withLaw(dem::SjkrCohesion{1e5});
    settings.cohesion.push_back({.between = {"floor", "ball"}, .law = dem::BridgeCohesion{}});
    const double stiffness = 4.0 / 3 * kModulus * std::sqrt(kRadius), pull = 4 * kPi * kRadius * 0.0728;
    EXPECT_LT(hungDown(settings, 0.9 * pull, std::pow(pull / stiffness, 2.0 / 3)), 0);
}

}  // namespace
}  // namespace talus
