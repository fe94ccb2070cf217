// SPDX-License-Identifier: Apache-2.0
// Records of four numbers at eight places, transposed into lanes; floats that hold whole numbers; masks as bits.
#pragma once

#include "core/wide.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace talus {

/// The bits of eight floats, as the int32 that a record keeps among its floats.
[[gnu::always_inline]] inline WideInt bitsOf(const Wide<float>& a) {
    return perRegister<WideInt>([](auto x) { return hn::BitCast(typename WideInt::Tag(), x); }, a);
}

[[gnu::always_inline]] inline WideInt operator&(const WideInt& a, const WideInt& b) {
    return perRegister<WideInt>([](auto x, auto y) { return hn::And(x, y); }, a, b);
}
/// 0 to 7.
[[gnu::always_inline]] inline WideInt ascendingLanes() {
    WideInt a;
    for (std::size_t i = 0; i < WideInt::kRegisters; ++i) a.registers[i] = hn::Iota(typename WideInt::Tag(), static_cast<std::int32_t>(i * WideInt::kPerRegister));
    return a;
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

namespace detail {
/// The bits of the index that are set, ascending, and then zeros.
inline constexpr auto kSetBits = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned lane = 0, at = 0; lane < 8; ++lane)
            if (mask >> lane & 1U) table[mask][at++] = static_cast<std::uint8_t>(lane);
    return table;
}();
}  // namespace detail

/// Brings lanes that are chosen once to the front, in their order; what follows them is anything.
class ChosenLanes {
public:
    [[gnu::always_inline]] explicit ChosenLanes(unsigned lanes) : lanes_(lanes) {}
    std::size_t count() const { return static_cast<std::size_t>(std::popcount(lanes_)); }
    [[gnu::always_inline]] WideInt operator()(const WideInt& a) const {
        const std::uint8_t* order = detail::kSetBits[lanes_].data();
        WideInt front;
        if constexpr (WideInt::kRegisters == 1) {
            const typename WideInt::Tag tag;
            const hn::Rebind<std::uint8_t, typename WideInt::Tag> bytes;
            front.registers[0] = hn::TableLookupLanes(a.registers[0], hn::IndicesFromVec(tag, hn::PromoteTo(tag, hn::LoadU(bytes, order))));
        } else {
            const std::array<std::int32_t, 8> from = a.lanes();
            std::array<std::int32_t, 8> to;
            for (std::size_t i = 0; i < 8; ++i) to[i] = from[order[i]];
            front = WideInt::loadUnaligned(to.data());
        }
        return front;
    }

private:
    unsigned lanes_;
};

}  // namespace talus
