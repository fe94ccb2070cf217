// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/general_cone.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kSitesPerTask = 64;
/// Ŵ is never smaller than this part of W, as in nonsmooth/site_groups.cpp; so much rougher are the sweeps without friction.
constexpr double kLeastEigenvalue = 1e-12, kRoughly = 10;

using Five = std::array<double, kDeviators>;

Matrix5 identity() {
    Matrix5 m{};
    for (std::size_t k = 0; k < kDeviators; ++k) m[k][k] = 1;
    return m;
}
Five times(const Matrix5& m, const Five& v) {
    Five sum{};
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) sum[i] += m[i][k] * v[k];
    return sum;
}
Five timesTransposed(const Matrix5& m, const Five& v) {
    Five sum{};
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) sum[k] += m[i][k] * v[i];
    return sum;
}
Mat3 matrixOf(const SymTensor& s) { return Mat3{{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}}; }
SymTensor deviator(std::size_t k) {
    Chi chi{};
    chi[k + 1] = 1;
    return tensorOf(chi);
}
Split<kDeviators> splitOf(const SymTensor& s) {
    const Chi c = chiOf(s);
    return {c[0], {c[1], c[2], c[3], c[4], c[5]}};
}

/// Bounds |r_k| ≤ μ r_N for each deviator on its own, by turns: u_N ≥ 0 as for the cone, and every r_k against its own u_k.
Split<kDeviators> solveBox(double normal, const Five& coupling, const Matrix5& w, double mu, const Split<kDeviators>& b, Split<kDeviators> r) {
    constexpr int kMostRounds = 200;
    constexpr double kAccuracy = 1e-13;
    for (int round = 0; round < kMostRounds; ++round) {
        double change = 0, size = 0, pushed = b.normal;
        for (std::size_t k = 0; k < kDeviators; ++k) pushed += coupling[k] * r.tangential[k];
        const double before = r.normal;
        r.normal = std::max(0.0, -pushed / normal);
        change = std::abs(r.normal - before);
        size = r.normal;
        for (std::size_t k = 0; k < kDeviators; ++k) {
            double rate = b.tangential[k] + coupling[k] * r.normal;
            for (std::size_t i = 0; i < kDeviators; ++i) rate += w[k][i] * r.tangential[i];
            const double most = mu * r.normal, next = std::clamp(r.tangential[k] - rate / w[k][k], -most, most);
            change = std::max(change, std::abs(next - r.tangential[k]));
            r.tangential[k] = next;
        }
        if (change <= kAccuracy * size) break;
    }
    return r;
}

/// How far r is from what it would be moved to by the rates u, in the sizes of r.
double boxSquared(double mu, const Split<kDeviators>& r, const Split<kDeviators>& u) {
    const double f = r.normal - std::max(0.0, r.normal - u.normal), most = mu * std::max(0.0, r.normal);
    double squared = f * f;
    for (std::size_t k = 0; k < kDeviators; ++k) {
        const double g = r.tangential[k] - std::clamp(r.tangential[k] - u.tangential[k], -most, most);
        squared += g * g;
    }
    return squared;
}

}  // namespace

Matrix5 operator*(const Matrix5& a, const Matrix5& b) {
    Matrix5 c{};
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k)
            for (std::size_t j = 0; j < kDeviators; ++j) c[i][j] += a[i][k] * b[k][j];
    return c;
}

Matrix5 transpose(const Matrix5& a) {
    Matrix5 t;
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t j = 0; j < kDeviators; ++j) t[i][j] = a[j][i];
    return t;
}

Five symmetricEigen(Matrix5 a, Matrix5& axes) {
    constexpr int kMostSweeps = 20;
    axes = identity();
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        double beside = 0, along = 0;
        for (std::size_t i = 0; i < kDeviators; ++i)
            for (std::size_t j = 0; j < kDeviators; ++j) (i == j ? along : beside) += a[i][j] * a[i][j];
        if (beside <= 1e-32 * along) break;
        for (std::size_t p = 0; p < kDeviators; ++p)
            for (std::size_t q = p + 1; q < kDeviators; ++q) {
                if (a[p][q] == 0) continue;
                const double half = (a[q][q] - a[p][p]) / (2 * a[p][q]);   // the tangent of the smaller angle, without cancellation
                const double tangent = (half < 0 ? -1 : 1) / (std::abs(half) + std::sqrt(half * half + 1)), cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
                const auto rotate = [&](double& x, double& y) {
                    const double first = cosine * x - sine * y, second = cosine * y + sine * x;
                    x = first;
                    y = second;
                };
                for (std::size_t k = 0; k < kDeviators; ++k) rotate(a[k][p], a[k][q]);
                for (std::size_t k = 0; k < kDeviators; ++k) rotate(a[p][k], a[q][k]);
                for (std::size_t k = 0; k < kDeviators; ++k) rotate(axes[k][p], axes[k][q]);
            }
    }
    return {a[0][0], a[1][1], a[2][2], a[3][3], a[4][4]};
}

