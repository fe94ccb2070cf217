// SPDX-License-Identifier: Apache-2.0
// Columns of three or four numbers a row, the rows side by side: eight rows at a time.
#pragma once

#include "core/wide_mat.h"

#include <cstring>

namespace talus {

/// (x, y, z) of eight rows, one after the other.
template <class T>
[[gnu::always_inline]] inline WideVec3<T> loadTriples(const T* from) {
    using W = Wide<T>;
    WideVec3<T> v;
    for (std::size_t i = 0; i < W::kRegisters; ++i)
        hn::LoadInterleaved3(typename W::Tag(), from + 3 * i * W::kPerRegister, v.x.registers[i], v.y.registers[i], v.z.registers[i]);
    return v;
}
template <class T>
[[gnu::always_inline]] inline void storeTriples(const WideVec3<T>& v, T* to) {
    using W = Wide<T>;
    for (std::size_t i = 0; i < W::kRegisters; ++i)
        hn::StoreInterleaved3(v.x.registers[i], v.y.registers[i], v.z.registers[i], typename W::Tag(), to + 3 * i * W::kPerRegister);
}

/// The lower halves of eight doubles.
[[gnu::always_inline]] inline Wide<float> lowerHalves(const Wide<double>& a) {
    Wide<float> low;
    if constexpr (Wide<double>::kRegisters == 2 && Wide<float>::kRegisters == 1) {
        const typename Wide<float>::Tag tag;
        low.registers[0] = hn::ConcatEven(tag, hn::BitCast(tag, a.registers[1]), hn::BitCast(tag, a.registers[0]));
    } else {
        const std::array<double, 8> numbers = a.lanes();
        std::array<float, 8> halves;
        for (std::size_t i = 0; i < 8; ++i) std::memcpy(&halves[i], &numbers[i], sizeof(float));   // little-endian
        low = Wide<float>::loadUnaligned(halves.data());
    }
    return low;
}

}  // namespace talus
