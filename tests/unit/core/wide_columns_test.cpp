// SPDX-License-Identifier: Apache-2.0
// Rows in memory against lanes.
#include "core/wide_columns.h"
#include "core/wide_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

namespace talus {
namespace {

template <class T>
class WideColumns : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(WideColumns, Reals);

TYPED_TEST(WideColumns, triplesAreLanesAndComeBack) {
    std::array<TypeParam, 25> numbers, back{};
    std::iota(numbers.begin(), numbers.end(), TypeParam(1));
    const WideVec3<TypeParam> v = loadTriples(numbers.data() + 1);   // not aligned
    for (int lane = 0; lane < 8; ++lane)
        for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(v[axis].lane(lane), static_cast<TypeParam>(2 + 3 * lane + axis));
    storeTriples(v, back.data() + 1);
    back[0] = 1;
    EXPECT_EQ(back, numbers);
}

TYPED_TEST(WideColumns, rowsAnywhereAreLanesAndComeBack) {
    constexpr std::size_t kStride = 7;
    std::array<TypeParam, 8 * kStride + 4> numbers, back{};
    std::iota(numbers.begin(), numbers.end(), TypeParam(1));
    std::array<const TypeParam*, 8> at;
    for (std::size_t lane = 0; lane < 8; ++lane) at[lane] = &numbers[kStride * (7 - lane)];
    const auto rows = WideRows<TypeParam>::load(at, 2);
    for (int lane = 0; lane < 8; ++lane) {
        const auto first = static_cast<TypeParam>(3 + kStride * static_cast<std::size_t>(7 - lane));
        EXPECT_EQ(rows.x.lane(lane), first);
        EXPECT_EQ(rows.y.lane(lane), first + 1);
        EXPECT_EQ(rows.z.lane(lane), first + 2);
        EXPECT_EQ(rows.w.lane(lane), first + 3);
    }
    rows.store(back.data() + 1, kStride);
    for (std::size_t lane = 0; lane < 8; ++lane)
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(back[1 + kStride * lane + k], at[lane][2 + k]);
    EXPECT_EQ(back[0], 0);
    EXPECT_EQ(back[5], 0) << "between two rows";
}

TEST(LowerHalves, areTheLowerThirtyTwoBits) {
    std::array<double, 8> numbers;
    for (std::size_t i = 0; i < 8; ++i) numbers[i] = std::bit_cast<double>(0x40123456789abcdeU + 0x1000000010000001U * i);
    const Wide<float> low = lowerHalves(Wide<double>::loadUnaligned(numbers.data()));
    const WideInt bits = bitsOf(low);
    for (int lane = 0; lane < 8; ++lane)
        EXPECT_EQ(static_cast<std::uint32_t>(bits.lane(lane)), static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(numbers[static_cast<std::size_t>(lane)])));
}

TEST(ChosenLanes, comeFirstInTheirOrder) {
    const WideInt numbers = ascendingLanes() + WideInt(10);
    for (unsigned lanes = 0; lanes < 256; ++lanes) {
        const ChosenLanes chosen(lanes);
        const WideInt front = chosen(numbers);
        int at = 0;
        for (int lane = 0; lane < 8; ++lane)
            if (lanes >> lane & 1U) {
                EXPECT_EQ(front.lane(at++), 10 + lane);
            }
        EXPECT_EQ(chosen.count(), static_cast<std::size_t>(at));
    }
}

}  // namespace
}  // namespace talus
