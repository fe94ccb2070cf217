// SPDX-License-Identifier: Apache-2.0
// The law at one place against tables and against its own conditions.
#include "csv.h"
#include "nonsmooth/cone.h"
#include "nonsmooth/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace talus::nonsmooth {
namespace {

using test::CsvTable;

TEST(Chi, hasTheNumbersOfTheTable) {
    const CsvTable table("C_chi_samples.csv");
    const auto tensor = [](const std::string& name) -> SymTensor {
        if (name == "identity") return {1, 1, 1, 0, 0, 0};
        if (name == "uniaxial_zz") return {0, 0, 1, 0, 0, 0};
        if (name == "pure_shear_xz") return {0, 0, 0, 0, 0, 1};
        if (name == "diag(1,2,3)") return {1, 2, 3, 0, 0, 0};
        return {};
    };
    int known = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const SymTensor s = tensor(table.text(row, "tensor"));
        if (s == SymTensor{}) continue;
        ++known;
        const Chi r = chiOf(s);
        const char* names[] = {"a", "b", "c", "d", "e", "f"};
        for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(r[k], table.number(row, names[k]), 1e-13) << table.text(row, "tensor") << " " << names[k];
        const SymTensor back = tensorOf(r);
        EXPECT_NEAR(back.xx, s.xx, 1e-14);
        EXPECT_NEAR(back.zz, s.zz, 1e-14);
        EXPECT_NEAR(back.xz, s.xz, 1e-14);
    }
    EXPECT_EQ(known, 4);
}

TEST(Cone, isotropicLawAsInTheTable) {
    const CsvTable table("F_daviet_local_isotropic.csv");
    ASSERT_EQ(table.rows(), 4u);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double w = table.number(row, "w");
        LocalOperator<5> op{w, {}, {w, w, w, w, w}};
        Split<5> b{table.number(row, "b0"), {}};
        for (std::size_t k = 0; k < 5; ++k) b.tangential[k] = table.number(row, "b" + std::to_string(k + 1));
        const Split<5> r = solveCone(op, table.number(row, "mu"), b);
        // The table has twelve digits.
        EXPECT_NEAR(r.normal, table.number(row, "r0"), 1e-10 * 500);
        for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(r.tangential[k], table.number(row, "r" + std::to_string(k + 1)), 1e-10 * 500) << table.text(row, "case");
    }
}

TEST(Cone, coupledLawAsInTheTable) {
    const CsvTable table("F_daviet_local_coupled.csv");
    ASSERT_EQ(table.rows(), 3u);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double n = table.number(row, "wN"), c = table.number(row, "wNT");
        const LocalOperator<1> op{n, {c}, {table.number(row, "wT") - c * c / n}};
        const Split<1> b{table.number(row, "bN"), {table.number(row, "bT")}}, r = solveCone(op, table.number(row, "mu"), b);
        EXPECT_NEAR(r.normal, table.number(row, "rN"), 1e-11);
        EXPECT_NEAR(r.tangential[0], table.number(row, "rT"), 1e-11);
        const Split<1> u = op.apply(r);
        EXPECT_NEAR(u.normal + b.normal, table.number(row, "uN"), 1e-11);
        EXPECT_NEAR(u.tangential[0] + b.tangential[0], table.number(row, "uT"), 1e-11);
    }
}

/// Operators of the kind that sites have: G with eigenvalues over eight orders of magnitude.
TEST(Cone, everySolutionObeysTheLaw) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    int open = 0, stick = 0, slide = 0;
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
        double g[3];
        for (double& e : g) e = std::pow(10.0, 4 * unit(random));
        const double n = (g[0] + g[1] + g[2]) / 3, wb = (g[0] - g[1]) / std::sqrt(6.0), wc = (2 * g[2] - g[0] - g[1]) / std::sqrt(18.0);
        const PlaneRotation turn(0.5 * (g[0] + g[1]) - wb * wb / n, (g[1] - g[0]) / std::sqrt(12.0) - wb * wc / n, (g[0] + g[1] + 4 * g[2]) / 6 - wc * wc / n);
        const LocalOperator<5> op{n, {turn.c * wb + turn.s * wc, turn.c * wc - turn.s * wb, 0, 0, 0},
                                  {turn.first, std::max(turn.second, 1e-12 * n), 0.5 * (g[0] + g[1]), 0.5 * (g[0] + g[2]), 0.5 * (g[1] + g[2])}};
        const double mu = 0.05 + 0.8 * std::abs(unit(random));
        Split<5> b{unit(random), {}};
        const double sideways = std::pow(10.0, 1 + 4 * unit(random) - 3);
        for (double& t : b.tangential) t = unit(random) * sideways;
        const Split<5> r = solveCone(op, mu, b);
        Split<5> u = op.apply(r);
        u.normal += b.normal;
        double size = 0;
        for (std::size_t k = 0; k < 5; ++k) {
            u.tangential[k] += b.tangential[k];
            size += r.tangential[k] * r.tangential[k];
        }
        size = std::sqrt(size);
        ASSERT_GE(r.normal, 0);
        ASSERT_LE(size, mu * r.normal * (1 + 1e-10));
        r.normal == 0 ? ++open : size < mu * r.normal * (1 - 1e-9) ? ++stick : ++slide;
        // Scaled so that forces and rates are alike.
        Split<5> scaled = u;
        scaled.normal /= n;
        for (double& t : scaled.tangential) t /= n;
        double rate = std::abs(b.normal);
        for (const double t : b.tangential) rate = std::max(rate, std::abs(t));
        const double scale = std::max(r.normal, rate / n);
        worst = std::max(worst, std::sqrt(complementaritySquared(mu, r, scaled)) / scale);
    }
    std::printf("    open %d, stick %d, slide %d; worst residual %.1e\n", open, stick, slide, worst);
    EXPECT_GT(open, 10000);
    EXPECT_GT(stick, 1000);
    EXPECT_GT(slide, 10000);
    EXPECT_LT(worst, 1e-8);
}

TEST(Cone, frictionlessAndExtremeInputsHaveAnAnswer) {
    const LocalOperator<2> op{2, {0.5, -0.3}, {1, 0.1}};
    const Split<2> smooth = solveCone(op, 0, {-1, {3, 4}});
    EXPECT_EQ(smooth.normal, 0.5);
    EXPECT_EQ(smooth.tangential[0], 0);
    for (const double tiny : {1e-120, 1e-30, 1e-10}) {
        const Split<2> r = solveCone(op, 0.5, {-tiny, {1, 1}});
        EXPECT_TRUE(std::isfinite(r.normal) && std::isfinite(r.tangential[0])) << tiny;
        EXPECT_LE(std::hypot(r.tangential[0], r.tangential[1]), 0.5 * r.normal * (1 + 1e-9) + 1e-300) << tiny;
    }
    EXPECT_EQ(complementaritySquared<2>(0.5, {0, {}}, {1, {0.5, 0.5}}), 0);
    EXPECT_GT(complementaritySquared<2>(0.5, {1, {}}, {1, {}}), 0.01) << "pressed and apart at once";
}

}  // namespace
}  // namespace talus::nonsmooth
