// SPDX-License-Identifier: Apache-2.0
// Elastic solids of the explicit method against closed forms: the speed of sound, a bar that hangs, a block that bounces, and sand and
// solids that push each other.
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace talus {
namespace {

using namespace test;
using elastoplastic::Law;

constexpr double kDensity = 1000, kModulus = 1e5, kPoisson = 0.3;
constexpr double kWaveModulus = kModulus * (1 - kPoisson) / ((1 + kPoisson) * (1 - 2 * kPoisson));   // λ + 2μ

elastoplastic::Settings rubberSettings(Law law) {
    elastoplastic::Settings settings;
    settings.materials = {{.name = "rubber", .law = law, .youngsModulus = kModulus, .poissonRatio = kPoisson}};
    return settings;
}
world::Material rubber() { return {.name = "rubber", .density = kDensity, .packingFraction = 1}; }

/// Period of a standing wave of one wave length in an endless bar that cannot widen, from the first three times at which its velocity
/// vanishes [s].
double wavePeriod(Law law, int cells, world::Precision precision) {
    const double h = 1.0 / cells, k = 2 * std::numbers::pi, speed = 1e-3;
    world::World world;
    world.domain = {{0, 0, 0}, {1, 4 * h, 4 * h}, {}};
    world.domain.faces.fill(world::FaceType::periodic);
    world.materials = {rubber()};
    world.resolution.size = h;
    world.gravity = {};
    const auto list = std::make_shared<world::ListedGrains>();
    for (int i = 0; i < 2 * cells; ++i)
        for (int j = 0; j < 64; ++j) {
            list->positions.push_back({(i + 0.5) * h / 2, (j / 8 + 0.5) * h / 2, (j % 8 + 0.5) * h / 2});
            list->velocities.push_back({speed * std::sin(k * list->positions.back().x), 0, 0});
        }
    world.fills = {{.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list}};
    const std::unique_ptr<world::Method> method = elastoplastic::info.create(rubberSettings(law), world, precision);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    double last = 1, lastTime = 0;
    std::vector<double> zeros;
    while (zeros.size() < 3) {
        const double dt = method->stableStep(world);
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
        world.time += dt;
        world::FieldTable now;
        method->read(exec, std::array<std::string_view, 2>{"position", "velocity"}, now);
        double amplitude = 0;
        for (std::size_t i = 0; i < now.count(); ++i) amplitude += now.reals("velocity")[3 * i] * std::sin(k * now.reals("position")[3 * i]);
        if (amplitude * last <= 0) zeros.push_back(lastTime + (world.time - lastTime) * last / (last - amplitude));
        last = amplitude;
        lastTime = world.time;
    }
    return zeros[2] - zeros[0];
}

TEST(ElasticSolid, wavesRunWithTheSpeedOfSound) {
    const double expected = 1 / std::sqrt(kWaveModulus / kDensity);
    for (const Law law : {Law::hencky, Law::fixedCorotated}) {
        const double found = wavePeriod(law, 32, world::Precision::float64);
        std::printf("    %s: period %.6f s, expected %.6f s\n", elastoplastic::kLawNames[static_cast<std::size_t>(law)].data(), found, expected);
        EXPECT_NEAR(found, expected, 5e-3 * expected);
    }
    EXPECT_NEAR(wavePeriod(Law::fixedCorotated, 32, world::Precision::float32), expected, 5e-3 * expected);
}

/// How far the middle of mass of an elastic bar of 1 m sinks that cannot widen and hangs from its upper end [m].
double hangingBar(Law law, int cells) {
    const double h = 1.0 / cells, g = 9.81;
    world::World world;
    world.domain = {{0, 0, -1}, {4 * h, 4 * h, 1}, {}};
    for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {rubber()};
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.contact = world::ContactMode::sticky;
    world.resolution.size = h;
    world.gravity = {};
    world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, 1}), 0, 0, {}}};
    const std::unique_ptr<world::Method> method = elastoplastic::info.create(rubberSettings(law), world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    // Gravity is raised over 12 periods of the slowest wave, 4 L/c = 0.34 s, then a mean is taken over two.
    const double period = 4 / std::sqrt(kWaveModulus / kDensity), ramp = 12 * period;
    double sum = 0;
    int samples = 0;
    while (world.time < ramp + 2 * period) {
        const double s = std::min(1.0, world.time / ramp), dt = method->stableStep(world);
        world.gravity.z = -g * s * s * (3 - 2 * s);
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
        world.time += dt;
        if (world.time < ramp) continue;
        world::FieldTable now;
        method->read(exec, std::array<std::string_view, 1>{"position"}, now);
        double centre = 0;
        for (std::size_t i = 0; i < now.count(); ++i) centre += now.reals("position")[3 * i + 2] / static_cast<double>(now.count());
        sum += centre;
        ++samples;
    }
    return 0.5 - sum / samples;
}

/// The same from the law. Nominal stress P of what hangs below, ρ g Z with Z from the lower end; stretch σ of
/// P = (λ + 2μ)(σ − 1), fixed corotated, and (λ + 2μ) ln σ/σ, Hencky.
double sinksBy(Law law) {
    const int parts = 20000;
    double sunk = 0, stretch = 0;   // from above: what lies lower sinks with the stretch of all that is above
    for (int i = parts; i-- > 0;) {
        const double pull = kDensity * 9.81 * (i + 0.5) / parts / kWaveModulus;
        double sigma = 1 + pull;
        if (law == Law::hencky)
            for (int round = 0; round < 50; ++round) sigma -= (std::log(sigma) / sigma - pull) / ((1 - std::log(sigma)) / (sigma * sigma));
        stretch += (sigma - 1) / parts;
        sunk += (stretch - 0.5 * (sigma - 1) / parts) / parts;
    }
    return sunk;
}

