// SPDX-License-Identifier: Apache-2.0
#include "core/wide.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus {
namespace {

template <class T>
class WideTest : public ::testing::Test {
protected:
    using W = Wide<T>;
    using Lanes = std::array<T, 8>;
    static constexpr T kInfinity = std::numeric_limits<T>::infinity(), kNaN = std::numeric_limits<T>::quiet_NaN();

    static W wide(const Lanes& lanes) { return W::loadUnaligned(lanes.data()); }
    static Lanes randomLanes(std::uint64_t index) {
        Rng rng(7, 0, index);
        Lanes lanes;
        for (T& lane : lanes) lane = static_cast<T>(rng.uniform(-10, 10));
        return lanes;
    }
    template <class Op>
    static Lanes perLane(Op op, const Lanes& a, const Lanes& b = {}, const Lanes& c = {}) {
        Lanes result;
        for (std::size_t i = 0; i < 8; ++i) result[i] = op(a[i], b[i], c[i]);
        return result;
    }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WideTest, Reals);

TEST(Simd, targetIsTheOneAskedFor) {
    EXPECT_TRUE(cpuSupportsBuild());
#ifdef __AVX2__   // set by -march=x86-64-v3, where Highway would fall back to SSSE3 without -maes -mpclmul
    EXPECT_TRUE(simdTarget().starts_with("AVX"));
    EXPECT_EQ(Wide<float>::kRegisters, 1u);
    EXPECT_LE(Wide<double>::kRegisters, 2u);
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
    EXPECT_EQ(simdTarget(), "AVX2");
#endif
}

TYPED_TEST(WideTest, arithmeticAgreesWithScalarsBitForBit) {
    using T = TypeParam;
    for (std::uint64_t n = 0; n < 1000; ++n) {
        const auto a = this->randomLanes(3 * n), b = this->randomLanes(3 * n + 1), c = this->randomLanes(3 * n + 2);
        const Wide<T> x = this->wide(a), y = this->wide(b), z = this->wide(c);
        const auto expect = [&](const Wide<T>& got, auto op) { EXPECT_EQ(got.lanes(), this->perLane(op, a, b, c)); };
        expect(x + y, [](T p, T q, T) { return p + q; });
        expect(x - y, [](T p, T q, T) { return p - q; });
        expect(x * y, [](T p, T q, T) { return p * q; });
        expect(x / y, [](T p, T q, T) { return p / q; });
        expect(-x, [](T p, T, T) { return -p; });
        expect(T(2) * x + T(1), [](T p, T, T) { return 2 * p + 1; });
        expect(x * y + z, [](T p, T q, T r) { return p * q + r; });   // not fused
        expect(min(x, y), [](T p, T q, T) { return std::min(p, q); });
        expect(max(x, y), [](T p, T q, T) { return std::max(p, q); });
        expect(abs(x), [](T p, T, T) { return std::abs(p); });
        expect(sqrt(abs(x)), [](T p, T, T) { return std::sqrt(std::abs(p)); });
        expect(floor(x), [](T p, T, T) { return std::floor(p); });
        expect(round(x), [](T p, T, T) { return std::nearbyint(p); });
        expect(copysign(x, y), [](T p, T q, T) { return std::copysign(p, q); });
        expect(select(x < y, z, -z), [](T p, T q, T r) { return p < q ? r : -r; });
        expect(select((x <= y) & !(y > z), x, y), [](T p, T q, T r) { return p <= q && !(q > r) ? p : q; });
        expect(select((x >= y) | (x == y) | (y != y), x, y), [](T p, T q, T) { return p >= q ? p : q; });
#ifdef __FMA__
        expect(mulAdd(x, y, z), [](T p, T q, T r) { return std::fma(p, q, r); });
        expect(negMulAdd(x, y, z), [](T p, T q, T r) { return std::fma(-p, q, r); });
#endif
    }
    EXPECT_EQ(round(Wide<T>(T(2.5))).lane(3), T(2));
    EXPECT_EQ(round(Wide<T>(T(-3.5))).lane(3), T(-4));
}

TYPED_TEST(WideTest, masksAnyAndAll) {
    using T = TypeParam;
    for (std::size_t lane = 0; lane < 8; ++lane) {
        std::array<T, 8> a{};
        a[lane] = 1;
        const Wide<T> x = this->wide(a);
        EXPECT_TRUE(any(x > Wide<T>(T(0))));
        EXPECT_FALSE(all(x > Wide<T>(T(0))));
        EXPECT_FALSE(all(x <= Wide<T>(T(0))));
        EXPECT_TRUE(all(x >= Wide<T>(T(0))));
        EXPECT_FALSE(any(x < Wide<T>(T(0))));
        EXPECT_FALSE(any(Wide<T>(this->kNaN) == x));
    }
}

TYPED_TEST(WideTest, lanesJoinInTheDocumentedOrder) {
    using T = TypeParam;
    for (std::uint64_t n = 0; n < 1000; ++n) {
        const auto a = this->randomLanes(n);
        EXPECT_EQ(sum(this->wide(a)), ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])));
        EXPECT_EQ(sum(lower(this->wide(a))), (a[0] + a[2]) + (a[1] + a[3]));
        EXPECT_EQ(minLane(this->wide(a)), *std::min_element(a.begin(), a.end()));
        EXPECT_EQ(maxLane(this->wide(a)), *std::max_element(a.begin(), a.end()));
    }
    EXPECT_EQ(sum(Wide<T>(T(3))), T(24));
}

