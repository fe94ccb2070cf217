// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a value depends on (seed, stream, index) alone, so any thread may draw any of them.
#pragma once

#include <array>
#include <cstdint>

namespace talus {

/// Philox 4x32-10 [Salmon2011]: a bijection of a 128-bit counter under a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{kMultiplier0} * counter[0], p1 = std::uint64_t{kMultiplier1} * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        key = {key[0] + kWeyl0, key[1] + kWeyl1};
    }
    return counter;
}

/// The numbers of one object: `stream` says what they are for (a fill, an emitter), `index` which object (a grain, a cell).
class Rng {
public:
    constexpr Rng(std::uint64_t seed, std::uint32_t stream, std::uint64_t index)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          counter_{0, stream, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)} {}

    constexpr std::uint32_t bits() {
        if (used_ == 4) {
            block_ = philox(counter_, key_);
            ++counter_[0];
            used_ = 0;
        }
        return block_[used_++];
    }
    /// Uniform in [0, 1) with 53 bits.
    constexpr double uniform() {
        const std::uint64_t high = bits() >> 5, low = bits() >> 6;
        return static_cast<double>((high << 26) | low) * 0x1p-53;
    }
    constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    std::size_t used_ = 4;
};

}  // namespace talus
