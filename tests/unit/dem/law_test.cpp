// SPDX-License-Identifier: Apache-2.0
#include "core/rng.h"
#include "csv.h"
#include "dem/response.h"
#include "dem/restitution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

TEST(Restitution, dependsOnOneNumberAlone) {
    // Hertz with α = ½, tension clipped.
    const std::pair<double, double> known[] = {{0.1, 0.892859}, {0.3, 0.722085}, {0.5, 0.595252}, {1, 0.393931}};
    for (const auto& [x, e] : known) EXPECT_NEAR(restitution({0.5, 1.5}, x, false), e, 2e-6) << x;
}

TEST(Restitution, ofTheTableForAllExponents) {
    const test::CsvTable table("G_bell_fig3_restitution.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const NormalExponents e{table.number(row, "a"), table.number(row, "b")};
        const double v = table.number(row, "v_m_s"), length = std::pow(v * v / 1e6, 1 / (e.beta + 1));
        const double number = table.number(row, "kd") * std::pow(length, e.alpha + 1) / v;
        EXPECT_NEAR(number, table.number(row, "D_nondim"), 1e-3 * number) << row;
        worst = std::max(worst, std::abs(restitution(e, number, true) - table.number(row, "e_n (end at overlap=0)")));
        worst = std::max(worst, std::abs(restitution(e, number, false) - table.number(row, "e_n (end at f_n=0, no attraction)")));
    }
    std::printf("    worst %.1e\n", worst);
    EXPECT_LT(worst, 1e-5);
}

TEST(Restitution, isFoundBackFromItsDamping) {
    for (const NormalExponents& e : {NormalExponents{0.5, 1.5}, NormalExponents{0.25, 1.5}, NormalExponents{0, 1.5}, NormalExponents{0, 1}})
        for (const double wanted : {0.1, 0.4, 0.9, 0.99})
            for (const bool attraction : {false, true}) EXPECT_NEAR(restitution(e, dampingNumber(e, wanted, attraction), attraction), wanted, 1e-5) << e.alpha << " " << wanted << attraction;
    EXPECT_EQ(dampingNumber({0.5, 1.5}, 1, false), 0);
}

// The closed form of the linear law without attraction: exp(−b (π − atan2(2b, 1 − b²))) for the damping that would give e = exp(−π b).
TEST(Restitution, ofTheLinearLawWithoutAttraction) {
    for (const double b : {0.05, 0.2, 0.5}) {
        const double number = 2 * b / std::sqrt(1 + b * b);
        EXPECT_NEAR(restitution({0, 1}, number, true), std::exp(-std::numbers::pi * b), 1e-6);
        EXPECT_NEAR(restitution({0, 1}, number, false), std::exp(-b * (std::numbers::pi - std::atan2(2 * b, 1 - b * b))), 1e-6);
    }
}

/// The stored energy is the integral of the force.
template <class Law>
void expectPotential() {
    for (const double x : {1e-4, 0.3, 2.0}) {
        const double h = 1e-5 * x;
        EXPECT_NEAR((Law::energy(x + h) - Law::energy(x - h)) / (2 * h), Law::elastic(x), 1e-8 * Law::elastic(x));
        EXPECT_NEAR((Law::elastic(x + h) - Law::elastic(x - h)) / (2 * h), Law::tangent(x), 1e-8 * Law::tangent(x));
    }
}
TEST(NormalLaws, areGradients) {
    expectPotential<LinearNormal>();
    expectPotential<HertzHalf>();
}

TEST(ShearLaws, followTheirEquations) {
    const PairConstants c{.stiffness = 1, .damping = 0, .shear = 10, .shearDamping = 0};
    const Vec3 slide{0.3, 0.4, 0};
    Vec3 spring;
    EXPECT_EQ(ViscousShear::force(c, 1, slide, 0.1, spring), (Vec3{-3, -4, 0}));
    EXPECT_LT(norm(CoulombShear::force(c, 1, slide, 0.1, spring) - Vec3{-0.6, -0.8, 0}), 1e-15);
    EXPECT_EQ(CoulombShear::force(c, 1, {}, 0.1, spring), Vec3{});
    EXPECT_EQ(CappedShear::force(c, 6, slide, 0.1, spring), (Vec3{-3, -4, 0}));
    EXPECT_LT(norm(CappedShear::force(c, 1, slide, 0.1, spring) - Vec3{-0.6, -0.8, 0}), 1e-15);
    EXPECT_LT(norm(SpringShear::force(c, 1, slide, 0.1, spring) - Vec3{-0.3, -0.4, 0}), 1e-15);
    EXPECT_LT(norm(SpringShear::force(c, 1, 10 * slide, 0.1, spring) - Vec3{-0.6, -0.8, 0}), 1e-15);
    EXPECT_NEAR(norm(spring), 0.1, 1e-15) << "shortened to what friction holds";
}

