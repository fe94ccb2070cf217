// SPDX-License-Identifier: Apache-2.0
// Points that are halved and put together.
#include "core/rng.h"
#include "mpm/reseed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace talus::mpm {
namespace {

/// Mass, momentum and affine momentum Σ m (v xᵀ + C D), whose antisymmetric part is angular momentum.
struct Sums {
    double mass = 0;
    Vec3 momentum;
    Mat3 affine;
};
Sums sums(std::initializer_list<Motion> points, const Vec3& perMoment) {
    Sums s;
    const Mat3 moment = Mat3::diagonal({1 / perMoment.x, 1 / perMoment.y, 1 / perMoment.z});
    for (const Motion& m : points) {
        s.mass += m.mass;
        s.momentum += m.mass * m.velocity;
        s.affine += m.mass * (Mat3::outer(m.velocity, m.position) + m.affine * moment);
    }
    return s;
}
void expectEqual(const Sums& a, const Sums& b) {
    EXPECT_NEAR(a.mass, b.mass, 1e-15 * b.mass);
    EXPECT_LT(norm(a.momentum - b.momentum), 1e-14 * (1 + norm(b.momentum)));
    EXPECT_LT(frobeniusNorm(a.affine - b.affine), 1e-14 * (1 + frobeniusNorm(b.affine)));
}

Motion anyMotion(Rng& random) {
    const auto vector = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
    Motion m{random.uniform(0.5, 2), vector(), vector(), {}};
    for (double& c : m.affine.m) c = random.uniform(-3, 3);
    return m;
}

TEST(Reseed, keepsMassMomentumAndAffineMomentum) {
    Rng random(7, 1, 0);
    const Vec3 perMoment{4 / 0.01, 4 / 0.012, 4 / 0.009};
    for (int i = 0; i < 100; ++i) {
        const Motion whole = anyMotion(random), other = anyMotion(random);
        const auto [one, two] = halves(whole, {random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03)}, perMoment);
        expectEqual(sums({one, two}, perMoment), sums({whole}, perMoment));
        const Motion both = joined(whole, other, perMoment);
        expectEqual(sums({both}, perMoment), sums({whole, other}, perMoment));
    }
}

TEST(Reseed, aPointThatWasHalvedBecomesItselfAgain) {
    Rng random(8, 1, 0);
    const Vec3 perMoment{400, 400, 400};
    const Motion whole = anyMotion(random);
    const auto [one, two] = halves(whole, {0.01, 0.02, -0.01}, perMoment);
    const Motion again = joined(two, one, perMoment);
    EXPECT_LT(norm(again.position - whole.position) + norm(again.velocity - whole.velocity) + frobeniusNorm(again.affine - whole.affine), 1e-13);
}

TEST(Reseed, putsTogetherThoseThatAreEachOthersNearest) {
    const std::vector<double> x{0.0, 1.0, 1.4, 5.0, 5.1, 5.15, 9.0};
    const auto joinAll = [&](const auto& fits, const auto& mayJoin) {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        std::vector<std::size_t> gone;
        joinNearest(
            0, x.size(), [&](std::size_t a, std::size_t b) { return (x[a] - x[b]) * (x[a] - x[b]); }, fits,
            [&](std::size_t a, std::size_t b) {
                if (mayJoin(a, b)) pairs.emplace_back(a, b);
                return mayJoin(a, b);
            },
            gone);
        EXPECT_TRUE(std::ranges::is_sorted(gone));
        EXPECT_EQ(gone.size(), pairs.size());
        return pairs;
    };
    using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    const auto always = [](std::size_t, std::size_t) { return true; };
    EXPECT_EQ(joinAll(always, always), (Pairs{{1, 2}, {4, 5}})) << "3 is nearest to nobody when its turn comes, 6 is far from all";
    const auto alike = [](std::size_t a, std::size_t b) { return (a + b) % 2 == 0; };
    EXPECT_EQ(joinAll(alike, always), (Pairs{{0, 2}, {3, 5}, {4, 6}})) << "of even and odd ones among themselves";
    EXPECT_TRUE(joinAll(always, [](std::size_t, std::size_t) { return false; }).empty());
}

TEST(Reseed, findsInOrderWhateverTheThreads) {
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < 1000; i += 7) expected.insert(expected.end(), {i, i});
    for (const int threads : {1, 2, 3})
        EXPECT_EQ(findEach<std::size_t>(Exec(threads), 1000, 16, [](std::size_t i, std::vector<std::size_t>& found) { if (i % 7 == 0) found.insert(found.end(), {i, i}); }), expected);
    EXPECT_TRUE(findEach<int>(Exec(1), 0, 16, [](std::size_t, std::vector<int>&) {}).empty());
}

}  // namespace
}  // namespace talus::mpm
