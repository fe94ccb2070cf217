// SPDX-License-Identifier: Apache-2.0
// How flat grains turn in a flow, and what that does to friction.
#include "csv.h"
#include "nonsmooth/general_cone.h"
#include "nonsmooth/orientation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::nonsmooth {
namespace {

using test::CsvTable;

constexpr SymTensor kRandom{1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0};

Mat3 shearFlow() {
    Mat3 g;
    g(0, 1) = 1;
    return g;
}
Mat3 flowOf(const std::string& name) {
    if (name == "uniaxial ext") return Mat3{{1, 0, 0, 0, -0.5, 0, 0, 0, -0.5}};
    if (name == "planar ext") return Mat3{{1, 0, 0, 0, -1, 0, 0, 0, 0}};
    return shearFlow();
}
SymTensor after(SymTensor s, const Mat3& flow, double coefficient, double time, int steps) {
    for (int i = 0; i < steps; ++i) s = turned(s, flow, coefficient, time / steps);
    return s;
}
void expectRow(const CsvTable& table, std::size_t row, const std::string& prefix, const SymTensor& s) {
    EXPECT_NEAR(s.xx, table.number(row, prefix + "_xx"), 1e-6) << row;
    EXPECT_NEAR(s.yy, table.number(row, prefix + "_yy"), 1e-6) << row;
    EXPECT_NEAR(s.zz, table.number(row, prefix + "_zz"), 1e-6) << row;
    EXPECT_NEAR(s.xy, table.number(row, prefix + "_xy"), 1e-6) << row;
}

// Rods and discs from a random start, quadratic closure: in one step and in many.
TEST(Orientation, turnsAsTheClosureSays) {
    const CsvTable table("H_orientation_tensor_isotropic_start.csv");
    ASSERT_EQ(table.rows(), 24u);
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (const int steps : {1, 37})
            expectRow(table, row, "quadratic", after(kRandom, flowOf(table.text(row, "flow")), table.number(row, "lambda"), table.number(row, "t(gd=1)"), steps));
}

TEST(Orientation, normalsOfDiscsTurnWithTheOppositeSign) {
    const CsvTable table("H_disc_normals_simple_shear.csv");
    ASSERT_EQ(table.rows(), 6u);
    for (std::size_t row = 0; row < table.rows(); ++row) expectRow(table, row, "direct_quadratic", after(kRandom, shearFlow(), -table.number(row, "l"), table.number(row, "t"), 50));
}

// Normals that all point one way tumble with Jeffery's period T = 2π (r + 1/r)/γ̇: after it they are back, after half of it their line is.
TEST(Orientation, hasJefferysPeriod) {
    const CsvTable table("H_jeffery_period.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double aspect = table.number(row, "aspect_r"), period = table.number(row, "T_numeric");
        EXPECT_NEAR(jefferyCoefficient(aspect), table.number(row, "lambda=(r2-1)/(r2+1)"), 1e-11);
        const SymTensor start{0.3, 0.7, 0, std::sqrt(0.21), 0, 0};
        const SymTensor half = after(start, shearFlow(), jefferyCoefficient(aspect), 0.5 * period, 1000), quarter = after(start, shearFlow(), jefferyCoefficient(aspect), 0.25 * period, 1000);
        EXPECT_NEAR(half.xx, start.xx, 1e-6) << aspect;
        EXPECT_NEAR(half.xy, start.xy, 1e-6) << aspect;
        EXPECT_GT(std::abs(quarter.xy - start.xy), 0.1) << aspect;
    }
}

TEST(Orientation, staysASecondMomentHoweverLongTheStep) {
    Mat3 flow{{3, 40, -7, 2, -5, 11, 0.5, 9, 4}};
    SymTensor s = kRandom;
    for (int i = 0; i < 20; ++i) {
        s = turned(s, flow, -0.98, 1.0);
        EXPECT_NEAR(trace(s), 1, 1e-12);
        for (const double square : {s.xx * s.yy - s.xy * s.xy, s.yy * s.zz - s.yz * s.yz, s.xx * s.zz - s.xz * s.xz}) EXPECT_GT(square, -1e-12);
        flow = transpose(flow);
    }
}

/// |S|/|Dev(N S N)|: friction of a deviator over that of grains that lie at random.
double effectiveFriction(const SymTensor& orientation, double anisotropy, const SymTensor& s) {
    const Matrix5 n = directional(orientation, anisotropy);
    const Chi c = chiOf(s);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < kDeviators; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < kDeviators; ++k) sum += n[i][k] * c[k + 1];
        before += c[i + 1] * c[i + 1];
        after += sum * sum;
    }
    return std::sqrt(before / after);
}

// (1 − α)² in the plane of the grains, (1 + 2α)(1 − α) where layers slide.
TEST(Anisotropy, frictionIsThatOfTheTable) {
    const CsvTable table("H_anisotropic_friction.csv");
    const SymTensor up{0, 0, 1, 0, 0, 0};
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string& mode = table.text(row, "deviator_mode");
        const SymTensor s = mode.starts_with("nt") ? SymTensor{0, 0, 0, 0, 0, 1} : mode.starts_with("tt shear") ? SymTensor{0, 0, 0, 1, 0, 0} : mode.starts_with("tt diag") ? SymTensor{1, -1, 0, 0, 0, 0} : SymTensor{-1, -1, 2, 0, 0, 0};
        EXPECT_NEAR(effectiveFriction(up, table.number(row, "alpha"), s), table.number(row, "mu_eff/mu if Dev(N Dev N)"), 1e-6) << mode;
    }
    for (const SymTensor& s : {SymTensor{1, -1, 0, 0, 0, 0}, SymTensor{0, 0, 0, 0.3, 2, -1}, SymTensor{-1, 3, -2, 1, 0, 1}}) EXPECT_NEAR(effectiveFriction(kRandom, 0.8, s), 1, 1e-12);
}

TEST(Matrix5, axesAndInverse) {
    const Matrix5 a = directional({0.5, 0.3, 0.2, 0.1, -0.05, 0.07}, 0.7);
    Matrix5 axes;
    const auto values = symmetricEigen(a, axes);
    const Matrix5 one = a * inverse(a), orthogonal = transpose(axes) * axes, turned = transpose(axes) * (a * axes);
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) {
            EXPECT_NEAR(a[i][k], a[k][i], 1e-12);
            EXPECT_NEAR(one[i][k], i == k, 1e-11);
            EXPECT_NEAR(orthogonal[i][k], i == k, 1e-13);
            EXPECT_NEAR(turned[i][k], i == k ? values[i] : 0, 1e-11 * values[0]);
        }
    for (const double v : values) EXPECT_GT(v, 0);
}

}  // namespace
}  // namespace talus::nonsmooth
