// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/volume_correction.h"

#include <algorithm>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kSitesPerTask = 256, kChainsPerTask = 256;
/// What is left is seen, and corrected, in the next step.
constexpr int kSweeps = 20;

}  // namespace

void VolumeCorrection::solve(const Exec& exec, const FrictionProblem& problem, std::span<const double> excess, const Surfaces& surfaces) {
    displacement_.assign(problem.nodes.size(), {});
    if (std::ranges::none_of(excess, [](double e) { return e > 0; })) return;
    const std::size_t width = problem.width;
    pressure_.assign(problem.sites(), 0.0);
    stiffness_.assign(problem.sites(), 0.0);
    reaction_.assign(surfaces.rows.size(), 0.0);
    exec.forBlocks(problem.sites(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j)
            for (std::size_t p = j * width; p < (j + 1) * width; ++p) stiffness_[j] += normSquared(problem.pairVector[p]) * problem.nodes[problem.pairNode[p]].inverseMass;
    });
    const auto visit = [&](std::uint32_t j) {
        if (!(stiffness_[j] > 0)) return;
        double gained = 0;
        for (std::size_t p = j * width; p < (j + 1) * width; ++p) gained += dot(problem.pairVector[p], displacement_[problem.pairNode[p]]);
        const double next = std::max(0.0, pressure_[j] + (excess[j] - gained) / stiffness_[j]), change = next - pressure_[j];
        if (change == 0) return;
        pressure_[j] = next;
        for (std::size_t p = j * width; p < (j + 1) * width; ++p) displacement_[problem.pairNode[p]] += (change * problem.nodes[problem.pairNode[p]].inverseMass) * problem.pairVector[p];
    };
    const auto press = [&](std::size_t s) {
        const SurfaceRow& row = surfaces.rows[s];
        Vec3 moved;
        for (std::size_t k = 0; k < row.nodes; ++k) moved += row.weight[k] * displacement_[row.node[k]];
        const double next = std::max(0.0, reaction_[s] - dot(moved, row.normal) / row.inverseMass), change = next - reaction_[s];
        if (change == 0) return;
        reaction_[s] = next;
        for (std::size_t k = 0; k < row.nodes; ++k) displacement_[row.node[k]] += (change * row.weight[k] * problem.nodes[row.node[k]].inverseMass) * row.normal;
    };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (const std::vector<std::uint32_t>& colour : problem.colours)
            exec.forBlocks(colour.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) visit(colour[i]);
            });
        for (std::size_t group = 0; group + 1 < surfaces.firstChain.size(); ++group) {
            const std::size_t first = surfaces.firstChain[group];
            exec.forBlocks(surfaces.firstChain[group + 1] - first, kChainsPerTask, [&](std::size_t begin, std::size_t end) {
                for (std::size_t s = surfaces.firstRow[first + begin]; s < surfaces.firstRow[first + end]; ++s) press(s);
            });
        }
    }
}

}  // namespace talus::nonsmooth