TEST(Response, neverPullsUnlessBonded) {
    const PairConstants c{.stiffness = 1e6, .damping = 1e4, .shear = 1e3, .radius = 0.01};
    MemoryOf<Vec3> memory;
    Touch t{.overlap = 1e-4, .normal = {0, 0, 1}, .velocity = {0, 0, 5}};
    EXPECT_EQ((respond<HertzHalf, SpringShear>(c, {}, {}, t, 1e-6, memory).force.z), 0);
    EXPECT_LT((respond<HertzHalf, SpringShear>(c, {}, {.attraction = true}, t, 1e-6, memory).force.z), 0);
    t.bonded = true;
    t.velocity = {};
    t.overlap = -1e-4;
    EXPECT_NEAR((respond<HertzHalf, SpringShear>(c, {}, {}, t, 1e-6, memory).force.z), -1, 1e-9);
}

TEST(Response, rollingFrictionIsATorqueOfAtMostItsShareOfTheForce) {
    const PairConstants c{.stiffness = 1e6, .shear = 1e3, .rolling = 0.2, .radius = 0.01};
    const Touch t{.overlap = 1e-4, .normal = {0, 0, 1}, .velocity = {}, .spin = {1, 2, 30}};
    MemoryOf<Vec3> memory;
    const Response little = respond<HertzHalf, SpringShear>(c, {}, {.rolling = true}, t, 1e-5, memory);
    EXPECT_LT(norm(little.moment + 1e3 * 1e-4 * 1e-5 * Vec3{1, 2, 0}), 1e-12);
    Response much;
    for (int i = 0; i < 5000; ++i) much = respond<HertzHalf, SpringShear>(c, {}, {.rolling = true}, t, 1e-3, memory);
    EXPECT_NEAR(norm(much.moment), 0.2 * 0.01 * 1, 1e-9);
    EXPECT_EQ(much.moment.z, 0);
}

TEST(Response, twistingFrictionIsATorqueAboutTheNormalAlone) {
    const PairConstants c{.stiffness = 1e6, .shear = 1e3, .radius = 0.01};
    const HoldConstants hold{.twisting = 0.2};
    const Touch t{.overlap = 1e-4, .normal = {0, 0, 1}, .velocity = {}, .spin = {1, 2, 30}};
    MemoryOf<Vec3> memory;
    const Response little = respond<HertzHalf, SpringShear>(c, hold, {.twisting = true}, t, 1e-5, memory);
    EXPECT_LT(norm(little.moment + 1e3 * 1e-4 * 1e-5 * Vec3{0, 0, 30}), 1e-12);
    EXPECT_NEAR(memory.twist, 3e-4, 1e-15);
    Response much;
    for (int i = 0; i < 5000; ++i) much = respond<HertzHalf, SpringShear>(c, hold, {.twisting = true}, t, 1e-3, memory);
    EXPECT_LT(norm(much.moment - Vec3{0, 0, -0.2 * 0.01}), 1e-9);
    EXPECT_NEAR(memory.twist, 0.2 * 0.01 / (1e3 * 1e-4), 1e-9) << "shortened to what friction holds";
    MemoryOf<Vec3> none;
    EXPECT_LT(norm(respond<HertzHalf, CappedShear>(c, hold, {.twisting = true}, t, 1e-5, none).moment - Vec3{0, 0, -0.2 * 0.01}), 1e-9);
}

