// SPDX-License-Identifier: Apache-2.0
// Grid, transfers and the friction problem on a grid.
#include "nonsmooth/body_contacts.h"
#include "nonsmooth/friction_problem.h"
#include "nonsmooth/transfer.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

namespace talus::nonsmooth {
namespace {

constexpr double kH = 0.1;

mpm::GridFrame plainFrame() { return {{0, 0, 0}, {kH, 0.8 * kH, 1.2 * kH}, {}}; }

/// Eight points in each of nx × ny × nz cells, a little off their lattice, moving with an affine field.
void fillBlock(Points& points, const mpm::GridFrame& frame, const Vec3i& cells, const Vec3& v0 = {}, const Mat3& gradient = {}) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> jitter(-0.1, 0.1);
    const auto count = static_cast<std::size_t>(8 * cells.x * cells.y * cells.z);
    points.resize(count);
    for (std::size_t row = 0; row < count; ++row) {
        const int cell = static_cast<int>(row / 8), sub = static_cast<int>(row % 8);
        const Vec3 at{cell / (cells.y * cells.z) + 0.25 + 0.5 * (sub / 4) + jitter(random), cell / cells.z % cells.y + 0.25 + 0.5 * (sub / 2 % 2) + jitter(random),
                      cell % cells.z + 0.25 + 0.5 * (sub % 2) + jitter(random)};
        const Vec3 x = frame.origin + componentProduct(frame.spacing, at);
        points.setPosition(row, x);
        points.setVelocity(row, v0 + gradient * x);
        points.setGradient(row, gradient);
        points.volume(row) = frame.cellVolume() / 8;
        points.mass(row) = 1500 * points.volume(row);
        points.id(row) = static_cast<std::int64_t>(row);
    }
    points.reorder(Exec(1), cellOrder(Exec(1), frame, points));
}

world::World emptyWorld() {
    world::World world;
    world.materials = {world::Material{.name = "sand"}};
    world.gravity = {0, 0, 0};
    return world;
}

TEST(Grid, findsCellsAndTheirNodes) {
    Points points;
    const mpm::GridFrame frame = plainFrame();
    fillBlock(points, frame, {3, 4, 5});
    const Grid grid = Grid::build(Exec(2), frame, points);
    EXPECT_EQ(grid.cells.size(), 60u);
    EXPECT_EQ(grid.nodes.size(), 4u * 5 * 6);
    for (std::size_t c = 0; c < grid.cells.size(); ++c)
        for (std::size_t corner = 0; corner < kCorners; ++corner) {
            const std::uint32_t n = grid.cellNodes[c][corner];
            EXPECT_EQ(grid.nodes[n], grid.cells[c] + cornerOffset(corner));
            EXPECT_EQ(grid.nodeCells[n][corner], static_cast<std::int32_t>(c));
        }
}

// Points that moved by up to two cells, into old and new cells, and new ones with low and high ids.
TEST(Grid, pointsThatLeftTheirCellAreSortedBetweenTheOthers) {
    const mpm::GridFrame frame = plainFrame();
    for (const double moving : {0.0, 0.02, 0.5, 1.0}) {
        Points points;
        fillBlock(points, frame, {12, 11, 7});
        const Grid grid = Grid::build(Exec(2), frame, points);
        const std::size_t before = points.rows();
        std::mt19937_64 random(5);
        std::uniform_real_distribution<double> chance(0, 1);
        points.resize(before + 40);
        for (std::size_t row = 0; row < points.rows(); ++row) {
            points.id(row) = row < before ? 10 * points.id(row) : static_cast<std::int64_t>(row * 40 + 3) % 16000;
            if (row >= before) points.setPosition(row, points.positionOf(7 * (row - before)));
            if (chance(random) < moving) points.setPosition(row, points.positionOf(row) + 2 * kH * Vec3{chance(random) - 0.5, chance(random) - 0.5, 2 * (chance(random) - 0.5)});
        }
        const std::vector<std::uint32_t> all = cellOrder(Exec(2), frame, points);
        EXPECT_EQ(cellOrder(Exec(1), frame, points, grid), all) << moving;
        EXPECT_EQ(cellOrder(Exec(3), frame, points, grid), all) << moving;
    }
}

TEST(Grid, newPointsAreSortedBetweenTheOthers) {
    const mpm::GridFrame frame = plainFrame();
    for (const std::size_t added : {1, 40, 6000}) {
        Points points;
        fillBlock(points, frame, {12, 11, 7});
        const std::size_t before = points.rows();
        std::mt19937_64 random(6);
        std::uniform_real_distribution<double> chance(-0.1, 1.1);
        points.resize(before + added);
        for (std::size_t row = 0; row < points.rows(); ++row) {
            points.id(row) = row < before ? 10 * points.id(row) : static_cast<std::int64_t>(row * 40 + 3) % 160000;
            if (row >= before) points.setPosition(row, frame.origin + kH * Vec3{12 * chance(random), 11 * chance(random), 7 * chance(random)});
        }
        const std::vector<std::uint32_t> all = cellOrder(Exec(2), frame, points);
        EXPECT_EQ(cellOrder(Exec(1), frame, points, before), all) << added;
        EXPECT_EQ(cellOrder(Exec(3), frame, points, before), all) << added;
    }
}

TEST(Grid, weightsAndGradientsAreTrilinear) {
    const Vec3 spacing{0.1, 0.2, 0.3}, f{0.3, 0.6, 0.9};
    const Trilinear t(f, spacing);
    double sum = 0;
    Vec3 first;
    Mat3 gradient;
    for (std::size_t corner = 0; corner < kCorners; ++corner) {
        const Vec3i d = cornerOffset(corner);
        const Vec3 x = componentProduct(spacing, Vec3{double(d.x), double(d.y), double(d.z)});
        sum += t.weight[corner];
        first += t.weight[corner] * x;
        gradient += Mat3::outer(x, t.gradient[corner]);
        for (int axis = 0; axis < 3; ++axis) {   // against finite differences
            Vec3 up = f, down = f;
            up[axis] += 1e-6;
            down[axis] -= 1e-6;
            const double slope = (Trilinear(up, spacing).weight[corner] - Trilinear(down, spacing).weight[corner]) / (2e-6 * spacing[axis]);
            EXPECT_NEAR(t.gradient[corner][axis], slope, 1e-8);
        }
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_LT(norm(first - componentProduct(spacing, f)), 1e-15);
    EXPECT_LT(frobeniusNorm(gradient - Mat3::identity()), 1e-14);
}

TEST(Transfer, keepsMomentumAndAnAffineField) {
    Points points;
    const mpm::GridFrame frame = plainFrame();
    const Mat3 c{{1, 2, 3, -1, 0.5, 0.375, 0.25, -2, 1}};   // numbers that a float holds
    fillBlock(points, frame, {3, 3, 3}, {1, 2, 3}, c);
    const Exec exec(2);
    const Grid grid = Grid::build(exec, frame, points);
    const Transferred moving = toGrid(exec, frame, grid, points, std::vector<Rheology>(1), emptyWorld(), 0.01);
    Vec3 before, after;
    double massBefore = 0, massAfter = 0;
    for (std::size_t row = 0; row < points.rows(); ++row) {
        before += points.mass(row) * points.velocityOf(row);
        massBefore += points.mass(row);
    }
    for (std::size_t n = 0; n < grid.nodes.size(); ++n) {
        after += moving.mass[n] * moving.velocity[n];
        massAfter += moving.mass[n];
        EXPECT_LT(norm(moving.velocity[n] - Vec3{1, 2, 3} - c * nodePosition(frame, grid.nodes[n])), 1e-12);
    }
    EXPECT_NEAR(massAfter, massBefore, 1e-13 * massBefore);
    EXPECT_LT(norm(after - before), 1e-13 * norm(before));
}

TEST(Transfer, sitesOfOneColourShareNoNode) {
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear})
        for (const int blocks : {0, 1, 2, 4, 5}) {
            mpm::GridFrame frame = plainFrame();
            frame.periodBlocks = {blocks, 0, blocks};
            Points points;
            fillBlock(points, frame, {blocks ? 4 * blocks : 7, 6, blocks ? 4 * blocks : 7});
            const Exec exec(1);
            const Grid grid = Grid::build(exec, frame, points);
            FrictionProblem problem;
            assemble(exec, frame, grid, points, std::vector<Rheology>(1), basis, {}, 0.01, problem);
            std::size_t sites = 0;
            for (const auto& colour : problem.colours) {
                std::set<std::uint32_t> used;
                sites += colour.size();
                for (const std::uint32_t j : colour) {
                    const std::set<std::uint32_t> own(problem.pairNode.begin() + static_cast<std::ptrdiff_t>(j * problem.width),
                                                      problem.pairNode.begin() + static_cast<std::ptrdiff_t>((j + 1) * problem.width));
                    for (const std::uint32_t n : own) ASSERT_TRUE(used.insert(n).second) << kStressBasisNames[static_cast<std::size_t>(basis)] << ", " << blocks << " blocks";
                }
            }
            EXPECT_EQ(sites, problem.sites());
            if (blocks != 0) continue;
            EXPECT_EQ(problem.colours.size(), basis == StressBasis::constant ? 8u : 27u);
        }
}

