// SPDX-License-Identifier: Apache-2.0
// Friction of the patterns of velocity within a cell that its mean strain does not know.
#include "core/archive.h"
#include "nonsmooth/hourglass.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::nonsmooth {
namespace {

const mpm::GridFrame kFrame{{0, 0, 0}, {0.1, 0.08, 0.12}, {}};
constexpr double kMuHat = 0.5, kDt = 0.01;

/// A cell full of grains, its nodes of different mass or not.
struct OneCell {
    explicit OneCell(bool alike) {
        Points points;
        points.resize(1);
        points.setPosition(0, 0.5 * kFrame.spacing);
        grid = Grid::build(Exec(1), kFrame, points);
        const Trilinear middle({0.5, 0.5, 0.5}, kFrame.spacing);
        problem.colours = {{0}};
        problem.friction = {chiFriction(kMuHat)};
        problem.slack = {0};
        problem.stress = {SymTensor{}};
        for (std::size_t k = 0; k < kCorners; ++k) {
            problem.pairNode.push_back(grid.cellNodes[0][k]);
            problem.pairVector.push_back(kFrame.cellVolume() * middle.gradient[k]);
        }
        for (std::size_t n = 0; n < kCorners; ++n) problem.nodes.push_back({{}, 1 / (alike ? 0.2 : 0.2 + 0.03 * static_cast<double>(n))});
        recall({});
    }
    void recall(const PatternMemory& memory) { memory.recall(Exec(1), kFrame, grid, std::vector<double>{kFrame.cellVolume()}, kDt, problem.patterns); }
    Vec3 at(std::size_t corner) const { return nodePosition(kFrame, grid.nodes[problem.pairNode[corner]]); }
    Node& node(std::size_t corner) { return problem.nodes[problem.pairNode[corner]]; }
    /// Gives the nodes ∇u x and a pattern xy along q.
    void move(const Mat3& gradient, const Vec3& q) {
        for (std::size_t k = 0; k < kCorners; ++k) {
            const Vec3i d = cornerOffset(k);
            node(k).velocity = gradient * at(k) + ((d.x + d.y) % 2 == 0 ? 1.0 : -1.0) * q;
        }
    }
    SolveReport solve() {
        GaussSeidel solver;
        return solver.solve(Exec(1), problem, nullptr, {.tolerance = 1e-13, .mostSweeps = 20000});
    }

