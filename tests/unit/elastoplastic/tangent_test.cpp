// SPDX-License-Identifier: Apache-2.0
// The derivative of the stress against finite differences of the kernels that the explicit update uses, in double.
#include "elastoplastic/tangent.h"

#include "core/rng.h"
#include "core/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus::elastoplastic {
namespace {

using W = Wide<double>;
using Gradient = std::array<double, 9>;

const Elasticity kElasticity = Elasticity::fromYoung(1e6, 0.3);
constexpr double kViscosity = 2e5;   // ζ/Δt [Pa]

/// A point at the start of a step.
struct Start {
    Law law = Law::sand;
    Mat3 strain{};          // E
    double expansion = 0, muHat = 0.6, tip = 0;
};

WideSym3<double> wide(const Mat3& m) { return {W(m(0, 0)), W(m(1, 1)), W(m(2, 2)), W(m(0, 1)), W(m(1, 2)), W(m(0, 2))}; }
std::array<W, 9> wide(const Gradient& a) {
    std::array<W, 9> result;
    for (std::size_t i = 0; i < 9; ++i) result[i] = W(a[i]);
    return result;
}
Cone<double> coneOf(const Start& s) { return {W(kElasticity.kappa(s.muHat)), W(s.tip)}; }

std::array<double, 6> lanes(const WideSym3<double>& s) { return {s.xx.lane(0), s.yy.lane(0), s.zz.lane(0), s.xy.lane(0), s.yz.lane(0), s.xz.lane(0)}; }

std::array<double, 6> stressAfter(const Start& start, const Gradient& a) {
    const Lame<double> lame(kElasticity);
    const WideSym3<double> trial = advanceStrain(wide(start.strain), wide(a));
    if (start.law == Law::hencky) return lanes(henckySolid(lame, trial).stress);
    if (start.law == Law::fixedCorotated) return lanes(fixedCorotated(lame, trial).stress);
    SandState<double> state{trial, W(start.expansion), {}, W(0.0)};
    projectToCone(lame, coneOf(start), state);
    std::array<double, 6> tau = lanes(state.stress);
    for (std::size_t i = 0; i < 3 && !(state.expansion.lane(0) > 0); ++i) tau[i] += kViscosity * (a[0] + a[4] + a[8]);
    return tau;
}

Tangent<double> tangentAt(const Start& start, const Gradient& a) {
    const Lame<double> lame(kElasticity);
    const PrincipalTrial<double> trial(advanceStrain(wide(start.strain), wide(a)));
    const PrincipalTangent<double> law = start.law == Law::sand ? sandTangent(lame, coneOf(start), trial, W(start.expansion)) : solidTangent(start.law, lame, trial);
    return wholeTangent(wide(start.strain), wide(a), trial, law, W(kViscosity));
}

/// Largest difference from central differences of fourth order over the 9 directions, relative to λ + 2μ.
double error(const Start& start, const Gradient& a) {
    const double step = 2e-6;
    const Tangent<double> tangent = tangentAt(start, a);
    double worst = 0;
    for (std::size_t k = 0; k < 9; ++k) {
        const auto at = [&](double x) {
            Gradient moved = a;
            moved[k] += x;
            return stressAfter(start, moved);
        };
        Gradient direction{};
        direction[k] = 1;
        const std::array<double, 6> told = lanes(tangent.apply(wide(direction)));
        const std::array<double, 6> before2 = at(-2 * step), before = at(-step), after = at(step), after2 = at(2 * step);
        for (std::size_t i = 0; i < 6; ++i) worst = std::max(worst, std::abs(told[i] - (8 * (after[i] - before[i]) - (after2[i] - before2[i])) / (12 * step)));
    }
    return worst / (kElasticity.lambda + 2 * kElasticity.mu);
}

/// b − 1 of random stretches up to `size` and a mean logarithmic strain.
Mat3 randomStrain(Rng& rng, double size, double mean) {
    Mat3 f = Mat3::identity();
    for (double& entry : f.m) entry += rng.uniform(-size, size);
    return std::exp(2 * mean) * (f * transpose(f)) - Mat3::identity();
}
Gradient randomGradient(Rng& rng, double size) {
    Gradient a;
    for (double& entry : a) entry = rng.uniform(-size, size);
    return a;
}
/// Of the end of the step, told from its trial strain: 1, 2, 3, and how far it is from the next case, in strain.
struct Case {
    int number;
    double margin;
};
Case caseOf(const Start& start, const Gradient& a) {
    const PrincipalTrial<double> trial(advanceStrain(wide(start.strain), wide(a)));
    double trace = 0, squares = 0;
    for (const W& e : trial.strain) trace += e.lane(0);
    for (const W& e : trial.strain) squares += std::pow(e.lane(0) - trace / 3, 2);
    const double beyond = trace + start.expansion - (start.expansion <= 0 ? start.tip : 0), limit = -kElasticity.kappa(start.muHat) * beyond, shear = std::sqrt(squares);
    if (beyond >= 0) return {2, beyond};
    return shear <= limit ? Case{1, limit - shear} : Case{3, std::min(-beyond, shear - limit)};
}

constexpr double kGate = 5e-8;

TEST(Tangent, agreesWithFiniteDifferencesInAllCases) {
    Rng rng(7, 1, 0);
    std::array<int, 4> seen{};
    double worst = 0;
    for (int i = 0; i < 600; ++i) {
        const double size = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 0.02 : 0.15;
        Start start{.strain = randomStrain(rng, size, rng.uniform(-1.5, 0.4) * size), .expansion = i % 4 == 0 ? rng.uniform(-0.3, 0.5) * size : 0, .tip = i % 5 == 0 ? 0.1 * size : 0};
        const Gradient a = randomGradient(rng, size);
        const Case here = caseOf(start, a);
        if (here.margin < 2e-5) continue;   // a difference must not reach over a border
        ++seen[static_cast<std::size_t>(here.number)];
        worst = std::max(worst, error(start, a));
    }
    for (std::size_t k = 1; k < 4; ++k) EXPECT_GT(seen[k], 40) << "case " << k;
    RecordProperty("worst", std::to_string(worst));
    EXPECT_LT(worst, kGate);
}

TEST(Tangent, agreesFromEitherSideOfABorder) {
    Rng rng(11, 1, 0);
    int borders = 0;
    for (int i = 0; i < 60; ++i) {
        Start start{.strain = randomStrain(rng, 0.01, -0.012)};
        // Along a straight way from inside the cone, by shear or by volume: where the case changes is found by bisection.
        Gradient way = i % 2 == 0 ? Gradient{0.08, 0.05, 0, 0, -0.08, 0.03, 0, 0, 0} : Gradient{0.03, 0, 0.01, 0, 0.02, 0, 0, 0, 0.03};
        const auto at = [&](double x) {
            Gradient a = way;
            for (double& entry : a) entry *= x;
            return a;
        };
        double low = 0, high = 1;
        const int first = caseOf(start, at(0)).number;
        if (caseOf(start, at(1)).number == first) continue;
        while (high - low > 1e-15) (caseOf(start, at(0.5 * (low + high))).number == first ? low : high) = 0.5 * (low + high);
        ++borders;
        // One-sided differences stay on their side only along the way itself: its directional derivative from below and from above.
        for (const int side : {-1, 1}) {
            const double step = 1e-5, x = side < 0 ? low : high;
            const Tangent<double> tangent = tangentAt(start, at(x));
            const std::array<double, 6> told = lanes(tangent.apply(wide(way)));
            const std::array<double, 6> here = stressAfter(start, at(x)), one = stressAfter(start, at(x + side * step)), two = stressAfter(start, at(x + 2 * side * step));
            for (std::size_t k = 0; k < 6; ++k)
                EXPECT_NEAR(told[k], side * (4 * one[k] - two[k] - 3 * here[k]) / (2 * step), 2 * kGate * (kElasticity.lambda + 2 * kElasticity.mu)) << i << ' ' << side << ' ' << k;
        }
    }
    EXPECT_GT(borders, 20);
}

TEST(Tangent, repeatedValuesNeedNoSpecialCase) {
    for (const Law law : {Law::sand, Law::hencky, Law::fixedCorotated})
        for (const double apart : {0.0, 1e-12, 1e-9, 1e-7, 1e-4}) {
            Start start{.law = law, .strain = Mat3::diagonal({-0.02, -0.02 + apart, -0.03})};   // two alike, inside the cone
            EXPECT_LT(error(start, {}), kGate) << static_cast<int>(law) << ' ' << apart;
            start.strain = Mat3::diagonal({-0.02, -0.02 - apart, -0.02 + apart});
            EXPECT_LT(error(start, {}), kGate) << static_cast<int>(law) << ' ' << apart;
            start.strain = Mat3::diagonal({0.02, 0.02 + apart, -0.08});                           // on the flank
            EXPECT_LT(error(start, {}), kGate) << static_cast<int>(law) << ' ' << apart;
        }
}

TEST(Tangent, ofSolidsAgreesWithFiniteDifferences) {
    Rng rng(3, 1, 0);
    double worst = 0;
    for (const Law law : {Law::hencky, Law::fixedCorotated})
        for (int i = 0; i < 100; ++i) worst = std::max(worst, error({.law = law, .strain = randomStrain(rng, 0.2, rng.uniform(-0.2, 0.2))}, randomGradient(rng, 0.15)));
    RecordProperty("worst", std::to_string(worst));
    EXPECT_LT(worst, kGate);
}

TEST(Tangent, isKeptAsItIs) {
    Rng rng(5, 1, 0);
    const Tangent<double> tangent = tangentAt({.strain = randomStrain(rng, 0.02, -0.01)}, randomGradient(rng, 0.02));
    AlignedVector<double> memory(8 * Tangent<double>::kPacks);
    tangent.store(memory.data());
    const Gradient a = randomGradient(rng, 1);
    EXPECT_EQ(lanes(tangent.apply(wide(a))), lanes(Tangent<double>::load(memory.data()).apply(wide(a))));
}

}  // namespace
}  // namespace talus::elastoplastic
