// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/transfer.h"

#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 64, kNodesPerTask = 512;
constexpr int kMostRounds = 500;
constexpr double kAccuracy = 1e-8;   // of the residual, relative to where it began

using Corners = std::array<Vec3, kCorners>;

/// M u + Δt K u, (K u)_i = Σ_p V_p 2 η ε̇(u) ∇N_i; zero where a node is held.
class Operator {
public:
    Operator(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, double viscosity, double dt, std::span<const double> mass,
             const std::vector<Node>& nodes)
        : exec_(exec), frame_(frame), grid_(grid), points_(points), rheology_(rheology), scale_(2 * viscosity * dt), mass_(mass), nodes_(nodes), forces_(grid.cells.size()) {}

    void apply(const std::vector<Vec3>& u, std::vector<Vec3>& result) {
        exec_.forBlocks(grid_.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) forces_[c] = ofCell(c, u);
        });
        exec_.forBlocks(u.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) {
                Vec3 sum = mass_[n] * u[n];
                for (std::size_t corner = 0; corner < kCorners; ++corner)
                    if (const std::int32_t cell = grid_.nodeCells[n][corner]; cell >= 0) sum += forces_[static_cast<std::size_t>(cell)][corner];
                result[n] = nodes_[n].inverseMass > 0 ? sum : Vec3{};
            }
        });
    }

private:
    Corners ofCell(std::size_t c, const std::vector<Vec3>& u) const {
        Corners force{};
        for (std::size_t row = grid_.firstRow[c]; row < grid_.firstRow[c + 1]; ++row) {
            const Trilinear t(placeOf(frame_, points_.positionOf(row)).fraction, frame_.spacing);
            Mat3 gradient;
            for (std::size_t corner = 0; corner < kCorners; ++corner) gradient += Mat3::outer(u[grid_.cellNodes[c][corner]], t.gradient[corner]);
            const double volume = scale_ * rheology_[static_cast<std::size_t>(points_.material(row))].crowding * points_.volume(row);
            const Mat3 stress = (0.5 * volume) * (gradient + transpose(gradient));
            for (std::size_t corner = 0; corner < kCorners; ++corner) force[corner] += stress * t.gradient[corner];
        }
        return force;
    }

    const Exec& exec_;
    const mpm::GridFrame& frame_;
    const Grid& grid_;
    const Points& points_;
    std::span<const Rheology> rheology_;
    double scale_;
    std::span<const double> mass_;
    const std::vector<Node>& nodes_;
    std::vector<Corners> forces_;
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

// Preconditioned by the lumped mass. The residual is that of momentum.
int diffuse(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, double viscosity, double dt, std::span<const double> mass,
            std::vector<Node>& nodes) {
    const std::size_t count = grid.nodes.size();
    Operator a(exec, frame, grid, points, rheology, viscosity, dt, mass, nodes);
    std::vector<Vec3> u(count), residual(count), z(count), direction(count), product(count);
    for (std::size_t n = 0; n < count; ++n) u[n] = nodes[n].velocity;
    a.apply(u, product);
    const auto precondition = [&] {
        for (std::size_t n = 0; n < count; ++n) z[n] = residual[n] / mass[n];
    };
    for (std::size_t n = 0; n < count; ++n) residual[n] = nodes[n].inverseMass > 0 ? mass[n] * u[n] - product[n] : Vec3{};
    precondition();
    direction = z;
    double rho = dotOf(exec, residual, z);
    const double wanted = kAccuracy * kAccuracy * rho;
    int rounds = 0;
    for (; rho > wanted && rounds < kMostRounds; ++rounds) {
        a.apply(direction, product);
        const double step = rho / dotOf(exec, direction, product);
        for (std::size_t n = 0; n < count; ++n) {
            u[n] += step * direction[n];
            residual[n] -= step * product[n];
        }
        precondition();
        const double before = rho;
        rho = dotOf(exec, residual, z);
        for (std::size_t n = 0; n < count; ++n) direction[n] = z[n] + (rho / before) * direction[n];
    }
    for (std::size_t n = 0; n < count; ++n)
        if (nodes[n].inverseMass > 0) nodes[n].velocity = u[n];
    return rounds;
}

}  // namespace talus::nonsmooth
