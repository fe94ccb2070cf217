// SPDX-License-Identifier: Apache-2.0
// Records of four numbers at eight places, transposed into lanes; floats that hold whole numbers; masks as bits.
#pragma once

#include "core/wide.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace talus {

/// The bits of eight floats, as the int32 that a record keeps among its floats.
[[gnu::always_inline]] inline WideInt bitsOf(const Wide<float>& a) {
    return perRegister<WideInt>([](auto x) { return hn::BitCast(typename WideInt::Tag(), x); }, a);
}

/// Four numbers at each of eight places, aligned to four: lane i of the result is from at[i].
template <class T>
struct WideRows {
    Wide<T> x, y, z, w;
    [[gnu::always_inline]] static WideRows load(const std::array<const T*, 8>& at);
};
template <class T>
[[gnu::always_inline]] inline WideRows<T> WideRows<T>::load(const std::array<const T*, 8>& at) {
    using W = Wide<T>;
    WideRows<T> rows;
    if constexpr (W::kPerRegister >= 4) {   // transposed in registers: two rows side by side in each block of 128 bits, or two blocks a row
        using Half = Pack<T, 4>;
        const auto quad = [&](std::size_t i) { return Half::load(at[i]); };
        const auto turned = [](const Half& a, const Half& b, const Half& c, const Half& d) {
            std::array<Half, 4> out;
            typename Half::Tag tag;
            const auto low0 = hn::InterleaveLower(tag, a.registers[0], b.registers[0]), low1 = hn::InterleaveLower(tag, c.registers[0], d.registers[0]);
            const auto high0 = hn::InterleaveUpper(tag, a.registers[0], b.registers[0]), high1 = hn::InterleaveUpper(tag, c.registers[0], d.registers[0]);
            if constexpr (sizeof(T) == 8) {   // interleaving stays within 128 bits: x and z of two rows, then y and w
                out[0].registers[0] = hn::ConcatLowerLower(tag, low1, low0);
                out[1].registers[0] = hn::ConcatLowerLower(tag, high1, high0);
                out[2].registers[0] = hn::ConcatUpperUpper(tag, low1, low0);
                out[3].registers[0] = hn::ConcatUpperUpper(tag, high1, high0);
            } else {
                out[0].registers[0] = hn::ConcatLowerLower(tag, low1, low0);
                out[1].registers[0] = hn::ConcatUpperUpper(tag, low1, low0);
                out[2].registers[0] = hn::ConcatLowerLower(tag, high1, high0);
                out[3].registers[0] = hn::ConcatUpperUpper(tag, high1, high0);
            }
            return out;
        };
        const auto first = turned(quad(0), quad(1), quad(2), quad(3)), second = turned(quad(4), quad(5), quad(6), quad(7));
        rows.x = combine(first[0], second[0]);
        rows.y = combine(first[1], second[1]);
        rows.z = combine(first[2], second[2]);
        rows.w = combine(first[3], second[3]);
    } else {
        alignas(64) T values[4][8];
        for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t k = 0; k < 4; ++k) values[k][i] = at[i][k];
        rows = {W::load(values[0]), W::load(values[1]), W::load(values[2]), W::load(values[3])};
    }
    return rows;
}

/// Bit i is lane i.
template <class T, int N>
[[gnu::always_inline]] inline unsigned bits(const PackMask<T, N>& a) {
    unsigned all = 0;
    for (std::size_t i = 0; i < a.kRegisters; ++i) {
        std::uint8_t part[8] = {};
        hn::StoreMaskBits(typename PackMask<T, N>::Tag(), a.registers[i], part);
        all |= static_cast<unsigned>(part[0]) << (i * hn::MaxLanes(typename PackMask<T, N>::Tag()));
    }
    return all;
}

}  // namespace talus
