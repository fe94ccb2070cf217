// SPDX-License-Identifier: Apache-2.0
#include "io/frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace talus::io {
namespace {

constexpr std::array kFields{world::field::id, world::field::position, world::field::material};

/// Ids in blocks that come in an order of their own, as those of points do; some of them negative, some far apart.
std::vector<std::int64_t> scatteredIds(std::size_t count) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int64_t>(i * 7919 % count) * 100003 - 5000);
    return ids;
}

Frame frameOf(const Exec& exec, const std::vector<std::int64_t>& ids) {
    FrameSink sink(kFields, ids.size());
    for (std::size_t begin = 0; begin < ids.size(); begin += world::Chunk::kMostGrains) {
        const std::size_t count = std::min(ids.size() - begin, world::Chunk::kMostGrains);
        const std::vector<std::int64_t> some(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(begin + count));
        std::vector<double> positions;
        std::vector<std::int64_t> materials;
        for (const std::int64_t id : some) {
            positions.insert(positions.end(), {static_cast<double>(id % 1000), 1, 2});
            materials.push_back(id % 7);
        }
        sink.take({count, std::array<world::FieldColumn, 3>{{{&kFields[0], {}, some}, {&kFields[1], positions, {}}, {&kFields[2], {}, materials}}}});
    }
    return std::move(sink).finish(exec, 1.5);
}

TEST(Frame, columnsFollowTheOrderOfIds) {
    const std::vector<std::int64_t> ids = scatteredIds(50021);   // a prime
    for (const int threads : {1, 2, 3}) {
        const Frame frame = frameOf(Exec(threads), ids);
        ASSERT_EQ(frame.count, ids.size());
        const std::vector<std::int64_t>& sorted = frame.find("id")->integers;
        ASSERT_EQ(sorted.size(), ids.size());
        for (std::size_t row = 0; row < sorted.size(); ++row) {
            ASSERT_EQ(sorted[row], static_cast<std::int64_t>(row) * 100003 - 5000);
            ASSERT_EQ(frame.find("position")->reals[3 * row], static_cast<float>(sorted[row] % 1000));
            ASSERT_EQ(frame.find("position")->reals[3 * row + 2], 2);
            ASSERT_EQ(frame.find("material")->integers[row], sorted[row] % 7);
        }
    }
}

}  // namespace
}  // namespace talus::io