TYPED_TEST(WideTest, quadsAreHalves) {
    using T = TypeParam;
    const auto a = this->randomLanes(1);
    const Quad<T> low = lower(this->wide(a)), high = upper(this->wide(a));
    EXPECT_EQ(low.lanes(), (std::array<T, 4>{a[0], a[1], a[2], a[3]}));
    EXPECT_EQ(high.lanes(), (std::array<T, 4>{a[4], a[5], a[6], a[7]}));
    EXPECT_EQ(combine(low, high).lanes(), a);
    EXPECT_EQ(combine(high, low).lane(1), a[5]);
    EXPECT_EQ(broadcastLane<0>(low).lanes(), Quad<T>(a[0]).lanes());
    EXPECT_EQ(broadcastLane<1>(low).lanes(), Quad<T>(a[1]).lanes());
    EXPECT_EQ(broadcastLane<2>(low).lanes(), Quad<T>(a[2]).lanes());
    EXPECT_EQ(broadcastLane<3>(low).lanes(), Quad<T>(a[3]).lanes());
    EXPECT_EQ(broadcastLane<6>(this->wide(a)).lanes(), Wide<T>(a[6]).lanes());
}

TYPED_TEST(WideTest, interleavingIsATranspose) {
    using T = TypeParam;
    std::array<std::array<T, 8>, 4> columns;
    for (std::uint64_t c = 0; c < 4; ++c) columns[c] = this->randomLanes(c);
    alignas(64) std::array<T, 32> rows;
    storeInterleaved(this->wide(columns[0]), this->wide(columns[1]), this->wide(columns[2]), this->wide(columns[3]), rows.data());
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(rows[4 * i + c], columns[c][i]);
    Wide<T> x, y, z, w;
    loadInterleaved(rows.data(), x, y, z, w);
    EXPECT_EQ(x.lanes(), columns[0]);
    EXPECT_EQ(y.lanes(), columns[1]);
    EXPECT_EQ(z.lanes(), columns[2]);
    EXPECT_EQ(w.lanes(), columns[3]);
}

TYPED_TEST(WideTest, eightColumnsTranspose) {
    using T = TypeParam;
    std::array<std::array<T, 8>, 8> columns;
    std::array<Wide<T>, 8> wide;
    for (std::uint64_t c = 0; c < 8; ++c) wide[c] = this->wide(columns[c] = this->randomLanes(c));
    alignas(64) std::array<T, 64> rows;
    storeTransposed(wide, rows.data());
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(rows[8 * i + c], columns[c][i]);
    const std::array<Wide<T>, 8> back = loadTransposed(rows.data());
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(back[c].lanes(), columns[c]);
}

TYPED_TEST(WideTest, integersConvertAndGather) {
    using T = TypeParam;
    const std::array<T, 8> a{T(-2.5), T(-1), T(-0.5), T(0), T(0.5), T(1.75), T(1000000), T(7)};
    EXPECT_EQ(toInt(this->wide(a)).lanes(), (std::array<std::int32_t, 8>{-2, -1, 0, 0, 0, 1, 1000000, 7}));
    EXPECT_EQ(toInt(floor(this->wide(a))).lanes(), (std::array<std::int32_t, 8>{-3, -1, -1, 0, 0, 1, 1000000, 7}));
    EXPECT_EQ(convert<T>(toInt(this->wide(a)) + 1).lanes(), (std::array<T, 8>{-1, 0, 1, 1, 1, 2, 1000001, 8}));
    EXPECT_EQ(toInt(Wide<T>(T(3e9))).lane(0), std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(toInt(Wide<T>(T(-3e9))).lane(0), std::numeric_limits<std::int32_t>::min());
    const std::array<std::int32_t, 8> index{5, 0, 3, 3, 99, 41, 2, 7};
    std::vector<T> table(100);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i * i);
    EXPECT_EQ(gather(table.data(), WideInt::loadUnaligned(index.data())).lanes(), (std::array<T, 8>{25, 0, 9, 9, 9801, 1681, 4, 49}));
}

