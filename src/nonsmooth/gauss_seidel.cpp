// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/friction_problem.h"

#include "core/svd.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kSitesPerTask = 64;
/// Ŵ is never smaller than this part of W: a site whose grains lie in one plane still has an answer.
constexpr double kLeastEigenvalue = 1e-12;

/// sym(Σ g uᵀ) over the pairs of a site.
template <std::size_t Width>
SymTensor gather(const std::uint32_t* node, const Vec3* g, const std::vector<Node>& nodes) {
    Mat3 sum;
    for (std::size_t p = 0; p < Width; ++p) sum += Mat3::outer(g[p], nodes[node[p]].velocity);
    return {sum(0, 0), sum(1, 1), sum(2, 2), 0.5 * (sum(0, 1) + sum(1, 0)), 0.5 * (sum(1, 2) + sum(2, 1)), 0.5 * (sum(0, 2) + sum(2, 0))};
}

template <std::size_t Width>
void scatter(const SymTensor& force, const std::uint32_t* node, const Vec3* g, std::vector<Node>& nodes) {
    for (std::size_t p = 0; p < Width; ++p) {
        Node& n = nodes[node[p]];
        n.velocity += n.inverseMass * (force * g[p]);
    }
}

template <class Body>
void eachColour(const Exec& exec, const FrictionProblem& problem, const Body& body) {
    for (const std::vector<std::uint32_t>& colour : problem.colours)
        exec.forBlocks(colour.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) body(colour[i]);
        });
}

template <std::size_t Width>
void applyStressWidth(const Exec& exec, const FrictionProblem& problem, std::vector<Node>& nodes) {
    eachColour(exec, problem, [&](std::uint32_t j) { scatter<Width>(problem.stress[j], &problem.pairNode[j * Width], &problem.pairVector[j * Width], nodes); });
}

/// G = Σ g gᵀ/m of eight sites at a time.
WideSym3<double> gramians(const FrictionProblem& problem, std::size_t first, std::size_t count) {
    alignas(64) double entry[6][8] = {};
    for (std::size_t lane = 0; lane < count; ++lane)
        for (std::size_t p = (first + lane) * problem.width; p < (first + lane + 1) * problem.width; ++p) {
            const Vec3& g = problem.pairVector[p];
            const double s = problem.nodes[problem.pairNode[p]].inverseMass;
            const double terms[6] = {g.x * g.x, g.y * g.y, g.z * g.z, g.x * g.y, g.y * g.z, g.x * g.z};
            for (std::size_t k = 0; k < 6; ++k) entry[k][lane] += s * terms[k];
        }
    const auto wide = [&](int k) { return Wide<double>::load(entry[k]); };
    return {.xx = wide(0), .yy = wide(1), .zz = wide(2), .xy = wide(3), .yz = wide(4), .xz = wide(5)};
}

}  // namespace

void applyStress(const Exec& exec, const FrictionProblem& problem, std::vector<Node>& nodes) {
    problem.width == 8 ? applyStressWidth<8>(exec, problem, nodes) : applyStressWidth<27>(exec, problem, nodes);
}

double GaussSeidel::bytesPerSite() { return sizeof(Site); }

Split<5> GaussSeidel::local(const Site& site, const SymTensor& tensor) {
    const Chi r = chiOf(toAxes(site.axes, tensor));
    return {r[0], {site.c * r[1] + site.s * r[2], site.c * r[2] - site.s * r[1], r[3], r[4], r[5]}};
}

SymTensor GaussSeidel::world(const Site& site, const Split<5>& r) {
    const auto& t = r.tangential;
    return fromAxes(site.axes, tensorOf({r.normal, site.c * t[0] - site.s * t[1], site.s * t[0] + site.c * t[1], t[2], t[3], t[4]}));
}

