// SPDX-License-Identifier: Apache-2.0
#include "io/frame.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace talus::io {

std::span<const std::string_view> componentNames(std::size_t components) {
    static constexpr std::array<std::string_view, 1> kScalar{""};
    static constexpr std::array<std::string_view, 3> kVector{"x", "y", "z"};
    static constexpr std::array<std::string_view, 6> kTensor{"xx", "yy", "zz", "xy", "yz", "xz"};
    switch (components) {
        case 1: return kScalar;
        case 3: return kVector;
        case 6: return kTensor;
        default: throw std::logic_error("a field has 1, 3 or 6 components");
    }
}

const FrameColumn* Frame::find(std::string_view name) const {
    const auto found = std::ranges::find(columns, name, &FrameColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

namespace {

template <class T>
void reorder(std::vector<T>& values, std::size_t components, std::span<const std::size_t> from) {
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (const std::size_t row : from)
        for (std::size_t c = 0; c < components; ++c) sorted.push_back(values[row * components + c]);
    values.swap(sorted);
}

}  // namespace

void Frame::sortById() {
    const FrameColumn* id = find(world::field::id.name);
    if (id == nullptr) throw std::logic_error("a frame needs the field 'id'");
    if (std::ranges::is_sorted(id->integers)) return;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [id](std::size_t row) { return id->integers[row]; });
    for (FrameColumn& column : columns)
        if (column.type == world::FieldType::real) reorder(column.reals, column.components, order);
        else reorder(column.integers, column.components, order);
}

FrameSink::FrameSink(std::span<const world::FieldInfo> fields) {
    for (const world::FieldInfo& field : fields)
        frame_.columns.push_back({std::string(field.name), field.type, static_cast<std::size_t>(field.components), {}, {}});
}

void FrameSink::take(const world::Chunk& chunk) {
    for (std::size_t c = 0; c < frame_.columns.size(); ++c) {
        FrameColumn& to = frame_.columns[c];
        const world::FieldColumn& from = chunk.columns[c];
        for (const double value : from.reals) to.reals.push_back(static_cast<float>(value));
        to.integers.insert(to.integers.end(), from.integers.begin(), from.integers.end());
    }
    frame_.count += chunk.count;
}

Frame FrameSink::finish(double time) && {
    frame_.time = time;
    if (frame_.find(world::field::id.name)) frame_.sortById();
    return std::move(frame_);
}

}  // namespace talus::io
