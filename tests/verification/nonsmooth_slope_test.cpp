// SPDX-License-Identifier: Apache-2.0
// Sand of the method nonsmooth on surfaces oblique to the grid: where it stands, where it gives way, and how it comes to rest.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

constexpr double kCell = 0.1 / 16, kTop = 0.1, kWidth = 4 * kCell, kDegrees = 180 / std::numbers::pi;

/// The half space below a slope that falls towards +x, its toe at x = toe on the floor.
geometry::ShapePtr below(double degrees, double toe) {
    return std::make_shared<geometry::Plane>(Vec3{std::tan(degrees / kDegrees), 0, 1}, Vec3{toe, 0, 0});
}

/// A wedge of 16 cells at a smooth wall, in a slab, on a floor that holds it; friction 30°. What lies less than `layer` below the surface starts
/// with a velocity down the slope.
world::World wedge(double degrees, double layer = 0, double speed = 0) {
    const double slope = degrees / kDegrees, length = kTop / std::tan(slope);
    world::World world;
    world.domain = {{0, 0, 0}, {kCell * std::ceil(1.8 * length / kCell), kWidth, 1.2 * kTop}, {}};
    world.domain.faces = {world::FaceType::wall, world::FaceType::wall, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::open};
    world.materials = {world::Material{.name = "sand", .muHat = std::tan(std::numbers::pi / 6)}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) {
        body.material = 1;
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    }
    const geometry::ShapePtr room = boxBetween({0, 0, 0}, {2 * length, kWidth, 2 * kTop}), rest = below(degrees, length - layer / std::sin(slope));
    const auto both = [](const geometry::ShapePtr& a, const geometry::ShapePtr& b) { return std::make_shared<geometry::Intersection>(std::vector<geometry::ShapePtr>{a, b}); };
    world.fills = {{both(room, rest), 0, 0, {}}};
    if (layer > 0)
        world.fills.push_back({std::make_shared<geometry::Difference>(both(room, below(degrees, length)), std::vector<geometry::ShapePtr>{rest}), 0, 0,
                               speed * Vec3{std::cos(slope), 0, -std::sin(slope)}});
    world.resolution.size = kCell;
    return world;
}

world::Simulation start(world::World world, mpm::Start points, double tolerance, const Exec& exec, std::optional<bool> hourglassFriction = {}) {
    Settings settings;
    settings.hourglassFriction = hourglassFriction;
    settings.start = points;
    settings.tolerance = tolerance;
    settings.mostSweeps = 5000;
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

/// Slope [degrees] of the line through the volume above each column of cells, between 15 % and 85 % of the height.
double slopeOf(const world::Simulation& run, const Exec& exec) {
    world::FieldTable now;
    run.method().read(exec, std::vector<std::string_view>{"position", "volume"}, now);
    std::vector<double> height;
    for (std::size_t i = 0; i < now.count(); ++i) {
        const auto column = static_cast<std::size_t>(now.reals("position")[3 * i] / kCell);
        if (column >= height.size()) height.resize(column + 1, 0.0);
        height[column] += now.reals("volume")[i] / (kCell * kWidth);
    }
    const double top = std::ranges::max(height);
    double n = 0, x = 0, z = 0, xx = 0, xz = 0;
    for (std::size_t k = 0; k < height.size(); ++k) {
        if (height[k] < 0.15 * top || height[k] > 0.85 * top) continue;
        const double at = (static_cast<double>(k) + 0.5) * kCell;
        ++n;
        x += at;
        z += height[k];
        xx += at * at;
        xz += at * height[k];
    }
    return std::atan((x * z - n * xz) / (n * xx - x * x)) * kDegrees;
}

/// Of a wedge after 0.6 s, less that at the start [degrees].
double change(double degrees, mpm::Start points, double tolerance, std::optional<bool> hourglassFriction = {}) {
    const Exec exec(1);
    world::Simulation run = start(wedge(degrees), points, tolerance, exec, hourglassFriction);
    const double before = slopeOf(run, exec);
    advance(run, exec, 0.6);
    const double after = slopeOf(run, exec);
    std::printf("    %s, tolerance %.0e: from %.2f to %.2f degrees\n", mpm::kStartNames[static_cast<std::size_t>(points)].data(), tolerance, before, after);
    return after - before;
}

TEST(NonsmoothSlope, aWedgeStandsBelowItsAngle) {
    for (const mpm::Start points : {mpm::Start::lattice, mpm::Start::jittered})
        for (const double tolerance : {1e-3, 1e-5}) EXPECT_GT(change(26, points, tolerance), -0.3);
}

TEST(NonsmoothSlope, aWedgeGivesWayAboveItsAngle) {
    for (const mpm::Start points : {mpm::Start::lattice, mpm::Start::jittered}) EXPECT_LT(change(35, points, 1e-3), -4);
}

// A slope that is released at 30° + a and slides without viscosity goes on to 30° − a, as a Coulomb pendulum swings as far beyond the place where
// friction balances it as it started before. Friction of what cells do besides their mean strain stops it sooner.
TEST(NonsmoothSlope, aWedgeStopsSoonerWithHourglassFriction) {
    for (const mpm::Start points : {mpm::Start::lattice, mpm::Start::jittered}) {
        const double end = 35 + change(35, points, 1e-3), without = 35 + change(35, points, 1e-3, false);
        EXPECT_GT(end, 26.5);
        EXPECT_LT(end, 30);
        EXPECT_GT(end, without + 1);
    }
}

// A layer that slides on sand at rest slows down by g (μ̂ cos θ − sin θ) at least: the toe holds it up besides.
TEST(NonsmoothSlope, aLayerThatSlidesComesToRest) {
    const double slope = 22 / kDegrees, speed = 0.3, layer = 1.5 * kCell;
    const double braking = 9.81 * (std::tan(std::numbers::pi / 6) * std::cos(slope) - std::sin(slope));
    const Exec exec(1);
    world::Simulation run = start(wedge(22, layer, speed), mpm::Start::jittered, 1e-3, exec);
    const double first = norm(world::totals(exec, run).momentum);
    advance(run, exec, 1.3 * speed / braking);
    const double left = norm(world::totals(exec, run).momentum) / first;
    std::printf("    momentum left after 1.3 times as long as it should take: %.4f\n", left);
    EXPECT_LT(left, 0.05);
}

}  // namespace
}  // namespace talus
