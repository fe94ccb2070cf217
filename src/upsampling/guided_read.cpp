// SPDX-License-Identifier: Apache-2.0
// Fine grains as fields.
#include "upsampling/flat_grains.h"
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

/// How the grains of guides lie, where guides say so and it is asked for: with the normal of their guide, or drawn from the second moment that it has, or had when it left, of theirs.
class GrainNormals {
public:
    GrainNormals(const world::Method& guides, const Orientations& departed, std::uint64_t seed, world::FieldNames names) : seed_(seed) {
        if (std::ranges::find(names, kNormalField) == names.end()) return;
        if (offersNormals(guides)) {
            readNormals(guides);
            return;
        }
        for (const Orientations& some : {orientationsOf(Exec(1), guides), departed})
            for (const auto& [guide, moment] : some) spreads_[guide] = spreadOfNormals(moment);
    }
    /// Zero where guides have none.
    Vec3 of(std::int64_t grain, std::int64_t guide) const {
        if (const auto spread = spreads_.find(guide); spread != spreads_.end()) return drawnNormal(seed_, grain, spread->second);
        const auto normal = normals_.find(guide);
        return normal == normals_.end() ? Vec3{} : normal->second;
    }

private:
    void readNormals(const world::Method& guides) {
        world::FieldTable table;
        guides.read(Exec(1), std::array{world::field::id.name, kNormalField}, table);
        for (std::size_t i = 0; i < table.count(); ++i) {
            const std::span<const double> n = table.reals(kNormalField).subspan(3 * i, 3);
            normals_[table.integers("id")[i]] = {n[0], n[1], n[2]};
        }
    }

    std::uint64_t seed_;
    std::map<std::int64_t, Vec3> normals_;
    std::map<std::int64_t, Mat3> spreads_;
};

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
    const GrainNormals normals(*guides_, departed_, seed_, names);
    world::ChunkWriter<GrainValues> writer(kWriters, fields(), names, sink);
    const auto add = [&](std::size_t row) {
        const bool carried = (grains_.chunks[row / kChunkRows].free >> row % kChunkRows & 1) == 0;
        const Origin& origin = origins_[grains_.columns.origin(row)];
        const std::int64_t id = grains_.columns.id(row);
        writer.add({id, domain_.wrap(grains_.position(row)), grains_.velocity(row), origin, carried, normals.of(id, origin.guide)});
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
