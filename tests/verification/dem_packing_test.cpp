// SPDX-License-Identifier: Apache-2.0
// Packings start at rest: what is packed does not fly apart.
#include "verification/dem_world.h"

namespace talus::test {
namespace {

/// Kinetic energy after 100 steps, over m g d of all grains.
double stirred(dem::Shape shape, const Vec3& gravity, double& fraction) {
    constexpr double kDiameter = 0.01;
    dem::Settings settings;
    settings.templates = {{.shape = shape, .spacing = 0.8, .spheres = {}, .fraction = 1}};
    settings.sizes = dem::UniformSize{0.8, 1.2};
    settings.contactFriction = 0.5;
    world::World world = emptyWorld(2500, kDiameter);
    world.domain.min = {0, 0, 0};
    world.domain.max = {0.14, 0.14, 0.2};
    world.domain.faces = {world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::wall, world::FaceType::wall, world::FaceType::wall};
    world.bodies = world::domainFaces(world.domain);
    world.gravity = gravity;
    world.materials[0].packingFraction = 0.6;
    world.fills = {{boxBetween({0, 0, 0}, {0.14, 0.14, 0.12}), 0, 0, {}}};
    world::Simulation run = startDem(std::move(world), settings);
    fraction = run.method().metrics().front().value;
    while (run.steps() < 100) advance(run, Exec(2), run.world().time + run.method().stableStep(run.world()));
    const world::Totals now = world::totals(Exec(2), run);
    EXPECT_EQ(run.method().fallbacks().front().value, 0) << "deep overlaps";
    return now.kineticEnergy / (now.mass * kGravity * kDiameter);
}

TEST(DemPacking, startsAtRest) {
    for (const auto& [shape, least] : {std::pair{dem::Shape::sphere, 0.54}, std::pair{dem::Shape::tetra4, 0.51}, std::pair{dem::Shape::bcc9, 0.48}}) {
        double fraction = 0;
        const double resting = stirred(shape, {}, fraction), falling = stirred(shape, {0, 0, -kGravity}, fraction);
        std::printf("    %s: packing fraction %.3f; energy after 100 steps %.1e of m g d without gravity, %.1e with\n", std::string(dem::kShapeNames[static_cast<std::size_t>(shape)]).c_str(), fraction, resting, falling);
        EXPECT_GT(fraction, least);
        EXPECT_LT(resting, 1e-9);
        EXPECT_LT(falling, 0.05);
    }
}

}  // namespace
}  // namespace talus::test
