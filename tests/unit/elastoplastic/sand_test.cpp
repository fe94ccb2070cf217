// SPDX-License-Identifier: Apache-2.0
// The constitutive law of a point against tables computed with an independent SVD-based implementation in high precision.
#include "csv.h"
#include "elastoplastic/hardening.h"
#include "elastoplastic/plastic_case.h"
#include "elastoplastic/sand.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::elastoplastic {
namespace {

template <class Real>
constexpr double tolerance(double strain) {
    // 1e-12 in double; float keeps E to 1e-7 of its norm and H, exp follow with a few roundings (PHYSICS: 1e-5, 5e-5).
    if (std::is_same_v<Real, double>) return 1e-12;
    return strain <= 1e-2 ? 1e-5 : 5e-5;
}

template <class Real>
WideSym3<Real> wide(const Mat3& m) {
    const auto entry = [&](int i, int j) { return Wide<Real>(static_cast<Real>(m(i, j))); };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)};
}
template <class Real>
Mat3 lane(const WideSym3<Real>& a, int i = 0) {
    const double xy = a.xy.lane(i), yz = a.yz.lane(i), xz = a.xz.lane(i);
    return {{a.xx.lane(i), xy, xz, xy, a.yy.lane(i), yz, xz, yz, a.zz.lane(i)}};
}
Mat3 strainOf(const Mat3& f) { return f * transpose(f) - Mat3::identity(); }

template <class Real>
SandState<Real> stateOf(const Mat3& strain, double expansion = 0) {
    return {wide<Real>(strain), Wide<Real>(static_cast<Real>(expansion)), {}, Wide<Real>(Real(0))};
}

template <class Real>
class Sand : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Sand, Precisions);

TYPED_TEST(Sand, returnMapAgreesWithTheTable) {
    using Real = TypeParam;
    const test::CsvTable table("F_klar_return_map.csv");
    ASSERT_GT(table.rows(), 5u);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        SCOPED_TRACE(table.text(row, "name"));
        Mat3 f, expected;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                f(i, j) = table.number(row, "F" + std::to_string(i) + std::to_string(j));
                expected(i, j) = table.number(row, "Fe_new" + std::to_string(i) + std::to_string(j));
            }
        const Elasticity elasticity = Elasticity::fromYoung(table.number(row, "E_Pa"), table.number(row, "nu"));
        const double muHat = table.number(row, "alpha") * 3 / std::sqrt(2.0);
        SandState<Real> state = stateOf<Real>(strainOf(f));
        projectToCone(Lame<Real>(elasticity), Cone<Real>{Wide<Real>(static_cast<Real>(elasticity.kappa(muHat)))}, state);

        const double size = frobeniusNorm(strainOf(f)), scale = 2 * elasticity.mu * size;
        EXPECT_LT(frobeniusNorm(lane(state.strain) - strainOf(expected)), tolerance<Real>(size) * size);
        const double xy = table.number(row, "tau_xy"), xz = table.number(row, "tau_xz"), yz = table.number(row, "tau_yz");
        const Mat3 tau{{table.number(row, "tau_xx_Pa"), xy, xz, xy, table.number(row, "tau_yy"), yz, xz, yz, table.number(row, "tau_zz")}};
        // The table gives stresses to 10 digits.
        EXPECT_LT(frobeniusNorm(lane(state.stress) - tau), std::max(1e-9, tolerance<Real>(size)) * scale);
        std::array<double, 6> told;
        const Mat3 stress = lane(state.stress);
        for (std::size_t k = 0; k < 6; ++k) told[k] = k < 3 ? stress(static_cast<int>(k), static_cast<int>(k)) : k == 3 ? stress(0, 1) : k == 4 ? stress(1, 2) : stress(0, 2);
        const std::string name = table.text(row, "case");
        EXPECT_EQ(plasticCase(told, elasticity, elasticity.kappa(muHat)), name == "I" ? 1 : name == "II" ? 2 : 3) << name;
        const bool parted = table.text(row, "case") == "II";
        EXPECT_NEAR(state.plasticStrain.lane(0), name == "III" ? table.number(row, "delta_q") : 0.0, tolerance<Real>(size) * size) << "nothing in case II: PHYSICS, section 2";
        EXPECT_NEAR(state.expansion.lane(0), parted ? table.number(row, "tr_eps") : 0.0, tolerance<Real>(size) * size);
    }
}

