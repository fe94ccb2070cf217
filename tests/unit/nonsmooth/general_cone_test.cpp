// SPDX-License-Identifier: Apache-2.0
// Friction problems whose law is not the isotropic cone.
#include "nonsmooth/general_cone.h"
#include "nonsmooth/transfer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr double kFriction = 0.45;

/// A block of 4 x 4 x 4 cells that is squeezed, sheared and torn.
FrictionProblem squeezedBlock(StressBasis basis) {
    const mpm::GridFrame frame{{0, 0, 0}, {0.1, 0.08, 0.12}, {}};
    Points points;
    points.resize(8 * 64);
    for (std::size_t row = 0; row < points.rows(); ++row) {
        const Vec3i cell{static_cast<int>(row / 128), static_cast<int>(row / 32 % 4), static_cast<int>(row / 8 % 4)}, sub = cornerOffset(row % 8);
        const double off = 0.05 * std::sin(static_cast<double>(row));
        points.setPosition(row, componentProduct(frame.spacing, Vec3{cell.x + 0.25 + 0.5 * sub.x + off, cell.y + 0.25 + 0.5 * sub.y - off, cell.z + 0.25 + 0.5 * sub.z + off}));
        points.volume(row) = frame.cellVolume() / 8;
        points.mass(row) = 1500 * points.volume(row);
        points.id(row) = static_cast<std::int64_t>(row);
    }
    const Exec exec(1);
    points.reorder(exec, cellOrder(exec, frame, points));
    const Grid grid = Grid::build(exec, frame, points);
    FrictionProblem problem;
    assemble(exec, frame, grid, points, std::vector<Rheology>(1, Rheology{1, kFriction}), basis, {}, 0.01, problem);
    std::vector<double> mass(grid.nodes.size());
    for (std::size_t c = 0; c < grid.cells.size(); ++c)
        for (const std::uint32_t n : grid.cellNodes[c]) mass[n] += 1500 * frame.cellVolume() / 8;
    for (std::size_t n = 0; n < grid.nodes.size(); ++n) {
        const Vec3 x = nodePosition(frame, grid.nodes[n]);
        problem.nodes.push_back({{std::sin(9 * x.y), 0.3 * x.z, x.z > 0.3 ? -1.0 : 0.5 * x.x}, 1 / mass[n]});
    }
    return problem;
}

/// γ of a site that the velocities give, in the numbers of χ.
Chi rateOf(const FrictionProblem& problem, std::size_t j) {
    Mat3 rate;
    for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) rate += Mat3::outer(problem.pairVector[p], problem.nodes[problem.pairNode[p]].velocity);
    return chiOf({rate(0, 0), rate(1, 1), rate(2, 2), 0.5 * (rate(0, 1) + rate(1, 0)), 0.5 * (rate(1, 2) + rate(2, 1)), 0.5 * (rate(0, 2) + rate(2, 0))});
}
Chi times(const Matrix5& m, const Chi& r) {
    Chi result{r[0]};
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) result[i + 1] += m[i][k] * r[k + 1];
    return result;
}

// Without anisotropy it ends where the other solver needs no sweep to end.
TEST(GeneralCone, isTheConeWhereGrainsLieAtRandom) {
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
        FrictionProblem problem = squeezedBlock(basis);
        const std::vector<Node> start = problem.nodes;
        GeneralGaussSeidel general;
        const SolveReport report = general.solve(Exec(2), problem, nullptr, {.tolerance = 1e-7, .mostSweeps = 20000});
        ASSERT_TRUE(report.converged) << report.residual;
        EXPECT_GT(report.sweeps, 5);
        problem.nodes = start;
        GaussSeidel solver;
        EXPECT_EQ(solver.solve(Exec(1), problem, nullptr, {.tolerance = 1.1e-7}).sweeps, 0);
    }
}