TEST(Transfer, stressNeitherPushesNorTurnsTheWhole) {
    Points points;
    const mpm::GridFrame frame = plainFrame();
    fillBlock(points, frame, {3, 3, 4});
    const Exec exec(2);
    const Grid grid = Grid::build(exec, frame, points);
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
        FrictionProblem problem;
        assemble(exec, frame, grid, points, std::vector<Rheology>(1), basis, {}, 0.01, problem);
        std::mt19937_64 random(5);
        std::uniform_real_distribution<double> unit(-1, 1);
        for (SymTensor& s : problem.stress) s = {unit(random), unit(random), unit(random), unit(random), unit(random), unit(random)};
        std::vector<Node> nodes(grid.nodes.size(), Node{{}, 1});
        applyStress(exec, problem, problem.stress, nodes);
        Vec3 force, torque;
        double size = 0;
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            force += nodes[n].velocity;
            torque += cross(nodePosition(frame, grid.nodes[n]), nodes[n].velocity);
            size += norm(nodes[n].velocity);
        }
        EXPECT_LT(norm(force), 1e-13 * size);
        EXPECT_LT(norm(torque), 1e-13 * size);
    }
}

// Why stress is constant in cells by default: layers that are pressed and not pressed in turn push nodes apart, whichever way they
// lie. Trilinear stress does not notice them, so odd and even layers of the solution come apart.
TEST(Transfer, onlyTrilinearStressIsBlindToAlternatingLayers) {
    mpm::GridFrame frame{{0, 0, 0}, {kH, kH, kH}, {2, 2, 2}};
    Points points;
    fillBlock(points, frame, {8, 8, 8});
    for (std::size_t row = 0; row < points.rows(); ++row) {
        Vec3 x = points.positionOf(row);
        for (int axis = 0; axis < 3; ++axis) x[axis] = kH * (std::floor(x[axis] / kH * 2) / 2 + 0.25);
        points.setPosition(row, x);
    }
    const Exec exec(1);
    const Grid grid = Grid::build(exec, frame, points);
    for (int axis = 0; axis < 3; ++axis)
        for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
            FrictionProblem problem;
            assemble(exec, frame, grid, points, std::vector<Rheology>(1), basis, {}, 0.01, problem);
            const std::vector<Vec3i>& sites = basis == StressBasis::constant ? grid.cells : grid.nodes;
            for (std::size_t j = 0; j < sites.size(); ++j) {
                const double p = sites[j][axis] % 2 == 0 ? 1 : -1;
                problem.stress[j] = {p, p, p, 0, 0, 0};
            }
            std::vector<Node> nodes(grid.nodes.size(), Node{{}, 1});
            applyStress(exec, problem, problem.stress, nodes);
            double largest = 0;
            for (const Node& node : nodes) largest = std::max(largest, norm(node.velocity));
            if (basis == StressBasis::constant) EXPECT_NEAR(largest, 2 * kH * kH, 1e-12);   // twice the pressure on a face of the cell
            else EXPECT_LT(largest, 1e-15);
        }
}

