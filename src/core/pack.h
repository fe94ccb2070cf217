// SPDX-License-Identifier: Apache-2.0
// N numbers worked on together: the SIMD type behind core/wide.h, the only place that names Highway. A pack has the same
// lanes on every target, held in as many native registers as they need: with AVX2 eight floats are 1x8 and eight doubles
// 2x4; with SSE4 they are 2x4 and 4x2; on the plainest target 8x1. The target is chosen at compile time (Highway's static dispatch).
//
// Nothing is fused unless mulAdd or negMulAdd says so, and where the target has FMA these always are.
#pragma once

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace talus {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, int N>
struct Pack;

/// One truth value per lane of a Pack<T, N>.
template <class T, int N>
struct PackMask {
    using Tag = hn::CappedTag<T, N>;
    static constexpr std::size_t kRegisters = N / hn::MaxLanes(Tag());
    std::array<hn::Mask<Tag>, kRegisters> registers;
};

template <class Result, class Op, class... Packs>
[[gnu::always_inline]] inline Result perRegister(Op op, const Packs&... packs) {
    Result result;
    for (std::size_t i = 0; i < Result::kRegisters; ++i) result.registers[i] = op(packs.registers[i]...);
    return result;
}

template <class T, int N>
[[gnu::always_inline]] inline PackMask<T, N> operator&(const PackMask<T, N>& a, const PackMask<T, N>& b) {
    return perRegister<PackMask<T, N>>([](auto x, auto y) { return hn::And(x, y); }, a, b);
}
template <class T, int N>
[[gnu::always_inline]] inline PackMask<T, N> operator|(const PackMask<T, N>& a, const PackMask<T, N>& b) {
    return perRegister<PackMask<T, N>>([](auto x, auto y) { return hn::Or(x, y); }, a, b);
}
template <class T, int N>
[[gnu::always_inline]] inline PackMask<T, N> operator!(const PackMask<T, N>& a) {
    return perRegister<PackMask<T, N>>([](auto x) { return hn::Not(x); }, a);
}
template <class T, int N>
[[gnu::always_inline]] inline bool any(const PackMask<T, N>& a) {
    auto joined = a.registers[0];
    for (std::size_t i = 1; i < a.kRegisters; ++i) joined = hn::Or(joined, a.registers[i]);
    return !hn::AllFalse(hn::CappedTag<T, N>(), joined);
}
template <class T, int N>
[[gnu::always_inline]] inline bool all(const PackMask<T, N>& a) {
    auto joined = a.registers[0];
    for (std::size_t i = 1; i < a.kRegisters; ++i) joined = hn::And(joined, a.registers[i]);
    return hn::AllTrue(hn::CappedTag<T, N>(), joined);
}

/// N lanes of float, double or int32. Every function takes a number where it takes a pack, meaning that number in all lanes.
template <class T, int N>
struct Pack {
    using Tag = hn::CappedTag<T, N>;
    using Mask = PackMask<T, N>;
    static constexpr int kLanes = N;
    static constexpr std::size_t kPerRegister = hn::MaxLanes(Tag());
    static constexpr std::size_t kRegisters = N / kPerRegister;

    std::array<hn::Vec<Tag>, kRegisters> registers;

    Pack() = default;
    [[gnu::always_inline]] Pack(T value) {   // NOLINT(google-explicit-constructor): numbers mix with packs
        for (auto& r : registers) r = hn::Set(Tag(), value);
    }

    /// From memory aligned to N numbers.
    [[gnu::always_inline]] static Pack load(const T* from) {
        Pack a;
        for (std::size_t i = 0; i < kRegisters; ++i) a.registers[i] = hn::Load(Tag(), from + i * kPerRegister);
        return a;
    }
    [[gnu::always_inline]] static Pack loadUnaligned(const T* from) {
        Pack a;
        for (std::size_t i = 0; i < kRegisters; ++i) a.registers[i] = hn::LoadU(Tag(), from + i * kPerRegister);
        return a;
    }
    [[gnu::always_inline]] void store(T* to) const {
        for (std::size_t i = 0; i < kRegisters; ++i) hn::Store(registers[i], Tag(), to + i * kPerRegister);
    }
    [[gnu::always_inline]] void storeUnaligned(T* to) const {
        for (std::size_t i = 0; i < kRegisters; ++i) hn::StoreU(registers[i], Tag(), to + i * kPerRegister);
    }

    /// Through memory: slow, for tests and rare lanes.
    std::array<T, N> lanes() const {
        std::array<T, N> values;
        storeUnaligned(values.data());
        return values;
    }
    T lane(int i) const { return lanes()[static_cast<std::size_t>(i)]; }

    [[gnu::always_inline]] friend Pack operator+(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Add(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack operator-(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Sub(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack operator*(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Mul(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack operator/(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Div(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack operator-(const Pack& a) {
        return perRegister<Pack>([](auto x) { return hn::Neg(x); }, a);
    }
    [[gnu::always_inline]] Pack& operator+=(const Pack& b) { return *this = *this + b; }
    [[gnu::always_inline]] Pack& operator-=(const Pack& b) { return *this = *this - b; }
    [[gnu::always_inline]] Pack& operator*=(const Pack& b) { return *this = *this * b; }
    [[gnu::always_inline]] Pack& operator/=(const Pack& b) { return *this = *this / b; }

    /// a b + c, rounded once.
    [[gnu::always_inline]] friend Pack mulAdd(const Pack& a, const Pack& b, const Pack& c) {
        return perRegister<Pack>([](auto x, auto y, auto z) { return hn::MulAdd(x, y, z); }, a, b, c);
    }
    /// c - a b, rounded once.
    [[gnu::always_inline]] friend Pack negMulAdd(const Pack& a, const Pack& b, const Pack& c) {
        return perRegister<Pack>([](auto x, auto y, auto z) { return hn::NegMulAdd(x, y, z); }, a, b, c);
    }
    /// Where a or b is NaN, min and max give b.
    [[gnu::always_inline]] friend Pack min(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Min(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack max(const Pack& a, const Pack& b) {
        return perRegister<Pack>([](auto x, auto y) { return hn::Max(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Pack abs(const Pack& a) {
        return perRegister<Pack>([](auto x) { return hn::Abs(x); }, a);
    }
    [[gnu::always_inline]] friend Pack sqrt(const Pack& a) {
        return perRegister<Pack>([](auto x) { return hn::Sqrt(x); }, a);
    }
    [[gnu::always_inline]] friend Pack floor(const Pack& a) {
        return perRegister<Pack>([](auto x) { return hn::Floor(x); }, a);
    }
    /// To the nearest whole number, halves to the even one.
    [[gnu::always_inline]] friend Pack round(const Pack& a) {
        return perRegister<Pack>([](auto x) { return hn::Round(x); }, a);
    }
    [[gnu::always_inline]] friend Pack copysign(const Pack& magnitude, const Pack& sign) {
        return perRegister<Pack>([](auto x, auto y) { return hn::CopySign(x, y); }, magnitude, sign);
    }

    [[gnu::always_inline]] friend Mask operator<(const Pack& a, const Pack& b) {
        return perRegister<Mask>([](auto x, auto y) { return hn::Lt(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Mask operator<=(const Pack& a, const Pack& b) {
        return perRegister<Mask>([](auto x, auto y) { return hn::Le(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Mask operator>(const Pack& a, const Pack& b) { return b < a; }
    [[gnu::always_inline]] friend Mask operator>=(const Pack& a, const Pack& b) { return b <= a; }
    [[gnu::always_inline]] friend Mask operator==(const Pack& a, const Pack& b) {
        return perRegister<Mask>([](auto x, auto y) { return hn::Eq(x, y); }, a, b);
    }
    [[gnu::always_inline]] friend Mask operator!=(const Pack& a, const Pack& b) {
        return perRegister<Mask>([](auto x, auto y) { return hn::Ne(x, y); }, a, b);
    }
    /// Per lane: condition ? yes : no.
    [[gnu::always_inline]] friend Pack select(const Mask& condition, const Pack& yes, const Pack& no) {
        return perRegister<Pack>([](auto m, auto x, auto y) { return hn::IfThenElse(m, x, y); }, condition, yes, no);
    }
};

// Combine and UpperHalf are unqualified because the target of one-lane registers, which needs neither, lacks them.

/// The lanes of a, then those of b.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, 2 * N> combine(const Pack<T, N>& a, const Pack<T, N>& b) {
    using Both = Pack<T, 2 * N>;
    Both both;
    if constexpr (Both::kRegisters == 1) {
        both.registers[0] = Combine(typename Both::Tag(), b.registers[0], a.registers[0]);
    } else {
        for (std::size_t i = 0; i < Both::kRegisters / 2; ++i) {
            both.registers[i] = a.registers[i];
            both.registers[i + Both::kRegisters / 2] = b.registers[i];
        }
    }
    return both;
}
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N / 2> lower(const Pack<T, N>& a) {
    using Half = Pack<T, N / 2>;
    Half half;
    if constexpr (Pack<T, N>::kRegisters == 1) half.registers[0] = hn::LowerHalf(typename Half::Tag(), a.registers[0]);
    else for (std::size_t i = 0; i < Half::kRegisters; ++i) half.registers[i] = a.registers[i];
    return half;
}
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N / 2> upper(const Pack<T, N>& a) {
    using Half = Pack<T, N / 2>;
    Half half;
    if constexpr (Pack<T, N>::kRegisters == 1) half.registers[0] = UpperHalf(typename Half::Tag(), a.registers[0]);
    else for (std::size_t i = 0; i < Half::kRegisters; ++i) half.registers[i] = a.registers[Half::kRegisters + i];
    return half;
}

/// The first halves of a and b, one after the other, and the second halves.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> lowerHalves(const Pack<T, N>& a, const Pack<T, N>& b) {
    if constexpr (Pack<T, N>::kRegisters == 1) return perRegister<Pack<T, N>>([](auto x, auto y) { return hn::ConcatLowerLower(typename Pack<T, N>::Tag(), y, x); }, a, b);
    else return combine(lower(a), lower(b));
}
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> upperHalves(const Pack<T, N>& a, const Pack<T, N>& b) {
    if constexpr (Pack<T, N>::kRegisters == 1) return perRegister<Pack<T, N>>([](auto x, auto y) { return hn::ConcatUpperUpper(typename Pack<T, N>::Tag(), y, x); }, a, b);
    else return combine(upper(a), upper(b));
}

/// Lane by lane to another type; to int32 towards zero, beyond its range to the nearest end.
template <class To, class From, int N>
[[gnu::always_inline]] inline Pack<To, N> convert(const Pack<From, N>& a) {
    using Out = Pack<To, N>;
    using In = Pack<From, N>;
    if constexpr (sizeof(To) == sizeof(From)) {
        return perRegister<Out>([](auto x) { return hn::ConvertTo(typename Out::Tag(), x); }, a);
    } else if constexpr (Out::kRegisters == 1 && In::kRegisters == 1) {   // registers of different size
        return perRegister<Out>([](auto x) {
            if constexpr (sizeof(To) > sizeof(From)) return hn::PromoteTo(typename Out::Tag(), x);
            else return hn::DemoteTo(typename Out::Tag(), x);
        }, a);
    } else {
        return combine(convert<To>(lower(a)), convert<To>(upper(a)));
    }
}

}  // namespace talus
