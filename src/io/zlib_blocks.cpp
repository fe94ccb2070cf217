// SPDX-License-Identifier: Apache-2.0
#include "io/zlib_blocks.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace talus::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;   // [bytes]
constexpr int kLevel = 1;   // random digits gain nothing from more

[[noreturn]] void damaged() { throw std::runtime_error("its compressed data is damaged"); }

std::uint64_t numberAt(std::string_view bytes, std::size_t index) {
    std::uint64_t value = 0;
    if (bytes.size() / sizeof value <= index) damaged();
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
}

}  // namespace

std::string compressed(std::span<const std::byte> bytes) {
    const std::size_t blocks = (bytes.size() + kBlock - 1) / kBlock;
    std::vector<std::uint64_t> header{blocks, kBlock, bytes.size() % kBlock};
    std::string data;
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto block = bytes.subspan(b * kBlock, std::min(kBlock, bytes.size() - b * kBlock));
        const std::size_t begin = data.size();
        uLongf size = compressBound(block.size());
        data.resize(begin + size);
        if (compress2(reinterpret_cast<Bytef*>(data.data() + begin), &size, reinterpret_cast<const Bytef*>(block.data()), block.size(), kLevel) != Z_OK)
            throw std::runtime_error("zlib cannot compress an array");
        data.resize(begin + size);
        header.push_back(size);
    }
    return std::string(reinterpret_cast<const char*>(header.data()), header.size() * sizeof header.front()) + data;
}

std::string decompressed(std::string_view bytes, std::size_t most) {
    const std::uint64_t blocks = numberAt(bytes, 0);
    if (blocks == 0) return {};
    const std::uint64_t size = numberAt(bytes, 1), last = numberAt(bytes, 2);
    if (blocks > bytes.size() || size == 0 || last > size || (blocks > 1 && size > most / (blocks - 1))) damaged();
    const std::uint64_t whole = last > 0 ? (blocks - 1) * size + last : blocks * size;
    if (whole > most || whole / kMostPacking > bytes.size()) damaged();   // before memory is taken
    std::string data(whole, '\0');
    std::size_t from = (3 + blocks) * sizeof(std::uint64_t), to = 0;
    if (from > bytes.size()) damaged();
    for (std::uint64_t b = 0; b < blocks; ++b) {
        const std::uint64_t packed = numberAt(bytes, 3 + b), expected = std::min<std::uint64_t>(size, whole - to);
        if (packed > bytes.size() - from) damaged();
        uLongf got = expected;
        if (uncompress(reinterpret_cast<Bytef*>(data.data() + to), &got, reinterpret_cast<const Bytef*>(bytes.data() + from), packed) != Z_OK || got != expected) damaged();
        from += packed;
        to += expected;
    }
    return data;
}

}  // namespace talus::io