/// A block thrown into its own lower half: everything slides, sticks or opens somewhere.
FrictionProblem squeezedBlock(StressBasis basis, Points& points, Grid& grid) {
    const mpm::GridFrame frame = plainFrame();
    fillBlock(points, frame, {4, 4, 5});
    const Exec exec(1);
    grid = Grid::build(exec, frame, points);
    FrictionProblem problem;
    assemble(exec, frame, grid, points, std::vector<Rheology>(1, Rheology{1, 0.45}), basis, {}, 0.01, problem);
    const Transferred moving = toGrid(exec, frame, grid, points, std::vector<Rheology>(1), emptyWorld(), 0.01);
    for (std::size_t n = 0; n < grid.nodes.size(); ++n) {
        const Vec3 x = nodePosition(frame, grid.nodes[n]);
        problem.nodes.push_back({{std::sin(9 * x.y), 0.3 * x.z, x.z > 0.3 ? -1.0 : 0.5 * x.x}, 1 / moving.mass[n]});
    }
    return problem;
}

class EverySolver : public testing::TestWithParam<Solver> {};

TEST_P(EverySolver, endsAtASolutionOfTheLaw) {
    for (const StressBasis basis : {StressBasis::constant, StressBasis::trilinear}) {
        if (GetParam() == Solver::cadouxSpg && basis == StressBasis::trilinear) continue;   // odd and even layers: 2e-8 is left after 20,000 rounds
        Points points;
        Grid grid;
        FrictionProblem problem = squeezedBlock(basis, points, grid);
        const std::vector<Node> start = problem.nodes;
        // Where forces lie on the cone the measure has half the digits of a double, unless they were put there exactly.
        const double tolerance = GetParam() == Solver::gaussSeidel ? 1e-11 : 1e-8;   // [Pa s]
        const SolveReport report = makeSolver(GetParam())->solve(Exec(2), problem, nullptr, {.tolerance = tolerance, .mostSweeps = 20000});
        ASSERT_TRUE(report.converged) << report.residual;
        // By hand: velocities from stresses, rates from velocities, and the law in tensors.
        std::vector<Node> nodes = start;
        applyStress(Exec(1), problem, problem.stress, nodes);
        int pressed = 0;
        double largest = 0;
        for (std::size_t j = 0; j < problem.sites(); ++j) {
            Mat3 rate;
            for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) rate += Mat3::outer(problem.pairVector[p], nodes[problem.pairNode[p]].velocity);
            const SymTensor gamma{rate(0, 0), rate(1, 1), rate(2, 2), 0.5 * (rate(0, 1) + rate(1, 0)), 0.5 * (rate(1, 2) + rate(2, 1)), 0.5 * (rate(0, 2) + rate(2, 0))};
            const Chi r = chiOf(problem.stress[j]), u = chiOf(gamma);
            double rt = 0, ut = 0, work = 0;
            for (std::size_t k = 1; k < 6; ++k) {
                rt += r[k] * r[k];
                ut += u[k] * u[k];
                work += r[k] * u[k];
            }
            rt = std::sqrt(rt);
            ut = std::sqrt(ut);
            largest = std::max(largest, r[0]);
            EXPECT_GE(r[0], 0);
            EXPECT_LE(rt, 0.45 * r[0] * (1 + 1e-9));
            EXPECT_GE(u[0], -1e-9);
            EXPECT_NEAR(r[0] * u[0], 0, 1e-8);
            EXPECT_NEAR(work, -ut * (ut > 1e-8 ? 0.45 * r[0] : rt), 1e-7) << "friction opposes sliding";
            pressed += r[0] > 0;
        }
        EXPECT_GT(pressed, 10);
        std::printf("    %s: %d sweeps, %d of %zu sites pressed\n", kStressBasisNames[static_cast<std::size_t>(basis)].data(), report.sweeps, pressed, problem.sites());
    }
}

