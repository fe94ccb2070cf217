// SPDX-License-Identifier: Apache-2.0
// exp and log of packs, after FreeBSD's msun (e_exp.c, e_log.c and their float versions): the same argument reductions and
// polynomials, with branches turned into selects. Below 1 ulp in both precisions over the whole range, subnormal numbers
// included (measured in tests/unit/core/wide_test.cpp). Of those files:
//
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
// Developed at SunPro, a Sun Microsystems, Inc. business.
// Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
#pragma once

#include "core/pack.h"

#include <array>
#include <bit>
#include <limits>

namespace talus {

/// Where the parts of a number are in its bits.
template <class T, class Unsigned>
struct BinaryLayout {
    using Bits = Unsigned;
    static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1, kBias = std::numeric_limits<T>::max_exponent - 1;
    static constexpr Bits kMantissa = (Bits{1} << kMantissaBits) - 1;
    static constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    static constexpr Bits kOne = std::bit_cast<Bits>(T(1)), kSqrtHalf = std::bit_cast<Bits>(T(0.70710678118654752440));
    static constexpr T kWhole = static_cast<T>(Bits{1} << kMantissaBits);   // from here on numbers are whole
    static constexpr Bits kWholeBits = std::bit_cast<Bits>(kWhole);
};

/// The coefficients of the functions. ln 2 = kLn2High + kLn2Low, where k kLn2High is exact for every exponent k.
template <class T>
struct Binary;

template <>
struct Binary<float> : BinaryLayout<float, std::uint32_t> {
    static constexpr float kLn2High = 0x1.62e3p-1f, kLn2Low = 0x1.2fefa2p-17f;
    static constexpr float kExpMin = -104, kExpMax = 89;   // beyond: 0 and infinity
    static constexpr std::array<float, 4> kLog = {0xaaaaaa.0p-24f, 0xccce13.0p-25f, 0x91e9ee.0p-25f, 0xf89e26.0p-26f};
    static constexpr std::array<float, 2> kExp = {1.6666625440e-1f, -2.7667332906e-3f};
};

template <>
struct Binary<double> : BinaryLayout<double, std::uint64_t> {
    static constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
    static constexpr double kExpMin = -746, kExpMax = 710;
    static constexpr std::array<double, 7> kLog = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                                   2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                                   1.479819860511658591e-01};
    static constexpr std::array<double, 5> kExp = {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                                                   -1.65339022054652515390e-06, 4.13813679705723846039e-08};
};

/// op on the bits of each register, read as unsigned integers.
template <class T, int N, class Op>
[[gnu::always_inline]] inline Pack<T, N> onBits(const Pack<T, N>& a, Op op) {
    using Tag = typename Pack<T, N>::Tag;
    using BitsTag = hn::RebindToUnsigned<Tag>;
    return perRegister<Pack<T, N>>([op](auto x) { return hn::BitCast(Tag(), op(BitsTag(), hn::BitCast(BitsTag(), x))); }, a);
}

/// c₀ + c₁ x + c₂ x² + …
template <class T, int N, std::size_t M>
[[gnu::always_inline]] inline Pack<T, N> polynomial(const std::array<T, M>& c, const Pack<T, N>& x) {
    Pack<T, N> sum = c[M - 1];
    for (std::size_t i = M - 1; i-- > 0;) sum = mulAdd(sum, x, c[i]);
    return sum;
}

/// The largest power of two up to |a|; zero where a is subnormal, infinite where it is not finite.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> powerOfTwoBelow(const Pack<T, N>& a) {
    return onBits(a, [](auto d, auto bits) { return hn::And(bits, hn::Set(d, Binary<T>::kExponent)); });
}

/// 2ᵏ for a whole number k in the range of normal exponents: 1.5·2ᵐ + k has k in its lowest bits (m bits of mantissa).
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> exp2Whole(const Pack<T, N>& k) {
    using B = Binary<T>;
    return onBits(k + T(1.5) * B::kWhole, [](auto d, auto bits) {
        return hn::Add(hn::ShiftLeft<B::kMantissaBits>(bits), hn::Set(d, B::kOne));
    });
}

template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> exp(const Pack<T, N>& a) {
    using B = Binary<T>;
    using P = Pack<T, N>;
    // e^a = 2ᵏ e^x, |x| <= ln 2 / 2, x = high - low.
    const P x0 = min(max(a, B::kExpMin), B::kExpMax);
    const P k = round(x0 * T(1.44269504088896340736));
    const P high = negMulAdd(k, B::kLn2High, x0), low = k * B::kLn2Low;
    const P x = high - low;
    const P t = x * x;
    const P c = negMulAdd(t, polynomial(B::kExp, t), x);
    const P y = T(1) - ((low - x * c / (T(2) - c)) - high);
    const P half = floor(k * T(0.5));   // in two factors, each normal, so that the result may be subnormal or infinite
    return select(a == a, y * exp2Whole(half) * exp2Whole(k - half), a);
}

template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> log(const Pack<T, N>& a) {
    using B = Binary<T>;
    using P = Pack<T, N>;
    constexpr T kScale = 4 * B::kWhole;   // makes subnormal numbers normal
    constexpr T kInfinity = std::numeric_limits<T>::infinity();

    // a = 2ᵏ m with m in [√½, √2).
    const auto subnormal = a < P(std::numeric_limits<T>::min());
    const P scaled = select(subnormal, a * kScale, a);
    const P m = onBits(scaled, [](auto d, auto bits) {
        return hn::Add(hn::And(hn::Add(bits, hn::Set(d, B::kOne - B::kSqrtHalf)), hn::Set(d, B::kMantissa)), hn::Set(d, B::kSqrtHalf));
    });
    // The biased exponent e as a number, without integer conversion: the bits of 2ᵐ with e in the mantissa are 2ᵐ + e.
    const P biased = onBits(scaled, [](auto d, auto bits) {
        const auto e = hn::ShiftRight<B::kMantissaBits>(hn::Add(bits, hn::Set(d, B::kOne - B::kSqrtHalf)));
        return hn::Or(e, hn::Set(d, B::kWholeBits));
    });
    const P k = biased - select(subnormal, P(B::kWhole + T(B::kBias + B::kMantissaBits + 2)), B::kWhole + T(B::kBias));

    // ln(1 + f) = f - (f²/2 - s (f²/2 + R(s²))), s = f / (2 + f).
    const P f = m - T(1);
    const P s = f / (T(2) + f);
    const P z = s * s;
    const P halfSquare = T(0.5) * f * f;
    const P r = z * polynomial(B::kLog, z);
    const P result = k * B::kLn2High - ((halfSquare - mulAdd(s, halfSquare + r, k * B::kLn2Low)) - f);
    const P ofPositive = select(a < P(kInfinity), result, kInfinity);
    return select(a > P(T(0)), ofPositive, select(a == P(T(0)), P(-kInfinity), std::numeric_limits<T>::quiet_NaN()));
}

}  // namespace talus
