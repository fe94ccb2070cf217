// SPDX-License-Identifier: Apache-2.0
#include "dem/response.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRadius = 1e-3;

TEST(Cohesion, sjkrPullsByTheAreaInWhichSpheresCutEachOther) {
    const HoldConstants pair = holdConstants(SjkrCohesion{1e4}, kRadius, 3 * kRadius), wall = holdConstants(SjkrCohesion{1e4}, kRadius, 0);
    const double overlap = 1e-7, distance = 4 * kRadius - overlap;
    // Radius of the circle common to two spheres.
    const double half = (distance * distance + kRadius * kRadius - 9 * kRadius * kRadius) / (2 * distance);
    EXPECT_NEAR(pullTogether(pair, overlap), 1e4 * kPi * (kRadius * kRadius - half * half), 1e-4 * pullTogether(pair, overlap));
    EXPECT_NEAR(pullTogether(wall, overlap), 1e4 * kPi * (2 * kRadius * overlap - overlap * overlap), 1e-4 * pullTogether(wall, overlap));
    EXPECT_EQ(pullTogether(pair, -overlap), 0);
}

// Willett's force of two equal spheres, of a sphere and a plane, and its limits: 2 π r γ cos θ and 4 π r γ cos θ at contact.
TEST(Cohesion, ofABridgeOfLiquid) {
    const BridgeCohesion water{.surfaceTension = 0.07, .contactAngleDeg = 30, .liquid = 0.01};
    const double volume = 0.01 * 4.0 / 3 * kPi * std::pow(kRadius, 3), cosine = std::cos(kPi / 6);
    const HoldConstants pair = holdConstants(water, kRadius, kRadius), wall = holdConstants(water, kRadius, 0), unequal = holdConstants(water, kRadius, 3 * kRadius);
    EXPECT_NEAR(pullTogether(pair, 1e-6), 2 * kPi * kRadius * 0.07 * cosine, 1e-15);
    EXPECT_NEAR(pullTogether(wall, 0), 4 * kPi * kRadius * 0.07 * cosine, 1e-15);
    EXPECT_NEAR(pullTogether(unequal, 0), 3 * kPi * kRadius * 0.07 * cosine, 1e-15);
    const double gap = 1e-4, reduced = gap * std::sqrt(kRadius / volume);
    EXPECT_NEAR(pullTogether(pair, -gap), 2 * kPi * kRadius * 0.07 * cosine / (1 + 1.05 * reduced + 2.5 * reduced * reduced), 1e-15);
    EXPECT_NEAR(pair.rupture, (1 + kPi / 12) * std::cbrt(volume), 1e-15);
    EXPECT_EQ(unequal.rupture, pair.rupture) << "the smaller sphere has the liquid";
}

TEST(Cohesion, energyIsTheWorkOfThePull) {
    for (const HoldConstants& hold : {holdConstants(SjkrCohesion{1e4}, kRadius, kRadius), holdConstants(BridgeCohesion{}, kRadius, 2 * kRadius)})
        for (const double overlap : {-1.5e-4, -1e-5, 1e-6, 1e-5}) {
            const double h = 1e-3 * std::abs(overlap);
            EXPECT_NEAR((heldEnergy(hold, overlap + h) - heldEnergy(hold, overlap - h)) / (2 * h), -pullTogether(hold, overlap), 1e-6 * std::max(1e-9, pullTogether(hold, overlap))) << overlap;
        }
}

// k_r x^{3/2} − 2 π k R x is smallest at √x = 4 π k R/(3 k_r), where it pulls with 32 π³ k³ R³/(27 k_r²).
TEST(Cohesion, pullOffForceOfSjkr) {
    const double modulus = 4.0 / 3 * 5e6, k = 1e5;
    const HoldConstants hold = holdConstants(SjkrCohesion{k}, kRadius, kRadius);
    const PairConstants c{.stiffness = modulus * std::sqrt(0.5 * kRadius), .radius = 0.5 * kRadius};
    MemoryOf<Vec3> memory;
    double most = 0;
    for (double x = 0; x < 4e-6; x += 1e-10) {
        const Touch t{.overlap = x, .normal = {0, 0, 1}, .velocity = {}};
        most = std::max(most, -respond<HertzHalf, SpringShear>(c, hold, {.cohesive = true}, t, 1e-6, memory).force.z);
    }
    const double expected = 32 * std::pow(kPi * k * 0.5 * kRadius, 3) / (27 * c.stiffness * c.stiffness);
    EXPECT_NEAR(most, expected, 1e-6 * expected);
}

TEST(Cohesion, frictionCountsWhatPushesTheSurfacesTogether) {
    const HoldConstants hold = holdConstants(BridgeCohesion{}, kRadius, kRadius);
    const PairConstants c{.stiffness = 1e5, .shear = 1e3, .friction = 0.5, .radius = 0.5 * kRadius};
    // Where the pull of the liquid and the push of the contact cancel, friction still holds half of it.
    const Touch t{.overlap = std::pow(hold.pull / 1e5, 2.0 / 3), .normal = {0, 0, 1}, .velocity = {1, 0, 0}};
    MemoryOf<Vec3> memory;
    const Response response = respond<HertzHalf, SpringShear>(c, hold, {.cohesive = true, .bridges = true}, t, 1, memory);
    EXPECT_NEAR(response.force.z, 0, 1e-12);
    EXPECT_NEAR(response.force.x, -0.5 * hold.pull, 1e-12);
}

TEST(Cohesion, whatIsApartNeitherRubsNorRemembers) {
    const HoldConstants hold = holdConstants(BridgeCohesion{}, kRadius, kRadius);
    const PairConstants c{.stiffness = 1e5, .damping = 3, .shear = 1e3, .shearDamping = 2, .rolling = 0.1, .radius = 0.5 * kRadius};
    const Touch t{.overlap = -1e-4, .normal = {0, 0, 1}, .velocity = {1, 0, -1}, .spin = {3, 0, 0}};
    MemoryOf<Vec3> memory{{1e-5, 0, 0}, {0, 1e-5, 0}, 1e-5};
    const Response response = respond<HertzZero, SpringShear>(c, hold, {.rolling = true, .cohesive = true, .bridges = true, .twisting = true}, t, 1e-3, memory);
    EXPECT_EQ(response.force, (Vec3{0, 0, -pullTogether(hold, -1e-4)}));
    EXPECT_EQ(response.moment, Vec3{});
    EXPECT_EQ(memory.spring, Vec3{});
    EXPECT_EQ(memory.turn, Vec3{});
    EXPECT_EQ(memory.twist, 0);
    EXPECT_EQ(response.slipWork, 0);
}

}  // namespace
}  // namespace talus::dem
