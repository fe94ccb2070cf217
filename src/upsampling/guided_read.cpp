// SPDX-License-Identifier: Apache-2.0
// Fine grains as fields.
#include "upsampling/guided_method.h"
#include "world/chunk_writer.h"

#include <algorithm>
#include <map>

namespace talus::upsampling {
namespace {

/// One grain in SI units and world coordinates.
struct GrainValues {
    std::int64_t id;
    Vec3 position, velocity;
    const Origin& origin;
    bool carried;
    Vec3 normal;
};

/// Normals of guides by id, where they have some and those are asked for.
std::map<std::int64_t, Vec3> normalsOf(const world::Method& guides, world::FieldNames names) {
    std::map<std::int64_t, Vec3> normals;
    if (std::ranges::find(names, kNormalField) == names.end() || !offersNormals(guides)) return normals;
    world::FieldTable table;
    guides.read(Exec(1), std::array{world::field::id.name, kNormalField}, table);
    for (std::size_t i = 0; i < table.count(); ++i) {
        const std::span<const double> n = table.reals(kNormalField).subspan(3 * i, 3);
        normals[table.integers("id")[i]] = {n[0], n[1], n[2]};
    }
    return normals;
}

const world::FieldWriter<GrainValues> kWriters[] = {
    {"id", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.id); }},
    {"position", [](const GrainValues& g, auto& out, auto&) { world::putVector(g.position, out); }},
    {"velocity", [](const GrainValues& g, auto& out, auto&) { world::putVector(g.velocity, out); }},
    {"radius", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.radius); }},
    {"mass", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.mass); }},
    {"volume", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.volume); }},
    {"material", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.material); }},
    {"source", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.source); }},
    {"birth_time", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.birthTime); }},
    {"guide", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.guide); }},
    {"carried", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.carried ? 1 : 0); }},
    {"normal", [](const GrainValues& g, auto& out, auto&) { world::putVector(g.normal, out); }},
};

}  // namespace

template <class Real>
void GuidedMethod<Real>::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const {
    readRows(names, sink, nullptr);
}

template <class Real>
void GuidedMethod<Real>::readRows(world::FieldNames names, world::ChunkSink& sink, const std::vector<std::size_t>* listed) const {
    const std::map<std::int64_t, Vec3> normals = normalsOf(*guides_, names);
    world::ChunkWriter<GrainValues> writer(kWriters, fields(), names, sink);
    const auto add = [&](std::size_t row) {
        const bool carried = (grains_.chunks[row / kChunkRows].free >> row % kChunkRows & 1) == 0;
        const Origin& origin = origins_[grains_.columns.origin(row)];
        const auto normal = normals.find(origin.guide);
        writer.add({grains_.columns.id(row), domain_.wrap(grains_.position(row)), grains_.velocity(row), origin, carried, normal == normals.end() ? Vec3{} : normal->second});
    };
    if (listed)
        for (const std::size_t row : *listed) add(row);
    else
        for (std::size_t c = 0; c < grains_.chunks.size(); ++c) eachRow(c, grains_.chunks[c].alive, add);
    writer.flush();
}

template void GuidedMethod<float>::read(const Exec&, world::FieldNames, world::ChunkSink&) const;
template void GuidedMethod<double>::read(const Exec&, world::FieldNames, world::ChunkSink&) const;
template void GuidedMethod<float>::readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>*) const;
template void GuidedMethod<double>::readRows(world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>*) const;

}  // namespace talus::upsampling
