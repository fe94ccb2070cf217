// SPDX-License-Identifier: Apache-2.0
// exp, expm1, log and log1p of packs, over the whole range: subnormal numbers, zeros, infinities and NaN included.
//
// A power of two is taken out exactly; of the small argument that is left, the leading term of the function is known exactly too, and
// a short polynomial gives the rest, several times smaller. So rounding the rest costs a fraction of an ulp and the last addition
// half of one: exp and log are within 1 ulp, expm1 and log1p within 2 (tests/unit/core/wide_test.cpp measures it).
// The polynomials are minimax. tools/minimax.py computes and prints all constants and the errors of the polynomials.
#pragma once

#include "core/pack.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace talus {

/// Where the parts of a number are in its bits.
template <class T, class Unsigned>
struct BinaryLayout {
    using Bits = Unsigned;
    using Limits = std::numeric_limits<T>;
    static constexpr int kMantissaBits = Limits::digits - 1, kBias = Limits::max_exponent - 1;
    static constexpr Bits kMantissa = (Bits{1} << kMantissaBits) - 1;
    static constexpr Bits kExponent = std::bit_cast<Bits>(Limits::infinity());
    static constexpr Bits kOne = std::bit_cast<Bits>(T(1)), kSqrtHalf = std::bit_cast<Bits>(std::numbers::sqrt2_v<T> / 2);
    static constexpr T kWhole = static_cast<T>(Bits{1} << kMantissaBits);   // from here on numbers are whole
    static constexpr Bits kWholeBits = std::bit_cast<Bits>(kWhole);
    // Beyond these exp is 0 and infinity: a quarter of the least subnormal number, and twice what is already too large.
    static constexpr T kExpMin = T(Limits::min_exponent - Limits::digits - 2) * std::numbers::ln2_v<T>;
    static constexpr T kExpMax = T(Limits::max_exponent + 1) * std::numbers::ln2_v<T>;
};

/// What tools/minimax.py prints. ln 2 = kLn2High + kLn2Low, where k kLn2High is exact for every exponent k.
template <class T>
struct Binary;

template <>
struct Binary<float> : BinaryLayout<float, std::uint32_t> {
    static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
    static constexpr std::array<float, 6> kExp = {0x1p-1f,        0x1.555554p-3f,  0x1.5554b2p-5f,
                                                  0x1.11118ap-7f, 0x1.6d71e6p-10f, 0x1.a032c8p-13f};   // 2^-28.8
    static constexpr std::array<float, 3> kLog = {0x1.55557ap-1f, 0x1.995edp-2f, 0x1.31e0dep-2f};      // 2^-30.2
};

template <>
struct Binary<double> : BinaryLayout<double, std::uint64_t> {
    static constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
    static constexpr std::array<double, 11> kExp = {
        0x1p-1,                0x1.5555555555559p-3,  0x1.555555555553fp-5,  0x1.111111110f6dfp-7,
        0x1.6c16c16c1f054p-10, 0x1.a01a01afd176fp-13, 0x1.a01a017bcef41p-16, 0x1.71ddf88577949p-19,
        0x1.27e536200207ep-22, 0x1.af5e683697084p-26, 0x1.1ee89188d905ep-29};   // 2^-59.9
    static constexpr std::array<double, 7> kLog = {
        0x1.5555555555592p-1, 0x1.999999997fee7p-2, 0x1.24924941e0dc5p-2, 0x1.c71c5216382f8p-3,
        0x1.74663c577c541p-3, 0x1.39a1fb3aadf9ap-3, 0x1.2f02e958f7542p-3};      // 2^-59.3
};

/// op on the bits of each register, read as unsigned integers.
template <class T, int N, class Op>
[[gnu::always_inline]] inline Pack<T, N> onBits(const Pack<T, N>& a, Op op) {
    using Tag = typename Pack<T, N>::Tag;
    using BitsTag = hn::RebindToUnsigned<Tag>;
    return perRegister<Pack<T, N>>([op](auto x) { return hn::BitCast(Tag(), op(BitsTag(), hn::BitCast(BitsTag(), x))); }, a);
}

