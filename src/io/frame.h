// SPDX-License-Identifier: Apache-2.0
// What a frame file holds: the fields of all grains at an instant, as stored (float32, Int64), in id order. So does a second output, in its own order.
#pragma once

#include "core/exec.h"
#include "world/fields.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

struct FrameColumn {
    std::string name;
    world::FieldType type = world::FieldType::real;
    std::size_t components = 1;
    std::vector<float> reals;              // components of a grain side by side
    std::vector<std::int64_t> integers;
};

/// Names of the components: "" for a scalar, "x", "y", "z", or "xx" … in the order of FieldInfo.
std::span<const std::string_view> componentNames(std::size_t components);

struct Frame {
    double time = 0;                       // [s]
    std::size_t count = 0;
    std::vector<FrameColumn> columns;

    const FrameColumn* find(std::string_view name) const;
    void sortById(const Exec&);
};

/// Takes a method's chunks as the columns of a frame.
class FrameSink final : public world::ChunkSink {
public:
    /// Fields in the order in which they will be read, with room for `expected` rows.
    explicit FrameSink(std::span<const world::FieldInfo> fields, std::size_t expected = 0);
    void take(const world::Chunk&) override;
    Frame finish(const Exec&, double time) &&;

private:
    Frame frame_;
};

}  // namespace talus::io
