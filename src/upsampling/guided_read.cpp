// SPDX-License-Identifier: Apache-2.0
// Fine grains as fields.
#include "upsampling/guided_method.h"

#include <stdexcept>
#include <string>

namespace talus::upsampling {
namespace {

/// One grain in SI units and world coordinates.
struct GrainValues {
    std::int64_t id;
    Vec3 position, velocity;
    const Origin& origin;
    bool carried;
};

using Writer = void (*)(const GrainValues&, std::vector<double>&, std::vector<std::int64_t>&);

struct NamedWriter {
    std::string_view name;
    Writer write;
};
const NamedWriter kWriters[] = {
    {"id", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.id); }},
    {"position", [](const GrainValues& g, auto& out, auto&) { out.insert(out.end(), {g.position.x, g.position.y, g.position.z}); }},
    {"velocity", [](const GrainValues& g, auto& out, auto&) { out.insert(out.end(), {g.velocity.x, g.velocity.y, g.velocity.z}); }},
    {"radius", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.radius); }},
    {"mass", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.mass); }},
    {"volume", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.volume); }},
    {"material", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.material); }},
    {"source", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.source); }},
    {"birth_time", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.origin.birthTime); }},
    {"guide", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.origin.guide); }},
    {"carried", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.carried ? 1 : 0); }},
};

Writer findWriter(std::string_view name) {
    const auto found = std::ranges::find(kWriters, name, &NamedWriter::name);
    if (found == std::end(kWriters)) throw std::out_of_range("guided has no field '" + std::string(name) + "'");
    return found->write;
}

struct Buffer {
    Writer write;
    const world::FieldInfo* info;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
};

/// Hands full chunks on.
class ChunkWriter {
public:
    ChunkWriter(world::FieldNames names, std::span<const world::FieldInfo> fields, world::ChunkSink& sink) : sink_(sink) {
        for (const std::string_view name : names) buffers_.push_back({findWriter(name), world::findField(fields, name), {}, {}});
    }
    void add(const GrainValues& grain) {
        for (Buffer& buffer : buffers_) buffer.write(grain, buffer.reals, buffer.integers);
        if (++gathered_ == world::Chunk::kMostGrains) flush();
    }
    void flush() {
        if (gathered_ == 0) return;
        std::vector<world::FieldColumn> columns;
        for (const Buffer& buffer : buffers_) columns.push_back({buffer.info, buffer.reals, buffer.integers});
        sink_.take({gathered_, columns});
        for (Buffer& buffer : buffers_) {
            buffer.reals.clear();
            buffer.integers.clear();
        }
        gathered_ = 0;
    }

private:
    world::ChunkSink& sink_;
    std::vector<Buffer> buffers_;
    std::size_t gathered_ = 0;
};

}  // namespace

template <class Real>
void GuidedMethod<Real>::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const {
    readRows(names, sink, nullptr);
}

template <class Real>
void GuidedMethod<Real>::readRows(world::FieldNames names, world::ChunkSink& sink, const std::vector<std::size_t>* listed) const {
    ChunkWriter writer(names, fields(), sink);
    const auto add = [&](std::size_t row) {
        const bool carried = (grains_.chunks[row / kChunkRows].free >> row % kChunkRows & 1) == 0;
        writer.add({grains_.columns.id(row), domain_.wrap(grains_.position(row)), grains_.velocity(row), origins_[grains_.columns.origin(row)], carried});
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