TEST(Wide, floatsAndDoublesConvert) {
    const std::array<float, 8> a{1.5f, -2.25f, 3e10f, 0, 1e-30f, 7, 8, 9};
    const std::array<double, 8> expected{1.5, -2.25, static_cast<double>(3e10f), 0, static_cast<double>(1e-30f), 7, 8, 9};
    const Wide<double> wide = convert<double>(Wide<float>::loadUnaligned(a.data()));
    EXPECT_EQ(wide.lanes(), expected);
    EXPECT_EQ(convert<float>(wide).lanes(), a);
}

/// Error in units of the spacing of T at the exact value.
template <class T>
long double ulps(T got, long double exact) {
    if (std::isinf(got) && static_cast<T>(exact) == got) return 0;
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    return std::abs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
}

/// The largest error of eight-wide `f` against long double `exact` at the arguments argument(0 … count).
template <class T, class F, class Exact, class Argument>
long double worstUlps(F f, Exact exact, Argument argument, std::uint64_t count) {
    long double worst = 0;
    for (std::uint64_t n = 0; n < count; n += 8) {
        std::array<T, 8> a;
        for (std::size_t i = 0; i < 8; ++i) a[i] = argument(n + i);
        const std::array<T, 8> got = f(Wide<T>::loadUnaligned(a.data())).lanes();
        for (std::size_t i = 0; i < 8; ++i) worst = std::max(worst, ulps(got[i], exact(static_cast<long double>(a[i]))));
    }
    return worst;
}

/// Exponents uniform over the whole range, subnormal numbers included.
template <class T>
T anyPositive(std::uint64_t n) {
    using Limits = std::numeric_limits<T>;
    Rng rng(1, 0, n);
    const double exponent = std::floor(rng.uniform(Limits::min_exponent - Limits::digits + 1, Limits::max_exponent));
    return std::max(static_cast<T>(std::ldexp(1 + rng.uniform(), static_cast<int>(exponent) - 1)), Limits::denorm_min());
}

/// From where exp is zero to where it is barely finite.
template <class T>
T anyExponent(std::uint64_t n) {
    const double lowest = 1.02 * std::log(std::numeric_limits<T>::denorm_min());
    const double highest = 0.9999 * std::log(std::numeric_limits<T>::max());
    return static_cast<T>(Rng(3, 0, n).uniform(lowest, highest));
}

// Worst of 2^21 arguments of each kind [ulp], AVX2, float and double:
// log 0.88, 0.87; exp 0.87, 0.87; log1p 1.44, 1.44; expm1 1.51, 1.73.
TYPED_TEST(WideTest, logIsWithinOneUlp) {
    using T = TypeParam;
    constexpr std::uint64_t kCount = 1 << 18;
    const auto logOf = [](const Wide<T>& x) { return log(x); };
    const auto exact = [](long double x) { return std::log(x); };
    const auto nearOne = [](std::uint64_t n) { return static_cast<T>(1 + 0.7 * std::pow(Rng(2, 0, n).uniform(-0.8, 1), 3)); };
    EXPECT_LT(worstUlps<T>(logOf, exact, anyPositive<T>, kCount), 1.0L);
    EXPECT_LT(worstUlps<T>(logOf, exact, nearOne, kCount), 1.0L);

    const std::array<T, 8> a{0, T(-0.0), -1, this->kInfinity, -this->kInfinity, this->kNaN, 1, std::numeric_limits<T>::denorm_min()};
    const auto got = log(this->wide(a)).lanes();
    EXPECT_EQ(got[0], -this->kInfinity);
    EXPECT_EQ(got[1], -this->kInfinity);
    EXPECT_TRUE(std::isnan(got[2]));
    EXPECT_EQ(got[3], this->kInfinity);
    EXPECT_TRUE(std::isnan(got[4]));
    EXPECT_TRUE(std::isnan(got[5]));
    EXPECT_EQ(got[6], T(0));
    EXPECT_NEAR(got[7], std::log(std::numeric_limits<T>::denorm_min()), 1e-4);
}

