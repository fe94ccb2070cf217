// SPDX-License-Identifier: Apache-2.0
// Flows that have names, for methods whose grains are material points: Janssen's column, craters, silos. Lengths are in cells.
#pragma once

#include "verification/bed.h"
#include "world/fields.h"
#include "world/free_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <string_view>
#include <vector>

namespace talus::test {

/// Makes a method for the world and puts its grains in.
using Start = std::function<world::Simulation(world::World, const Exec&)>;
template <class Settings>
Start startWith(const world::MethodInfo& info, const Settings& settings) {
    return [&info, settings](world::World world, const Exec& exec) {
        auto method = info.create(settings, world, world::Precision::float32);
        world::Simulation run(std::move(world), std::move(method));
        run.fill(exec);
        return run;
    };
}

inline world::FieldTable read(const world::Simulation& run, const Exec& exec, std::initializer_list<std::string_view> names) {
    world::FieldTable table;
    run.method().read(exec, std::vector<std::string_view>(names), table);
    return table;
}

/// Pressures on the floor of a column [Pa], and what they are of.
struct JanssenColumn {
    double floor = 0, expected = 0, hydrostatic = 0;
    double k = 0;   // mean pressure on the walls over that on cross-sections
};
/// A column of 8 x 8 x 32 cells between rough walls whose floor sinks: walls carry all that friction can, and
/// σ_zz = ρ g ℓ (1 − e^{−z/ℓ}), ℓ = D/(4 μ_w K), with K of the run itself.
inline JanssenColumn sinkingColumn(const Start& start, double settled = 0.3) {
    const double h = 0.01, wide = 8 * h, tall = 32 * h, friction = 0.3, weight = 1500 * 9.81;
    world::World world;
    world.domain = {{0, 0, -6 * h}, {wide, wide, tall + 4 * h}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = 0.5}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {friction, 0});
    world.bodies = world::domainFaces(world.domain);
    world.bodies.push_back({.name = "floor", .shape = boxBetween({-h, -h, -4 * h}, {wide + h, wide + h, 0}), .motion = world::Motion({}, {}, {world::Travel{Vec3{0, 0, -0.005}}}), .load = {}});
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0, 0, 0}, {wide, wide, tall}), 0, 0, {}}};
    world.resolution.size = h;
    const Exec exec(1);
    world::Simulation run = start(std::move(world), exec);
    const auto wall = [&] { return std::ranges::find(run.world().bodies, "domain.x_min", &world::Body::name)->load.impulse.x; };
    advance(run, exec, settled);
    const double floorBefore = run.world().bodies.back().load.impulse.z, wallBefore = wall();
    double down = 0;
    constexpr int kSamples = 10;
    for (int i = 1; i <= kSamples; ++i) {
        advance(run, exec, settled * (1 + static_cast<double>(i) / kSamples));
        const world::FieldTable now = read(run, exec, {"stress"});
        for (std::size_t p = 0; p < now.count(); ++p) down -= now.reals("stress")[6 * p + 2] / static_cast<double>(kSamples * now.count());
    }
    JanssenColumn column{.floor = -(run.world().bodies.back().load.impulse.z - floorBefore) / settled / (wide * wide), .hydrostatic = weight * tall};
    column.k = -(wall() - wallBefore) / settled / (wide * tall) / down;
    const double length = wide / (4 * friction * column.k);
    column.expected = weight * length * (1 - std::exp(-tall / length));
    std::printf("    %.0f Pa on the floor, expected %.0f with K = %.3f from the run; hydrostatic %.0f\n", column.floor, column.expected, column.k, column.hydrostatic);
    return column;
}

/// A crater as it is seen from above.
struct Crater {
    double radius = 0, depth = 0;             // mean over all directions, beyond the ball; deepest there [cells]
    std::array<double, 9> harmonics{};        // A_k: amplitude of k waves around over the radius
};
/// 50 ms after a steel ball of ten cells hit a bed with 2 m/s.
inline Crater craterOfABall(const Start& start) {
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
    const Exec exec(2);
    world::Simulation run = start(std::move(world), exec);
    advance(run, exec, 0.05);

    constexpr std::size_t kAngles = 48, kRings = 26, kBall = 8;   // rings 0.65 cells wide, the first of them in the ball
    constexpr double kRing = 0.65;
    std::vector<double> top(kAngles * kRings, 0.0);
    const world::FieldTable now = read(run, exec, {"position"});
    for (std::size_t i = 0; i < now.count(); ++i) {
        const double x = now.reals("position")[3 * i], y = now.reals("position")[3 * i + 1], z = now.reals("position")[3 * i + 2];
        const auto ring = static_cast<std::size_t>(std::hypot(x, y) / (kRing * h));
        const auto angle = static_cast<std::size_t>((std::atan2(y, x) / (2 * std::numbers::pi) + 1) * kAngles) % kAngles;
        if (ring < kRings && z < bed + 3 * h) top[angle * kRings + ring] = std::max(top[angle * kRings + ring], z);
    }
    Crater crater;
    std::array<std::complex<double>, 9> waves{};
    for (std::size_t a = 0; a < kAngles; ++a) {
        double sum = 0, weight = 0;   // middle of what lies below the bed
        for (std::size_t r = kBall; r < kRings; ++r) {
            const double below = std::max(0.0, bed / h - 0.5 - top[a * kRings + r] / h);
            sum += below * (static_cast<double>(r) + 0.5) * kRing, weight += below;
            crater.depth = std::max(crater.depth, below);
        }
        for (std::size_t k = 0; k < waves.size(); ++k) waves[k] += std::polar(sum / std::max(weight, 1e-12) * (k ? 2.0 : 1.0) / kAngles, -2 * std::numbers::pi * static_cast<double>(k * a) / kAngles);
    }
    crater.radius = waves[0].real();
    for (std::size_t k = 0; k < waves.size(); ++k) crater.harmonics[k] = std::abs(waves[k]) / crater.radius;
    std::printf("    crater of %.1f cells, up to %.1f deep beyond the ball; A2 %.3f, A4 %.4f, A8 %.4f; ball %.2f radii deep\n", crater.radius, crater.depth, crater.harmonics[2], crater.harmonics[4], crater.harmonics[8],
                (bed + radius - run.world().bodies.back().free()->pose.position.z) / radius);
    return crater;
}
/// PHYSICS: A₄, A₈ < 2 %; a square rim has 13.9 % and 4.4 %.
inline void expectRound(const Crater& crater) {
    EXPECT_GT(crater.radius, 5) << "wider than the ball";
    EXPECT_GT(crater.depth, 1);
    EXPECT_LT(crater.harmonics[4], 0.02);
    EXPECT_LT(crater.harmonics[8], 0.02);
}

}  // namespace talus::test
