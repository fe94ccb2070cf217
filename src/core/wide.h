// SPDX-License-Identifier: Apache-2.0
// Eight numbers at a time, and four: what the hot loops are written in. Wide<T> is one number of eight grains, as a group
// of a Table holds it; Quad<T> is four numbers of one grain. Arithmetic, comparisons and select are in core/pack.h, exp,
// log, expm1 and log1p in core/wide_math.h.
#pragma once

#include "core/pack.h"
#include "core/wide_math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace talus {

template <class T>
using Wide = Pack<T, 8>;
template <class T>
using WideMask = PackMask<T, 8>;
using WideInt = Pack<std::int32_t, 8>;
template <class T>
using Quad = Pack<T, 4>;

/// The instruction set wide code was compiled for, as Highway names it: "AVX2".
std::string_view simdTarget();
/// Whether this processor has what the program was compiled for. Safe to call on one that has not.
bool cpuSupportsBuild();

/// Towards zero: of a number that went through floor, the cell it is in.
template <class T>
[[gnu::always_inline]] inline WideInt toInt(const Wide<T>& a) { return convert<std::int32_t>(a); }

/// base[index] per lane.
template <class T>
[[gnu::always_inline]] inline Wide<T> gather(const T* base, const WideInt& index) {
    if constexpr (sizeof(T) == sizeof(std::int32_t)) {
        return perRegister<Wide<T>>([base](auto i) { return hn::GatherIndex(typename Wide<T>::Tag(), base, i); }, index);
    } else {
        alignas(64) std::array<T, 8> values;
        const std::array<std::int32_t, 8> at = index.lanes();
        for (std::size_t i = 0; i < 8; ++i) values[i] = base[at[i]];
        return Wide<T>::load(values.data());
    }
}

/// Lane I of a in all lanes.
template <int I, class T, int N>
[[gnu::always_inline]] inline Pack<T, N> broadcastLane(const Pack<T, N>& a) {
    using P = Pack<T, N>;
    if constexpr (sizeof(T) * P::kPerRegister > 16) {   // Highway broadcasts within 128 bits
        const auto half = broadcastLane<I % (N / 2)>(I < N / 2 ? lower(a) : upper(a));
        return combine(half, half);
    } else {
        P result;
        for (auto& r : result.registers) r = hn::Broadcast<I % P::kPerRegister>(a.registers[I / P::kPerRegister]);
        return result;
    }
}

/// (xᵢ, yᵢ, zᵢ, wᵢ) of eight grains, one after the other: eight Quads at to, to + 4, …
template <class T>
[[gnu::always_inline]] inline void storeInterleaved(const Wide<T>& x, const Wide<T>& y, const Wide<T>& z, const Wide<T>& w,
                                                    T* to) {
    using W = Wide<T>;
    for (std::size_t i = 0; i < W::kRegisters; ++i)
        hn::StoreInterleaved4(x.registers[i], y.registers[i], z.registers[i], w.registers[i], typename W::Tag(),
                              to + 4 * i * W::kPerRegister);
}
template <class T>
[[gnu::always_inline]] inline void loadInterleaved(const T* from, Wide<T>& x, Wide<T>& y, Wide<T>& z, Wide<T>& w) {
    using W = Wide<T>;
    for (std::size_t i = 0; i < W::kRegisters; ++i)
        hn::LoadInterleaved4(typename W::Tag(), from + 4 * i * W::kPerRegister,
                             x.registers[i], y.registers[i], z.registers[i], w.registers[i]);
}

