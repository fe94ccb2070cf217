// SPDX-License-Identifier: Apache-2.0
// Gases of grains, and grains that overlap too deeply.
#include "core/rng.h"
#include "verification/dem_world.h"
#include "world/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::test {
namespace {

/// Random speeds with a normal distribution of each component.
Vec3 thermal(Rng& rng, double width) {
    const auto pair = [&] { return std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(2 * std::numbers::pi * rng.uniform()); };
    return width * Vec3{pair(), pair(), pair()};
}

// Haff's law: the energy of a gas of smooth spheres whose restitution e does not depend on speed falls as T = T₀/(1 + ζ₀t/2)² with
// ζ₀ = 4/3 (1 − e²) n d² g √(π T₀/m), g the pair correlation at contact, (1 − φ/2)/(1 − φ)³ [Brilliantov2004].
TEST(DemVerification, aGasCoolsByHaffsLaw) {
    constexpr double kDiameter = 0.02, kFraction = 0.1, kRestitution = 0.9, kSpeed = 0.5;
    constexpr int kSide = 8, kGrains = kSide * kSide * kSide;
    dem::Settings settings;
    settings.dampingExponent = 0.25;
    settings.restitution = kRestitution;
    settings.contactFriction = settings.rollingFriction = 0;
    settings.shear = dem::Shear::coulomb;
    settings.youngsModulus = 1e9;
    settings.skin = 0.4;
    world::World world = emptyWorld(2500, kDiameter);
    const double length = kDiameter * std::cbrt(kGrains * std::numbers::pi / 6 / kFraction);
    world.domain.min = {0, 0, 0};
    world.domain.max = {length, length, length};
    world.domain.faces.fill(world::FaceType::periodic);
    for (int i = 0; i < kGrains; ++i) {
        Rng rng(7, 1, static_cast<std::uint64_t>(i));
        addGrain(world, length / kSide * Vec3{i % kSide + 0.5, i / kSide % kSide + 0.5, i / (kSide * kSide) + 0.5}, thermal(rng, kSpeed), kDiameter);
    }
    world::Simulation run = startDem(std::move(world), settings);
    const auto temperature = [&] {   // <|v − v̄|²>/3 of a unit mass
        const world::Totals totals = world::totals(Exec(1), run);
        return (2 * totals.kineticEnergy / totals.mass - normSquared(totals.momentum / totals.mass)) / 3;
    };
    advance(run, Exec(1), 0.1);   // a few collisions, after which the lattice is forgotten
    const double start = temperature(), g = (1 - 0.5 * kFraction) / std::pow(1 - kFraction, 3);
    const double rate = 4.0 / 3 * (1 - kRestitution * kRestitution) * 6 * kFraction / (std::numbers::pi * kDiameter) * g * std::sqrt(std::numbers::pi * start);
    for (const double wanted : {0.25, 0.5, 1.0}) {
        advance(run, Exec(1), 0.1 + 2 * wanted / rate);
        const double expected = start / std::pow(1 + wanted, 2), found = temperature();
        std::printf("    T/T0 %.4f, Haff %.4f\n", found / start, expected / start);
        EXPECT_NEAR(found, expected, 0.06 * expected) << wanted;   // 512 grains: the temperature of such a gas scatters by √(2/(3·512)) = 3.6 %
    }
}

/// A ball as soft as foam is driven into a floor.
world::World softBall() {
    world::World world = emptyWorld(2500, 0.02);
    addFloor(world);
    addGrain(world, {0, 0, 0.03}, {0, 0, -2}, 0.02);
    return world;
}

TEST(DemVerification, aDeepOverlapStopsTheRunWhereAskedTo) {
    dem::Settings settings;
    settings.youngsModulus = 1e4;
    for (const dem::DeepOverlap what : {dem::DeepOverlap::count, dem::DeepOverlap::stop}) {
        settings.deepOverlap = what;
        world::World world = softBall();
        const auto method = dem::info.create(settings, world, world::Precision::float64);
        const Exec exec(1);
        method->insert(exec, world, world.fills.front());
        std::optional<world::Failed> failed;
        while (world.time < 0.02 && !failed) {
            const double dt = method->stableStep(world);
            const world::StepReport report = method->step(exec, world, dt);
            world.time += dt;
            if (const auto* stopped = std::get_if<world::Failed>(&report)) failed = *stopped;
        }
        const double counted = method->fallbacks().front().value;
        if (what == dem::DeepOverlap::count) {
            EXPECT_FALSE(failed);
            EXPECT_GT(counted, 1);
            EXPECT_EQ(method->takeWarnings().size(), 1U) << "one warning for all of them";
        } else {
            ASSERT_TRUE(failed);
            EXPECT_EQ(failed->grain, 0);
            EXPECT_EQ(failed->field, "position");
            EXPECT_NE(failed->what.find("half a radius"), std::string::npos);
            EXPECT_NEAR(failed->position.z, 0.005, 5e-4) << "a ball of 1 cm is half in";
            EXPECT_NEAR(world.time, 0.0125, 1e-3) << "the way of 2.5 cm at 2 m/s";
        }
    }
}

}  // namespace
}  // namespace talus::test
