// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/gmres.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace talus::elastoplastic {
namespace {

/// A chain that is not symmetric: stiff springs, masses of 1, and wind along it.
struct Chain {
    double stiffness, wind;

    template <class Real>
    void apply(const AlignedVector<Real>& x, AlignedVector<Real>& y) const {
        const std::size_t n = x.size();
        for (std::size_t i = 0; i < n; ++i) {
            const Real before = i > 0 ? x[i - 1] : Real(0), after = i + 1 < n ? x[i + 1] : Real(0);
            y[i] = x[i] + static_cast<Real>(stiffness) * (2 * x[i] - before - after) + static_cast<Real>(wind) * (x[i] - before);
        }
    }
};

template <class Real>
class GmresTest : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GmresTest, Precisions);

TYPED_TEST(GmresTest, solvesWhatIsNotSymmetricWithRestarts) {
    using Real = TypeParam;
    const Exec exec(2);
    const Chain chain{400, 30};
    AlignedVector<Real> b(5000), x, check(b.size());
    Rng rng(1, 2, 3);
    for (Real& value : b) value = static_cast<Real>(rng.uniform(-1, 1));
    Gmres<Real> gmres;
    const auto apply = [&](const AlignedVector<Real>& from, AlignedVector<Real>& to) { chain.apply(from, to); };
    const auto diagonal = [&](const AlignedVector<Real>& from, AlignedVector<Real>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] / static_cast<Real>(1 + 2 * 400 + 30);
    };
    const auto report = gmres.solve(exec, b, x, 1e-3, 2000, apply, diagonal);
    EXPECT_GT(report.iterations, static_cast<int>(Gmres<Real>::kRestart));   // it went on after a restart
    EXPECT_LT(report.reduction, 1e-3);
    chain.apply(x, check);
    for (std::size_t i = 0; i < b.size(); ++i) check[i] -= b[i];
    EXPECT_LT(Gmres<Real>::norm(exec, check), 1.2e-3 * Gmres<Real>::norm(exec, b));
}

TYPED_TEST(GmresTest, endsWhereTheOperatorMapsToNothing) {
    using Real = TypeParam;
    AlignedVector<Real> b(64, Real(1)), x;
    Gmres<Real> gmres;
    const auto report = gmres.solve(
        Exec(1), b, x, 1e-3, 100, [](const auto&, auto& to) { std::ranges::fill(to, Real(0)); }, [](const auto& from, auto& to) { to = from; });
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.reduction, 1);
    EXPECT_EQ(Gmres<Real>::norm(Exec(1), x), 0);
}

TYPED_TEST(GmresTest, sameBitsForAnyNumberOfThreads) {
    using Real = TypeParam;
    AlignedVector<Real> b(20000), first;
    Rng rng(1, 2, 3);
    for (Real& value : b) value = static_cast<Real>(rng.uniform(-1, 1));
    for (const int threads : {1, 2, 3}) {
        Gmres<Real> gmres;
        AlignedVector<Real> x;
        gmres.solve(
            Exec(threads), b, x, 1e-2, 60, [](const auto& from, auto& to) { Chain{20, 5}.apply(from, to); }, [](const auto& from, auto& to) { to = from; });
        if (first.empty()) first = x;
        EXPECT_EQ(first, x) << threads << " threads";
    }
}

TYPED_TEST(GmresTest, nothingIsSolvedByNothing) {
    using Real = TypeParam;
    Gmres<Real> gmres;
    AlignedVector<Real> b(64), x;
    const auto same = [](const auto& from, auto& to) { to = from; };
    EXPECT_EQ(gmres.solve(Exec(1), b, x, 1e-2, 10, same, same).iterations, 0);
    EXPECT_EQ(x, b);
    b[3] = 2;
    EXPECT_EQ(gmres.solve(Exec(1), b, x, 1e-2, 10, same, same).iterations, 1);
    EXPECT_EQ(x, b);
}

}  // namespace
}  // namespace talus::elastoplastic
