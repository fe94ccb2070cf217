// SPDX-License-Identifier: Apache-2.0
#include "core/rng.h"

#include "core/exec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace talus {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// From kat_vectors of Random123 [Salmon2011].
TEST(Rng, philoxKnownAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    static_assert(philox({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
}

TEST(Rng, bitsAreTheBlocksOfTheCounter) {
    Rng rng(0x0123456789abcdef, 5, 0xfedcba9876543210);
    for (std::uint32_t block = 0; block < 3; ++block)
        for (const std::uint32_t expected : philox({block, 5, 0x76543210, 0xfedcba98}, {0x89abcdef, 0x01234567}))
            EXPECT_EQ(rng.bits(), expected);
}

// n = 1e6: mean 1/2 ± 5 σ/√n with σ² = 1/12; χ² of 64 bins has mean 63 and deviation √126; correlations are within ±5/√n.
TEST(Rng, uniformIsUniform) {
    constexpr int kCount = 1000000, kBins = 64;
    std::array<int, kBins> bins{};
    double sum = 0, sumOfSquares = 0, neighbours = 0, previous = 0.5;
    for (int i = 0; i < kCount / 10; ++i) {
        Rng rng(42, 1, static_cast<std::uint64_t>(i));   // ten numbers of each of many objects, as grains draw them
        for (int k = 0; k < 10; ++k) {
            const double u = rng.uniform();
            ASSERT_GE(u, 0.0);
            ASSERT_LT(u, 1.0);
            ++bins[static_cast<std::size_t>(u * kBins)];
            sum += u;
            sumOfSquares += u * u;
            neighbours += 12 * (u - 0.5) * (previous - 0.5);
            previous = u;
        }
    }
    const double root = std::sqrt(double{kCount});
    EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12) / root);
    EXPECT_NEAR(sumOfSquares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45) / root);
    EXPECT_NEAR(neighbours / kCount, 0, 5 / root);
    double chiSquared = 0;
    for (const int n : bins) chiSquared += (n - kCount / kBins) * (n - kCount / kBins) / (double{kCount} / kBins);
    EXPECT_NEAR(chiSquared, kBins - 1, 5 * std::sqrt(2.0 * (kBins - 1)));
}

TEST(Rng, uniformUsesFiftyThreeBits) {
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const double scaled = Rng(1, 1, i).uniform() * 0x1p53;
        ASSERT_EQ(scaled, std::floor(scaled));
        seen |= static_cast<std::uint64_t>(scaled);
    }
    EXPECT_EQ(seen, (std::uint64_t{1} << 53) - 1);
}

TEST(Rng, rangesAndStreams) {
    Rng rng(1, 2, 3);
    for (int i = 0; i < 1000; ++i) {
        const double u = rng.uniform(-3, 5);
        ASSERT_GE(u, -3);
        ASSERT_LT(u, 5);
    }
    const std::uint32_t first = Rng(1, 2, 3).bits();
    EXPECT_EQ(first, Rng(1, 2, 3).bits());
    EXPECT_NE(first, Rng(2, 2, 3).bits());
    EXPECT_NE(first, Rng(1, 3, 3).bits());
    EXPECT_NE(first, Rng(1, 2, 4).bits());
    EXPECT_NE(first, Rng(1 + (std::uint64_t{1} << 32), 2, 3).bits());
    EXPECT_NE(first, Rng(1, 2, 3 + (std::uint64_t{1} << 32)).bits());
}

TEST(Rng, drawsDoNotDependOnThreads) {
    const auto draw = [](int threads) {
        std::vector<double> values(20000);
        Exec(threads).forBlocks(values.size(), 128, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) values[i] = Rng(9, 1, i).uniform();
        });
        return values;
    };
    const std::vector<double> one = draw(1);
    EXPECT_EQ(one, draw(2));
    EXPECT_EQ(one, draw(3));
}

}  // namespace
}  // namespace talus
