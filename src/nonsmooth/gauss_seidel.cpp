// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/site_groups.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kSitesPerTask = 64, kNodesPerTask = 1024;
/// Tolerances to which the pressure of grains without friction is found, where nothing is known to start from.
constexpr double kRoughly = 10;

template <std::size_t Width>
void applyStressWidth(const Exec& exec, const FrictionProblem& problem, std::span<const SymTensor> stress, std::vector<Node>& nodes) {
    for (const std::vector<std::uint32_t>& colour : problem.colours)
        exec.forBlocks(colour.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t k = 0; k < Width; ++k) {
                    const std::size_t p = colour[i] * Width + k;
                    Node& n = nodes[problem.pairNode[p]];
                    n.velocity += n.inverseMass * (stress[colour[i]] * problem.pairVector[p]);
                    if (problem.patterns.any()) n.velocity += n.inverseMass * problem.patterns.impulse(colour[i], k);
                }
        });
}

/// Nesterov's factors up to a limit, begun anew where a sweep went against the direction of extrapolation [ODonoghue2015]. Sweeps
/// in one order turn errors about (their matrix has complex eigenvalues), so that factors near 1 diverge; sweeps to and fro would bear
/// them, but end at other solutions: of the many that sliding has, ones in which every other cell sticks and the rest slides.
class Momentum {
public:
    double next() {
        const double before = t_;
        t_ = 0.5 * (1 + std::sqrt(1 + 4 * t_ * t_));
        return std::min(most_, (before - 1) / t_);
    }
    void restart() { t_ = 1; }
    /// The residual grew between checks: less of it, in the end none.
    void lower() {
        most_ *= 0.8;
        restart();
    }

private:
    double t_ = 1, most_ = 0.7;
};

/// u ← u + β (u − u of the sweep before).
void extrapolate(const Exec& exec, double beta, std::vector<Node>& nodes, std::vector<Node>& before) {
    exec.forBlocks(nodes.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            const Vec3 u = nodes[n].velocity;
            nodes[n].velocity += beta * (u - before[n].velocity);
            before[n].velocity = u;
        }
    });
}

template <class T, std::size_t Width>
class Sweeps {
public:
    Sweeps(const Exec& exec, FrictionProblem& problem, SiteGroups<T>& groups, NodeForces* bodies, const SolveLimits& limits) : exec_(exec), problem_(problem), groups_(groups), bodies_(bodies), limits_(limits) {}

    /// Goes on from the sweeps of the report, to the tolerance or to the most sweeps.
    void run(SolveReport& report) {
        measure(report);
        before_ = problem_.nodes;
        Momentum momentum;
        while (!report.converged && report.sweeps < limits_.mostSweeps && std::isfinite(report.residual)) {
            const int until = std::min(limits_.mostSweeps, report.sweeps + limits_.sweepsBetweenChecks);
            for (; report.sweeps < until; ++report.sweeps) {
                const double beta = momentum.next();
                extrapolate(exec_, beta, problem_.nodes, before_);
                if (bodies_) bodies_->extrapolate(exec_, beta);
                if (bodies_) bodies_->sweep(exec_, problem_.nodes);
                if (groups_.template sweep<Width>(exec_, problem_.nodes, static_cast<T>(beta)) > 0) momentum.restart();
            }
            const double residualBefore = report.residual;
            measure(report);
            if (report.residual > residualBefore) momentum.lower();
        }
    }

private:
    void measure(SolveReport& report) {
        NodeForces::Residual more;
        if (bodies_) more = bodies_->residual(exec_, problem_.nodes);
        const double places = static_cast<double>(problem_.sites()) + static_cast<double>(more.places);
        report.residual = places > 0 ? std::sqrt((groups_.template residualSquared<Width>(exec_, problem_.nodes) + more.squared) / places) : 0;
        report.converged = report.residual <= limits_.tolerance;
    }

    const Exec& exec_;
    FrictionProblem& problem_;
    SiteGroups<T>& groups_;
    NodeForces* bodies_;
    const SolveLimits& limits_;
    std::vector<Node> before_;   // at the end of the sweep before
};

// A layer on a slope may rest with any stress along it, up to tan⁻¹ 0.61 with μ̂ = 0.5, and slide below its angle where cells take turns to be
// pressed from the side: which solution is found depends on where sweeps start. From the pressure that grains without friction have, all
// directions are pressed alike and the slope lets go at tan⁻¹ μ̂.
template <class T, std::size_t Width>
SolveReport solveGroups(const Exec& exec, FrictionProblem& problem, SiteGroups<T>& groups, NodeForces* bodies, const SolveLimits& limits) {
    applyStressWidth<Width>(exec, problem, problem.stress, problem.nodes);
    if (bodies) bodies->start(problem.nodes);
    SolveReport report;
    if (std::ranges::find(problem.stress, SymTensor{}) != problem.stress.end()) {
        groups.smoothen(problem, true);
        SolveLimits roughly = limits;
        roughly.tolerance *= kRoughly;
        roughly.mostSweeps /= 2;
        Sweeps<T, Width>(exec, problem, groups, bodies, roughly).run(report);
        groups.smoothen(problem, false);
    }
    Sweeps<T, Width>(exec, problem, groups, bodies, limits).run(report);
    return report;
}

template <class T>
SolveReport solveWith(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) {
    SiteGroups<T> groups;   // not kept: sorting the points needs as much memory, later in the step
    groups.build(exec, problem);
    groups.takeStress(exec, problem);   // as it is rounded; none where all nodes are held
    const SolveReport report = problem.width == 8 ? solveGroups<T, 8>(exec, problem, groups, bodies, limits) : solveGroups<T, 27>(exec, problem, groups, bodies, limits);
    groups.takeStress(exec, problem);
    return report;
}

}  // namespace

double GaussSeidel::bytesPerSite(std::size_t width, bool single, bool patterned) {
    const double patterns = !patterned ? 0 : single ? sizeof(PatternGroup<float>) : sizeof(PatternGroup<double>);
    const double group = patterns + (single ? sizeof(SiteGroup<float>) : sizeof(SiteGroup<double>)), number = single ? sizeof(float) : sizeof(double);
    return group / 8 + static_cast<double>(width) * (3 * number + sizeof(std::uint32_t)) + sizeof(std::uint32_t);
}

void applyStress(const Exec& exec, const FrictionProblem& problem, std::span<const SymTensor> stress, std::vector<Node>& nodes) {
    problem.width == 8 ? applyStressWidth<8>(exec, problem, stress, nodes) : applyStressWidth<27>(exec, problem, stress, nodes);
}

SolveReport GaussSeidel::solve(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) {
    problem.nodes.push_back({});   // of lanes that pad
    std::vector<Node> free = problem.nodes;
    const SolveReport report = limits.single ? solveWith<float>(exec, problem, bodies, limits) : solveWith<double>(exec, problem, bodies, limits);
    // Velocities anew from the forces: rounding of many sweeps goes, and momentum is what the forces say.
    problem.nodes.swap(free);
    problem.nodes.pop_back();
    applyStress(exec, problem, problem.stress, problem.nodes);
    if (bodies) bodies->start(problem.nodes);
    return report;
}

}  // namespace talus::nonsmooth
