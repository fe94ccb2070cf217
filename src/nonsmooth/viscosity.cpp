// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/transfer.h"

#include <array>
#include <cmath>
#include <numbers>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 64, kNodesPerTask = 512;
constexpr int kMostRounds = 500;
constexpr double kAccuracy = 1e-8;   // of the residual, relative to where it began

/// (K u)_i of a cell of unit volume filled evenly, as a matrix between the 3 x 8 velocities at its corners: Σ 2 ε̇(u) ∇N_i over the eight points of
/// Gauss, which is the integral of these polynomials.
using CellMatrix = std::array<double, 24 * 24>;
CellMatrix cellMatrix(const Vec3& spacing) {
    CellMatrix k{};
    const double near = 0.5 - 0.5 * std::numbers::inv_sqrt3;
    for (int point = 0; point < 8; ++point) {
        const Trilinear t({point & 1 ? near : 1 - near, point & 2 ? near : 1 - near, point & 4 ? near : 1 - near}, spacing);
        for (std::size_t i = 0; i < kCorners; ++i)
            for (std::size_t j = 0; j < kCorners; ++j)
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)   // (∇u + ∇uᵀ) ∇N_i with u = e_b N_j
                        k[24 * (3 * i + static_cast<std::size_t>(a)) + 3 * j + static_cast<std::size_t>(b)] += ((a == b ? dot(t.gradient[i], t.gradient[j]) : 0) + t.gradient[j][a] * t.gradient[i][b]) / 8;
    }
    return k;
}

template <class Body>
void forEach(const Exec& exec, std::size_t nodes, const Body& body) {
    exec.forBlocks(nodes, kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) body(n);
    });
}

/// M u + Δt K u, (K u)_i = Σ_p V_p 2 η ε̇(u) ∇N_i with the points of a cell taken as spread evenly in it; zero where a node is held.
class Operator {
public:
    Operator(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, double viscosity, double dt, std::span<const double> mass,
             const std::vector<Node>& nodes)
        : exec_(exec), grid_(grid), mass_(mass), nodes_(nodes), matrix_(cellMatrix(frame.spacing)), scale_(grid.cells.size()), forces_(grid.cells.size()) {
        exec.forBlocks(grid.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c)
                for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row)
                    scale_[c] += viscosity * dt * rheology[static_cast<std::size_t>(points.material(row))].crowding * points.volume(row);
        });
    }

    void apply(const std::vector<Vec3>& u, std::vector<Vec3>& result) {
        exec_.forBlocks(grid_.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) ofCell(c, u);
        });
        forEach(exec_, u.size(), [&](std::size_t n) {
            Vec3 sum = mass_[n] * u[n];
            for (std::size_t corner = 0; corner < kCorners; ++corner)
                if (const std::int32_t cell = grid_.nodeCells[n][corner]; cell >= 0) {
                    const double* force = &forces_[static_cast<std::size_t>(cell)][3 * corner];
                    sum += {force[0], force[1], force[2]};
                }
            result[n] = nodes_[n].inverseMass > 0 ? sum : Vec3{};
        });
    }

    /// Diagonal of M + Δt K.
    std::vector<Vec3> diagonal() const {
        std::vector<Vec3> result(mass_.size());
        forEach(exec_, result.size(), [&](std::size_t n) {
            result[n] = {mass_[n], mass_[n], mass_[n]};
            for (std::size_t corner = 0; corner < kCorners; ++corner)
                if (const std::int32_t cell = grid_.nodeCells[n][corner]; cell >= 0)
                    for (int axis = 0; axis < 3; ++axis) result[n][axis] += scale_[static_cast<std::size_t>(cell)] * matrix_[25 * (3 * corner + static_cast<std::size_t>(axis))];
        });
        return result;
    }

private:
    void ofCell(std::size_t c, const std::vector<Vec3>& u) {
        std::array<double, 24>& force = forces_[c];
        force.fill(0);
        for (std::size_t corner = 0; corner < kCorners; ++corner)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t column = 3 * corner + static_cast<std::size_t>(axis);
                const double v = scale_[c] * u[grid_.cellNodes[c][corner]][axis];
                for (std::size_t row = 0; row < 24; ++row) force[row] += v * matrix_[24 * column + row];   // symmetric
            }
    }

    const Exec& exec_;
    const Grid& grid_;
    std::span<const double> mass_;
    const std::vector<Node>& nodes_;
    CellMatrix matrix_;
    std::vector<double> scale_;
    std::vector<std::array<double, 24>> forces_;
};

double dotOf(const Exec& exec, const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    return exec.reduce(
        a.size(), kNodesPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t n = begin; n < end; ++n) sum += dot(a[n], b[n]);
            return sum;
        },
        [](double x, double y) { return x + y; });
}

}  // namespace

// Preconditioned by the diagonal: nodes of little mass beside full ones would need many rounds otherwise. The residual is that of momentum.
int diffuse(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, double viscosity, double dt, std::span<const double> mass,
            std::vector<Node>& nodes) {
    const std::size_t count = grid.nodes.size();
    Operator a(exec, frame, grid, points, rheology, viscosity, dt, mass, nodes);
    std::vector<Vec3> u(count), residual(count), z(count), direction(count), product(count);
    forEach(exec, count, [&](std::size_t n) { u[n] = nodes[n].velocity; });
    a.apply(u, product);
    const std::vector<Vec3> diagonal = a.diagonal();
    const auto precondition = [&](std::size_t n) { z[n] = {residual[n].x / diagonal[n].x, residual[n].y / diagonal[n].y, residual[n].z / diagonal[n].z}; };
    forEach(exec, count, [&](std::size_t n) {
        residual[n] = nodes[n].inverseMass > 0 ? mass[n] * u[n] - product[n] : Vec3{};
        precondition(n);
        direction[n] = z[n];
    });
    double rho = dotOf(exec, residual, z);
    const double wanted = kAccuracy * kAccuracy * rho;
    int rounds = 0;
    for (; rho > wanted && rounds < kMostRounds; ++rounds) {
        a.apply(direction, product);
        const double step = rho / dotOf(exec, direction, product);
        forEach(exec, count, [&](std::size_t n) {
            u[n] += step * direction[n];
            residual[n] -= step * product[n];
            precondition(n);
        });
        const double before = rho;
        rho = dotOf(exec, residual, z);
        forEach(exec, count, [&](std::size_t n) { direction[n] = z[n] + (rho / before) * direction[n]; });
    }
    forEach(exec, count, [&](std::size_t n) {
        if (nodes[n].inverseMass > 0) nodes[n].velocity = u[n];
    });
    return rounds;
}

}  // namespace talus::nonsmooth
