// SPDX-License-Identifier: Apache-2.0
// Eight sites at a time against one at a time, and friction that depends on the rate of shear.
#include "nonsmooth/transfer.h"
#include "nonsmooth/wide_cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus::nonsmooth {
namespace {

/// Largest residual of the law over groups of eight random sites, relative to forces and rates as in cone_test.cpp. `spread`: decades between
/// the eigenvalues of W.
template <class T>
double worstResidual(double spread) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    double worst = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        alignas(64) T n[8], c[2][8], e[5][8], mu[8], bn[8], bt[5][8];
        for (std::size_t i = 0; i < 8; ++i) {
            const auto positive = [&] { return static_cast<T>(std::pow(10.0, spread * unit(random))); };
            n[i] = positive();
            for (auto& some : c) some[i] = static_cast<T>(0.5 * unit(random)) * n[i];
            for (auto& some : e) some[i] = positive();
            mu[i] = trial % 7 == 0 ? T(0) : static_cast<T>(0.05 + 0.8 * std::abs(unit(random)));
            bn[i] = static_cast<T>(unit(random));
            for (auto& some : bt) some[i] = static_cast<T>(unit(random));
        }
        const auto wide = [](const T* from) { return Wide<T>::load(from); };
        const WideOperator<T> w{wide(n), Wide<T>(T(1)) / wide(n), {wide(c[0]), wide(c[1])}, {wide(e[0]), wide(e[1]), wide(e[2]), wide(e[3]), wide(e[4])}};
        const WideSplit<T> b{wide(bn), {wide(bt[0]), wide(bt[1]), wide(bt[2]), wide(bt[3]), wide(bt[4])}};
        Wide<T> alpha = static_cast<T>(trial % 3);   // whatever an earlier visit left
        const WideSplit<T> r = solveCone(w, wide(mu), b, alpha);
        WideSplit<T> u = w.apply(r);
        u.normal = (u.normal + b.normal) * w.inverseNormal;
        for (std::size_t k = 0; k < 5; ++k) u.tangential[k] = (u.tangential[k] + b.tangential[k]) * w.inverseNormal;
        const std::array<T, 8> squared = complementaritySquared(wide(mu), r, u).lanes(), normal = r.normal.lanes();
        for (std::size_t i = 0; i < 8; ++i) {
            const double scale = std::max<double>({double(normal[i]), 1.0 / double(n[i]), 1e-30});
            worst = std::max(worst, std::sqrt(double(squared[i])) / scale);
            Split<5> one{}, rate{};
            one.normal = double(normal[i]);
            rate.normal = double(u.normal.lane(int(i)));
            for (std::size_t k = 0; k < 5; ++k) {
                one.tangential[k] = double(r.tangential[k].lane(int(i)));
                rate.tangential[k] = double(u.tangential[k].lane(int(i)));
            }
            EXPECT_NEAR(std::sqrt(complementaritySquared(double(mu[i]), one, rate)), std::sqrt(double(squared[i])), (sizeof(T) == 4 ? 2e-3 : 1e-7) * scale);
        }
    }
    return worst;
}

TEST(WideCone, eightSitesObeyTheLaw) {
    const double precise = worstResidual<double>(2), single = worstResidual<float>(1);
    std::printf("    worst residual %.1e in double, %.1e in float\n", precise, single);
    EXPECT_LT(precise, 1e-7);
    EXPECT_LT(single, 2e-3);
}

// μ(I) = μ + (μ_fast − μ)/(1 + I₀/I), I = 2 d |ε̇| √(ρ/P).
TEST(Rheology, frictionGrowsWithTheInertialNumber) {
    const double d = 2e-3, density = 2500, scale = 0.3, pressure = 900, rate = 40;
    Rheology r{1, 0.3};
    r.fastFriction = 0.6;
    r.inertia = 2 * d * std::sqrt(density) / scale;
    Points points;
    points.resize(1);
    points.setStress(0, {pressure, pressure, pressure, 100, 0, 0});
    EXPECT_EQ(r.frictionAt(points, 0), 0.3) << "at rest";
    Mat3 shear;
    shear(0, 2) = 2 * rate;   // simple shear of twice |ε̇|
    points.setGradient(0, shear);
    const double i = 2 * d * rate * std::sqrt(density / pressure);
    EXPECT_NEAR(r.frictionAt(points, 0), 0.3 + 0.3 / (1 + scale / i), 1e-7);
    points.setStress(0, {});
    EXPECT_NEAR(r.frictionAt(points, 0), 0.6, 1e-12) << "nothing presses";
}

}  // namespace
}  // namespace talus::nonsmooth
