// SPDX-License-Identifier: Apache-2.0
// Well-spread random numbers of a pixel: Sobol' points with hashed Owen scrambling [Burley2020]. They depend on pixel,
// sample and dimension alone, so a picture does not depend on who draws which part of it.
#pragma once

#include "core/rng.h"

#include <array>
#include <cstdint>

namespace talus::render {

struct Point2 {
    float u, v;   // in [0, 1)
};

class PixelSampler {
public:
    explicit PixelSampler(std::uint64_t pixel) : seed_(Rng(kPurpose, 1, pixel).bits()) {}

    /// Pair number `pair` of sample `index`: over the samples of a pixel each pair covers the unit square evenly.
    Point2 pair(std::uint32_t index, std::uint32_t pair) const {
        const std::uint32_t key = mixed(seed_ ^ (pair * 0x9e3779b9u + 0x85ebca6bu));
        const std::uint32_t shuffled = owen(reversed(index), key);   // reversed twice: a nested shuffle of the index
        const std::uint32_t i = reversed(shuffled);
        const std::uint32_t x = reversed(owen(i, mixed(key + 1)));             // Sobol' dimension 0 is the reversed index
        const std::uint32_t y = reversed(owen(pascal(i), mixed(key + 2)));
        return {unit(x), unit(y)};
    }

private:
    static constexpr std::uint64_t kPurpose = 0x70697863;
    static float unit(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
    static std::uint32_t reversed(std::uint32_t x) {
        x = __builtin_bswap32(x);
        x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
        x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
        return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    }
    /// Bits flow upwards only: the scrambling of Laine and Karras on a reversed number.
    static std::uint32_t owen(std::uint32_t x, std::uint32_t key) {
        x += key;
        x ^= x * 0x6c50b47cu;
        x ^= x * 0xb82f1e52u;
        x ^= x * 0xc7afe638u;
        x ^= x * 0x8d22f6e6u;
        return x;
    }
    static std::uint32_t mixed(std::uint32_t x) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        return x ^ x >> 16;
    }
    /// Second Sobol' dimension, reversed: bit m is the sum modulo 2 over the bits j of the index with C(j, m) odd. By
    /// Lucas these are the j that have all the bits of m, so five steps do for all.
    static std::uint32_t pascal(std::uint32_t x) {
        x ^= x >> 16 & 0x0000ffffu;
        x ^= x >> 8 & 0x00ff00ffu;
        x ^= x >> 4 & 0x0f0f0f0fu;
        x ^= x >> 2 & 0x33333333u;
        return x ^ (x >> 1 & 0x55555555u);
    }

    std::uint32_t seed_;
};

}  // namespace talus::render
