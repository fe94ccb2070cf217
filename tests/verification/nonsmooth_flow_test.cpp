// SPDX-License-Identifier: Apache-2.0
// Flows of the method nonsmooth that have names: Janssen's column, craters; and grains beside others.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"
#include "world/free_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

world::Simulation start(world::World world, const Settings& settings, const Exec& exec) {
    auto method = nonsmooth::info.create(settings, world, world::Precision::float32);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

world::FieldTable read(const world::Simulation& run, const Exec& exec, std::initializer_list<std::string_view> names) {
    world::FieldTable table;
    run.method().read(exec, std::vector<std::string_view>(names), table);
    return table;
}

// A column between rough walls whose floor sinks: walls carry all that friction can. σ_zz = ρ g ℓ (1 − e^{−z/ℓ}), ℓ = D/(4 μ_w K), K from the run.
TEST(NonsmoothVerification, wallsCarryAColumnAsJanssenSays) {
    const double h = 0.01, wide = 8 * h, tall = 32 * h, friction = 0.3;
    world::World world;
    world.domain = {{0, 0, -6 * h}, {wide, wide, tall + 4 * h}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = 0.5}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {friction, 0});
    world.bodies = world::domainFaces(world.domain);
    world.bodies.push_back({.name = "floor", .shape = boxBetween({-h, -h, -4 * h}, {wide + h, wide + h, 0}), .motion = world::Motion({}, {}, {world::Travel{Vec3{0, 0, -0.005}}}), .load = {}});
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0, 0, 0}, {wide, wide, tall}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.dt = 0.01;
    settings.tolerance = 1e-4;
    const Exec exec(1);
    world::Simulation run = start(std::move(world), settings, exec);
    const auto wall = [&] { return std::ranges::find(run.world().bodies, "domain.x_min", &world::Body::name)->load.impulse.x; };
    advance(run, exec, 0.3);
    const double floorBefore = run.world().bodies.back().load.impulse.z, wallBefore = wall();
    double down = 0;
    constexpr int kSamples = 10;
    for (int i = 1; i <= kSamples; ++i) {
        advance(run, exec, 0.3 + 0.03 * i);
        const world::FieldTable now = read(run, exec, {"stress"});
        for (std::size_t k = 0; k < now.count(); ++k) down -= now.reals("stress")[6 * k + 2] / static_cast<double>(kSamples * now.count());
    }
    const double pressure = -(run.world().bodies.back().load.impulse.z - floorBefore) / 0.3 / (wide * wide), onWall = -(wall() - wallBefore) / 0.3 / (wide * tall);
    const double k = onWall / down, length = wide / (4 * friction * k), expected = 1500 * 9.81 * length * (1 - std::exp(-tall / length));
    std::printf("    %.0f Pa on the floor, expected %.0f with K = %.3f from the run; hydrostatic %.0f\n", pressure, expected, k, 1500 * 9.81 * tall);
    EXPECT_NEAR(pressure / expected, 1, 0.15);
    EXPECT_LT(pressure, 0.8 * 1500 * 9.81 * tall);
}

// §7.5 of the paper: a heavy cluster that falls beside a few grains throws them up, where they share nodes with it. How fast, over the speed
// of the cluster; and not at all where they are two cells away.
TEST(NonsmoothVerification, grainsBesideAClusterAreThrownOnlyWhereTheyShareItsNodes) {
    const double h = 0.1, speed = 1;
    for (const double gap : {0.3, 0.6, 2.2}) {
        world::World world;
        world.domain.max = {12 * h, 4 * h, 12 * h};
        world.materials = {world::Material{.name = "sand"}};
        world.bodies = world::domainFaces(world.domain);
        const double from = (4 + gap) * h;
        world.fills = {{boxBetween({0, 0, 0.2 * h}, {4 * h, 4 * h, 4.2 * h}), 0, 0, {0, 0, -speed}}, {boxBetween({from, 0, 0}, {from + 0.5 * h, 4 * h, 0.5 * h}), 0, 1, {}}};
        world.resolution.size = h;
        Settings settings;
        settings.dt = 0.005;
        const Exec exec(1);
        world::Simulation run = start(std::move(world), settings, exec);
        double up = 0, away = 0;
        for (int i = 1; i <= 20; ++i) {
            advance(run, exec, 0.005 * i);
            const world::FieldTable now = read(run, exec, {"velocity", "source"});
            for (std::size_t k = 0; k < now.count(); ++k)
                if (now.integers("source")[k] == 1) {
                    up = std::max(up, now.reals("velocity")[3 * k + 2]);
                    away = std::max(away, std::abs(now.reals("velocity")[3 * k]));
                }
        }
        std::printf("    %.1f cells away: thrown up with %.3f, pushed away with %.3f of the speed of the cluster\n", gap, up / speed, away / speed);
        EXPECT_LT(up, gap > 2 ? 1e-6 : 1.0) << gap;
        EXPECT_LT(away, gap > 2 ? 1e-6 : 1.0) << gap;
    }
}