TEST(Response, shearThatGrowsHasTheStiffnessOfTheWidthOfTheContact) {
    const PairConstants c{.stiffness = 1e6, .shear = 1e3, .shearDamping = 4, .friction = 1e9, .radius = 0.01};
    const Touch t{.overlap = 1e-4, .normal = {0, 0, 1}, .velocity = {0.5, 0, 0}};
    MemoryOf<Vec3> memory;
    EXPECT_NEAR((respond<HertzHalf, SpringShear>(c, {}, {.growing = true}, t, 0.01, memory).force.x), -std::sqrt(1e-4) * (1e3 * 0.005 + 4 * 0.5), 1e-12);
}

/// Eight contacts at a time answer as one by one.
template <class Real, class NormalKind, class ShearKind>
void expectLanesLikeScalars(double tolerance) {
    PairConstantsOf<Wide<Real>> c;
    TouchOf<Wide<Real>, WideVec3<Real>> t;
    MemoryOf<WideVec3<Real>> memory;
    alignas(64) Real n[25][8];
    for (std::size_t k = 0; k < 25; ++k)
        for (std::size_t lane = 0; lane < 8; ++lane) n[k][lane] = static_cast<Real>(Rng(3, static_cast<std::uint32_t>(k), lane).uniform(k < 9 ? 0.1 : -1, 1));
    for (std::size_t lane = 0; lane < 8; ++lane) {   // unit normals
        const Real size = static_cast<Real>(std::hypot(n[9][lane], n[10][lane], n[11][lane]));
        for (std::size_t k = 9; k < 12; ++k) n[k][lane] /= size;
    }
    const auto wide = [&](std::size_t k) { return Wide<Real>::load(n[k]); };
    const auto vector = [&](std::size_t k) { return WideVec3<Real>{wide(k), wide(k + 1), wide(k + 2)}; };
    c = {wide(0), wide(1), wide(2), wide(3), wide(4), wide(5), wide(6), wide(7)};
    n[8][2] = n[8][5] = Real(-0.25);
    t = {.overlap = wide(8), .normal = vector(9), .velocity = vector(12), .spin = vector(15)};
    memory = {vector(18), vector(21), wide(24)};
    // Some with bridges, some with a pull over their area; some apart.
    const HoldConstantsOf<Wide<Real>> hold{wide(1), wide(2), wide(16), wide(3)};
    const Manner manner{.attraction = false, .growing = true, .rolling = true, .cohesive = true, .bridges = true, .twisting = true};
    const auto response = respond<NormalKind, ShearKind>(c, hold, manner, t, Wide<Real>(Real(0.1)), memory);
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const auto one = [&](std::size_t k) { return Vec3{n[k][lane], n[k + 1][lane], n[k + 2][lane]}; };
        const PairConstants single{n[0][lane], n[1][lane], n[2][lane], n[3][lane], n[4][lane], n[5][lane], n[6][lane], n[7][lane]};
        MemoryOf<Vec3> kept{one(18), one(21), n[24][lane]};
        const Response expected = respond<NormalKind, ShearKind>(single, HoldConstants{n[1][lane], n[2][lane], n[16][lane], n[3][lane]}, manner, Touch{.overlap = n[8][lane], .normal = one(9), .velocity = one(12), .spin = one(15)}, static_cast<double>(Real(0.1)), kept);
        const auto apart = [&](const WideVec3<Real>& v, const Vec3& w) { return norm(Vec3{v.x.lanes()[lane], v.y.lanes()[lane], v.z.lanes()[lane]} - w); };
        EXPECT_LT(apart(response.force, expected.force), tolerance) << lane;
        EXPECT_LT(apart(response.moment, expected.moment), tolerance) << lane;
        EXPECT_LT(apart(memory.spring, kept.spring), tolerance) << lane;
        EXPECT_LT(apart(memory.turn, kept.turn), tolerance) << lane;
        EXPECT_NEAR(static_cast<double>(memory.twist.lanes()[lane]), kept.twist, tolerance) << lane;
    }
}
TEST(Response, ofEightContactsIsThatOfEach) {
    expectLanesLikeScalars<double, HertzHalf, SpringShear>(1e-13);
    expectLanesLikeScalars<double, HertzQuarter, CappedShear>(1e-13);
    expectLanesLikeScalars<float, HertzZero, CoulombShear>(1e-5);
    expectLanesLikeScalars<float, LinearNormal, ViscousShear>(1e-5);
    expectLanesLikeScalars<float, HertzHalf, SpringShear>(2e-5);
}

}  // namespace
}  // namespace talus::dem
