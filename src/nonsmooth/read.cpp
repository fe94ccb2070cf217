// SPDX-License-Identifier: Apache-2.0
// Points as fields.
#include "nonsmooth/cohesion.h"
#include "nonsmooth/frames.h"
#include "nonsmooth/method.h"
#include "world/chunk_writer.h"

#include <cmath>
#include <numbers>

namespace talus::nonsmooth {
namespace {

/// One point, and what its material brings.
struct PointValues {
    const Points& points;
    std::size_t row;
    const world::Material& material;
    double crowding;

    /// λ times the volume at φ_max is the Cauchy stress times the packed volume, with the other sign.
    SymTensor cauchy() const { return -crowding * points.stressOf(row); }
    double pressure() const { return -trace(cauchy()) / 3; }
    double strainRate() const { return nonsmooth::strainRate(points.gradientOf(row)); }
    /// I = 2 d |ε̇| / √(P/ρ) [Jop2006] with P the total pressure and ρ the density of a grain; 0 where nothing presses.
    double inertialNumber() const { return pressure() > 0 ? 2 * material.grainDiameter * strainRate() / std::sqrt(pressure() / material.density) : 0; }
};

using world::Integers, world::putVector, world::Reals;

const world::FieldWriter<PointValues> kWriters[] = {
    {"id", [](const PointValues& p, Reals&, Integers& out) { out.push_back(p.points.id(p.row)); }},
    {"position", [](const PointValues& p, Reals& out, Integers&) { putVector(p.points.positionOf(p.row), out); }},
    {"velocity", [](const PointValues& p, Reals& out, Integers&) { putVector(p.points.velocityOf(p.row), out); }},
    {"radius", [](const PointValues& p, Reals& out, Integers&) { out.push_back(std::cbrt(0.75 / std::numbers::pi * p.points.volume(p.row))); }},
    {"mass", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.points.mass(p.row)); }},
    {"volume", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.points.volume(p.row)); }},
    {"material", [](const PointValues& p, Reals&, Integers& out) { out.push_back(p.points.material(p.row)); }},
    {"source", [](const PointValues& p, Reals&, Integers& out) { out.push_back(p.points.source(p.row)); }},
    {"birth_time", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.points.birthTime(p.row)); }},
    {"stress", [](const PointValues& p, Reals& out, Integers&) {
         const SymTensor s = p.cauchy();
         out.insert(out.end(), {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz});
     }},
    {"pressure", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.pressure()); }},
    {"volume_fraction", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.points.fraction(p.row)); }},
    {"strain_rate", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.strainRate()); }},
    {"frame", [](const PointValues& p, Reals& out, Integers&) {
         const SymTensor s = p.points.frames ? ofVolume(p.points.frames->tensor(p.row), p.points.volume(p.row)) : SymTensor{};
         out.insert(out.end(), {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz});
     }},
    {"orientation", [](const PointValues& p, Reals& out, Integers&) {
         const SymTensor s = p.points.normals ? p.points.normals->tensor(p.row) : SymTensor{};
         out.insert(out.end(), {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz});
     }},
    {"cohesion", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.material.cohesion * heldPart(p.points, p.row)); }},
    {"inertial_number", [](const PointValues& p, Reals& out, Integers&) { out.push_back(p.inertialNumber()); }},
};

}  // namespace

void NonsmoothMethod::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const { readRows(names, sink, nullptr); }

void NonsmoothMethod::readRows(world::FieldNames names, world::ChunkSink& sink, const std::vector<std::size_t>* listed) const {
    world::ChunkWriter<PointValues> writer(kWriters, fields(), names, sink);
    const std::size_t count = listed ? listed->size() : points_.rows();
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t row = listed ? (*listed)[n] : n;
        const auto m = static_cast<std::size_t>(points_.material(row));
        writer.add({points_, row, materials_[m], rheology_[m].crowding});
    }
    writer.flush();
}

}  // namespace talus::nonsmooth
