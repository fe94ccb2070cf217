// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/cohesion.h"

#include "nonsmooth/site_points.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 64;
/// Part of its volume by which grains of a point may have moved apart and still touch; the part of cohesion below which it counts as lost.
constexpr double kParted = 0.01, kLost = 0.01;
/// Pressure of λ̃, in cohesions, below which a site is at the tip of its cone.
constexpr double kTip = 0.01;
/// Part of what is in a site that must hold together for the site to.
constexpr double kMajority = 0.5;

/// Volume in a site, that of it which holds together, and c times that.
struct Holding {
    double all = 0, held = 0, cohesion = 0;

    void add(const Points& points, std::size_t row, const Rheology& r, double volume) {
        all += volume;
        const double c = r.cohesion * heldPart(points, row);
        if (c > 0) held += volume;
        cohesion += volume * c;
    }
    double mean() const { return held > kMajority * all ? cohesion / all : 0; }
};

}  // namespace

double heldPart(const Points& points, std::size_t row) {
    return points.bonds && points.bonds->gap(row) <= kParted && points.bonds->strength(row) >= kLost ? points.bonds->strength(row) : 0;
}

std::vector<double> siteCohesion(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, StressBasis basis) {
    std::vector<double> cohesion(siteCount(grid, basis));
    exec.forBlocks(cohesion.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            Holding holding;
            forPointsOf(frame, grid, points, rheology, basis, j, [&](std::size_t row, const Rheology& r, double volume) { holding.add(points, row, r, volume); });
            cohesion[j] = holding.mean();
        }
    });
    return cohesion;
}

void pullTogether(const Exec& exec, std::span<const double> cohesion, double dt, FrictionProblem& problem) {
    if (cohesion.empty()) return;
    for (const std::vector<std::uint32_t>& colour : problem.colours)
        exec.forBlocks(colour.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t p = colour[i] * problem.width; p < (colour[i] + 1) * problem.width; ++p) {
                    Node& n = problem.nodes[problem.pairNode[p]];
                    n.velocity -= (n.inverseMass * dt * cohesion[colour[i]]) * problem.pairVector[p];
                }
        });
    letGo(cohesion, -dt, problem);
}

void letGo(std::span<const double> cohesion, double dt, FrictionProblem& problem) {
    for (std::size_t j = 0; j < cohesion.size(); ++j) {
        const double c = dt * cohesion[j];
        problem.stress[j] += SymTensor{-c, -c, -c, 0, 0, 0};
    }
}

namespace {

/// Whether the law keeps the volume of a cell: its sites hold, and are not at the tip of their cone.
bool keepsVolume(const Grid& grid, const FrictionProblem& problem, StressBasis basis, std::span<const double> cohesion, double dt, std::size_t cell) {
    double held = 0, pressed = 0;
    const auto add = [&](std::size_t j) {
        held += cohesion[j];
        pressed += trace(problem.stress[j]) / (3 * dt) + cohesion[j];
    };
    if (basis == StressBasis::constant) add(cell);
    else std::ranges::for_each(grid.cellNodes[cell], add);
    return held > 0 && pressed > kTip * held;
}

}  // namespace

void loosen(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const FrictionProblem& problem, StressBasis basis, std::span<const double> cohesion, double decay, double dt, Points& points) {
    const Trilinear middle({0.5, 0.5, 0.5}, frame.spacing);
    exec.forBlocks(grid.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            double opening = 0;   // ∇·u in the middle: the constraint holds for means of cells, not at points
            if (!keepsVolume(grid, problem, basis, cohesion, dt, c))
                for (std::size_t corner = 0; corner < kCorners; ++corner) opening += dot(middle.gradient[corner], problem.nodes[grid.cellNodes[c][corner]].velocity);
            for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
                float& gap = points.bonds->gap(row);
                gap = static_cast<float>(std::max(0.0, gap + (1 + gap) * dt * opening));
                points.bonds->strength(row) *= static_cast<float>(std::exp(-decay * dt * strainRate(points.gradientOf(row))));
            }
        }
    });
}

}  // namespace talus::nonsmooth
