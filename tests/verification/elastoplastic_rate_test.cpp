// SPDX-License-Identifier: Apache-2.0
// Sand whose friction grows with the speed of shear, μ(I), against the solution of its flow down a slope.
#include "csv.h"
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace talus {
namespace {

using namespace test;

// D_bagnold_transient_jop_24deg.csv: a layer of 40 grain diameters on a rough slope of 24°, from rest, with the friction of [Jop2006], which
// takes on Bagnold's profile. PHYSICS allows 5 %. After 2 s: later the points leave their lattice, the layer gets denser than packed and
// too fast (docs/methods/elastoplastic.md, Limits).
TEST(ElastoplasticRate, aLayerSpeedsUpAsItsFrictionSays) {
    constexpr double kDegree = std::numbers::pi / 180, kDiameter = 0.53e-3, kHeight = 40 * kDiameter;
    constexpr int kCells = 20;
    const double h = kHeight / kCells;
    world::World world;
    world.domain = {{0, 0, 0}, {4 * h, 4 * h, 1.5 * kHeight}, {}};
    for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "glass", .density = 2450, .packingFraction = 0.6, .muHat = std::tan(20.9 * kDegree), .grainDiameter = kDiameter}, world::Material{.name = "rough"}};
    world.contacts.set(0, 1, {1.0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world.resolution.size = h;
    world.gravity = tiltedGravity(24);
    world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, kHeight}), 0, 0, {}}};
    elastoplastic::Settings settings;
    settings.youngsModulus = 2e4;   // 290 Pa at the bottom
    settings.fastMuHat = std::tan(32.76 * kDegree);
    settings.inertialScale = 0.279;
    world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float32));
    const Exec exec(1);
    simulation.fill(exec);
    const CsvTable table("D_bagnold_transient_jop_24deg.csv");
    constexpr std::size_t kRow = 4;
    ASSERT_NEAR(table.number(kRow, "t_s"), 2, 1e-3);
    advance(simulation, exec, table.number(kRow, "t_s"));
    world::FieldTable now;
    simulation.method().read(exec, std::array<std::string_view, 2>{"position", "velocity"}, now);
    std::vector<std::pair<double, double>> points;   // height, velocity
    double mean = 0, surface = 0;
    for (std::size_t i = 0; i < now.count(); ++i) {
        points.emplace_back(now.reals("position")[3 * i + 2], now.reals("velocity")[3 * i]);
        mean += points.back().second / static_cast<double>(now.count());
    }
    std::ranges::sort(points);
    const std::size_t top = points.size() / (2 * kCells);   // the uppermost layer of points
    for (std::size_t i = points.size() - top; i < points.size(); ++i) surface += points[i].second / static_cast<double>(top);
    const double atSurface = table.number(kRow, "u_surface"), inAll = table.number(kRow, "u_mean_nodes");
    std::printf("    %.4f m/s at the surface, expected %.4f; %.4f m/s in the mean, expected %.4f\n", surface, atSurface, mean, inAll);
    EXPECT_NEAR(surface, atSurface, 0.05 * atSurface);
    EXPECT_NEAR(mean, inAll, 0.05 * inAll);
}

}  // namespace
}  // namespace talus
