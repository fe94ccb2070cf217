// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/friction_problem.h"

#include <cmath>

namespace talus::nonsmooth {

double residualSquared(const FrictionProblem& problem, std::size_t site, const SymTensor& stress) {
    const std::size_t first = site * problem.width;
    const Vec3 from = problem.nodes[problem.pairNode[first]].velocity;   // Σ_i g_ji = 0
    Mat3 sum;
    double size = 0;   // W_NN, a third of the trace of G
    for (std::size_t p = first; p < first + problem.width; ++p) {
        const Node& node = problem.nodes[problem.pairNode[p]];
        sum += Mat3::outer(problem.pairVector[p], node.velocity - from);
        size += node.inverseMass * normSquared(problem.pairVector[p]) / 3;
    }
    if (!(size > 0)) return 0;   // all of its nodes are held
    const Chi rate = chiOf(symmetricPart(sum)), force = chiOf(stress);
    Split<5 + 3 * kPatterns> r{.normal = force[0]}, u{.normal = (rate[0] + problem.slack[site] / std::sqrt(6.0)) / size};
    for (std::size_t k = 0; k < 5; ++k) {
        r.tangential[k] = force[k + 1];
        u.tangential[k] = rate[k + 1] / size;
    }
    if (problem.patterns.any()) {
        std::array<Vec3, 8> corners;
        for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = problem.nodes[problem.pairNode[first + k]].velocity - from;
        const Patterns rates = problem.patterns.rates(site, corners);
        for (std::size_t k = 0; k < 3 * kPatterns; ++k) {
            r.tangential[5 + k] = problem.patterns.stress[site][k / 3][static_cast<int>(k % 3)];
            u.tangential[5 + k] = rates[k / 3][static_cast<int>(k % 3)] / size;
        }
    }
    return complementaritySquared(problem.friction[site], r, u);
}

double shearRate(const FrictionProblem& problem, std::size_t site, double volume) {
    Mat3 flux;
    for (std::size_t p = site * problem.width; p < (site + 1) * problem.width; ++p) flux += Mat3::outer(problem.pairVector[p], problem.nodes[problem.pairNode[p]].velocity);
    return 2 * strainRate(flux) / volume;
}

}  // namespace talus::nonsmooth
