// SPDX-License-Identifier: Apache-2.0
// Normals of flat grains drawn from the second moment that their guide keeps of them.
#include "upsampling/flat_grains.h"

#include "unit/upsampling/kinematic_guides.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace talus::upsampling::test {
namespace {

using Moment = std::array<double, 6>;   // xx, yy, zz, xy, yz, xz

Moment turnedMoment(const Vec3& parts, const Quat& turn) {
    const Mat3 r = turn.matrix(), m = r * Mat3::diagonal(parts) * transpose(r);
    return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(1, 2), m(0, 2)};
}
Moment momentOf(const Vec3& n) { return {n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.y * n.z, n.x * n.z}; }

const Quat kTurn = Quat::fromAxisAngle({1, 2, 3}, 0.7);

// An entry of n nᵀ varies by less than 0.36 (n_z² of normals at random: √(1/5 − 1/9) = 0.3): the mean of N lies within 4 · 0.36/√N = 0.0032.
TEST(FlatGrains, haveTheSecondMomentOfTheirGuide) {
    constexpr int kGrains = 200000;
    for (const Vec3& parts : {Vec3{1, 1, 1} / 3.0, Vec3{0.6, 0.3, 0.1}, Vec3{0.49, 0.49, 0.02}, Vec3{0.95, 0.04, 0.01}, Vec3{0.5, 0.5, 0}}) {
        const Moment expected = turnedMoment(parts, kTurn);
        const Mat3 spread = spreadOfNormals(expected);
        Moment mean{};
        for (int i = 0; i < kGrains; ++i) {
            const Vec3 n = drawnNormal(7, i, spread);
            ASSERT_NEAR(norm(n), 1, 1e-12);
            const Moment own = momentOf(n);
            for (std::size_t k = 0; k < 6; ++k) mean[k] += own[k] / kGrains;
        }
        for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(mean[k], expected[k], 0.0032) << "entry " << k << " of parts " << parts.x << ", " << parts.y << ", " << parts.z;
    }
}

TEST(FlatGrains, pointOneWayWhereAllDo) {
    const Vec3 way = kTurn.rotate({0, 0, 1});
    const Mat3 spread = spreadOfNormals(turnedMoment({0, 0, 1}, kTurn));
    for (int i = 0; i < 1000; ++i) EXPECT_GT(std::abs(dot(drawnNormal(7, i, spread), way)), 0.999) << "grain " << i;
}

// Normals that lay at random and were turned by a flow [Jeffery1922] are E u/|E u| with E = exp(t L): of such a second moment the spread is the stretch of E, whatever its size.
TEST(FlatGrains, lieAsAFlowTurnsThemFromLyingAtRandom) {
    const Mat3 stretch = Mat3::diagonal({1, 0.4, 0.15});
    constexpr int kCells = 1000;   // midpoints in height and angle: an equal area each
    Vec3 parts;
    for (int i = 0; i < kCells; ++i)
        for (int j = 0; j < kCells; ++j) {
            const double z = -1 + (2 * i + 1.0) / kCells, angle = 2 * std::numbers::pi * (j + 0.5) / kCells, side = std::sqrt(1 - z * z);
            const Vec3 n = normalized(stretch * Vec3{side * std::cos(angle), side * std::sin(angle), z});
            parts += Vec3{n.x * n.x, n.y * n.y, n.z * n.z} / (1.0 * kCells * kCells);
        }
    const Mat3 found = spreadOfNormals(turnedMoment(parts, {}));
    EXPECT_LT(frobeniusNorm(found - stretch), 5e-5) << "the sum errs by less";
}

TEST(FlatGrains, areDrawnFromSeedAndIdAndTurnSmoothly) {
    const Mat3 before = spreadOfNormals(turnedMoment({0.6, 0.3, 0.1}, kTurn)), after = spreadOfNormals(turnedMoment({0.6, 0.3, 0.1}, Quat::fromAxisAngle({0, 1, 0}, 1e-3) * kTurn));
    EXPECT_EQ(drawnNormal(7, 5, before), drawnNormal(7, 5, before));
    EXPECT_GT(norm(drawnNormal(7, 5, before) - drawnNormal(8, 5, before)), 1e-3);
    EXPECT_GT(norm(drawnNormal(7, 5, before) - drawnNormal(7, 6, before)), 1e-3);
    for (int i = 0; i < 1000; ++i) EXPECT_LT(norm(drawnNormal(7, i, after) - drawnNormal(7, i, before)), 0.01) << "grain " << i;
}

TEST(FlatGrains, damagedMomentsGiveUnitNormals) {
    for (const Moment& moment : {Moment{}, Moment{std::nan(""), 0, 0, 0, 0, 0}, Moment{1e300, 1, 1, 0, 0, 0}, Moment{-0.1, 0.6, 0.5, 0, 0, 0}})
        EXPECT_NEAR(norm(drawnNormal(7, 1, spreadOfNormals(moment))), 1, 1e-12);
}

// Those of guides that offer second moments have them as a field, different ones in one guide.
TEST(FlatGrains, normalsAreAFieldOfFineGrains) {
    Settings settings;
    settings.factor = 1000;
    CarriedWorld run([](const Vec3&, double) { return Vec3{}; }, settings);
    run.guides->orientation = turnedMoment({0.9, 0.07, 0.03}, kTurn);
    run.insert();
    const world::FieldTable table = run.read();
    const std::size_t grains = table.count();
    ASSERT_EQ(grains, 216000u);
    Moment mean{};
    for (std::size_t i = 0; i < grains; ++i) {
        const Moment own = momentOf(at(table.reals("normal"), i));
        for (std::size_t k = 0; k < 6; ++k) mean[k] += own[k] / static_cast<double>(grains);
    }
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(mean[k], (*run.guides->orientation)[k], 0.0032);
    EXPECT_GT(norm(at(table.reals("normal"), 0) - at(table.reals("normal"), 1)), 1e-6);
}

}  // namespace
}  // namespace talus::upsampling::test
