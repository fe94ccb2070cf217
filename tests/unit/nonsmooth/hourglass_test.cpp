// SPDX-License-Identifier: Apache-2.0
// Friction of the patterns of velocity within a cell that its mean strain does not know.
#include "nonsmooth/hourglass.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::nonsmooth {
namespace {

const mpm::GridFrame kFrame{{0, 0, 0}, {0.1, 0.08, 0.12}, {}};
constexpr double kMuHat = 0.5, kPressure = 30000, kDt = 0.01;

struct NoBodies final : NodeForces {
    void start(std::vector<Node>&) override {}
    void sweep(const Exec&, std::vector<Node>&) override {}
    void extrapolate(double) override {}
    Residual residual(const Exec&, const std::vector<Node>&) override { return {}; }
    std::size_t places() const override { return 0; }
    ContactCone cone(std::size_t) const override { return {}; }
    Vec3 impulse(std::size_t) const override { return {}; }
    void setImpulse(std::size_t, const Vec3&) override {}
    Vec3 rate(std::size_t, std::span<const Node>) const override { return {}; }
};

/// Two cells side by side along x under pressure, with a point in each, and nodes of different mass.
struct Pressed {
    explicit Pressed(const Mat3& gradient = {}, double pressure = kPressure) {
        points.resize(2);
        for (std::size_t row = 0; row < 2; ++row) {
            points.setPosition(row, componentProduct(kFrame.spacing, Vec3{0.5 + static_cast<double>(row), 0.5, 0.5}));
            points.setGradient(row, gradient);
            points.volume(row) = kFrame.cellVolume();
        }
        grid = Grid::build(Exec(1), kFrame, points);
        taken.assign(2, kFrame.cellVolume());
        const double p = kDt * pressure;
        problem.stress.assign(2, SymTensor{p, p, p, 0, 0, 0});
        problem.friction.assign(2, chiFriction(kMuHat));
        problem.colours = {{0}, {1}};
        for (const auto& nodes : grid.cellNodes) problem.pairNode.insert(problem.pairNode.end(), nodes.begin(), nodes.end());
        for (std::size_t n = 0; n < grid.nodes.size(); ++n) problem.nodes.push_back({{}, 1 / (0.2 + 0.03 * static_cast<double>(n))});
    }
    Vec3 at(std::size_t n) const { return nodePosition(kFrame, grid.nodes[n]); }
    /// Moves the nodes in the pattern xy of both cells, along a direction.
    void bend(const Vec3& velocity) {
        for (std::size_t n = 0; n < grid.nodes.size(); ++n) problem.nodes[n].velocity = ((grid.nodes[n].x + grid.nodes[n].y) % 2 == 0 ? 1.0 : -1.0) * velocity;
    }
    void place() { friction.place(Exec(1), kFrame, grid, points, problem, taken, kDt, bodies); }
    void solve(int sweeps) {
        friction.start(problem.nodes);
        for (int i = 0; i < sweeps; ++i) friction.sweep(Exec(1), problem.nodes);
    }
    double residual() { return std::sqrt(friction.residual(Exec(1), problem.nodes).squared); }
    double fastest() const {
        double most = 0;
        for (const Node& n : problem.nodes) most = std::max(most, norm(n.velocity));
        return most;
    }

