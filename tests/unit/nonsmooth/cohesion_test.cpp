// SPDX-License-Identifier: Apache-2.0
// Cohesion at one place, against closed forms.
#include "nonsmooth/cohesion.h"
#include "unit/nonsmooth/one_cell.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr double kMuHat = 0.6, kCohesion = 300, kDt = 0.01;   // k [Pa]
const Rheology kSand{.friction = chiFriction(kMuHat), .fastFriction = chiFriction(kMuHat), .cohesion = kCohesion / kMuHat};

struct Cell : OneCell {
    std::vector<double> cohesion;

    explicit Cell(const Mat3& gradient, StressBasis basis = StressBasis::constant) : OneCell(kSand, gradient, kDt, basis), cohesion(siteCohesion(exec, frame, grid, points, {&kSand, 1}, basis)) {}
    /// λ of the first site [Pa].
    SymTensor solve() {
        pullTogether(exec, cohesion, kDt, problem);
        GaussSeidel solver;
        const SolveReport report = solver.solve(exec, problem, nullptr, {.tolerance = 1e-9});
        EXPECT_TRUE(report.converged) << report.residual;
        letGo(cohesion, kDt, problem);
        return (1 / kDt) * problem.stress.front();
    }
    Mat3 rate() const {
        const Trilinear middle({0.5, 0.5, 0.5}, frame.spacing);
        Mat3 sum;
        for (std::size_t corner = 0; corner < kCorners; ++corner) sum += Mat3::outer(problem.nodes[grid.cellNodes[0][corner]].velocity, middle.gradient[corner]);
        return sum;
    }
};

// Pulled apart on all sides it holds −c 1 = −(k/μ̂) 1 and not more.
TEST(Cohesion, holdsTensionUpToTheTipOfTheCone) {
    Cell torn(diagonal(20, 20, 20));
    const SymTensor most = torn.solve();
    for (const double entry : {most.xx, most.yy, most.zz}) EXPECT_NEAR(entry, -kCohesion / kMuHat, 1e-9 * kCohesion);
    for (const double entry : {most.xy, most.yz, most.xz}) EXPECT_NEAR(entry, 0, 1e-9 * kCohesion);
    EXPECT_GT(trace(torn.rate()), 1);

    Cell held(diagonal(0.05, 0.05, 0.05));
    const SymTensor less = held.solve();
    EXPECT_LT(less.xx, -1.0);
    EXPECT_GT(less.xx, -kCohesion / kMuHat);
    EXPECT_LT(frobeniusNorm(held.rate()), 1e-9);
}

// Sheared without pressure it slides at τ = k; pressed with p as well, at μ̂ p + k.
TEST(Cohesion, slidesAtTheShiftedCone) {
    Mat3 shear;
    shear(0, 1) = shear(1, 0) = 20;
    Cell sheared(shear);
    const SymTensor s = sheared.solve();
    EXPECT_NEAR(std::abs(s.xy), kCohesion, 1e-9 * kCohesion);
    EXPECT_NEAR(trace(s), 0, 1e-9 * kCohesion);
    EXPECT_GT(sheared.rate()(0, 1), 1);
    EXPECT_NEAR(trace(sheared.rate()), 0, 1e-9);

    Mat3 both = shear;
    for (int a = 0; a < 3; ++a) both(a, a) = -0.2;
    Cell pressed(both);
    const SymTensor t = pressed.solve();
    const double p = trace(t) / 3;
    EXPECT_GT(p, 10);
    EXPECT_NEAR(std::abs(t.xy), kMuHat * p + kCohesion, 1e-9 * kCohesion);
}

TEST(Cohesion, keepsMomentum) {
    Mat3 gradient{{1, 20, -3, 4, -7, 2, 0, 1, 5}};
    Cell cell(gradient);
    Vec3 before, after;
    for (const Node& n : cell.problem.nodes) before += n.velocity / n.inverseMass;
    cell.solve();
    for (const Node& n : cell.problem.nodes) after += n.velocity / n.inverseMass;
    EXPECT_LT(norm(after - before), 1e-12 * norm(before));
}

TEST(Cohesion, holdsWhereMostOfASiteTouches) {
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
        Cell cell({}, basis);
        for (const double c : cell.cohesion) EXPECT_NEAR(c, kCohesion / kMuHat, 1e-12 * kCohesion);
    }
    Cell cell({});
    const auto now = [&] { return siteCohesion(cell.exec, cell.frame, cell.grid, cell.points, {&kSand, 1}, StressBasis::constant).front(); };
    for (std::size_t row = 0; row < 3; ++row) cell.points.bonds->gap(row) = 0.1F;
    EXPECT_NEAR(now(), 5.0 / 8 * kCohesion / kMuHat, 1e-9);
    cell.points.bonds->strength(3) = 0.001F;
    EXPECT_EQ(now(), 0);
    EXPECT_EQ(heldPart(cell.points, 0), 0);
    EXPECT_EQ(heldPart(cell.points, 3), 0);
    EXPECT_EQ(heldPart(cell.points, 4), 1);
}

// dc/dt = −ξ |ε̇| c: exp(−ξ |ε̇| t) after any steps; |ε̇| = γ̇/2 in simple shear.
TEST(Cohesion, decaysWithStrain) {
    Mat3 shear;
    shear(0, 1) = 3;
    Cell cell(shear);
    for (int step = 0; step < 40; ++step) loosen(cell.exec, cell.frame, cell.grid, cell.problem, StressBasis::constant, cell.cohesion, 2.5, kDt, cell.points);
    EXPECT_NEAR(cell.points.bonds->strength(0), std::exp(-2.5 * 1.5 * 0.4), 1e-5);
    EXPECT_EQ(cell.points.bonds->gap(0), 0);
}

// A gap opens with the volume, and closes again; where the law keeps the volume what is left of the solver's error opens nothing.
TEST(Cohesion, gapsOpenAtTheTipOnly) {
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
        Cell cell(diagonal(1, 0.5, 0.5), basis);
        const auto step = [&] { loosen(cell.exec, cell.frame, cell.grid, cell.problem, basis, cell.cohesion, 0, kDt, cell.points); };
        step();   // λ = 0 is inside the cone
        EXPECT_EQ(cell.points.bonds->gap(0), 0);
        for (SymTensor& s : cell.problem.stress) s.xx = s.yy = s.zz = -kDt * kCohesion / kMuHat;
        for (int i = 0; i < 10; ++i) step();
        EXPECT_NEAR(cell.points.bonds->gap(0), std::pow(1 + 2 * kDt, 10) - 1, 1e-6);
        cell.cohesion.assign(cell.cohesion.size(), 0);
        for (Node& n : cell.problem.nodes) n.velocity = -2 * n.velocity;
        for (int i = 0; i < 4; ++i) step();
        EXPECT_GT(cell.points.bonds->gap(0), 0.01);
        for (int i = 0; i < 4; ++i) step();
        EXPECT_EQ(cell.points.bonds->gap(0), 0);
    }
}

}  // namespace
}  // namespace talus::nonsmooth
