// SPDX-License-Identifier: Apache-2.0
// Sand on bodies that turn, against exact answers: what turns with a drum stays at rest in it, and a turntable drags what slides on it along by
// Coulomb's law.
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace talus {
namespace {

using namespace test;

constexpr double kCell = 0.01, kRadius = 8.3 * kCell;   // the wall runs between nodes

/// A wall about z of the given material that turns with `spin`.
world::Body drum(int material, double spin) {
    using namespace geometry;
    const auto hole = std::make_shared<Placed>(std::make_shared<Cylinder>(kRadius, 2.0), RigidTransform{{}, {0, 0, -1}});
    const auto wall = std::make_shared<Difference>(std::make_shared<Box>(Vec3{1, 1, 1}), std::vector<ShapePtr>{hole});
    const world::Motion motion = spin == 0 ? world::Motion{} : world::Motion({}, {}, {world::constantSpin({0, 0, spin})});
    return {.name = "drum", .material = material, .shape = wall, .motion = motion, .load = {}};
}

/// Sand that fills the drum up to four cells and turns with `spin`, half a cell from point to point; materials sand, rough and smooth.
world::World sandInADrum(double spin, double friction) {
    const double half = 12 * kCell;
    world::World world;
    world.domain = {{-half, -half, 0}, {half, half, 4 * kCell}, {}};
    world.materials = {world::Material{.name = "sand"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
    world.contacts.set(0, 1, {friction, 0});
    world.contacts.set(0, 2, {0, 0});
    world.resolution.size = kCell;
    world::ListedGrains grains;
    constexpr int kAcross = 48, kDeep = 8;
    for (int i = 0; i < kAcross * kAcross * kDeep; ++i) {
        const Vec3 x{0.5 * kCell * (i % kAcross + 0.5) - half, 0.5 * kCell * (i / kAcross % kAcross + 0.5) - half, 0.5 * kCell * (i / (kAcross * kAcross) + 0.5)};
        if (std::hypot(x.x, x.y) > kRadius) continue;
        grains.positions.push_back(x);
        grains.velocities.push_back(cross(Vec3{0, 0, spin}, x));
    }
    world.fills = {{nullptr, 0, 0, {}, std::make_shared<const world::ListedGrains>(grains)}};
    return world;
}

struct Turning {
    double spin = 0;                  // angular momentum over moment of inertia [rad/s]
    double restless = 0;              // root of the mean square of what is not that rotation [m/s]
    double arm = 0, armSquared = 0;   // means of the distance r from the axis and of r² [m], [m²]
};
Turning turningOf(const world::Simulation& run, const Exec& exec) {
    world::FieldTable now;
    run.method().read(exec, std::array<std::string_view, 2>{"position", "velocity"}, now);
    const auto count = static_cast<double>(now.count());
    const auto vector = [&](std::string_view name, std::size_t i) { return Vec3{now.reals(name)[3 * i], now.reals(name)[3 * i + 1], now.reals(name)[3 * i + 2]}; };
    Turning turning;
    double momentum = 0;
    for (std::size_t i = 0; i < now.count(); ++i) {
        const Vec3 x = vector("position", i);
        const double r = std::hypot(x.x, x.y);
        momentum += cross(x, vector("velocity", i)).z / count;
        turning.arm += r / count;
        turning.armSquared += r * r / count;
    }
    turning.spin = momentum / turning.armSquared;
    for (std::size_t i = 0; i < now.count(); ++i) turning.restless += normSquared(vector("velocity", i) - cross(Vec3{0, 0, turning.spin}, vector("position", i))) / count;
    turning.restless = std::sqrt(turning.restless);
    return turning;
}

world::Simulation start(world::World world, const Exec& exec) {
    auto method = elastoplastic::info.create(elastoplastic::Settings{}, world, world::Precision::float32);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

// A full drum whose sand turns with it from the start: in its frame nothing ever moves, but for the sand that the turning presses together
// at the beginning.
TEST(ElastoplasticSpin, sandThatTurnsWithItsDrumStaysAtRestInIt) {
    const double spin = 6;
    const Exec exec(1);
    world::World world = sandInADrum(spin, 0.4);
    world.gravity = {0, 0, 0};
    for (const std::size_t face : {4u, 5u}) world.domain.faces[face] = world::FaceType::periodic;
    world.bodies = world::domainFaces(world.domain);
    world.bodies.push_back(drum(1, spin));
    world::Simulation run = start(std::move(world), exec);
    for (const double turns : {0.25, 0.5}) {
        advance(run, exec, turns * 2 * std::numbers::pi / spin);
        const Turning turning = turningOf(run, exec);
        std::printf("    %.2f turns: %.5f of its spin, points off by %.1e of the speed of the wall\n", turns, turning.spin / spin, turning.restless / (spin * kRadius));
        EXPECT_NEAR(turning.spin, spin, 1e-3 * spin);
        EXPECT_LT(turning.restless, 1e-2 * spin * kRadius);
    }
}

// Sand at rest in a smooth drum on a turntable, which slides below it: with the pressure ρ g H everywhere, m ⟨r²⟩ dω/dt = μ m g ⟨r⟩.
TEST(ElastoplasticSpin, aTurntableDragsWhatSlidesOnItByCoulombsLaw) {
    const double friction = 0.05, table = 20, settled = 0.04;
    const Exec exec(1);
    world::World world = sandInADrum(0, friction);
    world.domain.min.z = -4 * kCell;
    world.domain.max.z = 8 * kCell;
    world.bodies = world::domainFaces(world.domain);
    world.bodies.push_back(drum(2, 0));
    world.bodies.push_back({.name = "table", .material = 1, .shape = boxBetween({-1, -1, -1}, {1, 1, 0}), .motion = world::Motion({}, {}, {world::constantSpin({0, 0, table})}), .load = {}});
    world::Simulation run = start(std::move(world), exec);
    advance(run, exec, settled);
    const Turning begin = turningOf(run, exec);
    const double torqueBefore = run.world().bodies.back().load.angularImpulse.z, time = 0.08;
    advance(run, exec, settled + time);
    const Turning end = turningOf(run, exec);
    const double mass = world::totals(exec, run).mass, rate = (end.spin - begin.spin) / time, expected = friction * 9.81 * begin.arm / begin.armSquared;
    const double affine = 0.5 * kCell * kCell;   // r² that the affine matrices add to each point's angular momentum
    const double given = -(run.world().bodies.back().load.angularImpulse.z - torqueBefore), got = mass * (end.spin * (end.armSquared + affine) - begin.spin * (begin.armSquared + affine));
    std::printf("    %.3f rad/s², expected %.3f; the table gave %.4f of what the sand got\n", rate, expected, given / got);
    EXPECT_NEAR(rate, expected, 0.02 * expected);
    EXPECT_NEAR(given, got, 5e-3 * got);
}

}  // namespace
}  // namespace talus
