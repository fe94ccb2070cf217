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

/// Four numbers at each of eight places: lane i is of the i-th.
template <class T>
struct WideRows {
    Wide<T> x, y, z, w;
    /// `offset` numbers behind each place.
    [[gnu::always_inline]] static WideRows load(const std::array<const T*, 8>& at, std::size_t offset = 0);
    /// Every `stride` numbers from `to` on.
    [[gnu::always_inline]] void store(T* to, std::size_t stride) const;
};
template <class T>
[[gnu::always_inline]] inline WideRows<T> WideRows<T>::load(const std::array<const T*, 8>& at, std::size_t offset) {
    const auto quad = [&](std::size_t i) { return Quad<T>::loadUnaligned(at[i] + offset); };
    if constexpr (sizeof(T) == 4 && Wide<T>::kRegisters == 1) {   // row i beside row i + 4, then transposed within both halves
        const auto rows = [&](std::size_t i) { return combine(quad(i), quad(i + 4)); };
        const std::array<Wide<T>, 4> columns = interleave4(rows(0), rows(1), rows(2), rows(3));
        return {columns[0], columns[1], columns[2], columns[3]};
    } else if constexpr (sizeof(T) == 8 && Quad<T>::kRegisters == 1) {   // interleaving stays within 128 bits: x and z of two rows, then y and w
        const auto turned = [&](std::size_t i) {
            const typename Quad<T>::Tag tag;
            const auto a = quad(i).registers[0], b = quad(i + 1).registers[0], c = quad(i + 2).registers[0], d = quad(i + 3).registers[0];
            const auto xz0 = hn::InterleaveLower(tag, a, b), xz1 = hn::InterleaveLower(tag, c, d), yw0 = hn::InterleaveUpper(tag, a, b), yw1 = hn::InterleaveUpper(tag, c, d);
            std::array<Quad<T>, 4> out;
            out[0].registers[0] = hn::ConcatLowerLower(tag, xz1, xz0);
            out[1].registers[0] = hn::ConcatLowerLower(tag, yw1, yw0);
            out[2].registers[0] = hn::ConcatUpperUpper(tag, xz1, xz0);
            out[3].registers[0] = hn::ConcatUpperUpper(tag, yw1, yw0);
            return out;
        };
        const auto first = turned(0), second = turned(4);
        return {combine(first[0], second[0]), combine(first[1], second[1]), combine(first[2], second[2]), combine(first[3], second[3])};
    } else {
        alignas(64) std::array<T, 32> values;
        for (std::size_t i = 0; i < 8; ++i) quad(i).store(values.data() + 4 * i);
        WideRows<T> rows;
        loadInterleaved(values.data(), rows.x, rows.y, rows.z, rows.w);
        return rows;
    }
}
template <class T>
[[gnu::always_inline]] inline void WideRows<T>::store(T* to, std::size_t stride) const {
    if constexpr (sizeof(T) == 4 && Wide<T>::kRegisters == 1) {
        const std::array<Wide<T>, 4> rows = interleave4(x, y, z, w);
        for (std::size_t i = 0; i < 4; ++i) {
            lower(rows[i]).storeUnaligned(to + i * stride);
            upper(rows[i]).storeUnaligned(to + (i + 4) * stride);
        }
    } else {
        alignas(64) std::array<T, 32> values;
        storeInterleaved(x, y, z, w, values.data());
        for (std::size_t i = 0; i < 8; ++i) Quad<T>::load(values.data() + 4 * i).storeUnaligned(to + i * stride);
    }
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