TEST_P(EverySolver, hasTheSameBitsForAnyNumberOfThreads) {
    Points points;
    Grid grid;
    std::vector<std::vector<SymTensor>> found;
    for (const int threads : {1, 2, 3}) {
        FrictionProblem problem = squeezedBlock(StressBasis::constant, points, grid);
        makeSolver(GetParam())->solve(Exec(threads), problem, nullptr, {.tolerance = 1e-6});
        found.push_back(problem.stress);
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
}

INSTANTIATE_TEST_SUITE_P(OfTheFrictionProblem, EverySolver, testing::Values(Solver::gaussSeidel, Solver::cadouxApgd, Solver::cadouxSpg),
                         [](const auto& solver) { return std::string(kSolverNames[static_cast<std::size_t>(solver.param)]); });

TEST(GaussSeidel, aWarmStartNeedsNoSweep) {
    Points points;
    Grid grid;
    FrictionProblem problem = squeezedBlock(StressBasis::constant, points, grid);
    const std::vector<Node> start = problem.nodes;
    GaussSeidel solver;
    const SolveReport cold = solver.solve(Exec(1), problem, nullptr, {.tolerance = 1e-6, .mostSweeps = 5000});
    EXPECT_GT(cold.sweeps, 5);
    problem.nodes = start;
    const SolveReport warm = solver.solve(Exec(1), problem, nullptr, {.tolerance = 1.01e-6, .mostSweeps = 5000});
    EXPECT_EQ(warm.sweeps, 0);
}

// Simple shear u_x = sin(πz/L) in a periodic layer loses the part 1/(1 + Δt η/ρ k²) in an implicit step, k of the grid's own second
// difference.
TEST(Viscosity, shearDecaysAsTheGridSays) {
    mpm::GridFrame frame{{0, 0, 0}, {kH, kH, kH}, {1, 1, 4}};
    Points points;
    fillBlock(points, frame, {4, 4, 16});
    for (std::size_t row = 0; row < points.rows(); ++row) {   // an even lattice, so that the grid's sums are exact
        Vec3 x = points.positionOf(row);
        for (int axis = 0; axis < 3; ++axis) x[axis] = kH * (std::floor(x[axis] / kH * 2) / 2 + 0.25);
        points.setPosition(row, x);
    }
    const Exec exec(2);
    const Grid grid = Grid::build(exec, frame, points);
    std::vector<double> mass(grid.nodes.size(), 1500 * kH * kH * kH);
    std::vector<Node> nodes;
    for (const Vec3i& n : grid.nodes) nodes.push_back({{std::sin(2 * std::numbers::pi * n.z / 16), 0, 0}, 1 / mass[0]});
    const std::vector<Node> before = nodes;
    const double viscosity = 40, dt = 0.02;
    const int rounds = diffuse(exec, frame, grid, points, std::vector<Rheology>(1), viscosity, dt, mass, nodes);
    EXPECT_GT(rounds, 0);
    const double k2 = std::pow(2 / kH * std::sin(std::numbers::pi / 16), 2), factor = 1 / (1 + dt * viscosity / 1500 * k2);
    ASSERT_LT(factor, 0.999);
    for (std::size_t n = 0; n < nodes.size(); ++n) EXPECT_NEAR(nodes[n].velocity.x, factor * before[n].velocity.x, 1e-6);
}

// Nodes beyond a wall stand for points on it; where these are nodes, which have contacts of their own, both must be visited by one thread.
TEST(BodyContacts, thoseOfANodeFollowEachOther) {
    world::World world = emptyWorld();
    world.materials.push_back({.name = "wall"});
    world.domain.max = {1, 1, 1};
    world.bodies.push_back({.name = "wall", .material = 1, .shape = std::make_shared<geometry::Plane>(Vec3{-1, 0, 0}, Vec3{}), .motion = world::Motion({2 * kH, 0, 0}, {}), .load = {}});
    const mpm::GridFrame frame{{0, 0, 0}, {kH, kH, kH}, {}};
    Points points;
    fillBlock(points, frame, {3, 3, 3});   // a cell of them in the wall
    const Exec exec(2);
    const Grid grid = Grid::build(exec, frame, points);
    std::vector<Node> nodes(grid.nodes.size(), Node{{1, 0, 0}, 1});
    world::FreeBodies free;
    BodyContacts contacts;
    contacts.place(exec, frame, grid, world, free, 0, 0.01, std::vector<double>(nodes.size(), 1.0), nodes);
    ASSERT_EQ(contacts.places(), 32u) << "16 nodes on the wall, each twice";
    for (std::size_t i = 1; i < contacts.places(); ++i) EXPECT_LE(contacts.nodesAt(i - 1)[0], contacts.nodesAt(i)[0]);
    EXPECT_EQ(contacts.nodesAt(0)[0], contacts.nodesAt(1)[0]);
}

TEST(FreeFractions, knowWhatAWallCovers) {
    world::World world = emptyWorld();
    world.domain.max = {1, 1, 1};
    world.bodies.push_back({.name = "floor", .shape = std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{}), .motion = {}, .load = {}});
    const mpm::GridFrame frame{{0, 0, 0}, {kH, kH, kH}, {}};
    Points points;
    fillBlock(points, frame, {2, 2, 4});
    const Exec exec(1);
    const Grid grid = Grid::build(exec, frame, points);
    const auto expectAt = [&](double height, const std::array<double, 5>& expected, double tolerance) {
        world.bodies[0].motion = world::Motion({0, 0, height}, {});
        const std::vector<double> free = freeFractions(exec, frame, grid, world, {}, 0.01);
        for (std::size_t n = 0; n < free.size(); ++n) EXPECT_NEAR(free[n], expected[static_cast<std::size_t>(grid.nodes[n].z)], tolerance) << "floor at " << height;
    };
    expectAt(0, {0.5, 1, 1, 1, 1}, 1e-12);
    expectAt(kH, {0, 0.5, 1, 1, 1}, 1e-12);
    // Half a cell up, a node beside it keeps 7/8 or 1/8 of ∫N: the two points see that to 0.07.
    expectAt(1.5 * kH, {0, 0.125, 0.875, 1, 1}, 0.07);
    world.bodies[0].motion = world::Motion({0, 0, 0}, {}, {world::Travel{Vec3{0, 0, 10}}});   // a cell in a step of 0.01 s
    const std::vector<double> free = freeFractions(exec, frame, grid, world, {}, 0.01);
    for (std::size_t n = 0; n < free.size(); ++n)
        EXPECT_TRUE(grid.nodes[n].z != 1 || std::abs(free[n] - 0.5) < 1e-12);
}

}  // namespace
}  // namespace talus::nonsmooth
