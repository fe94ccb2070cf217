// SPDX-License-Identifier: Apache-2.0
#include "io/frame.h"

#include <algorithm>
#include <array>
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

constexpr std::size_t kRowsPerTask = 16384;

template <class T>
void reorder(const Exec& exec, std::vector<T>& values, std::size_t components, std::span<const std::uint32_t> from) {
    std::vector<T> sorted(values.size());
    exec.forBlocks(from.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) std::copy_n(&values[from[row] * components], components, &sorted[row * components]);
    });
    values.swap(sorted);
}

/// Ascends with the number, for negative ones too.
std::uint64_t keyOf(std::int64_t id) { return static_cast<std::uint64_t>(id) ^ (std::uint64_t{1} << 63); }

/// The rows in the order of their ids.
std::vector<std::uint32_t> idOrder(const Exec& exec, std::span<const std::int64_t> ids) {
    std::vector<std::uint64_t> keys(ids.size());
    std::vector<std::uint32_t> order(ids.size());
    exec.forBlocks(ids.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            keys[row] = keyOf(ids[row]);
            order[row] = static_cast<std::uint32_t>(row);
        }
    });
    exec.sortByKey(keys, order);
    return order;
}

}  // namespace

void Frame::sortById(const Exec& exec) {
    const FrameColumn* id = find(world::field::id.name);
    if (id == nullptr) throw std::logic_error("a frame needs the field 'id'");
    if (std::ranges::is_sorted(id->integers)) return;
    const std::vector<std::uint32_t> order = idOrder(exec, id->integers);
    for (FrameColumn& column : columns)
        if (column.type == world::FieldType::real) reorder(exec, column.reals, column.components, order);
        else reorder(exec, column.integers, column.components, order);
}

FrameSink::FrameSink(std::span<const world::FieldInfo> fields, std::size_t expected) {
    for (const world::FieldInfo& field : fields) {
        FrameColumn& column = frame_.columns.emplace_back(FrameColumn{std::string(field.name), field.type, static_cast<std::size_t>(field.components), {}, {}});
        if (field.type == world::FieldType::real) column.reals.reserve(expected * column.components);
        else column.integers.reserve(expected * column.components);
    }
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

Frame FrameSink::finish(const Exec& exec, double time) && {
    frame_.time = time;
    if (frame_.find(world::field::id.name)) frame_.sortById(exec);
    return std::move(frame_);
}

}  // namespace talus::io
