// SPDX-License-Identifier: Apache-2.0
// Points as fields.
#include "elastoplastic/method.h"
#include "elastoplastic/hencky.h"
#include "elastoplastic/plastic_case.h"
#include "elastoplastic/solid.h"
#include "world/chunk_writer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace talus::elastoplastic {
namespace {

/// One point in SI units and world coordinates.
struct PointValues {
    std::int64_t id, material, source;
    Vec3 position, velocity;
    double mass, referenceVolume, expansion, birthTime, plasticStrain;
    std::array<double, 6> strain;    // H
    std::array<double, 6> tau;       // Kirchhoff stress, with what damps sound
    std::array<double, 6> elastic;   // that of sand without it
    double kappa, tip;               // slope of the cone in strain, and tr H at its tip
    const Matter& matter;
};

/// H of a point, xx yy zz xy yz xz: by itself, so that it does not depend on the points that share its group.
template <class Real>
std::array<double, 6> henckyOf(const Points<Real>& points, std::size_t row) {
    const auto entry = [&](int i) { return Wide<double>(static_cast<double>(points.strain(row, i))); };
    const WideSym3<double> h = henckyStrain(WideSym3<double>{entry(0), entry(1), entry(2), entry(3), entry(4), entry(5)});
    return {h.xx.lane(0), h.yy.lane(0), h.zz.lane(0), h.xy.lane(0), h.yz.lane(0), h.xz.lane(0)};
}

/// Volume follows from the elastic compression and the expansion still open: V = V⁰ exp(tr H + v_c).
double currentVolume(const PointValues& p) { return p.referenceVolume * std::exp(p.strain[0] + p.strain[1] + p.strain[2] + p.expansion); }

/// V⁰ ψ: of Hencky's law ψ = μ tr H² + ½ λ (tr H)² (25).
double elasticEnergy(const PointValues& p) {
    const Elasticity& e = p.matter.elasticity;
    const double traceH = p.strain[0] + p.strain[1] + p.strain[2];
    if (p.matter.law == Law::fixedCorotated) return p.referenceVolume * fixedCorotatedEnergy(e, p.strain);
    double squares = 0;
    for (std::size_t i = 0; i < 6; ++i) squares += (i < 3 ? 1 : 2) * p.strain[i] * p.strain[i];
    return p.referenceVolume * (e.mu * squares + 0.5 * e.lambda * traceH * traceH);
}

double shearStress(const std::array<double, 6>& s) {   // √J₂
    const double mean = (s[0] + s[1] + s[2]) / 3;
    double squares = 0;
    for (std::size_t i = 0; i < 6; ++i) squares += (i < 3 ? 0.5 : 1.0) * std::pow(s[i] - (i < 3 ? mean : 0), 2);
    return std::sqrt(squares);
}

using world::putVector;

const world::FieldWriter<PointValues> kWriters[] = {
    {"id", [](const PointValues& p, auto&, auto& out) { out.push_back(p.id); }},
    {"position", [](const PointValues& p, auto& out, auto&) { putVector(p.position, out); }},
    {"velocity", [](const PointValues& p, auto& out, auto&) { putVector(p.velocity, out); }},
    {"radius", [](const PointValues& p, auto& out, auto&) { out.push_back(std::cbrt(0.75 / std::numbers::pi * p.referenceVolume)); }},
    {"mass", [](const PointValues& p, auto& out, auto&) { out.push_back(p.mass); }},
    {"volume", [](const PointValues& p, auto& out, auto&) { out.push_back(currentVolume(p)); }},
    {"material", [](const PointValues& p, auto&, auto& out) { out.push_back(p.material); }},
    {"source", [](const PointValues& p, auto&, auto& out) { out.push_back(p.source); }},
    {"birth_time", [](const PointValues& p, auto& out, auto&) { out.push_back(p.birthTime); }},
    {"stress", [](const PointValues& p, auto& out, auto&) {
         for (const double t : p.tau) out.push_back(t * p.referenceVolume / currentVolume(p));
     }},
    {"elastic_energy", [](const PointValues& p, auto& out, auto&) { out.push_back(elasticEnergy(p)); }},
    {"pressure", [](const PointValues& p, auto& out, auto&) {
         out.push_back(-(p.tau[0] + p.tau[1] + p.tau[2]) / 3 * p.referenceVolume / currentVolume(p));
     }},
    {"shear_stress", [](const PointValues& p, auto& out, auto&) {
         out.push_back(shearStress(p.tau) * p.referenceVolume / currentVolume(p));
     }},
    {"volume_ratio", [](const PointValues& p, auto& out, auto&) { out.push_back(currentVolume(p) / p.referenceVolume); }},
    {"expansion", [](const PointValues& p, auto& out, auto&) { out.push_back(p.expansion); }},
    {"plastic_strain", [](const PointValues& p, auto& out, auto&) { out.push_back(p.plasticStrain); }},
    {"friction_angle", [](const PointValues& p, auto& out, auto&) { out.push_back(p.matter.solid() ? 0 : std::atan(p.kappa / p.matter.elasticity.kappa(1)) * 180 / std::numbers::pi); }},
    {"plastic_case", [](const PointValues& p, auto&, auto& out) { out.push_back(p.matter.solid() ? 1 : plasticCase(p.elastic, p.matter.elasticity, p.kappa, p.expansion > 0 ? 0 : p.tip)); }},
};

/// Those that take more than what is stored: the volume now, or the elastic stress.
bool ofStrain(std::string_view name) {
    constexpr std::array kStored{"id", "position", "velocity", "radius", "mass", "material", "source", "birth_time"};
    return std::ranges::find(kStored, name) == kStored.end();
}

}  // namespace

