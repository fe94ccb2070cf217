// SPDX-License-Identifier: Apache-2.0
#include "world/forces.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

const Material kSand{.name = "sand", .density = 2600, .packingFraction = 0.6, .muHat = 0.5, .grainDiameter = 5e-4};
const Vec3 kGravity{0, 0, -9.81};

Forces windy(const Vec3& velocity) {
    Forces f;
    f.forces.push_back({"wind", Wind{velocity}, nullptr});
    return f;
}

double fallFor(const Forces& f, const Material& m, double dt, int steps) {
    Vec3 v;
    for (int i = 0; i < steps; ++i) v += dt * kGravity + f.velocityChange(m, {}, v, kGravity, i * dt, dt);
    return -v.z;
}

// Constant C_d: v² = 4 ρ d g / (3 ρ_a C_d); Stokes for a fine powder: v = ρ d² g / (18 μ); both for any step.
TEST(Forces, terminalVelocityIsExactForAnyStep) {
    Forces f = windy({});
    f.air.law = DragLaw::constant;
    f.air.coefficient = 0.5;
    const double newton = std::sqrt(4 * 2600 * 5e-4 * 9.81 / (3 * 1.2 * 0.5));
    Material dust = kSand;
    dust.grainDiameter = 2e-6;
    const double stokes = 2600 * 4e-12 * 9.81 / (18 * 1.8e-5);
    for (const double dt : {1e-4, 1e-2, 1.0, 100.0}) {
        EXPECT_NEAR(fallFor(f, kSand, dt, dt < 1e-3 ? 200000 : 5000), newton, 1e-9 * newton) << dt;
        EXPECT_NEAR(fallFor(windy({}), dust, dt, 1000), stokes, 1e-3 * stokes) << dt;   // Re is 2e-4: 0.15 Re^0.687 is 5e-4
    }
}

TEST(Forces, terminalVelocityOfSchillerNaumannBalancesTheWeight) {
    const double v = fallFor(windy({}), kSand, 0.01, 2000), re = 1.2 * v * 5e-4 / 1.8e-5;
    const double drag = 3 * std::numbers::pi * 1.8e-5 * 5e-4 * v * (1 + 0.15 * std::pow(re, 0.687));   // [N]
    EXPECT_NEAR(drag, 2600 * std::numbers::pi / 6 * std::pow(5e-4, 3) * 9.81, 1e-9 * drag);
    EXPECT_GT(re, 100);
}

// w(t) = w₀ / (1 + k w₀ t) for a constant C_d, k = 3 ρ_a C_d/(4 ρ d): first order in the step.
TEST(Forces, dragConvergesToTheClosedForm) {
    Forces f = windy({10, 0, 0});
    f.air.law = DragLaw::constant;
    const double k = 0.75 * 1.2 * 0.44 / (2600 * 5e-4), exact = 10 - 10 / (1 + k * 10 * 0.5);
    double before = 0;
    for (const int steps : {50, 100, 200}) {
        Vec3 v;
        for (int i = 0; i < steps; ++i) v += f.velocityChange(kSand, {}, v, {}, 0, 0.5 / steps);
        const double error = std::abs(v.x - exact);
        // Of backward Euler to first order: Δt k w₀² ln(a)/a², a = 1 + k w₀ T.
        const double a = 1 + k * 10 * 0.5;
        EXPECT_NEAR(error, 0.5 / steps * k * 100 * std::log(a) / (a * a), 0.03 * error);
        if (before > 0) {
            EXPECT_NEAR(before / error, 2, 0.1);
        }
        before = error;
    }
}

TEST(Forces, theCoefficientOfDragIsThatOfTheLaw) {
    const Air air;
    const auto coefficient = [&](double re) {   // C_d from the rate
        const double w = re * air.viscosity / (air.density * kSand.grainDiameter);
        return air.dragRate(kSand, w) * 4 * kSand.density * kSand.grainDiameter / (3 * air.density * w);
    };
    EXPECT_NEAR(coefficient(0.01), 2400 * (1 + 0.15 * std::pow(0.01, 0.687)), 1e-6);
    EXPECT_NEAR(coefficient(1), 24 * 1.15, 1e-9);
    EXPECT_NEAR(coefficient(100), 0.24 * (1 + 0.15 * std::pow(100, 0.687)), 1e-9);
    EXPECT_NEAR(coefficient(1e5), 0.44, 1e-12);
}

TEST(Forces, aVortexHasItsCirculationAndASolidCore) {
    Force f{"vortex", Vortex{{1, 0, 0}, {0, 0, 1}, 3.0, 0.2}, nullptr};
    const Vec3 far = f.at({1, 5, 0.7}, 0);
    EXPECT_NEAR(far.x, -3 / (2 * std::numbers::pi * 5), 1e-12);
    EXPECT_NEAR(far.y, 0, 1e-12);
    const Vec3 near = f.at({1.001, 0, 0}, 0);
    EXPECT_NEAR(near.y / 0.001, 3 / (2 * std::numbers::pi * 0.04), 1e-3);
    EXPECT_EQ(norm(f.at({1, 0, 0}, 0)), 0);
}

TEST(Forces, aLatticeIsTrilinearAndEndsAtItsBorder) {
    LatticeField field{{1, 2, 3}, {0.5, 1, 2}, {3, 2, 4}, {}, true};
    const auto linear = [](const Vec3& x) { return Vec3{1 + 2 * x.x, x.y - 3 * x.z, x.x + x.y + x.z}; };
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 3; ++i) field.values.push_back(linear({1 + 0.5 * i, 2.0 + j, 3 + 2.0 * k}));
    for (const Vec3& x : {Vec3{1.2, 2.7, 4.5}, Vec3{2, 3, 9}, Vec3{1, 2, 3}, Vec3{1.9, 2.1, 8.3}}) EXPECT_LT(norm(field.at(x) - linear(x)), 1e-12);
    EXPECT_EQ(field.at({0.9, 2.5, 4}), Vec3{});
    Forces f;
    f.forces.push_back({"field", field, nullptr});
    EXPECT_LT(norm(f.velocityChange(kSand, {1.2, 2.7, 4.5}, {}, kGravity, 0, 0.1) - 0.1 * linear({1.2, 2.7, 4.5})), 1e-12) << "no drag where there is no air";
}

TEST(Forces, actInTheirRegionAndTimeOnly) {
    Forces f = windy({5, 0, 0});
    f.forces[0].region = std::make_shared<geometry::Sphere>(1.0);
    f.forces[0].begin = 1;
    f.forces[0].end = 2;
    EXPECT_GT(f.velocityChange(kSand, {0.5, 0, 0}, {}, {}, 1.5, 0.1).x, 0);
    EXPECT_EQ(f.velocityChange(kSand, {1.5, 0, 0}, {}, {}, 1.5, 0.1), Vec3{});
    EXPECT_EQ(f.velocityChange(kSand, {0.5, 0, 0}, {}, {}, 0.9, 0.1), Vec3{});
    EXPECT_EQ(f.velocityChange(kSand, {0.5, 0, 0}, {}, {}, 2, 0.1), Vec3{});
}

}  // namespace
}  // namespace talus::world
