// SPDX-License-Identifier: Apache-2.0
// Fields of grains out of a method: one function per field writes a grain's value, full chunks go to the sink.
#pragma once

#include "world/fields.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace talus::world {

using Reals = std::vector<double>;
using Integers = std::vector<std::int64_t>;

/// Appends a field of one grain, in SI units and world coordinates, to the numbers of its kind.
template <class Grain>
struct FieldWriter {
    std::string_view name;
    void (*write)(const Grain&, Reals&, Integers&);
};

inline void putVector(const Vec3& v, Reals& to) { to.insert(to.end(), {v.x, v.y, v.z}); }

template <class Grain>
class ChunkWriter {
public:
    /// Throws std::out_of_range for a name without a writer. Call flush() after the last grain.
    ChunkWriter(std::span<const FieldWriter<Grain>> writers, std::span<const FieldInfo> fields, FieldNames names, ChunkSink& sink) : sink_(sink) {
        for (const std::string_view name : names) {
            const auto found = std::ranges::find(writers, name, &FieldWriter<Grain>::name);
            if (found == writers.end()) throw std::out_of_range("there is no field '" + std::string(name) + "'");
            buffers_.push_back({found->write, findField(fields, name), {}, {}});
        }
    }
    /// All the fields, in their order.
    ChunkWriter(std::span<const FieldWriter<Grain>> writers, std::span<const FieldInfo> fields, ChunkSink& sink) : ChunkWriter(writers, fields, namesOf(fields), sink) {}
    void add(const Grain& grain) {
        for (Buffer& buffer : buffers_) buffer.write(grain, buffer.reals, buffer.integers);
        if (++gathered_ == Chunk::kMostGrains) flush();
    }
    void flush() {
        if (gathered_ == 0) return;
        std::vector<FieldColumn> columns;
        for (const Buffer& buffer : buffers_) columns.push_back({buffer.info, buffer.reals, buffer.integers});
        sink_.take({gathered_, columns});
        for (Buffer& buffer : buffers_) {
            buffer.reals.clear();
            buffer.integers.clear();
        }
        gathered_ = 0;
    }

private:
    struct Buffer {
        void (*write)(const Grain&, Reals&, Integers&);
        const FieldInfo* info;
        Reals reals;
        Integers integers;
    };
    ChunkSink& sink_;
    std::vector<Buffer> buffers_;
    std::size_t gathered_ = 0;
};

}  // namespace talus::world