TYPED_TEST(Sand, simpleShearAtConstantVolumeAgreesWithTheTable) {
    using Real = TypeParam;
    const test::CsvTable table("F_klar_simple_shear_path.csv");
    const Elasticity elasticity = Elasticity::fromYoung(3.537e5, 0.3);
    for (std::size_t row = 0; row < table.rows();) {
        const std::string phi = table.text(row, "phi_deg"), steps = table.text(row, "steps_to_gamma1");
        SCOPED_TRACE("phi " + phi);
        const double increment = 1 / std::stod(steps);
        const Wide<Real> kappa(static_cast<Real>(elasticity.kappa(table.number(row, "mu_hat"))));
        SandState<Real> state = stateOf<Real>(strainOf(Mat3::diagonal({0.99, 0.99, 0.99})));
        std::array<Wide<Real>, 9> a;
        a.fill(Wide<Real>(Real(0)));
        a[1] = Wide<Real>(static_cast<Real>(increment));
        int taken = 0;
        for (; row < table.rows() && table.text(row, "phi_deg") == phi && table.text(row, "steps_to_gamma1") == steps; ++row) {
            for (; taken < std::lround(table.number(row, "gamma") / increment); ++taken) {
                state.strain = advanceStrain(state.strain, a);
                projectToCone(Lame<Real>(elasticity), Cone<Real>{kappa}, state);
            }
            const double p = table.number(row, "p_Pa");
            // Two thousand roundings of the strain in float.
            const double gate = std::is_same_v<Real, double> ? 1e-9 : 2e-4;
            EXPECT_NEAR(state.stress.xy.lane(0), table.number(row, "tau_xy"), gate * p);
            EXPECT_NEAR(state.stress.xx.lane(0), table.number(row, "tau_xx"), gate * p);
            EXPECT_NEAR(state.stress.yy.lane(0), table.number(row, "tau_yy"), gate * p);
            // Each step adds the difference of two strains of some 0.04, of which the logarithm's series in float leaves 1e-7 uncertain.
            EXPECT_NEAR(state.plasticStrain.lane(0), table.number(row, "q"), (std::is_same_v<Real, double> ? 1e-10 : 2.5e-7 * taken));
        }
    }
}

Mat3 randomMatrix(Rng& rng, double size) {
    Mat3 m;
    for (double& e : m.m) e = rng.uniform(-size, size);
    return m;
}

TYPED_TEST(Sand, strainAdvancesLikeTheMatrices) {
    using Real = TypeParam;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        Rng rng(7, 0, i);
        const Mat3 f = Mat3::identity() + randomMatrix(rng, 0.2), a = randomMatrix(rng, 0.1);
        const Mat3 strain = strainOf(f);
        std::array<Wide<Real>, 9> wideA;
        for (std::size_t k = 0; k < 9; ++k) wideA[k] = Wide<Real>(static_cast<Real>(a.m[k]));
        const Mat3 expected = strainOf((Mat3::identity() + a) * f);
        EXPECT_LT(frobeniusNorm(lane(advanceStrain(wide<Real>(strain), wideA)) - expected), (std::is_same_v<Real, double> ? 1e-14 : 2e-6) * (1 + frobeniusNorm(expected)));
    }
}

TYPED_TEST(Sand, smallStrainsKeepTheirDigits) {
    using Real = TypeParam;
    const double size = 1e-6;
    const Mat3 h{{-2 * size, size, 0, size, -3 * size, 0.5 * size, 0, 0.5 * size, -size}};
    const WideSym3<Real> back = henckyStrain(strainFromHencky(wide<Real>(h)));
    EXPECT_LT(frobeniusNorm(lane(back) - h), (std::is_same_v<Real, double> ? 1e-14 : 1e-6) * frobeniusNorm(h));
}

TYPED_TEST(Sand, henckyAndItsInverseAgreeAcrossTheBorderOfTheSeries) {
    using Real = TypeParam;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng rng(11, 0, i);
        Mat3 h = randomMatrix(rng, std::pow(10.0, rng.uniform(-5, -0.3)));
        h = (h + transpose(h)) * 0.5;
        const WideSym3<Real> e = strainFromHencky(wide<Real>(h));
        EXPECT_LT(frobeniusNorm(lane(henckyStrain(e)) - h), (std::is_same_v<Real, double> ? 1e-13 : 4e-6) * frobeniusNorm(h) * (1 + frobeniusNorm(h)));
    }
}

