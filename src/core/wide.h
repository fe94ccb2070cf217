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