Matrix5 inverse(const Matrix5& a) {
    Matrix5 axes;
    const Five values = symmetricEigen(a, axes);
    Matrix5 scaled = axes;
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) scaled[i][k] /= values[k];
    return scaled * transpose(axes);
}

Matrix5 directional(const SymTensor& orientation, double anisotropy) {
    const Mat3 n = inverse(matrixOf((3 * anisotropy) * orientation + (1 - anisotropy) * SymTensor{1, 1, 1, 0, 0, 0}));
    Matrix5 result;
    for (std::size_t k = 0; k < kDeviators; ++k) {
        const Split<kDeviators> column = splitOf(symmetricPart(n * matrixOf(deviator(k)) * n));
        for (std::size_t i = 0; i < kDeviators; ++i) result[i][k] = column.tangential[i];
    }
    return result;
}

// W of a site: λ ↦ ½(Gλ + λG), G = Σ g gᵀ/m. With N the operator of `directional`, W̃ = N⁻¹ W N⁻¹, and P = N⁻¹ Q with the axes Q of
// N⁻¹ Ŵ N⁻¹ makes it diagonal but for the coupling with the normal part.
void GeneralGaussSeidel::buildSite(const FrictionProblem& problem, std::size_t j) {
    Site& site = sites_[j];
    Mat3 g;
    for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) g += problem.nodes[problem.pairNode[p]].inverseMass * Mat3::outer(problem.pairVector[p], problem.pairVector[p]);
    const double normal = (g(0, 0) + g(1, 1) + g(2, 2)) / 3;
    site.solid = !(normal > 0);
    site.friction = problem.friction[j];
    site.force = splitOf(site.solid ? SymTensor{} : problem.stress[j]);
    if (site.solid) return;
    const auto w = [&](const SymTensor& s) { return splitOf(symmetricPart(g * matrixOf(s))); };
    site.w.normal = normal;
    site.coupling = w(tensorOf({1, 0, 0, 0, 0, 0})).tangential;
    for (std::size_t k = 0; k < kDeviators; ++k) {
        const Split<kDeviators> column = w(deviator(k));
        for (std::size_t i = 0; i < kDeviators; ++i) site.deviators[i][k] = column.tangential[i];
    }
    if (box_) {
        for (std::size_t k = 0; k < kDeviators; ++k) site.deviators[k][k] = std::max(site.deviators[k][k], kLeastEigenvalue * normal);
        return;
    }
    Matrix5 reduced = site.deviators;
    for (std::size_t i = 0; i < kDeviators; ++i)
        for (std::size_t k = 0; k < kDeviators; ++k) reduced[i][k] -= site.coupling[i] * site.coupling[k] / normal;
    const Matrix5 n = problem.law.orientation.empty() ? identity() : directional(problem.law.orientation[j], problem.law.anisotropy), back = inverse(n);
    Matrix5 axes;
    site.w.reduced = symmetricEigen(back * reduced * back, axes);
    for (double& value : site.w.reduced) value = std::max(value, kLeastEigenvalue * normal);
    site.turn = back * axes;
    site.w.coupling = timesTransposed(site.turn, site.coupling);
    site.force.tangential = timesTransposed(axes, times(n, site.force.tangential));   // P⁻¹ = Qᵀ N
}

void GeneralGaussSeidel::build(const Exec& exec, const FrictionProblem& problem) {
    box_ = problem.law.box;
    if (sites_.capacity() < problem.sites()) {   // without doubling as the grid grows by a few
        std::vector<Site>().swap(sites_);
        sites_.reserve(problem.sites() + problem.sites() / 16);
    }
    sites_.resize(problem.sites());
    exec.forBlocks(sites_.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) buildSite(problem, j);
    });
}

Split<kDeviators> GeneralGaussSeidel::rateOf(const FrictionProblem& problem, std::size_t j, std::span<const Node> nodes) const {
    const Vec3 from = nodes[problem.pairNode[j * problem.width]].velocity;   // Σ_i g_ji = 0
    Mat3 sum;
    for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) sum += Mat3::outer(problem.pairVector[p], nodes[problem.pairNode[p]].velocity - from);
    Split<kDeviators> u = splitOf(symmetricPart(sum));
    u.normal += problem.slack[j] / std::sqrt(6.0);
    if (!box_) u.tangential = timesTransposed(sites_[j].turn, u.tangential);
    return u;
}

SymTensor GeneralGaussSeidel::worldOf(const Site& site, const Split<kDeviators>& r) const {
    if (site.solid) return {};
    const Five t = box_ ? r.tangential : times(site.turn, r.tangential);
    return tensorOf({r.normal, t[0], t[1], t[2], t[3], t[4]});
}