// A rotation of the whole state must rotate the stress and nothing else.
TYPED_TEST(Sand, stressIsObjective) {
    using Real = TypeParam;
    const Elasticity elasticity = Elasticity::fromYoung(3.537e5, 0.3);
    const Wide<Real> kappa(static_cast<Real>(elasticity.kappa(0.5)));
    for (std::uint64_t i = 0; i < 200; ++i) {
        Rng rng(13, 0, i);
        const Mat3 f = Mat3::diagonal({0.98, 0.97, 0.99}) + randomMatrix(rng, 0.03);
        const Mat3 r = Quat::fromRotationVector({rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(-2, 2)}).matrix();
        SandState<Real> still = stateOf<Real>(strainOf(f)), turned = stateOf<Real>(strainOf(r * f));
        projectToCone(Lame<Real>(elasticity), Cone<Real>{kappa}, still);
        projectToCone(Lame<Real>(elasticity), Cone<Real>{kappa}, turned);
        const Mat3 difference = r * lane(still.stress) * transpose(r) - lane(turned.stress);
        EXPECT_LT(frobeniusNorm(difference), (std::is_same_v<Real, double> ? 1e-12 : 2e-5) * 2 * elasticity.mu * frobeniusNorm(strainOf(f)));
    }
}

// Pulled apart and pushed together again, sand has its old volume: stress returns exactly when the volume does.
TYPED_TEST(Sand, volumeGainedInTensionIsPushedBackBeforeStressReturns) {
    using Real = TypeParam;
    const Elasticity elasticity = Elasticity::fromYoung(3.537e5, 0.3);
    const Wide<Real> kappa(static_cast<Real>(elasticity.kappa(0.577)));
    SandState<Real> state = stateOf<Real>(strainOf(Mat3::identity()));
    const auto strainBy = [&](double rate) {
        std::array<Wide<Real>, 9> a;
        a.fill(Wide<Real>(Real(0)));
        a[0] = a[4] = a[8] = Wide<Real>(static_cast<Real>(rate));
        state.strain = advanceStrain(state.strain, a);
        projectToCone(Lame<Real>(elasticity), Cone<Real>{kappa}, state);
    };
    for (int i = 0; i < 100; ++i) strainBy(1e-3);
    const double gained = 300 * std::log1p(1e-3);
    EXPECT_NEAR(state.expansion.lane(0), gained, 1e-4 * gained);
    EXPECT_EQ(state.stress.xx.lane(0), 0.0);
    for (int i = 0; i < 99; ++i) strainBy(1 / 1.001 - 1);
    EXPECT_EQ(state.stress.xx.lane(0), 0.0);
    strainBy(1 / 1.001 - 1);
    strainBy(-1e-3);
    EXPECT_NEAR(state.stress.xx.lane(0), (3 * elasticity.lambda + 2 * elasticity.mu) * std::log1p(-1e-3), 2e-2 * 1e-3 * 3 * elasticity.lambda);
}

TYPED_TEST(Sand, hardeningAgreesWithTheTable) {
    using Real = TypeParam;
    const test::CsvTable table("F_klar_hardening.csv");
    ASSERT_GT(table.rows(), 5u);
    const Hardening hardening;   // the table's h₀ … h₃, by (31)
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double q = table.number(row, "q"), expected = table.number(row, "mu_hat");
        EXPECT_NEAR(hardening.muHat(Wide<Real>(static_cast<Real>(q))).lane(0), expected, (std::is_same_v<Real, double> ? 1e-12 : 1e-6) * expected) << q;
        EXPECT_NEAR(hardening.angleDeg(q), table.number(row, "phiF_deg (h=35,9,0.2,10)"), 1e-10);
    }
    for (const world::FrictionMatch match : {world::FrictionMatch::tan, world::FrictionMatch::sin, world::FrictionMatch::inscribed, world::FrictionMatch::middle}) {
        Hardening other;
        other.match = match;
        const double expected = world::muHatFromAngle(other.angleDeg(1.5), match);
        EXPECT_NEAR(other.muHat(Wide<Real>(Real(1.5))).lane(0), expected, (std::is_same_v<Real, double> ? 1e-14 : 1e-6) * expected);
    }
    // The extremes over all q, against a search.
    double largest = 0, smallest = 90;
    for (int i = 0; i <= 100000; ++i) {
        const double angle = hardening.angleDeg(1e-3 * i);
        largest = std::max(largest, angle);
        smallest = std::min(smallest, angle);
    }
    EXPECT_NEAR(hardening.largestDeg(), largest, 1e-6);
    EXPECT_NEAR(hardening.smallestDeg(), smallest, 1e-6);
}

