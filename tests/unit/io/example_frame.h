// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/frame.h"
#include "world/fields.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus::test {

inline constexpr std::array kExampleFields{world::field::id, world::field::position, world::field::radius, world::field::stress};

/// `count` grains handed over in chunks, ids descending.
inline io::Frame exampleFrame(std::size_t count, double time) {
    io::FrameSink sink(kExampleFields);
    for (std::size_t begin = 0; begin < count; begin += world::Chunk::kMostGrains) {
        const std::size_t size = std::min(count - begin, world::Chunk::kMostGrains);
        std::vector<std::int64_t> ids;
        std::vector<double> positions, radii, stresses;
        for (std::size_t i = begin; i < begin + size; ++i) {
            ids.push_back(static_cast<std::int64_t>(3 * (count - i)));
            const double id = static_cast<double>(ids.back());
            positions.insert(positions.end(), {id + 0.25, id + 0.5, -id});
            radii.push_back(0.125 * id);
            for (int c = 0; c < 6; ++c) stresses.push_back(10 * id + c);
        }
        const std::array<world::FieldColumn, 4> columns{{{&kExampleFields[0], {}, ids}, {&kExampleFields[1], positions, {}},
                                                         {&kExampleFields[2], radii, {}}, {&kExampleFields[3], stresses, {}}}};
        sink.take({size, columns});
    }
    return std::move(sink).finish(Exec(2), time);
}

}  // namespace talus::test
