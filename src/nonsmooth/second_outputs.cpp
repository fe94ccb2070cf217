// SPDX-License-Identifier: Apache-2.0
// The grid of the last step, for study: where stress lives and what the friction problem left there, and nodes.
#include "nonsmooth/method.h"
#include "world/chunk_writer.h"

#include <cmath>

namespace talus::nonsmooth {
namespace {

struct SiteValues {
    Vec3 position;               // of the cell's middle or of the node [m]
    double residual;             // [Pa]
    SymTensor stress;            // λ [Pa]
    double fullness, shearRate;

    double pressure() const { return trace(stress) / 3; }
    double rootJ2() const {
        const Chi chi = chiOf(stress);
        return std::sqrt(chi[1] * chi[1] + chi[2] * chi[2] + chi[3] * chi[3] + chi[4] * chi[4] + chi[5] * chi[5]);
    }
};

struct NodeValues {
    Vec3 position, velocity;
    double mass, fullness;
};

using world::putVector;

const world::FieldWriter<SiteValues> kSiteWriters[] = {
    {"position", [](const SiteValues& s, auto& out, auto&) { putVector(s.position, out); }},
    {"residual", [](const SiteValues& s, auto& out, auto&) { out.push_back(s.residual); }},
    {"pressure", [](const SiteValues& s, auto& out, auto&) { out.push_back(s.pressure()); }},
    {"root_j2", [](const SiteValues& s, auto& out, auto&) { out.push_back(s.rootJ2()); }},
    {"fullness", [](const SiteValues& s, auto& out, auto&) { out.push_back(s.fullness); }},
    {"shear_rate", [](const SiteValues& s, auto& out, auto&) { out.push_back(s.shearRate); }},
};
const world::FieldWriter<NodeValues> kNodeWriters[] = {
    {"position", [](const NodeValues& n, auto& out, auto&) { putVector(n.position, out); }},
    {"velocity", [](const NodeValues& n, auto& out, auto&) { putVector(n.velocity, out); }},
    {"mass", [](const NodeValues& n, auto& out, auto&) { out.push_back(n.mass); }},
    {"fullness", [](const NodeValues& n, auto& out, auto&) { out.push_back(n.fullness); }},
};

}  // namespace

// The solver left λ̃ of the law; letGo() took c from it.
double NonsmoothMethod::residualOf(std::size_t site) const {
    if (problem_.law.general()) return std::sqrt(generalSolver_.residualSquared(problem_, site)) / stepLength_;
    const double c = cohesion_.empty() ? 0 : stepLength_ * cohesion_[site];
    return std::sqrt(residualSquared(problem_, site, problem_.stress[site] + SymTensor{c, c, c, 0, 0, 0})) / stepLength_;
}

void NonsmoothMethod::readSecond(const world::SecondOutput& output, world::ChunkSink& sink) const {
    if (output.name == kSites) {
        world::ChunkWriter<SiteValues> sites(kSiteWriters, output.fields, sink);
        const bool constant = settings_.stressBasis == StressBasis::constant;
        for (std::size_t j = 0; j < problem_.sites(); ++j) {
            const Vec3 x = constant ? nodePosition(frame_, grid_.cells[j]) + 0.5 * frame_.spacing : nodePosition(frame_, grid_.nodes[j]);
            sites.add({x, residualOf(j), (1 / stepLength_) * problem_.stress[j], fullnessOf(j), shearRate(problem_, j, taken_[j])});
        }
        return sites.flush();
    }
    world::ChunkWriter<NodeValues> nodes(kNodeWriters, output.fields, sink);
    for (std::size_t n = 0; n < grid_.nodes.size(); ++n) nodes.add({nodePosition(frame_, grid_.nodes[n]), problem_.nodes[n].velocity, nodeMass_[n], fullness_[n]});
    nodes.flush();
}

}  // namespace talus::nonsmooth
