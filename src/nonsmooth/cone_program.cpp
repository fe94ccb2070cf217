// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/cone_program.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kSitesPerTask = 256;

/// The nearest point to (n, |t|) in |t| ≤ μ n, as the new n and a factor of t.
struct Projected {
    double normal, factor;
};
Projected projectPair(double normal, double size, double mu) {
    if (size <= mu * normal) return {normal, 1};
    if (normal <= -mu * size) return {0, 0};
    const double n = (normal + mu * size) / (1 + mu * mu);
    return {n, size > 0 ? mu * n / size : 0};
}

double tangentialSize(const Chi& r) { return std::sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3] + r[4] * r[4] + r[5] * r[5]); }

}  // namespace

ConeProgram::ConeProgram(const Exec& exec, const FrictionProblem& problem, NodeForces* bodies)
    : exec_(exec), problem_(problem), bodies_(bodies), free_(problem.nodes), siteSize_(problem.sites()), siteShift_(problem.sites(), 0.0), stress_(problem.sites()) {
    for (std::size_t j = 0; j < problem.sites(); ++j) {
        double sum = 0;   // tr G; W_NN is a third of it
        for (std::size_t p = j * problem.width; p < (j + 1) * problem.width; ++p) sum += normSquared(problem.pairVector[p]) * problem.nodes[problem.pairNode[p]].inverseMass;
        siteSize_[j] = sum / 3;
    }
    if (bodies)
        for (std::size_t i = 0; i < bodies->places(); ++i) {
            cones_.push_back(bodies->cone(i));
            placeSize_.push_back(cones_.back().mobility);
        }
    placeShift_.assign(cones_.size(), 0.0);
}

ConeVector ConeProgram::start() const {
    ConeVector z{std::vector<Chi>(problem_.sites()), std::vector<Vec3>(cones_.size())};
    for (std::size_t j = 0; j < z.sites.size(); ++j) {
        z.sites[j] = siteSize_[j] > 0 ? chiOf(problem_.stress[j]) : Chi{};
        for (double& c : z.sites[j]) c *= std::sqrt(siteSize_[j]);
    }
    for (std::size_t i = 0; i < z.places.size(); ++i) z.places[i] = std::sqrt(placeSize_[i]) * bodies_->impulse(i);
    project(z);
    return z;
}

void ConeProgram::keep(const ConeVector& z, FrictionProblem& problem) const {
    for (std::size_t j = 0; j < z.sites.size(); ++j) problem.stress[j] = siteSize_[j] > 0 ? (1 / std::sqrt(siteSize_[j])) * tensorOf(z.sites[j]) : SymTensor{};
    for (std::size_t i = 0; i < z.places.size(); ++i) bodies_->setImpulse(i, placeSize_[i] > 0 ? z.places[i] / std::sqrt(placeSize_[i]) : Vec3{});
}

void ConeProgram::rates(const ConeVector& z, ConeVector& out) {
    out.sites.resize(z.sites.size());
    out.places.resize(z.places.size());
    exec_.forBlocks(z.sites.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) stress_[j] = siteSize_[j] > 0 ? (1 / std::sqrt(siteSize_[j])) * tensorOf(z.sites[j]) : SymTensor{};
    });
    nodes_ = free_;
    applyStress(exec_, problem_, stress_, nodes_);
    if (bodies_) {
        for (std::size_t i = 0; i < z.places.size(); ++i) bodies_->setImpulse(i, placeSize_[i] > 0 ? z.places[i] / std::sqrt(placeSize_[i]) : Vec3{});
        bodies_->start(nodes_);
    }
    const std::size_t width = problem_.width;
    exec_.forBlocks(z.sites.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            SymTensor rate;
            for (std::size_t p = j * width; p < (j + 1) * width; ++p) {
                const Vec3 &g = problem_.pairVector[p], &u = nodes_[problem_.pairNode[p]].velocity;
                rate += {g.x * u.x, g.y * u.y, g.z * u.z, 0.5 * (g.x * u.y + g.y * u.x), 0.5 * (g.y * u.z + g.z * u.y), 0.5 * (g.x * u.z + g.z * u.x)};
            }
            const double third = problem_.slack[j] / 3;
            rate += {third, third, third, 0, 0, 0};
            out.sites[j] = siteSize_[j] > 0 ? chiOf(rate) : Chi{};
            for (double& c : out.sites[j]) c /= std::sqrt(std::max(siteSize_[j], 1e-300));
        }
    });
    for (std::size_t i = 0; i < z.places.size(); ++i) out.places[i] = placeSize_[i] > 0 ? bodies_->rate(i, nodes_) / std::sqrt(placeSize_[i]) : Vec3{};
}