/// For numbers of 32 bits that fill one register: within each half of four lanes, the i-th result has the i-th lanes of a, b, c, d.
template <class T>
[[gnu::always_inline]] inline std::array<Wide<T>, 4> interleave4(const Wide<T>& a, const Wide<T>& b, const Wide<T>& c, const Wide<T>& d) {
    using Tag = typename Wide<T>::Tag;
    const hn::RepartitionToWide<Tag> pairs;
    const Tag tag;
    const auto pair = [pairs](auto x) { return hn::BitCast(pairs, x); };
    const auto ab = pair(hn::InterleaveLower(tag, a.registers[0], b.registers[0])), cd = pair(hn::InterleaveLower(tag, c.registers[0], d.registers[0]));
    const auto abUpper = pair(hn::InterleaveUpper(tag, a.registers[0], b.registers[0])), cdUpper = pair(hn::InterleaveUpper(tag, c.registers[0], d.registers[0]));
    std::array<Wide<T>, 4> result;
    result[0].registers[0] = hn::BitCast(tag, hn::InterleaveLower(pairs, ab, cd));
    result[1].registers[0] = hn::BitCast(tag, hn::InterleaveUpper(pairs, ab, cd));
    result[2].registers[0] = hn::BitCast(tag, hn::InterleaveLower(pairs, abUpper, cdUpper));
    result[3].registers[0] = hn::BitCast(tag, hn::InterleaveUpper(pairs, abUpper, cdUpper));
    return result;
}

/// Eight numbers of eight grains, those of a grain one after the other: to[8 i + c] is lane i of columns[c].
template <class T>
[[gnu::always_inline]] inline void storeTransposed(const std::array<Wide<T>, 8>& columns, T* to) {
    if constexpr (Wide<T>::kRegisters == 1) {
        const std::array<Wide<T>, 4> first = interleave4(columns[0], columns[1], columns[2], columns[3]);
        const std::array<Wide<T>, 4> last = interleave4(columns[4], columns[5], columns[6], columns[7]);
        for (std::size_t i = 0; i < 4; ++i) {
            lowerHalves(first[i], last[i]).store(to + 8 * i);
            upperHalves(first[i], last[i]).store(to + 8 * (i + 4));
        }
    } else {
        alignas(64) std::array<T, 32> half;
        for (std::size_t c = 0; c < 8; c += 4) {
            storeInterleaved(columns[c], columns[c + 1], columns[c + 2], columns[c + 3], half.data());
            for (std::size_t i = 0; i < 8; ++i) Quad<T>::load(half.data() + 4 * i).store(to + 8 * i + c);
        }
    }
}
/// The other way: lane i of the c-th result is from[8 i + c].
template <class T>
[[gnu::always_inline]] inline std::array<Wide<T>, 8> loadTransposed(const T* from) {
    std::array<Wide<T>, 8> columns;
    for (std::size_t c = 0; c < 8; c += 4) {
        if constexpr (Wide<T>::kRegisters == 1) {
            const auto rows = [from, c](std::size_t i) { return combine(Quad<T>::load(from + 8 * i + c), Quad<T>::load(from + 8 * (i + 4) + c)); };
            const std::array<Wide<T>, 4> part = interleave4(rows(0), rows(1), rows(2), rows(3));
            for (std::size_t k = 0; k < 4; ++k) columns[c + k] = part[k];
        } else {
            alignas(64) std::array<T, 32> half;
            for (std::size_t i = 0; i < 8; ++i) Quad<T>::load(from + 8 * i + c).store(half.data() + 4 * i);
            loadInterleaved(half.data(), columns[c], columns[c + 1], columns[c + 2], columns[c + 3]);
        }
    }
    return columns;
}

/// Joins the halves of the pack until one lane is left: the same order on every target.
template <class T, int N, class Join>
[[gnu::always_inline]] inline T joinLanes(const Pack<T, N>& a, Join join) {
    if constexpr (N == 1) return hn::GetLane(a.registers[0]);
    else return joinLanes(join(lower(a), upper(a)), join);
}
/// ((a₀+a₄) + (a₂+a₆)) + ((a₁+a₅) + (a₃+a₇)).
template <class T, int N>
[[gnu::always_inline]] inline T sum(const Pack<T, N>& a) {
    return joinLanes(a, [](const auto& x, const auto& y) { return x + y; });
}
template <class T, int N>
[[gnu::always_inline]] inline T minLane(const Pack<T, N>& a) {
    return joinLanes(a, [](const auto& x, const auto& y) { return min(x, y); });
}
template <class T, int N>
[[gnu::always_inline]] inline T maxLane(const Pack<T, N>& a) {
    return joinLanes(a, [](const auto& x, const auto& y) { return max(x, y); });
}

}  // namespace talus
