// SPDX-License-Identifier: Apache-2.0
// The laws of elastic solids against their energies, which are written here once more, of the singular values of F.
#include "core/rng.h"
#include "core/svd.h"
#include "elastoplastic/carried.h"
#include "elastoplastic/elastoplastic.h"
#include "elastoplastic/solid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::elastoplastic {
namespace {

template <class Real>
WideSym3<Real> wide(const Mat3& m) {
    const auto entry = [&](int i, int j) { return Wide<Real>(static_cast<Real>(m(i, j))); };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)};
}
template <class Real>
Mat3 lane(const WideSym3<Real>& a) {
    const double xy = a.xy.lane(0), yz = a.yz.lane(0), xz = a.xz.lane(0);
    return {{a.xx.lane(0), xy, xz, xy, a.yy.lane(0), yz, xz, yz, a.zz.lane(0)}};
}
Mat3 strainOf(const Mat3& f) { return f * transpose(f) - Mat3::identity(); }

/// ψ of F by its singular values.
double energy(Law law, const Elasticity& e, const Mat3& f) {
    Mat3 u, v;
    Vec3 s;
    svd(f, u, s, v);
    double squares = 0, j = s.x * s.y * s.z;
    for (int i = 0; i < 3; ++i) squares += law == Law::hencky ? std::log(s[i]) * std::log(s[i]) : (s[i] - 1) * (s[i] - 1);
    const double volume = law == Law::hencky ? std::log(j) : j - 1;
    return e.mu * squares + 0.5 * e.lambda * volume * volume;
}

/// A random deformation gradient with displacement gradients up to `size`.
Mat3 deformation(std::uint32_t index, double size) {
    Rng random(7, 0, index);
    Mat3 f = Mat3::identity();
    for (double& entry : f.m) entry += random.uniform(-size, size);
    return f;
}

template <class Real>
SolidAnswer<Real> answer(Law law, const Elasticity& e, const Mat3& strain) {
    return law == Law::hencky ? henckySolid(Lame<Real>(e), wide<Real>(strain)) : fixedCorotated(Lame<Real>(e), wide<Real>(strain));
}

constexpr std::array kSolids{Law::hencky, Law::fixedCorotated};
const Elasticity kRubber = Elasticity::fromYoung(1e5, 0.4);

// τ = (∂ψ/∂F) Fᵀ.
TEST(Solid, stressIsTheSlopeOfTheEnergy) {
    for (const Law law : kSolids)
        for (std::uint32_t n = 0; n < 40; ++n) {
            const double size = n % 2 ? 0.3 : 0.03, step = 1e-6;
            const Mat3 f = deformation(n, size);
            Mat3 first;
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) {
                    Mat3 more = f, less = f;
                    more(i, k) += step;
                    less(i, k) -= step;
                    first(i, k) = (energy(law, kRubber, more) - energy(law, kRubber, less)) / (2 * step);
                }
            const Mat3 expected = first * transpose(f), found = lane(answer<double>(law, kRubber, strainOf(f)).stress);
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) EXPECT_NEAR(found(i, k), expected(i, k), 1e-8 * (kRubber.lambda + 2 * kRubber.mu)) << kLawNames[static_cast<std::size_t>(law)];
        }
}

TEST(Solid, theEnergyThatIsReadIsThatOfTheLaw) {
    for (std::uint32_t n = 0; n < 20; ++n) {
        const Mat3 f = deformation(n, 0.3), h = lane(henckyStrain(wide<double>(strainOf(f))));
        const double expected = energy(Law::fixedCorotated, kRubber, f);
        EXPECT_NEAR(fixedCorotatedEnergy(kRubber, {h(0, 0), h(1, 1), h(2, 2), h(0, 1), h(1, 2), h(0, 2)}), expected, 1e-12 * expected);
    }
}

// PHYSICS' bounds for float: 1e-5 of the strain up to 1e-2, 5e-5 beyond; in small strains both laws are Hooke's.
TEST(Solid, floatKeepsTheDigitsOfSmallStrains) {
    for (const Law law : kSolids)
        for (const double size : {1e-5, 1e-3, 1e-2, 0.05, 0.3})
            for (std::uint32_t n = 0; n < 20; ++n) {
                const Mat3 strain = strainOf(deformation(n, size));
                const Mat3 exact = lane(answer<double>(law, kRubber, strain).stress), found = lane(answer<float>(law, kRubber, strain).stress);
                const double most = (size <= 1e-2 ? 1e-5 : 5e-5) * size * (3 * kRubber.lambda + 2 * kRubber.mu);
                for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found.m[i], exact.m[i], most) << kLawNames[static_cast<std::size_t>(law)] << " " << size;
                if (size > 1e-5) continue;
                const double trace = 0.5 * (strain(0, 0) + strain(1, 1) + strain(2, 2));
                for (int i = 0; i < 3; ++i)
                    for (int k = 0; k < 3; ++k) EXPECT_NEAR(exact(i, k), kRubber.mu * strain(i, k) + (i == k ? kRubber.lambda * trace : 0), 1e-4 * size * kRubber.lambda);
            }
}

