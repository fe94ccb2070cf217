// SPDX-License-Identifier: Apache-2.0
#include "dem/friction_table.h"

#include <gtest/gtest.h>

#include <array>

namespace talus::dem {
namespace {

constexpr std::array kMeasured{Shape::sphere, Shape::tetra4, Shape::octa6, Shape::cube8, Shape::bcc9};

TEST(FrictionTable, steeperHeapsNeedMoreFriction) {
    for (const Shape shape : kMeasured) {
        const std::optional<ReposeRange> range = reposeRange(shape);
        ASSERT_TRUE(range);
        Rubbing before = *frictionForAngle(shape, range->low);
        for (double degrees = range->low + 0.1; degrees < range->high; degrees += 0.1) {
            const Rubbing now = *frictionForAngle(shape, degrees);
            EXPECT_GE(now.friction, before.friction) << degrees;
            EXPECT_GE(now.rolling, before.rolling) << degrees;
            EXPECT_GT(now.friction + now.rolling, before.friction + before.rolling) << degrees;
            before = now;
        }
    }
}

TEST(FrictionTable, everyShapeReachesTheAnglesOfMostGrains) {
    for (const Shape shape : kMeasured) {
        EXPECT_LE(reposeRange(shape)->low, 22);
        EXPECT_GE(reposeRange(shape)->high, 34.5);
    }
    EXPECT_LE(reposeRange(Shape::sphere)->low, 20.9) << "the preset glass beads";
}

TEST(FrictionTable, clumpsNeedNoRollingFrictionWhereSpheresDo) {
    for (const Shape shape : kMeasured) EXPECT_EQ(frictionForAngle(shape, 30)->rolling > 0, shape == Shape::sphere);
}

TEST(FrictionTable, knowsNothingBeyondWhatWasMeasured) {
    const ReposeRange range = *reposeRange(Shape::sphere);
    EXPECT_FALSE(frictionForAngle(Shape::sphere, range.low - 1));
    EXPECT_FALSE(frictionForAngle(Shape::sphere, range.high + 1));
    EXPECT_FALSE(reposeRange(Shape::spheres));
}

}  // namespace
}  // namespace talus::dem