void ConeProgram::takeShift(const ConeVector& rates) {
    for (std::size_t j = 0; j < rates.sites.size(); ++j) siteShift_[j] = problem_.friction[j] * tangentialSize(rates.sites[j]);
    for (std::size_t i = 0; i < rates.places.size(); ++i) {
        const Vec3 &u = rates.places[i], &n = cones_[i].normal;
        placeShift_[i] = cones_[i].kind == ContactCone::Kind::separate ? cones_[i].friction * norm(u - talus::dot(u, n) * n) : 0;
    }
}

void ConeProgram::addShift(ConeVector& rates) const {
    for (std::size_t j = 0; j < rates.sites.size(); ++j) rates.sites[j][0] += siteShift_[j];
    for (std::size_t i = 0; i < rates.places.size(); ++i) rates.places[i] += placeShift_[i] * cones_[i].normal;
}

// A surface that holds on both sides pushes on the side that it pushes on already, as in a sweep.
void ConeProgram::project(ConeVector& z) const {
    exec_.forBlocks(z.sites.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            Chi& r = z.sites[j];
            const Projected to = projectPair(r[0], tangentialSize(r), problem_.friction[j]);
            r[0] = to.normal;
            for (std::size_t k = 1; k < 6; ++k) r[k] *= to.factor;
        }
    });
    for (std::size_t i = 0; i < z.places.size(); ++i) {
        const ContactCone& cone = cones_[i];
        if (cone.kind == ContactCone::Kind::sticky) continue;
        const double normal = talus::dot(z.places[i], cone.normal), side = cone.kind == ContactCone::Kind::slip && normal < 0 ? -1 : 1;
        const Vec3 along = z.places[i] - normal * cone.normal;
        const Projected to = projectPair(side * normal, norm(along), cone.friction);
        z.places[i] = side * to.normal * cone.normal + to.factor * along;
    }
}

double ConeProgram::residual(const ConeVector& z, const ConeVector& rates) {
    const double squares = exec_.reduce(
        z.sites.size(), kSitesPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t j = begin; j < end; ++j) {
                if (!(siteSize_[j] > 0)) continue;
                const double s = 1 / std::sqrt(siteSize_[j]);
                const Chi &r = z.sites[j], &u = rates.sites[j];
                sum += complementaritySquared<5>(problem_.friction[j], {s * r[0], {s * r[1], s * r[2], s * r[3], s * r[4], s * r[5]}},
                                                 {s * u[0], {s * u[1], s * u[2], s * u[3], s * u[4], s * u[5]}});
            }
            return sum;
        },
        [](double a, double b) { return a + b; });
    NodeForces::Residual more;
    if (bodies_) more = bodies_->residual(exec_, nodes_);
    const double places = static_cast<double>(z.sites.size()) + static_cast<double>(more.places);
    return places > 0 ? std::sqrt((squares + more.squared) / places) : 0;
}

double ConeProgram::dot(const ConeVector& a, const ConeVector& b) const {
    const double sites = exec_.reduce(
        a.sites.size(), kSitesPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t j = begin; j < end; ++j)
                for (std::size_t k = 0; k < 6; ++k) sum += a.sites[j][k] * b.sites[j][k];
            return sum;
        },
        [](double x, double y) { return x + y; });
    // ½ χ(r):χ(u) = r·u, so that a site's power λ:γ is twice this sum; that of a contact counts in full.
    double places = 0;
    for (std::size_t i = 0; i < a.places.size(); ++i) places += talus::dot(a.places[i], b.places[i]);
    return 2 * sites + places;
}

void ConeProgram::add(const ConeVector& a, double t, const ConeVector& b, ConeVector& to) const {
    to.sites.resize(a.sites.size());
    to.places.resize(a.places.size());
    exec_.forBlocks(a.sites.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j)
            for (std::size_t k = 0; k < 6; ++k) to.sites[j][k] = a.sites[j][k] + t * b.sites[j][k];
    });
    for (std::size_t i = 0; i < a.places.size(); ++i) to.places[i] = a.places[i] + t * b.places[i];
}

void ConeProgram::extrapolate(const ConeVector& a, double t, const ConeVector& b, const ConeVector& c, ConeVector& to) const {
    add(a, t, b, to);
    add(to, -t, c, to);
}

}  // namespace talus::nonsmooth
