// SPDX-License-Identifier: Apache-2.0
// Friction that depends on direction: flat grains of nonsmooth, and the cone that is a box.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

/// Acceleration along a slope of the upper half of a layer, in one step from rest [m/s²].
double acceleration(const Settings& settings, double muHat, double degrees) {
    const double h = 0.01, dt = 1e-3;
    world::World world = layerOnASlope(h, 6, muHat, degrees);
    const auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    const world::StepReport report = method->step(exec, world, dt);
    EXPECT_TRUE(std::holds_alternative<world::Done>(report));
    world::FieldTable grains;
    method->read(exec, std::array<std::string_view, 2>{"position", "velocity"}, grains);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < grains.count(); ++i)
        if (grains.reals("position")[3 * i + 2] > 3 * h) {
            sum += grains.reals("velocity")[3 * i] / dt;
            count += 1;
        }
    return sum / count;
}

// Layers of grains that lie flat slide on each other at (1 + 2α)(1 − α) μ̂: the slope lets go there, and slides with what is left.
TEST(NonsmoothAnisotropy, flatGrainsLetGoWhereTheirLayersSlide) {
    constexpr double kMuHat = 0.5;
    for (const double alpha : {0.25, 0.8}) {
        Settings settings;
        settings.anisotropy = alpha;
        settings.grainNormals = Vec3{0, 0, 1};
        settings.tolerance = 1e-6;
        settings.mostSweeps = 20000;
        const double mu = (1 + 2 * alpha) * (1 - alpha) * kMuHat, angle = std::atan(mu) * 180 / std::numbers::pi;
        const double below = acceleration(settings, kMuHat, angle - 0.5), above = acceleration(settings, kMuHat, angle + 0.5), well = acceleration(settings, kMuHat, angle + 4);
        const double expected = 9.81 * (std::sin((angle + 4) * std::numbers::pi / 180) - mu * std::cos((angle + 4) * std::numbers::pi / 180));
        std::printf("    alpha %.2f, lets go at %.2f degrees: %.4f m/s2 half a degree below, %.4f above; %.4f four degrees above (%.4f)\n", alpha, angle, below, above, well, expected);
        EXPECT_LT(below, 0.01);
        EXPECT_GT(above, 0.04);
        EXPECT_NEAR(well, expected, 0.01 * expected);
    }
}

/// A round column that fell: parts of the mean radius of its toe that have four and eight waves around.
std::array<double, 2> harmonics(nonsmooth::ConeShape cone) {
    const double r0 = 0.1, h = r0 / 6;
    world::World world;
    world.domain = {{-0.3, -0.3, 0}, {0.3, 0.3, 0.15}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2600, .packingFraction = 0.6, .muHat = 0.6}};
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies)
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    world.fills = {{std::make_shared<geometry::Cylinder>(r0, 0.1), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.cone = cone;
    world::Simulation simulation(world, nonsmooth::info.create(settings, world, world::Precision::float32));
    const Exec exec(2);
    simulation.fill(exec);
    advance(simulation, exec, 0.3);
    world::FieldTable grains;
    simulation.method().read(exec, std::array<std::string_view, 1>{"position"}, grains);
    constexpr std::size_t kParts = 32;
    std::array<std::vector<double>, kParts> radii;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        const double x = grains.reals("position")[3 * i], y = grains.reals("position")[3 * i + 1];
        const double turn = (std::atan2(y, x) / (2 * std::numbers::pi) + 1 + 0.5 / kParts) * kParts;
        radii[static_cast<std::size_t>(turn) % kParts].push_back(std::hypot(x, y));
    }
    std::complex<double> four, eight;
    double mean = 0;
    for (std::size_t k = 0; k < kParts; ++k) {
        std::ranges::sort(radii[k]);
        const double radius = radii[k][static_cast<std::size_t>(0.9 * static_cast<double>(radii[k].size()))], turn = 2 * std::numbers::pi * static_cast<double>(k) / kParts;
        mean += radius / kParts;
        four += 2.0 / kParts * radius * std::polar(1.0, -4 * turn);
        eight += 2.0 / kParts * radius * std::polar(1.0, -8 * turn);
    }
    return {std::abs(four) / mean, std::abs(eight) / mean};
}

// Figure 2 of the paper: the exact cone leaves a round heap, the box one that shows the axes.
TEST(NonsmoothAnisotropy, onlyTheBoxShowsTheAxesInARoundHeap) {
    const auto cone = harmonics(nonsmooth::ConeShape::exact), box = harmonics(nonsmooth::ConeShape::box);
    std::printf("    four and eight waves around the toe: %.4f and %.4f of its radius, with the box %.4f and %.4f\n", cone[0], cone[1], box[0], box[1]);
    EXPECT_LT(cone[0], 0.02);
    EXPECT_LT(cone[1], 0.02);
    EXPECT_GT(box[0], 2 * cone[0]);
    EXPECT_GT(box[0], 0.02);
}

}  // namespace
}  // namespace talus