TYPED_TEST(WideTest, expIsWithinOneUlp) {
    using T = TypeParam;
    constexpr std::uint64_t kCount = 1 << 18;
    const auto expOf = [](const Wide<T>& x) { return exp(x); };
    const auto exact = [](long double x) { return std::exp(x); };
    const auto nearZero = [](std::uint64_t n) { return static_cast<T>(std::pow(Rng(4, 0, n).uniform(-1, 1), 5)); };
    EXPECT_LT(worstUlps<T>(expOf, exact, anyExponent<T>, kCount), 1.0L);
    EXPECT_LT(worstUlps<T>(expOf, exact, nearZero, kCount), 1.0L);

    const std::array<T, 8> a{0, T(-0.0), this->kInfinity, -this->kInfinity, this->kNaN, std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::lowest(), 1};
    const auto got = exp(this->wide(a)).lanes();
    EXPECT_EQ(got[0], T(1));
    EXPECT_EQ(got[1], T(1));
    EXPECT_EQ(got[2], this->kInfinity);
    EXPECT_EQ(got[3], T(0));
    EXPECT_TRUE(std::isnan(got[4]));
    EXPECT_EQ(got[5], this->kInfinity);
    EXPECT_EQ(got[6], T(0));
    EXPECT_NEAR(got[7], std::exp(T(1)), 1e-6);
}

TYPED_TEST(WideTest, log1pKeepsTheDigitsOfSmallArguments) {
    using T = TypeParam;
    constexpr std::uint64_t kCount = 1 << 18;
    const auto log1pOf = [](const Wide<T>& x) { return log1p(x); };
    const auto exact = [](long double x) { return std::log1p(x); };
    const auto tinyNegative = [](std::uint64_t n) { return -std::min(anyPositive<T>(n), 1 / anyPositive<T>(n)) / 2; };
    const auto nearOne = [](std::uint64_t n) { return static_cast<T>(Rng(5, 0, n).uniform(-1, 2)); };
    const auto nearMinusOne = [](std::uint64_t n) {
        return std::max(static_cast<T>(std::pow(Rng(6, 0, n).uniform(), 9) - 1), std::nextafter(T(-1), T(0)));
    };
    EXPECT_LT(worstUlps<T>(log1pOf, exact, anyPositive<T>, kCount), 2.0L);
    EXPECT_LT(worstUlps<T>(log1pOf, exact, tinyNegative, kCount), 2.0L);
    EXPECT_LT(worstUlps<T>(log1pOf, exact, nearOne, kCount), 2.0L);
    EXPECT_LT(worstUlps<T>(log1pOf, exact, nearMinusOne, kCount), 2.0L);

    const std::array<T, 8> a{0, T(-0.0), -1, T(-1.5), this->kInfinity, -this->kInfinity, this->kNaN, std::numeric_limits<T>::max()};
    const auto got = log1p(this->wide(a)).lanes();
    EXPECT_EQ(got[0], T(0));
    EXPECT_EQ(got[1], T(0));
    EXPECT_TRUE(std::signbit(got[1]));
    EXPECT_EQ(got[2], -this->kInfinity);
    EXPECT_TRUE(std::isnan(got[3]));
    EXPECT_EQ(got[4], this->kInfinity);
    EXPECT_TRUE(std::isnan(got[5]));
    EXPECT_TRUE(std::isnan(got[6]));
    EXPECT_LT(ulps(got[7], std::log(static_cast<long double>(a[7]))), 1.0L);
}

TYPED_TEST(WideTest, expm1KeepsTheDigitsOfSmallArguments) {
    using T = TypeParam;
    constexpr std::uint64_t kCount = 1 << 18;
    const auto expm1Of = [](const Wide<T>& x) { return expm1(x); };
    const auto exact = [](long double x) { return std::expm1(x); };
    const auto tiny = [](std::uint64_t n) {
        const T magnitude = std::min(anyPositive<T>(n), 1 / anyPositive<T>(n));
        return n % 2 == 0 ? magnitude : -magnitude;
    };
    const auto nearZero = [](std::uint64_t n) { return static_cast<T>(Rng(4, 0, n).uniform(-3, 3)); };
    EXPECT_LT(worstUlps<T>(expm1Of, exact, anyExponent<T>, kCount), 2.0L);
    EXPECT_LT(worstUlps<T>(expm1Of, exact, tiny, kCount), 2.0L);
    EXPECT_LT(worstUlps<T>(expm1Of, exact, nearZero, kCount), 2.0L);

    const std::array<T, 8> a{0, T(-0.0), this->kInfinity, -this->kInfinity, this->kNaN, std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::lowest(), -std::numeric_limits<T>::denorm_min()};
    const auto got = expm1(this->wide(a)).lanes();
    EXPECT_EQ(got[0], T(0));
    EXPECT_EQ(got[1], T(0));
    EXPECT_TRUE(std::signbit(got[1]));
    EXPECT_EQ(got[2], this->kInfinity);
    EXPECT_EQ(got[3], T(-1));
    EXPECT_TRUE(std::isnan(got[4]));
    EXPECT_EQ(got[5], this->kInfinity);
    EXPECT_EQ(got[6], T(-1));
    EXPECT_EQ(got[7], a[7]);
}

}  // namespace
}  // namespace talus