// W of a site in the axes of G, G = diag(G₁, G₂, G₃): the shears have (G_a + G_b)/2; the diagonal entries, in the directions
// n = (1,1,1)/√3, b = (1,−1,0)/√2, c = (−1,−1,2)/√6 of χ, the full matrix of diag(G₁, G₂, G₃).
void GaussSeidel::prepare(const Exec& exec, const FrictionProblem& problem) {
    sites_.resize(problem.sites());
    const double invRoot6 = 1 / std::sqrt(6.0);
    exec.forBlocks(sites_.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += 8) {
            const std::size_t count = std::min<std::size_t>(8, end - first);
            WideVec3<double> values;
            WideMat3<double> axes;
            symmetricEigen(gramians(problem, first, count), values, axes);
            const std::array<double, 8> g1 = values.x.lanes(), g2 = values.y.lanes(), g3 = values.z.lanes();
            std::array<std::array<double, 8>, 9> q;
            for (std::size_t k = 0; k < 9; ++k) q[k] = axes.m[k].lanes();
            for (std::size_t lane = 0; lane < count; ++lane) {
                Site& site = sites_[first + lane];
                for (std::size_t k = 0; k < 9; ++k) site.axes.m[k] = q[k][lane];
                const double sum = g1[lane] + g2[lane] + g3[lane];
                site.solid = !(sum > 0);
                const double a = g1[lane], b = g2[lane], c = std::max(g3[lane], 0.0);
                const double n = sum / 3, wb = (a - b) * invRoot6, wc = (2 * c - a - b) / std::sqrt(18.0);
                const PlaneRotation turn(0.5 * (a + b) - wb * wb / n, (b - a) / std::sqrt(12.0) - wb * wc / n, (a + b + 4 * c) / 6 - wc * wc / n);
                site.c = turn.c;
                site.s = turn.s;
                site.w = {n, {turn.c * wb + turn.s * wc, turn.c * wc - turn.s * wb, 0, 0, 0}, {turn.first, turn.second, 0.5 * (a + b), 0.5 * (a + c), 0.5 * (b + c)}};
                for (double& e : site.w.reduced) e = std::max(e, kLeastEigenvalue * n);
                site.friction = problem.friction[first + lane];
                site.slack = problem.slack[first + lane] * invRoot6;
                site.force = site.solid ? Split<5>{} : local(site, problem.stress[first + lane]);
            }
        }
    });
}

template <std::size_t Width>
void GaussSeidel::sweep(const Exec& exec, FrictionProblem& problem) {
    eachColour(exec, problem, [&](std::uint32_t j) {
        Site& site = sites_[j];
        if (site.solid) return;
        const std::uint32_t* node = &problem.pairNode[j * Width];
        const Vec3* g = &problem.pairVector[j * Width];
        Split<5> b = local(site, gather<Width>(node, g, problem.nodes));
        const Split<5> own = site.w.apply(site.force);
        b.normal += site.slack - own.normal;
        for (std::size_t k = 0; k < 5; ++k) b.tangential[k] -= own.tangential[k];
        const Split<5> force = solveCone(site.w, site.friction, b);
        Split<5> change = force;
        change.normal -= site.force.normal;
        bool any = change.normal != 0;
        for (std::size_t k = 0; k < 5; ++k) {
            change.tangential[k] -= site.force.tangential[k];
            any |= change.tangential[k] != 0;
        }
        if (!any) return;
        site.force = force;
        scatter<Width>(world(site, change), node, g, problem.nodes);
    });
}

// Rates are divided by W's size, so that the measure is a stress.
template <std::size_t Width>
double GaussSeidel::residualSquared(const Exec& exec, const FrictionProblem& problem) const {
    return exec.reduce(
        sites_.size(), kSitesPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t j = begin; j < end; ++j) {
                const Site& site = sites_[j];
                if (site.solid) continue;
                Split<5> u = local(site, gather<Width>(&problem.pairNode[j * Width], &problem.pairVector[j * Width], problem.nodes));
                u.normal = (u.normal + site.slack) / site.w.normal;
                for (double& t : u.tangential) t /= site.w.normal;
                sum += complementaritySquared(site.friction, site.force, u);
            }
            return sum;
        },
        [](double a, double b) { return a + b; });
}

template <std::size_t Width>
SolveReport GaussSeidel::solveWidth(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) {
    const std::vector<Node> free = problem.nodes;
    prepare(exec, problem);
    exec.forBlocks(sites_.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j)
            if (sites_[j].solid) problem.stress[j] = {};
    });
    applyStressWidth<Width>(exec, problem, problem.nodes);
    if (bodies) bodies->start(problem.nodes);
    SolveReport report;
    const auto measure = [&] {
        NodeForces::Residual more;
        if (bodies) more = bodies->residual(exec, problem.nodes);
        const double places = static_cast<double>(sites_.size()) + static_cast<double>(more.places);
        report.residual = places > 0 ? std::sqrt((residualSquared<Width>(exec, problem) + more.squared) / places) : 0;
        report.converged = report.residual <= limits.tolerance;
    };
    measure();
    while (!report.converged && report.sweeps < limits.mostSweeps && std::isfinite(report.residual)) {
        const int until = std::min(limits.mostSweeps, report.sweeps + limits.sweepsBetweenChecks);
        for (; report.sweeps < until; ++report.sweeps) {
            if (bodies) bodies->sweep(exec, problem.nodes);
            sweep<Width>(exec, problem);
        }
        measure();
    }
    // Velocities anew from the forces: rounding of many sweeps goes, and momentum is what the forces say.
    exec.forBlocks(sites_.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j)
            if (!sites_[j].solid) problem.stress[j] = world(sites_[j], sites_[j].force);
    });
    problem.nodes = free;
    applyStressWidth<Width>(exec, problem, problem.nodes);
    if (bodies) bodies->start(problem.nodes);
    return report;
}

SolveReport GaussSeidel::solve(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) {
    return problem.width == 8 ? solveWidth<8>(exec, problem, bodies, limits) : solveWidth<27>(exec, problem, bodies, limits);
}

}  // namespace talus::nonsmooth