// √J₂ ≤ μ̂ p + k: what cohesion holds, in tension and in shear, and that it is gone once the grains have parted.
TYPED_TEST(Sand, cohesionMovesTheTipOfTheCone) {
    using Real = TypeParam;
    const Elasticity elasticity = Elasticity::fromYoung(3.537e5, 0.3);
    const double muHat = 0.6, k = 500;
    const Cone<Real> cone{Wide<Real>(static_cast<Real>(elasticity.kappa(muHat))), Wide<Real>(static_cast<Real>(elasticity.tip(k, muHat)))};
    const double gate = std::is_same_v<Real, double> ? 1e-10 : 1e-4;
    // H = (t/3) 1 + s (e_x e_yᵀ + e_y e_xᵀ) has p = −K t and √J₂ = 2 μ s.
    const auto projected = [&](double t, double s, double expansion = 0) {
        SandState<Real> state = stateOf<Real>({}, expansion);
        state.strain = strainFromHencky(wide<Real>(Mat3{{t / 3, s, 0, s, t / 3, 0, 0, 0, t / 3}}));
        projectToCone(Lame<Real>(elasticity), cone, state);
        return state;
    };
    const auto shearOf = [](const SandState<Real>& state) { return static_cast<double>(state.stress.xy.lane(0)); };
    const double tip = elasticity.tip(k, muHat);
    EXPECT_NEAR(-elasticity.bulkModulus() * tip, -k / muHat, 1e-9 * k);

    const SandState<Real> held = projected(0.9 * tip, 0);
    EXPECT_NEAR(held.stress.xx.lane(0), 0.9 * k / muHat, gate * k) << "tension";
    EXPECT_EQ(held.expansion.lane(0), Real(0));
    const SandState<Real> torn = projected(1.1 * tip, 0);
    EXPECT_EQ(torn.stress.xx.lane(0), Real(0));
    EXPECT_NEAR(torn.expansion.lane(0), 1.1 * tip, gate * tip);
    const SandState<Real> open = projected(-0.01 * tip, 0.01, 0.5 * tip);
    EXPECT_EQ(shearOf(open), 0) << "grains that parted do not hold before they close up";
    const SandState<Real> closed = projected(-tip, 0.01, 0.5 * tip);
    EXPECT_NEAR(shearOf(closed), muHat * elasticity.bulkModulus() * 0.5 * tip, gate * k) << "in the step that closes them they are dry";
    for (const double t : {0.5 * tip, 0.0, -tip, -3 * tip})
        EXPECT_NEAR(shearOf(projected(t, 0.02)), k - muHat * elasticity.bulkModulus() * t, gate * k) << t;
}

// Steady shear at constant volume: √J₂ = μ̂(I) p with μ̂(I) = μ̂ + (μ̂₂ − μ̂)/(1 + I₀/I), I = γ̇ d √(ρ/p).
TYPED_TEST(Sand, frictionGrowsWithTheInertialNumber) {
    using Real = TypeParam;
    const Elasticity elasticity = Elasticity::fromYoung(3.537e5, 0.3);
    const double slow = 0.3819, fast = 0.6435, scale = 0.279, diameter = 5.3e-4, density = 2500, step = 1e-4;
    double last = slow;
    for (const double rate : {1e-3, 1.0, 30.0, 300.0, 3000.0}) {
        SandState<Real> state = stateOf<Real>(strainOf(Mat3::diagonal({0.9995, 0.9995, 0.9995})));
        const double increment = std::min(1e-3, rate * step);
        std::array<Wide<Real>, 9> a;
        a.fill(Wide<Real>(Real(0)));
        a[1] = Wide<Real>(static_cast<Real>(increment));
        const auto real = [](double x) { return Wide<Real>(static_cast<Real>(x)); };
        EXPECT_NEAR(shearOf(a).lane(0), increment, 1e-6 * increment);
        const FlowCone<Real> cone{real(elasticity.kappa(slow)), real(elasticity.kappa(fast)), real(0), real(rate * diameter * std::sqrt(density) / scale)};
        if (increment < 1e-4) a[1] = real(1e-4);   // the path counts, not the time it takes
        for (int i = 0; i < 400; ++i) {
            state.strain = advanceStrain(state.strain, a);
            projectToCone(Lame<Real>(elasticity), cone, state);
        }
        const Mat3 tau = lane(state.stress);
        const double p = -(tau(0, 0) + tau(1, 1) + tau(2, 2)) / 3;
        double squares = 0;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) squares += 0.5 * std::pow(tau(i, k) + (i == k ? p : 0), 2);
        const double inertial = rate * diameter * std::sqrt(density / p), expected = slow + (fast - slow) / (1 + scale / inertial);
        EXPECT_NEAR(std::sqrt(squares) / p, expected, (std::is_same_v<Real, double> ? 1e-9 : 2e-4) * expected) << rate;
        EXPECT_GT(expected, last);
        last = expected;
    }
    EXPECT_GT(last, 0.6) << "close to that of fast shear";
}

}  // namespace
}  // namespace talus::elastoplastic