// Harmonics of the mean radius of a crater, 50 ms after a steel ball hit the sand with 2 m/s.
TEST(NonsmoothStudy, aCraterIsRound) {
    const double h = 0.005, wide = 36 * h, bed = 11 * h, radius = 5 * h;
    world::World world;
    world.domain = {{-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, bed + 16 * h}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2600, .packingFraction = 0.6, .muHat = 0.4}};
    world.bodies = world::domainFaces(world.domain);
    world::Body ball{.name = "ball", .shape = std::make_shared<geometry::Sphere>(radius), .motion = {}, .source = 0, .load = {}};
    world::FreeBody free = world::freeBody(ball.shape->massProperties(), 8000);
    free.pose.position = {0, 0, bed + 1.02 * radius};
    free.pose.velocity = {0, 0, -2};
    ball.motion = free;
    world.bodies.push_back(std::move(ball));
    world.fills = {{boxBetween({-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, bed}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.start = mpm::Start::jittered;
    const Exec exec(2);
    world::Simulation run = start(std::move(world), settings, exec);
    advance(run, exec, 0.05);
    constexpr std::size_t kAngles = 48, kRings = 26;
    std::vector<double> top(kAngles * kRings, 0.0);
    const world::FieldTable now = read(run, exec, {"position"});
    for (std::size_t i = 0; i < now.count(); ++i) {
        const double x = now.reals("position")[3 * i], y = now.reals("position")[3 * i + 1], z = now.reals("position")[3 * i + 2];
        const auto ring = static_cast<std::size_t>(std::hypot(x, y) / (0.65 * h));
        const auto angle = static_cast<std::size_t>((std::atan2(y, x) / (2 * std::numbers::pi) + 1) * kAngles) % kAngles;
        if (ring < kRings && z < bed + 3 * h) top[angle * kRings + ring] = std::max(top[angle * kRings + ring], z);
    }
    std::array<std::complex<double>, 9> harmonic{};
    double deepest = 0;
    for (std::size_t a = 0; a < kAngles; ++a) {
        double sum = 0, weight = 0;   // middle of what lies below the bed
        for (std::size_t r = 8; r < kRings; ++r) {   // outside of the ball
            const double below = std::max(0.0, bed - 0.5 * h - top[a * kRings + r]);
            sum += below * (static_cast<double>(r) + 0.5) * 0.65, weight += below;
            deepest = std::max(deepest, below);
        }
        for (std::size_t k = 0; k < harmonic.size(); ++k) harmonic[k] += std::polar(sum / std::max(weight, 1e-12) * (k ? 2.0 : 1.0) / kAngles, -2 * std::numbers::pi * static_cast<double>(k * a) / kAngles);
    }
    const double rim = harmonic[0].real();
    std::printf("    crater of %.1f cells, up to %.1f deep beyond the ball; A2 %.3f, A4 %.4f, A8 %.4f; ball %.2f radii deep\n", rim, deepest / h, std::abs(harmonic[2]) / rim, std::abs(harmonic[4]) / rim, std::abs(harmonic[8]) / rim,
                (bed + radius - run.world().bodies.back().free()->pose.position.z) / radius);
    EXPECT_GT(rim, radius / h);
    EXPECT_GT(deepest, h);
    EXPECT_LT(std::abs(harmonic[4]) / rim, 0.02);
    EXPECT_LT(std::abs(harmonic[8]) / rim, 0.02);
}

}  // namespace
}  // namespace talus