    Grid grid;
    FrictionProblem problem;
};

const double kRateXy = std::sqrt(4.0 / 3 * (1 / (0.1 * 0.1) + 1 / (0.08 * 0.08)));   // c of the pattern xy: γ = c q [1/m]

TEST(Hourglass, stressesOfPatternsDoNoWorkOnLinearVelocities) {
    OneCell cell(false);
    cell.problem.patterns.stress = {Patterns{Vec3{1, 2, 3}, Vec3{-4, 5, 0.5}, Vec3{0.1, -2, 7}, Vec3{3, 3, -1}}};
    Vec3 sum;
    Mat3 moment;
    for (std::size_t k = 0; k < kCorners; ++k) {
        sum += cell.problem.patterns.impulse(0, k);
        moment += Mat3::outer(cell.problem.patterns.impulse(0, k), cell.at(k));
    }
    EXPECT_LT(norm(sum), 1e-17);
    for (const double m : moment.m) EXPECT_LT(std::abs(m), 1e-17);
}

TEST(Hourglass, theWorkOfAPatternIsItsStressTimesItsShearRate) {
    OneCell cell(false);
    const Vec3 s{2, -1, 5}, q{0.3, 0.4, -0.1};
    cell.problem.patterns.stress = {Patterns{Vec3{}, Vec3{}, s, Vec3{}}};
    cell.move({}, q);
    double work = 0;
    for (std::size_t k = 0; k < kCorners; ++k) work += dot(cell.problem.patterns.impulse(0, k), cell.node(k).velocity);
    EXPECT_NEAR(work, kFrame.cellVolume() * kRateXy * dot(s, q), 1e-15);
}

/// Mean strain times the volume, and the shear rate of pattern xy, of the nodes.
struct Rates {
    explicit Rates(OneCell& cell) {
        Mat3 sum;
        for (std::size_t k = 0; k < kCorners; ++k) {
            const Vec3i d = cornerOffset(k);
            sum += Mat3::outer(cell.problem.pairVector[k], cell.node(k).velocity);
            pattern += ((d.x + d.y) % 2 == 0 ? kRateXy / 8 : -kRateXy / 8) * cell.node(k).velocity;
        }
        strain = {sum(0, 0), sum(1, 1), sum(2, 2), 0.5 * (sum(0, 1) + sum(1, 0)), 0.5 * (sum(1, 2) + sum(2, 1)), 0.5 * (sum(0, 2) + sum(2, 0))};
    }
    SymTensor strain;
    Vec3 pattern;
};

double secondInvariant(const SymTensor& s) {
    const double p = trace(s) / 3;
    return 0.5 * ((s.xx - p) * (s.xx - p) + (s.yy - p) * (s.yy - p) + (s.zz - p) * (s.zz - p)) + s.xy * s.xy + s.yz * s.yz + s.xz * s.xz;
}

// It slides in its mean and in a pattern at once: no change of volume, stress at √(J₂ + s²) = μ̂ p against the direction (2 dev ε̇, γ).
TEST(Hourglass, aCellThatSlidesObeysTheSharedCone) {
    for (const bool alike : {true, false}) {
        OneCell cell(alike);
        Mat3 gradient;
        gradient(0, 2) = 20;
        gradient(2, 2) = -30;
        cell.move(gradient, {0.2, -0.5, 0.9});
        ASSERT_TRUE(cell.solve().converged);
        const SymTensor& stress = cell.problem.stress[0];
        const Patterns& s = cell.problem.patterns.stress[0];
        const double p = trace(stress) / 3, others = normSquared(s[0]) + normSquared(s[1]) + normSquared(s[3]);
        ASSERT_GT(p, 0);
        EXPECT_NEAR(std::sqrt(secondInvariant(stress) + normSquared(s[2]) + others), kMuHat * p, 1e-10 * p);
        const Rates left(cell);
        EXPECT_LT(std::abs(trace(left.strain)), 1e-10);
        const double slip = -2 * left.strain.xz / (kFrame.cellVolume() * stress.xz);   // shear rate per stress
        ASSERT_GT(slip, 0);
        for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(left.pattern[axis], -slip * s[2][axis], 1e-8 * norm(left.pattern));
        EXPECT_NEAR(2 * (left.strain.xx - left.strain.yy) / kFrame.cellVolume(), -slip * (stress.xx - stress.yy), 1e-8 * norm(left.pattern));
    }
}

// Pressure alone stops a cell that comes together along each axis by 1/h²; what its nodes differ in mass is left to friction.
TEST(Hourglass, aSlowPatternStopsUnderPressureAndGoesOnWithout) {
    OneCell pressed(false), loose(false);
    Mat3 inward;
    for (int axis = 0; axis < 3; ++axis) inward(axis, axis) = -0.1 / (kFrame.spacing[axis] * kFrame.spacing[axis]);
    pressed.move(inward, {0.001, 0.002, -0.001});
    loose.move({}, {0.001, 0.002, -0.001});
    ASSERT_TRUE(pressed.solve().converged);
    loose.solve();
    EXPECT_LT(norm(Rates(pressed).pattern), 1e-10);
    EXPECT_NEAR(norm(Rates(loose).pattern), kRateXy * norm(Vec3{0.001, 0.002, -0.001}), 1e-15);
}

TEST(Hourglass, remembersItsStressesWhenSavedAndLoaded) {
    OneCell cell(true), again(true);
    cell.problem.patterns.stress = {Patterns{Vec3{1, 2, 3}, Vec3{-4, 5, 0.5}, Vec3{0.25, -2, 7}, Vec3{3, 3, -1}}};
    PatternMemory memory, loaded;
    memory.remember(cell.grid, kDt, cell.problem.patterns);
    MemoryArchive archive;
    memory.save(archive);
    loaded.load(archive);
    again.recall(loaded);
    for (std::size_t a = 0; a < kPatterns; ++a) EXPECT_LT(norm(again.problem.patterns.stress[0][a] - cell.problem.patterns.stress[0][a]), 1e-6);
}

}  // namespace
}  // namespace talus::nonsmooth
