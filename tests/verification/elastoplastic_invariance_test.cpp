// SPDX-License-Identifier: Apache-2.0
// What must not matter: how a scene lies in space, a step that was too long; and what must not grow: the energy of what moves by itself.
#include "core/schedule.h"
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {
namespace {

using namespace test;

/// A turn of the axes that maps the grid of a cube about the origin onto itself.
struct Turn {
    const char* name;
    Vec3 (*there)(const Vec3&);
    Vec3 (*back)(const Vec3&);
};

/// Places of a block of sand that drops onto a face of a cube, skew to it, after 20 steps, turned back and in an order of their own.
std::vector<Vec3> placesAfterTheDrop(const Turn& turn) {
    const double h = 1.0 / 16;
    world::World world;
    world.domain = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.resolution.size = h;
    world.gravity = turn.there({0, 0, -9.81});
    const Vec3 a = turn.there({-3 * h, -h, -8 * h}), b = turn.there({2 * h, 3 * h, -3 * h});
    world.fills = {{boxBetween(min(a, b), max(a, b)), 0, 0, turn.there({1.0, 0.5, -2.0})}};
    const elastoplastic::Settings settings;
    const std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, 8e-4)));
        world.time += 8e-4;
    }
    world::FieldTable now;
    method->read(exec, std::array<std::string_view, 1>{"position"}, now);
    std::vector<Vec3> places;
    for (std::size_t i = 0; i < now.count(); ++i) places.push_back(turn.back({now.reals("position")[3 * i], now.reals("position")[3 * i + 1], now.reals("position")[3 * i + 2]}));
    // Coordinates of different points are equal or far apart compared with 1e-7 m.
    std::ranges::sort(places, [](const Vec3& p, const Vec3& q) {
        const auto key = [](const Vec3& x) { return std::array{std::round(x.x * 1e7), std::round(x.y * 1e7), std::round(x.z * 1e7)}; };
        return key(p) < key(q);
    });
    return places;
}

// PHYSICS: a scene rotated by 90° moves the same to 1e-10 after 20 steps.
TEST(ElastoplasticInvariance, aTurnedSceneMovesTheSame) {
    const auto same = [](const Vec3& x) { return x; };
    const std::vector<Vec3> straight = placesAfterTheDrop({"none", same, same});
    const Turn turns[] = {{"90 degrees about z", [](const Vec3& x) { return Vec3{-x.y, x.x, x.z}; }, [](const Vec3& x) { return Vec3{x.y, -x.x, x.z}; }},
                          {"90 degrees about x", [](const Vec3& x) { return Vec3{x.x, -x.z, x.y}; }, [](const Vec3& x) { return Vec3{x.x, x.z, -x.y}; }},
                          {"120 degrees about the diagonal", [](const Vec3& x) { return Vec3{x.z, x.x, x.y}; }, [](const Vec3& x) { return Vec3{x.y, x.z, x.x}; }}};
    for (const Turn& turn : turns) {
        const std::vector<Vec3> turned = placesAfterTheDrop(turn);
        ASSERT_EQ(turned.size(), straight.size());
        double most = 0;
        for (std::size_t i = 0; i < turned.size(); ++i) most = std::max(most, norm(turned[i] - straight[i]));
        std::printf("    %s: %.1e m\n", turn.name, most);
        EXPECT_LT(most, 1e-10) << turn.name;
    }
}

