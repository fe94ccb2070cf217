// SPDX-License-Identifier: Apache-2.0
// Sand that runs out of a box through a round hole in a plate, as in figure 12 of [Daviet2016]: neither through the plate nor held up by what
// is not there.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

constexpr double kCell = 0.05 / 12, kBulk = 1500;

/// A box of sand with smooth walls on a plate with a hole whose rim is round; all in cells.
struct Silo {
    double wide = 12;            // of the box
    double hole = 6;             // diameter
    double half = 1;             // of the plate's thickness
    double height = 11;          // of the sand
    double muHat = 0.49;

    world::World world() const {
        using namespace geometry;
        const double h = kCell, r = (0.5 * hole + half) * h, t = half * h;
        world::World world;
        world.domain = {{-0.5 * wide * h, -0.5 * wide * h, -4 * h}, {0.5 * wide * h, 0.5 * wide * h, (height + 2) * h}, {}};
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
        const auto plate = std::make_shared<Difference>(std::make_shared<Box>(Vec3{(wide + 2) * h, (wide + 2) * h, 2 * t}), std::vector<ShapePtr>{cut});
        world.bodies.push_back({.name = "plate", .material = 1, .shape = std::make_shared<Union>(std::vector<ShapePtr>{std::make_shared<Torus>(r, t), plate}), .motion = {}, .load = {}});
        world.fills = {{boxBetween({-0.5 * wide * h, -0.5 * wide * h, t}, {0.5 * wide * h, 0.5 * wide * h, t + height * h}), 0, 0, {}}};
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

/// Mean discharge from `from` to `to` [m³/s].
double discharge(const Silo& silo, double from, double to) {
    const Exec exec(2);
    world::Simulation run = start(silo, exec);
    advance(run, exec, from);
    const double before = above(run, exec);
    advance(run, exec, to);
    return (before - above(run, exec)) / (to - from);
}

// Q ~ (D − k)^n. A straight line through Q^(2/5) gives k, which then gives n.
TEST(NonsmoothStudy, aSiloDischargesAsBeverlooSays) {
    const std::array<double, 5> holes{5, 6, 7, 8, 9};
    std::array<double, 5> rates{};
    for (std::size_t i = 0; i < holes.size(); ++i) rates[i] = discharge({.wide = 18, .hole = holes[i], .height = 17}, 0.1, 0.3);
    const auto line = [](const auto& x, const auto& y) {   // slope and where it crosses zero
        double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            n += 1;
            sx += x[i];
            sy += y[i];
            sxx += x[i] * x[i];
            sxy += x[i] * y[i];
        }
        const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        return std::pair{slope, (sx - sy / slope) / n};
    };
    std::array<double, 5> root{}, logHole{}, logRate{};
    for (std::size_t i = 0; i < holes.size(); ++i) root[i] = std::pow(rates[i], 0.4);
    const double k = line(holes, root).second;
    for (std::size_t i = 0; i < holes.size(); ++i) {
        logHole[i] = std::log(holes[i] - k);
        logRate[i] = std::log(rates[i]);
        std::printf("    hole of %.0f cells: %.3g m³/s, %.3f √(g (D − k)⁵)\n", holes[i], rates[i], rates[i] / std::sqrt(9.81 * std::pow((holes[i] - k) * kCell, 5)));
    }
    const double n = line(logHole, logRate).first;
    const double later = discharge({.wide = 18, .height = 17}, 0.3, 0.5), lower = discharge({.wide = 18, .height = 12}, 0.15, 0.35);
    std::printf("    k = %.2f cells, n = %.2f; hole of 6 cells: from 0.3 s on %.3f times as much, %.3f times with 12 cells of sand instead of 17\n", k, n, later / rates[1], lower / later);
    EXPECT_NEAR(n, 2.5, 0.1);
    EXPECT_GT(k, 0);
    EXPECT_LT(k, 2);
    EXPECT_NEAR(later / rates[1], 1, 0.03);
    EXPECT_NEAR(lower / later, 1, 0.03);
}

}  // namespace
}  // namespace talus
