// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace talus::io {

/// A 64-bit sum over bytes that come in pieces. Each round is a bijection of the sum and of the word, so that a change
/// within one word is always seen; it guards against damage, not against forgery.
class Checksum {
public:
    void add(std::span<const std::byte> bytes) {
        length_ += bytes.size();
        while (!bytes.empty()) {
            const std::size_t part = std::min(bytes.size(), sizeof word_ - filled_);
            std::memcpy(word_ + filled_, bytes.data(), part);
            filled_ += part;
            bytes = bytes.subspan(part);
            if (filled_ == sizeof word_) round();
        }
    }
    std::uint64_t value() const {
        Checksum padded = *this;
        std::memset(padded.word_ + filled_, 0, sizeof word_ - filled_);
        padded.round();
        return mix(padded.sum_ ^ length_);
    }

private:
    static std::uint64_t mix(std::uint64_t h) {
        h *= 0x9FB21C651E98DF25u;   // odd: a bijection
        return h ^ (h >> 32);
    }
    void round() {
        std::uint64_t word = 0;
        std::memcpy(&word, word_, sizeof word);
        sum_ = mix(sum_ ^ word);
        filled_ = 0;
    }
    std::uint64_t sum_ = 0x243F6A8885A308D3u, length_ = 0;   // the digits of pi
    std::byte word_[8] = {};
    std::size_t filled_ = 0;
};

}  // namespace talus::io