// A wave along a principal axis of stretch σ runs with ρ c² = σ² ∂²ψ/∂σ². The bound is no less, and not far from it: steps are not
// shorter than they must be. Without strain it is 1.
TEST(Solid, stiffeningBoundsTheSpeedOfWaves) {
    const double modulus = kRubber.lambda + 2 * kRubber.mu, step = 1e-4;
    for (const Law law : kSolids) {
        EXPECT_NEAR(answer<double>(law, kRubber, Mat3{}).stiffening.lane(0), 1, 1e-12);
        for (const double x : {0.5, 0.8, 1.3, 2.0})
            for (const double yz : {0.7, 1.0, 1.5}) {
                const auto psi = [&](double along, double across) { return energy(law, kRubber, {{along, 0, 0, 0, across, 0, 0, 0, yz}}); };
                const double alongX = x * x * (psi(x + step, yz) - 2 * psi(x, yz) + psi(x - step, yz)) / (step * step);
                const double alongY = yz * yz * (psi(x, yz + step) - 2 * psi(x, yz) + psi(x, yz - step)) / (step * step);
                const double fastest = std::max(alongX, alongY), bound = modulus * answer<double>(law, kRubber, strainOf({{x, 0, 0, 0, yz, 0, 0, 0, yz}})).stiffening.lane(0);
                EXPECT_GE(bound, fastest * (1 - 1e-5)) << x << " " << yz;
                EXPECT_LT(bound, 4 * std::max(fastest, modulus)) << x << " " << yz;
            }
    }
}

TEST(Solid, aStressThatIsGivenIsTheOneThatTheStrainHas) {
    for (const Law law : kSolids)
        for (std::uint32_t n = 0; n < 20; ++n) {
            const Mat3 f = deformation(n, 0.25), strain = strainOf(f), tau = lane(answer<double>(law, kRubber, strain).stress);
            const double j = determinant(f);
            const Carried c = carried({law, kRubber, 0}, {tau(0, 0) / j, tau(1, 1) / j, tau(2, 2) / j, tau(0, 1) / j, tau(1, 2) / j, tau(0, 2) / j});
            const Sym expected{strain(0, 0), strain(1, 1), strain(2, 2), strain(0, 1), strain(1, 2), strain(0, 2)};
            for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(c.strain[i], expected[i], 1e-10) << kLawNames[static_cast<std::size_t>(law)];
            EXPECT_NEAR(c.tau[3], tau(0, 1), 1e-10 * kRubber.lambda);
        }
}

TEST(Solid, whatIsBeyondSenseIsTold) {
    for (const Law law : kSolids) {
        for (const double stretch : {0.3, 1.0, 5.0}) EXPECT_FALSE(any(answer<float>(law, kRubber, strainOf({{stretch, 0, 0, 0, 1, 0, 0, 0, 1}})).beyondSense)) << stretch;
        EXPECT_TRUE(all(answer<float>(law, kRubber, strainOf({{200, 0, 0, 0, 1, 0, 0, 0, 1}})).beyondSense));
        EXPECT_TRUE(all(answer<float>(law, kRubber, strainOf({{0.005, 0, 0, 0, 1, 0, 0, 0, 1}})).beyondSense));
    }
}

TEST(Solid, materialsHaveTheirOwnStiffnessOrThatOfTheMethod) {
    Settings settings;
    settings.materials = {{.name = "rubber", .law = Law::fixedCorotated, .youngsModulus = 1e5, .poissonRatio = 0.4}, {.name = "wood", .law = Law::hencky, .youngsModulus = {}, .poissonRatio = {}}};
    const Matter rubber = matterOf(settings, {.name = "rubber", .density = 1000, .packingFraction = 1});
    EXPECT_EQ(rubber.law, Law::fixedCorotated);
    EXPECT_EQ(rubber.elasticity, kRubber);
    EXPECT_NEAR(rubber.soundSpeed, std::sqrt((kRubber.lambda + 2 * kRubber.mu) / 1000), 1e-12);
    EXPECT_EQ(matterOf(settings, {.name = "wood"}).elasticity, Elasticity::fromYoung(settings.youngsModulus, settings.poissonRatio));
    EXPECT_FALSE(matterOf(settings, {.name = "sand"}).solid());
}

}  // namespace
}  // namespace talus::elastoplastic
