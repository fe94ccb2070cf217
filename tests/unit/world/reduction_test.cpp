// SPDX-License-Identifier: Apache-2.0
#include "world/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::world {
namespace {

std::vector<ColumnSample> line(double slope) {
    std::vector<ColumnSample> samples;
    for (int i = 0; i <= 10; ++i) samples.push_back({0.1 * i, slope * 0.1 * i + 1, slope * 0.1 * i, slope * 0.1 * i + 3});
    return samples;
}

double of(Reduce how, std::optional<double> from = {}, std::optional<double> to = {}, double percentile = 50) {
    return reduce(line(2), {"name", "column", how, percentile, from, to}).value;
}

TEST(Reduction, ofAStraightLine) {
    EXPECT_NEAR(of(Reduce::last), 3, 1e-12);
    EXPECT_NEAR(of(Reduce::last, 0, 0.55), 2, 1e-12);
    EXPECT_NEAR(of(Reduce::mean), 2, 1e-12);
    EXPECT_NEAR(of(Reduce::mean, 0.45, 1), 2.5, 1e-12);
    EXPECT_NEAR(of(Reduce::min), 0, 1e-12);
    EXPECT_NEAR(of(Reduce::max), 5, 1e-12);
    EXPECT_NEAR(of(Reduce::slope), 2, 1e-12);
    EXPECT_NEAR(of(Reduce::slope, 0.25, 0.65), 2, 1e-12);
    EXPECT_NEAR(of(Reduce::percentile, {}, {}, 0), 1, 1e-12);
    EXPECT_NEAR(of(Reduce::percentile, {}, {}, 50), 2, 1e-12);
    EXPECT_NEAR(of(Reduce::percentile, {}, {}, 100), 3, 1e-12);
}

TEST(Reduction, ofAnEmptyWindowIsNothing) {
    EXPECT_TRUE(std::isnan(of(Reduce::mean, 2, 3)));
    EXPECT_TRUE(std::isnan(of(Reduce::slope, 1, 1))) << "one sample has no slope";
    EXPECT_EQ(reduce(line(1), {"n", "c", Reduce::mean, 50, 0.25, 0.45}).samples, 2);
}

}  // namespace
}  // namespace talus::world