TEST(ElasticSolid, aHangingBarStretchesUnderItsWeight) {
    EXPECT_NEAR(sinksBy(Law::fixedCorotated), kDensity * 9.81 / kWaveModulus / 3, 1e-6) << "ρ g L²/(3 (λ + 2μ)) in closed form";
    for (const Law law : {Law::hencky, Law::fixedCorotated}) {
        const double expected = sinksBy(law), coarse = hangingBar(law, 10), fine = hangingBar(law, 20);
        std::printf("    %s: sinks by %.5f m (10 cells), %.5f m (20 cells), expected %.5f m\n", elastoplastic::kLawNames[static_cast<std::size_t>(law)].data(), coarse, fine, expected);
        EXPECT_NEAR(fine, expected, 0.05 * expected);
        EXPECT_LT(std::abs(fine - expected), std::abs(coarse - expected) / 1.7) << "first order";
    }
}

struct Bounce {
    double highest = 0;      // that the middle of mass comes to after the floor, over the height it fell from
    double energy = 0;       // at the end over that at the start, counted from the block at rest on the floor
    double mostEnergy = 0;   // at any time
};
Bounce bouncingBlock(Law law, int cells, world::Precision precision) {
    const double side = 0.2, h = side / cells, fall = 0.2;
    world::World world;
    world.domain = {{-0.4, -0.4, 0}, {0.4, 0.4, 0.8}, {}};
    world.materials = {rubber()};
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 0;
    world.contacts.set(0, 0, {0.0, 0});
    world.resolution.size = h;
    world.fills = {{boxBetween({-side / 2, -side / 2, fall}, {side / 2, side / 2, fall + side}), 0, 0, {}}};
    world::Simulation simulation(world, elastoplastic::info.create(rubberSettings(law), world, precision));
    const Exec exec(2);
    simulation.fill(exec);
    const world::Totals start = world::totals(exec, simulation);
    const double rest = start.mass * 9.81 * side / 2, energy = start.energy().value() - rest;
    Bounce bounce;
    const double landing = std::sqrt(2 * fall / 9.81);
    for (int i = 1; i <= 60; ++i) {
        advance(simulation, exec, 2.2 * landing * i / 60);
        const world::Totals now = world::totals(exec, simulation);
        if (simulation.world().time > 1.3 * landing) bounce.highest = std::max(bounce.highest, (now.centreOfMass.z - side / 2) / fall);
        bounce.energy = (now.energy().value() - rest) / energy;
        bounce.mostEnergy = std::max(bounce.mostEnergy, bounce.energy);
    }
    return bounce;
}

TEST(ElasticSolid, aBouncingBlockKeepsItsEnergy) {
    for (const Law law : {Law::hencky, Law::fixedCorotated}) {
        const Bounce bounce = bouncingBlock(law, 16, world::Precision::float32);
        std::printf("    %s: comes back to %.3f of its height with %.3f of its energy; most energy %.4f\n", elastoplastic::kLawNames[static_cast<std::size_t>(law)].data(), bounce.highest, bounce.energy,
                    bounce.mostEnergy);
        EXPECT_GT(bounce.energy, 0.9);
        EXPECT_LT(bounce.mostEnergy, 1.001);
    }
}

// A rubber block hits a block of sand in free flight: together they keep their momentum.
TEST(ElasticSolid, sandAndASolidKeepTheirMomentumTogether) {
    const double h = 1.0 / 32;
    world::World world;
    world.domain = {{-1, -1, -1}, {1, 1, 1}, {}};
    world.materials = {rubber(), world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.resolution.size = h;
    world.gravity = {};
    world.fills = {{boxBetween({-0.3, -0.1, -0.1}, {-0.02, 0.1, 0.1}), 0, 0, {2, 0, 0}}, {boxBetween({0.02, -0.15, -0.05}, {0.25, 0.1, 0.15}), 1, 1, {-1, 0.2, 0}}};
    world::Simulation simulation(world, elastoplastic::info.create(rubberSettings(Law::fixedCorotated), world, world::Precision::float64));
    const Exec exec(2);
    simulation.fill(exec);
    const world::Totals start = world::totals(exec, simulation);
    advance(simulation, exec, 0.1);
    const world::Totals end = world::totals(exec, simulation);
    world::FieldTable now;
    simulation.method().read(exec, std::array<std::string_view, 3>{"mass", "velocity", "material"}, now);
    double before = 0, after = 0;   // momentum of the rubber along x
    for (std::size_t i = 0; i < now.count(); ++i)
        if (now.integers("material")[i] == 0) {
            before += 2 * now.reals("mass")[i];
            after += now.reals("mass")[i] * now.reals("velocity")[3 * i];
        }
    EXPECT_LT(after, 0.5 * before) << "they must have met";
    EXPECT_EQ(end.mass, start.mass);
    EXPECT_LT(norm(end.momentum - start.momentum), 1e-12 * static_cast<double>(simulation.steps()) * start.mass);
    EXPECT_LT(end.energy().value(), 1.0001 * start.energy().value());
}

}  // namespace
}  // namespace talus
