// SPDX-License-Identifier: Apache-2.0
// Sand that runs out of a box through a round hole in a plate, as in figure 12 of [Daviet2016]: neither through the plate nor held up by what
// is not there.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <cmath>
#include <cstdio>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

constexpr double kCell = 0.05 / 12, kBulk = 1500;

/// A box of 12 x 12 x 11 cells of sand with smooth walls on a plate with a hole whose rim is round; all in cells.
struct Silo {
    double hole = 6;             // diameter
    double half = 1;             // of the plate's thickness
    double height = 11;          // of the sand
    double muHat = 0.49;

    world::World world() const {
        using namespace geometry;
        const double h = kCell, r = (0.5 * hole + half) * h, t = half * h;
        world::World world;
        world.domain = {{-6 * h, -6 * h, -4 * h}, {6 * h, 6 * h, (height + 2) * h}, {}};
        for (const std::size_t face : {4u, 5u}) world.domain.faces[face] = world::FaceType::open;
        world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = muHat}, world::Material{.name = "steel"}, world::Material{.name = "smooth"}};
        world.contacts.set(0, 1, {0.6124, 0});
        world.contacts.set(0, 2, {0, 0});
        world.bodies = world::domainFaces(world.domain);
        for (world::Body& body : world.bodies) {
            body.material = 2;
            body.contact = world::ContactMode::slip;
        }
        const auto cut = std::make_shared<Placed>(std::make_shared<Cylinder>(r, 4 * t), RigidTransform{{}, {0, 0, -2 * t}});
        const auto plate = std::make_shared<Difference>(std::make_shared<Box>(Vec3{14 * h, 14 * h, 2 * t}), std::vector<ShapePtr>{cut});
        world.bodies.push_back({.name = "plate", .material = 1, .shape = std::make_shared<Union>(std::vector<ShapePtr>{std::make_shared<Torus>(r, t), plate}), .motion = {}, .load = {}});
        world.fills = {{boxBetween({-6 * h, -6 * h, t}, {6 * h, 6 * h, t + height * h}), 0, 0, {}}};
        world.resolution.size = h;
        return world;
    }
};

world::Simulation start(const Silo& silo, const Exec& exec) {
    Settings settings;
    settings.spacing = kCell;
    settings.pointsPerCell = 27;
    world::World world = silo.world();
    auto method = nonsmooth::info.create(settings, world, world::Precision::float32);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

/// Of the sand within a region.
struct Part {
    double volume = 0;           // packed [m³]
    double speed = 0;            // mean, downwards [m/s]
};
template <class Within>
Part measure(const world::Simulation& run, const Exec& exec, const Within& within) {
    world::FieldTable table;
    run.method().read(exec, std::vector<std::string_view>{"position", "velocity", "mass"}, table);
    Part part;
    for (std::size_t k = 0; k < table.count(); ++k) {
        const auto x = table.reals("position").subspan(3 * k, 3);
        if (!within(std::hypot(x[0], x[1]), x[2])) continue;
        part.volume += table.reals("mass")[k] / kBulk;
        part.speed -= table.reals("mass")[k] / kBulk * table.reals("velocity")[3 * k + 2];
    }
    part.speed /= part.volume;
    return part;
}
double above(const world::Simulation& run, const Exec& exec) {
    return measure(run, exec, [](double, double z) { return z > 0; }).volume;
}

// A rim that bends within a cell, and nodes in the plate that stand for other places of its surface, let sand flow into the plate: put out
// of it again, it left with 1.3 times its density and twice as fast as through the hole alone.
TEST(NonsmoothSilo, sandLeavesThroughTheHoleAlone) {
    const Silo silo;
    const Exec exec(1);
    world::Simulation run = start(silo, exec);
    advance(run, exec, 0.1);
    const double before = above(run, exec), radius = 0.5 * silo.hole * kCell, area = std::numbers::pi * radius * radius;
    advance(run, exec, 0.2);
    const double rate = (before - above(run, exec)) / 0.1, c = rate / std::sqrt(9.81 * std::pow(2 * radius, 5));
    const Part hole = measure(run, exec, [](double, double z) { return std::abs(z) < 0.5 * kCell; });
    std::printf("    %.3g m³/s, %.3f √(g D⁵); %.3f of the room in the hole, %.3f m/s there\n", rate, c, hole.volume / (area * kCell), hole.speed);
    EXPECT_LT(hole.volume / (area * kCell), 1.05);
    EXPECT_NEAR(c, 0.58, 0.1);   // Beverloo's for openings of many grains; without friction about 1
}

// The distance to a plate cut by a cylinder is a bound: in the middle of the hole it is that to the end of the cylinder, where there is no
// surface. Sand stood on it.
TEST(NonsmoothSilo, nothingHoldsSandInTheMiddleOfAHoleInAThinPlate) {
    const Silo silo{.half = 1.0 / 3};
    const Exec exec(1);
    world::Simulation run = start(silo, exec);
    advance(run, exec, 0.1);
    const Part middle = measure(run, exec, [](double r, double z) { return r < kCell && std::abs(z) < kCell; });
    std::printf("    %.3f m/s\n", middle.speed);
    EXPECT_GT(middle.speed, 0.3);
}

}  // namespace
}  // namespace talus
