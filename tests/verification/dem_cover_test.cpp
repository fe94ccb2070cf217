// SPDX-License-Identifier: Apache-2.0
// Bodies covered with spheres: what grains feel of them.
#include "verification/dem_world.h"

namespace talus::test {
namespace {

/// A flat clump of four spheres on a slope; way along it within a second, and the last speed.
struct Slide {
    double way = 0, speed = 0;
};
Slide slideOnFloor(double degrees, double friction, const std::vector<dem::CoverSettings>& covered) {
    constexpr double kDiameter = 0.1;
    dem::Settings settings;
    settings.templates = {{.shape = dem::Shape::spheres, .spacing = 1, .spheres = {-2, -2, 0, 1, 2, -2, 0, 1, -2, 2, 0, 1, 2, 2, 0, 1}, .fraction = 1}};
    settings.restitution = 0.3;
    settings.rollingFriction = 0;
    settings.covered = covered;
    world::World world = emptyWorld(2000, kDiameter);
    world.domain.min = {-0.3, -0.3, -0.3};
    world.domain.max = {6, 0.3, 0.5};
    world.contacts.set(0, 1, {.friction = friction});
    addFloor(world);
    addGrain(world, {0, 0, 0.32 * kDiameter}, {}, kDiameter, Quat::fromAxisAngle({0, 1, 0}, -0.5 * std::numbers::pi));   // the axis of the largest moment, its first, is upright
    world.gravity = tiltedGravity(degrees);
    world::Simulation run = startDem(std::move(world), settings);
    advance(run, Exec(1), 1);
    const GrainTable g(run.method());
    return {g.vector("position", 0).x, g.vector("velocity", 0).x};
}

TEST(DemCover, aCoveredSlopeHoldsWhatASmoothOneLetsSlide) {
    constexpr double kRadius = 0.1 / 3.1748;   // of the spheres of the clump: 4 r³ = (d/2)³ · 4
    const std::vector<dem::CoverSettings> cover{{.body = "floor", .radius = kRadius, .spacing = 1.8 * kRadius, .rough = {}}};
    const Slide smooth = slideOnFloor(15, 0.2, {}), covered = slideOnFloor(15, 0.2, cover);
    const double expected = 0.5 * kGravity * (std::sin(15 * std::numbers::pi / 180) - 0.2 * std::cos(15 * std::numbers::pi / 180));
    std::printf("    at 15 degrees with friction 0.2: %.3f m in a second on the smooth floor (%.3f expected), %.3f m on the covered one\n", smooth.way, expected, covered.way);
    EXPECT_NEAR(smooth.way, expected, 0.1 * expected);
    EXPECT_LT(covered.way, 0.3 * smooth.way);
    EXPECT_LT(covered.speed, 0.1 * smooth.speed);
    EXPECT_GT(slideOnFloor(50, 0.2, cover).way, 1) << "friction is finite";
}

// Grains poured on a covered plate stay above it; it carries their weight.
TEST(DemCover, aCoveredPlateHoldsABed) {
    for (const bool adaptive : {false, true}) {
        dem::Settings settings;
        settings.youngsModulus = 1e6;
        if (adaptive) {
            settings.integrator = dem::Integrator::rkf45;
            settings.tolerance = 1e-3;
        }
        settings.covered = {{.body = "plate", .radius = 0.012, .spacing = {}, .rough = 0.003}};
        world::World world = emptyWorld(2500, 0.02);
        world.domain.min = {0, 0, 0};
        world.domain.max = {0.12, 0.12, 0.5};
        world.domain.faces = {world::FaceType::periodic, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::open, world::FaceType::open};
        world.gravity = {0, 0, -kGravity};
        world.materials[0].packingFraction = 0.6;
        world::Body plate{.name = "plate", .material = 1, .shape = boxBetween({-1, -1, 0.05}, {2, 2, 0.1}), .motion = world::Motion({}, {}), .source = 0, .load = {}};
        world.bodies = {plate};
        world.fills = {{boxBetween({0, 0, 0.1}, {0.12, 0.12, 0.2}), 0, 0, {0, 0, -0.5}}};
        world::Simulation run = startDem(std::move(world), settings);
        advance(run, Exec(2), 0.35);
        const double before = run.world().bodies[0].load.impulse.z;
        advance(run, Exec(2), 0.45);
        const GrainTable grains(run.method());
        double weight = 0, lowest = 1;
        for (std::size_t i = 0; i < grains.count(); ++i) {
            weight += grains.number("mass", i) * kGravity;
            lowest = std::min(lowest, grains.vector("position", i).z);
        }
        const double carried = -(run.world().bodies[0].load.impulse.z - before) / 0.1;
        std::printf("    %lld grains, the lowest %.4f m above the plate, which carries %.4f of their weight\n", static_cast<long long>(run.method().count()), lowest - 0.1, carried / weight);
        EXPECT_EQ(run.account().removedCount, 0);
        EXPECT_GT(lowest, 0.1 - 0.003) << "they lie in the dimples at most";
        EXPECT_NEAR(carried / weight, 1, 0.03);
    }
}

}  // namespace
}  // namespace talus::test