    Points points;
    Grid grid;
    FrictionProblem problem;
    std::vector<double> taken;
    NoBodies bodies;
    HourglassFriction friction;
};

TEST(Hourglass, leavesWhatIsLinearInSpaceAlone) {
    Pressed cells;
    const Mat3 gradient{{1, -2, 0.5, 0.3, 2, -1, 0.7, 0.1, -3}};
    std::vector<Vec3> before;
    for (std::size_t n = 0; n < cells.grid.nodes.size(); ++n) before.push_back(cells.problem.nodes[n].velocity = Vec3{1, 2, 3} + gradient * cells.at(n));
    cells.place();
    cells.solve(5);
    for (std::size_t n = 0; n < before.size(); ++n) EXPECT_LT(norm(cells.problem.nodes[n].velocity - before[n]), 1e-14);
}

TEST(Hourglass, aSlowPatternStopsAndMomentumIsKept) {
    Pressed cells;
    cells.bend({0.01, 0.02, -0.03});
    Vec3 momentum, angular;
    for (std::size_t n = 0; n < cells.grid.nodes.size(); ++n) {
        const Vec3 p = cells.problem.nodes[n].velocity / cells.problem.nodes[n].inverseMass;
        momentum += p;
        angular += cross(cells.at(n), p);
    }
    cells.place();
    cells.solve(200);
    EXPECT_LT(cells.residual(), 1e-9);
    for (std::size_t n = 0; n < cells.grid.nodes.size(); ++n) {
        const Vec3 p = cells.problem.nodes[n].velocity / cells.problem.nodes[n].inverseMass;
        momentum -= p;
        angular -= cross(cells.at(n), p);
    }
    EXPECT_LT(norm(momentum), 1e-14);
    EXPECT_LT(norm(angular), 1e-14);
    EXPECT_LT(cells.fastest(), 0.5 * norm(Vec3{0.01, 0.02, -0.03}));   // what is left is linear in space: nodes differ in mass
}

// A pattern xy of velocity q along z has the shear rate c q, c² = (4/3)(1/h_x² + 1/h_y²); its work is μ̂ p V Δt of that in each cell.
TEST(Hourglass, aFastPatternIsBrakedByFriction) {
    Pressed cells;
    const double q = 500;
    cells.bend({0, 0, q});
    std::vector<Node> before = cells.problem.nodes;
    cells.place();
    cells.solve(50);
    double work = 0;
    for (std::size_t n = 0; n < before.size(); ++n) work += dot(before[n].velocity, cells.problem.nodes[n].velocity - before[n].velocity) / before[n].inverseMass;
    const Vec3 h = kFrame.spacing;
    const double c = std::sqrt(4.0 / 3 * (1 / (h.x * h.x) + 1 / (h.y * h.y)));
    EXPECT_NEAR(work, -2 * kMuHat * kPressure * kDt * kFrame.cellVolume() * c * q, 1e-2 * std::abs(work));   // it slows down a little
}

// Where the cell slides at γ₀ the stress is at its limit already and gives γ/γ₀ of it; without pressure there is nothing.
TEST(Hourglass, aCellThatSlidesResistsLess) {
    Mat3 shear;
    shear(0, 2) = 1e5;
    Pressed still, sliding(shear), loose({}, 0);
    for (Pressed* cells : {&still, &sliding, &loose}) {
        cells->bend({0, 0, 1});
        cells->place();
        cells->solve(100);
    }
    EXPECT_LT(still.fastest(), 0.9);
    const Vec3 h = kFrame.spacing;
    const double c = std::sqrt(4.0 / 3 * (1 / (h.x * h.x) + 1 / (h.y * h.y)));
    std::vector<Node> impulses(sliding.problem.nodes.size(), Node{{}, 1});
    sliding.friction.push(impulses);
    const double expected = kMuHat * kPressure * kDt * kFrame.cellVolume() * (c / 1e5) * c / 8;   // on a corner of one cell alone
    EXPECT_NEAR(norm(impulses.front().velocity), expected, 0.05 * expected);
    EXPECT_EQ(loose.fastest(), 1);
}

TEST(Hourglass, remembersItsForcesWhenSavedAndLoaded) {
    Pressed cells;
    cells.bend({0.01, 0.02, -0.03});
    cells.place();
    const double fromNothing = cells.residual();
    cells.solve(200);
    cells.friction.remember(cells.grid);
    MemoryArchive archive;
    cells.friction.save(archive);
    Pressed again;
    again.friction.load(archive);
    again.bend({0.01, 0.02, -0.03});
    again.place();
    again.friction.start(again.problem.nodes);
    EXPECT_LT(again.residual(), 1e-5 * fromNothing);   // forces are kept in float
}

}  // namespace
}  // namespace talus::nonsmooth