void GeneralGaussSeidel::sweep(const Exec& exec, const FrictionProblem& problem, std::vector<Node>& nodes) {
    const auto visit = [&](std::size_t j) {
        Site& site = sites_[j];
        if (site.solid) return;
        const Split<kDeviators> from = site.force;
        Split<kDeviators> b = rateOf(problem, j, nodes);
        if (box_) {
            const Five own = times(site.deviators, from.tangential);
            b.normal -= site.w.normal * from.normal;
            for (std::size_t k = 0; k < kDeviators; ++k) {
                b.normal -= site.coupling[k] * from.tangential[k];
                b.tangential[k] -= own[k] + site.coupling[k] * from.normal;
            }
            site.force = solveBox(site.w.normal, site.coupling, site.deviators, site.friction, b, from);
        } else {
            const Split<kDeviators> own = site.w.apply(from);
            b.normal -= own.normal;
            for (std::size_t k = 0; k < kDeviators; ++k) b.tangential[k] -= own.tangential[k];
            site.force = solveCone(site.w, site.friction, b);
        }
        Split<kDeviators> change{site.force.normal - from.normal, {}};
        for (std::size_t k = 0; k < kDeviators; ++k) change.tangential[k] = site.force.tangential[k] - from.tangential[k];
        const SymTensor f = worldOf(site, change);
        for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) {
            Node& n = nodes[problem.pairNode[p]];
            n.velocity += n.inverseMass * (f * problem.pairVector[p]);
        }
    };
    for (const std::vector<std::uint32_t>& colour : problem.colours)
        exec.forBlocks(colour.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) visit(colour[i]);
        });
}

double GeneralGaussSeidel::residualSquared(const Exec& exec, const FrictionProblem& problem) const {
    return exec.reduce(
        sites_.size(), kSitesPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t j = begin; j < end; ++j) sum += residualSquared(problem, j);
            return sum;
        },
        [](double a, double b) { return a + b; });
}

double GeneralGaussSeidel::residualSquared(const FrictionProblem& problem, std::size_t j) const {
    const Site& site = sites_[j];
    if (site.solid) return 0;
    Split<kDeviators> u = rateOf(problem, j, problem.nodes);
    u.normal /= site.w.normal;
    for (double& t : u.tangential) t /= site.w.normal;
    return box_ ? boxSquared(site.friction, site.force, u) : complementaritySquared(site.friction, site.force, u);
}

void GeneralGaussSeidel::run(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits, SolveReport& report) {
    const auto measure = [&] {
        NodeForces::Residual more;
        if (bodies) more = bodies->residual(exec, problem.nodes);
        const double places = static_cast<double>(problem.sites()) + static_cast<double>(more.places);
        report.residual = places > 0 ? std::sqrt((residualSquared(exec, problem) + more.squared) / places) : 0;
        report.converged = report.residual <= limits.tolerance;
    };
    measure();
    while (!report.converged && report.sweeps < limits.mostSweeps && std::isfinite(report.residual)) {
        const int until = std::min(limits.mostSweeps, report.sweeps + limits.sweepsBetweenChecks);
        for (; report.sweeps < until; ++report.sweeps) {
            if (bodies) bodies->extrapolate(exec, 0);
            if (bodies) bodies->sweep(exec, problem.nodes);
            sweep(exec, problem, problem.nodes);
        }
        measure();
    }
}

// As in nonsmooth/gauss_seidel.cpp, sites of which no stress is known start from the pressure of grains without friction.
SolveReport GeneralGaussSeidel::solve(const Exec& exec, FrictionProblem& problem, NodeForces* bodies, const SolveLimits& limits) {
    free_ = problem.nodes;
    build(exec, problem);
    const auto applyForces = [&] {
        exec.forBlocks(sites_.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t j = begin; j < end; ++j) problem.stress[j] = worldOf(sites_[j], sites_[j].force);
        });
        problem.nodes = free_;
        applyStress(exec, problem, problem.stress, problem.nodes);
        if (bodies) bodies->start(problem.nodes);
    };
    std::vector<std::size_t> unknown;
    for (std::size_t j = 0; j < sites_.size(); ++j)
        if (problem.stress[j] == SymTensor{}) unknown.push_back(j);
    applyForces();
    SolveReport report;
    if (!unknown.empty()) {
        for (const std::size_t j : unknown) sites_[j].friction = 0;
        SolveLimits roughly = limits;
        roughly.tolerance *= kRoughly;
        roughly.mostSweeps /= 2;
        run(exec, problem, bodies, roughly, report);
        for (const std::size_t j : unknown) sites_[j].friction = problem.friction[j];
    }
    run(exec, problem, bodies, limits, report);
    applyForces();
    return report;
}

}  // namespace talus::nonsmooth