template <class Real>
void ElastoplasticMethod<Real>::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const {
    readRows(names, sink, nullptr);
}

template <class Real>
void ElastoplasticMethod<Real>::readRows(world::FieldNames names, world::ChunkSink& sink, const RowsOfBlocks* listed) const {
    world::ChunkWriter<PointValues> writer(kWriters, fields(), names, sink);
    const bool strained = std::ranges::any_of(names, ofStrain);
    for (std::size_t b = 0; b < blocks_.points.size(); ++b) {
        const mpm::PointBlock& block = blocks_.points[b];
        const std::size_t first = 8 * std::size_t{block.firstGroup}, count = listed ? (*listed)[b].size() : block.points;
        for (std::size_t n = 0; n < count; ++n) {
            const std::size_t row = listed ? (*listed)[b][n] : first + n;
            const auto m = static_cast<std::size_t>(points_.material(row));
            const Elasticity& elasticity = matter_[m].elasticity;
            PointValues p{points_.id(row), points_.material(row), points_.source(row), worldPosition(block, row),
                          {points_.velocity(row, 0), points_.velocity(row, 1), points_.velocity(row, 2)},
                          points_.mass(row), points_.volume(row), points_.expansion(row), points_.birthTime(row), points_.plasticStrain(row), {}, {}, {}, 0, tip_[m], matter_[m]};
            p.kappa = settings_.hardening.present ? elasticity.kappa(settings_.hardening.muHat(Wide<double>(p.plasticStrain)).lane(0)) : static_cast<double>(kappa_[m]);
            p.kappa *= static_cast<double>(points_.frictionRatio(row));
            if (strained) p.strain = henckyOf(points_, row);
            const double traceH = p.strain[0] + p.strain[1] + p.strain[2];
            for (std::size_t i = 0; i < 6; ++i) {
                p.tau[i] = points_.stress(row, static_cast<int>(i));
                p.elastic[i] = 2 * elasticity.mu * p.strain[i] + (i < 3 ? elasticity.lambda * traceH : 0);
            }
            writer.add(p);
        }
    }
    writer.flush();
}

template void ElastoplasticMethod<float>::read(const Exec&, world::FieldNames, world::ChunkSink&) const;
template void ElastoplasticMethod<double>::read(const Exec&, world::FieldNames, world::ChunkSink&) const;
template void ElastoplasticMethod<float>::readRows(world::FieldNames, world::ChunkSink&, const RowsOfBlocks*) const;
template void ElastoplasticMethod<double>::readRows(world::FieldNames, world::ChunkSink&, const RowsOfBlocks*) const;

}  // namespace talus::elastoplastic