// What falls and slides by itself loses energy: in the collapse of a slab column of aspect ratio 2 on a rough floor, kinetic, potential and
// elastic energy together never grow.
TEST(ElastoplasticInvariance, energyNeverGrows) {
    const double r0 = 0.1, h = r0 / 12;
    world::World world;
    world.domain = {{0, 0, 0}, {0.64, 4 * h, 0.24}, {}};
    for (const std::size_t face : {2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "sand"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
    world.contacts.set(0, 1, {1.0, 0});
    world.contacts.set(0, 2, {0.0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = body.name == "domain.z_min" ? 1 : 2;
    world.resolution.size = h;
    world.fills = {{boxBetween({0, 0, 0}, {r0, 4 * h, 2 * r0}), 0, 0, {}}};
    const elastoplastic::Settings settings;
    world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float32));
    const Exec exec(2);
    simulation.fill(exec);
    const auto energy = [&] { return world::totals(exec, simulation).energy().value(); };
    const double start = energy();
    double last = start, most = 0;
    for (int i = 1; i <= 70; ++i) {
        advance(simulation, exec, 0.01 * i);
        const double now = energy();
        most = std::max(most, (now - last) / start);
        last = now;
    }
    std::printf("    energy fell from 1 to %.3f; most it grew by in 10 ms: %.1e\n", last / start, most);
    EXPECT_LT(last, 0.8 * start) << "it must have collapsed";
    EXPECT_LT(most, 1e-5);
}

// A bed that starts with the stress of its weight is at rest: with k0 = ν/(1 − ν), that of elastic grains between rigid walls, nothing
// moves; without, it bounces.
TEST(ElastoplasticInvariance, aBedThatStartsWithItsStressDoesNotBounce) {
    const auto largestKineticEnergy = [](std::optional<double> k0) {
        const double h = 0.01;
        world::World world;
        world.domain = {{0, 0, 0}, {4 * h, 4 * h, 0.3}, {}};
        for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
        world.materials = {world::Material{.name = "sand"}};
        world.bodies = world::domainFaces(world.domain);
        world.resolution.size = h;
        // Two fills, one on the other: the lower one carries both.
        world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, 12 * h}), 0, 0, {}}, {boxBetween({0, 0, 12 * h}, {4 * h, 4 * h, 20 * h}), 0, 1, {}}};
        elastoplastic::Settings settings;
        settings.k0 = k0;
        world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float64));
        const Exec exec(1);
        simulation.fill(exec);
        double largest = 0;
        for (int i = 1; i <= 20; ++i) {
            advance(simulation, exec, 0.002 * i);
            largest = std::max(largest, world::totals(exec, simulation).kineticEnergy);
        }
        return largest;
    };
    const double ratio = largestKineticEnergy(0.3 / 0.7) / largestKineticEnergy({});
    std::printf("    kinetic energy over that of a start without stress: %.1e\n", ratio);
    EXPECT_LT(ratio, 1e-2);
}

// A blow of 5,000 g for a millisecond finds the sand at rest: the step that was stable before would carry it by more than a cell. It is
// rejected, shorter ones are taken, and the sand leaves with the speed of the blow.
TEST(ElastoplasticInvariance, aBlowThatTheStepDidNotForeseeIsTakenInShorterSteps) {
    const double h = 1.0 / 16, strength = 5e4;
    world::World world;
    world.domain = {{-1, -1, 0}, {1, 1, 4}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.resolution.size = h;
    world.fills = {{boxBetween({-2 * h, -2 * h, 3}, {2 * h, 2 * h, 3 + 4 * h}), 0, 0, {}}};
    world.gravityOverTime = Schedule<Vec3>(TimeTable<Vec3>{{0, 0.01, 0.0101, 0.0111, 0.0112, 1}, {{}, {}, {0, 0, -strength}, {0, 0, -strength}, {}, {}}});
    const double blow = strength * 1.1e-3;   // [m/s]
    const elastoplastic::Settings settings;
    const Exec exec(1);

    world::World still = world;
    still.gravity = {0, 0, -strength};
    const std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, still, world::Precision::float64);
    method->insert(exec, still, still.fills.front());
    EXPECT_TRUE(std::holds_alternative<world::Rejected>(method->step(exec, still, method->stableStep(still)))) << "what the test is about";

    world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float64));
    simulation.fill(exec);
    advance(simulation, exec, 0.02);
    const world::Totals end = world::totals(exec, simulation);
    EXPECT_NEAR(end.momentum.z / end.mass, -blow, 1e-9 * blow);
    EXPECT_NEAR(end.kineticEnergy, 0.5 * end.mass * blow * blow, 1e-9 * end.kineticEnergy) << "no point for itself";
}

}  // namespace
}  // namespace talus