/// c₀ + c₁ x + c₂ x² + …, even and odd powers apart: two chains of half the length, worked on at the same time.
template <class T, int N, std::size_t M>
[[gnu::always_inline]] inline Pack<T, N> polynomial(const std::array<T, M>& c, const Pack<T, N>& x) {
    const Pack<T, N> square = x * x;
    Pack<T, N> last = c[M - 1], other = c[M - 2];
    for (std::size_t i = M - 2; i-- > 0;) {
        const Pack<T, N> next = mulAdd(last, square, c[i]);
        last = other;
        other = next;
    }
    return mulAdd(last, x, other);
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

/// e^a = 2^(half + rest) (1 + r) with |r| < √2 - 1. The power is in two factors that are both normal numbers, so that the result
/// may be subnormal or infinite.
template <class T, int N>
struct ExpParts {
    Pack<T, N> r, half, rest;
};

/// a = k ln 2 + x, |x| <= ½ ln 2, and r = e^x - 1 = x + x² q(x), where |x² q| <= 0.2 |r|. a - k kLn2High is exact because the two
/// are close to each other; what x then loses when k kLn2Low is taken off goes into the small term.
template <class T, int N>
[[gnu::always_inline]] inline ExpParts<T, N> expParts(const Pack<T, N>& a) {
    using B = Binary<T>;
    using P = Pack<T, N>;
    const P bounded = min(max(a, B::kExpMin), B::kExpMax);
    const P k = round(bounded * std::numbers::log2e_v<T>);
    const P high = negMulAdd(k, B::kLn2High, bounded);
    const P x = negMulAdd(k, B::kLn2Low, high);
    const P lost = negMulAdd(k, B::kLn2Low, high - x);
    // A named half would be copied into the result through memory (GCC 12), which doubles the time of exp in double.
    return {x + mulAdd(x * x, polynomial(B::kExp, x), lost), floor(k * T(0.5)), k - floor(k * T(0.5))};
}

template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> exp(const Pack<T, N>& a) {
    const auto [r, half, rest] = expParts(a);
    const Pack<T, N> power = exp2Whole(half);
    return select(a == a, mulAdd(power, r, power) * exp2Whole(rest), a);
}

/// e^a - 1, with the digits of a small a: there k = 0 and the result is r.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> expm1(const Pack<T, N>& a) {
    const auto [r, half, rest] = expParts(a);
    const Pack<T, N> power = exp2Whole(half);
    const Pack<T, N> result = mulAdd(power, r, power - exp2Whole(-rest)) * exp2Whole(rest);
    return select(abs(a) > Pack<T, N>(T(0)), result, a);   // NaN, and the sign of zero
}

/// a = 2ᵏ (1 + f) with 1 + f in [√½, √2), for finite a > 0.
template <class T, int N>
struct LogParts {
    Pack<T, N> k, f;
};

/// The bits of a number, as an integer, grow with its logarithm: those above the bits of √½ hold k and, below it, 1 + f.
template <class T, int N>
[[gnu::always_inline]] inline LogParts<T, N> logParts(const Pack<T, N>& a) {
    using B = Binary<T>;
    using P = Pack<T, N>;
    constexpr int kShift = B::kMantissaBits + 1;   // makes subnormal numbers normal
    const auto subnormal = a < P(std::numeric_limits<T>::min());
    const P scaled = select(subnormal, a * static_cast<T>(typename B::Bits{1} << kShift), a);
    // 2ᵐ + e as a number, e = k + bias: no conversion from integers is needed, which AVX2 lacks for 64 bits.
    const P biased = onBits(scaled, [](auto d, auto bits) {
        const auto e = hn::ShiftRight<B::kMantissaBits>(hn::Sub(bits, hn::Set(d, B::kSqrtHalf - B::kOne)));
        return hn::Or(e, hn::Set(d, B::kWholeBits));
    });
    const P onePlusF = onBits(scaled, [](auto d, auto bits) {
        const auto above = hn::Sub(bits, hn::Set(d, B::kSqrtHalf));
        return hn::Add(hn::And(above, hn::Set(d, B::kMantissa)), hn::Set(d, B::kSqrtHalf));
    });
    constexpr T kOffset = B::kWhole + T(B::kBias);
    return {biased - select(subnormal, P(kOffset + T(kShift)), kOffset), onePlusF - T(1)};
}

/// With s = f/(2 + f), |s| <= 3 - √8: ln(1 + f) = ln((1 + s)/(1 - s)) = 2s + s z p(z), z = s², the series 2(s + s³/3 + …). As
/// 2s = f - s f, this is f - s (f - z p): f is exact, and what is taken off is at most a fifth of the result, so the rounding
/// of s and of p counts little. k ln 2 comes in without loss: k kLn2High + f = sum + lost exactly, |k| kLn2High being 0 or above |f|.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> log(const Pack<T, N>& a) {
    using B = Binary<T>;
    using P = Pack<T, N>;
    const auto [k, f] = logParts(a);
    const P s = f / (T(2) + f);
    const P z = s * s;
    const P whole = k * B::kLn2High;
    const P sum = whole + f;
    const P lost = f - (sum - whole);
    const P result = sum + negMulAdd(s, negMulAdd(z, polynomial(B::kLog, z), f), mulAdd(k, B::kLn2Low, lost));

    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const P ofPositive = select(a < P(kInfinity), result, kInfinity);
    return select(a > P(T(0)), ofPositive, select(a == P(T(0)), P(-kInfinity), std::numeric_limits<T>::quiet_NaN()));
}

/// ln(1 + a), with the digits of a small a: for u = 1 + a rounded and c what rounding took off, ln(u + c) = ln u + c/u, and the next
/// term, ½ (c/u)², is below the last digit.
template <class T, int N>
[[gnu::always_inline]] inline Pack<T, N> log1p(const Pack<T, N>& a) {
    using P = Pack<T, N>;
    const P u = T(1) + a;
    const P rounded = u - T(1);   // a as u has it; c by Knuth's exact sum, whichever of 1 and a is larger
    const P c = (T(1) - (u - rounded)) + (a - rounded);
    const P result = log(u) + select(abs(c) > P(T(0)), c / u, T(0));   // none at -1, where u = 0, nor at infinity
    return copysign(result, a);   // of zero
}

}  // namespace talus