// λ̃ = N(λ) and γ̃ = N⁻¹(γ) obey the isotropic law, so friction takes the most work from what slides.
TEST(GeneralCone, endsAtASolutionOfTheAnisotropicLaw) {
    FrictionProblem problem = squeezedBlock(StressBasis::constant);
    problem.law.anisotropy = 0.7;
    for (std::size_t j = 0; j < problem.sites(); ++j) {
        const double t = static_cast<double>(j);
        const Vec3 n = normalized(Vec3{std::sin(t), std::cos(2 * t), 1.5});
        problem.law.orientation.push_back({0.8 * n.x * n.x + 0.2 / 3, 0.8 * n.y * n.y + 0.2 / 3, 0.8 * n.z * n.z + 0.2 / 3, 0.8 * n.x * n.y, 0.8 * n.y * n.z, 0.8 * n.x * n.z});
    }
    GeneralGaussSeidel solver;
    const SolveReport report = solver.solve(Exec(2), problem, nullptr, {.tolerance = 1e-11, .mostSweeps = 50000});
    ASSERT_TRUE(report.converged) << report.residual;
    int pressed = 0, sliding = 0;
    for (std::size_t j = 0; j < problem.sites(); ++j) {
        const Matrix5 n = directional(problem.law.orientation[j], problem.law.anisotropy);
        const Chi r = times(n, chiOf(problem.stress[j])), u = times(inverse(n), rateOf(problem, j));
        double rt = 0, ut = 0, work = 0;
        for (std::size_t k = 1; k < 6; ++k) {
            rt += r[k] * r[k];
            ut += u[k] * u[k];
            work += r[k] * u[k];
        }
        rt = std::sqrt(rt);
        ut = std::sqrt(ut);
        EXPECT_GE(r[0], 0);
        EXPECT_LE(rt, kFriction * r[0] * (1 + 1e-8) + 1e-12);
        EXPECT_GE(u[0], -1e-8);
        EXPECT_NEAR(r[0] * u[0], 0, 1e-7);
        EXPECT_NEAR(work, -ut * (ut > 1e-7 ? kFriction * r[0] : rt), 1e-6) << "friction opposes sliding";
        pressed += r[0] > 0;
        sliding += r[0] > 0 && ut > 1e-3;
    }
    EXPECT_GT(pressed, 10);
    EXPECT_GT(sliding, 5);
}

// Every component on its own: |r_k| ≤ μ r_N, rigid inside, and against its own rate at the bound.
TEST(GeneralCone, endsAtASolutionOfTheBox) {
    FrictionProblem problem = squeezedBlock(StressBasis::constant);
    problem.law.box = true;
    GeneralGaussSeidel solver;
    const SolveReport report = solver.solve(Exec(2), problem, nullptr, {.tolerance = 1e-11, .mostSweeps = 50000});
    ASSERT_TRUE(report.converged) << report.residual;
    int inside = 0, beyond = 0;
    for (std::size_t j = 0; j < problem.sites(); ++j) {
        const Chi r = chiOf(problem.stress[j]), u = rateOf(problem, j);
        EXPECT_GE(r[0], 0);
        EXPECT_GE(u[0], -1e-9);
        EXPECT_NEAR(r[0] * u[0], 0, 1e-8);
        double length = 0;
        for (std::size_t k = 1; k < 6; ++k) {
            const double most = kFriction * r[0];
            EXPECT_LE(std::abs(r[k]), most * (1 + 1e-12));
            if (std::abs(r[k]) < most * (1 - 1e-6)) {
                EXPECT_NEAR(u[k], 0, 1e-8);
                inside += r[0] > 1e-3;
            } else if (std::abs(u[k]) > 1e-8) {
                EXPECT_LT(u[k] * r[k], 1e-12);
            }
            length += r[k] * r[k];
        }
        beyond += std::sqrt(length) > 1.05 * kFriction * r[0];
    }
    EXPECT_GT(inside, 10);
    EXPECT_GT(beyond, 5) << "the box is larger than the cone";
}

TEST(GeneralCone, hasTheSameBitsForAnyNumberOfThreads) {
    for (const bool box : {false, true}) {
        std::vector<std::vector<SymTensor>> found;
        for (const int threads : {1, 2, 3}) {
            FrictionProblem problem = squeezedBlock(StressBasis::constant);
            problem.law.box = box;
            if (!box) problem.law = {false, 0.5, std::vector<SymTensor>(problem.sites(), SymTensor{0.2, 0.2, 0.6, 0, 0.1, 0})};
            GeneralGaussSeidel solver;
            solver.solve(Exec(threads), problem, nullptr, {.tolerance = 1e-6});
            found.push_back(problem.stress);
        }
        EXPECT_EQ(found[0], found[1]);
        EXPECT_EQ(found[0], found[2]);
    }
}

}  // namespace
}  // namespace talus::nonsmooth
