// SPDX-License-Identifier: Apache-2.0
#include "core/vec.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

constexpr double kTolerance = 1e-14;

Vec3 randomVec(Rng& rng) { return {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; }
Quat randomQuat(Rng& rng) {
    return Quat{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}.normalizedQuat();
}
Mat3 randomMat(Rng& rng) {
    Mat3 a;
    for (double& e : a.m) e = rng.uniform(-1, 1);
    return a;
}
/// Calls check(rng) for many different rngs.
template <class Check>
void forMany(Check check) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
        Rng rng(5, 0, i);
        check(rng);
    }
}

TEST(Vec, productsObeyTheirIdentities) {
    EXPECT_EQ(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}), (Vec3{0, 0, 1}));
    EXPECT_EQ(normalized(Vec3{}, {1, 0, 0}), (Vec3{1, 0, 0}));
    forMany([](Rng& rng) {
        const Vec3 a = randomVec(rng), b = randomVec(rng), c = randomVec(rng);
        EXPECT_NEAR(dot(cross(a, b), a), 0, kTolerance);
        EXPECT_NEAR(normSquared(cross(a, b)) + dot(a, b) * dot(a, b), normSquared(a) * normSquared(b), kTolerance);   // Lagrange
        EXPECT_NEAR(norm(cross(a, cross(b, c)) - (b * dot(a, c) - c * dot(a, b))), 0, kTolerance);
        EXPECT_NEAR(norm(normalized(a)), 1, kTolerance);
    });
}

TEST(Mat, productsTransposesAndDeterminants) {
    forMany([](Rng& rng) {
        const Mat3 a = randomMat(rng), b = randomMat(rng);
        const Vec3 v = randomVec(rng), w = randomVec(rng);
        EXPECT_NEAR(norm((a * b) * v - a * (b * v)), 0, kTolerance);
        EXPECT_NEAR(frobeniusNorm(transpose(a * b) - transpose(b) * transpose(a)), 0, kTolerance);
        EXPECT_NEAR(determinant(a * b), determinant(a) * determinant(b), kTolerance);
        EXPECT_NEAR(trace(a * b), trace(b * a), kTolerance);
        EXPECT_NEAR(norm(Mat3::outer(v, w) * v - v * dot(w, v)), 0, kTolerance);
        EXPECT_NEAR(frobeniusNorm(a) * frobeniusNorm(a), trace(transpose(a) * a), kTolerance);
    });
}

TEST(Mat, inverseUndoes) {
    const Mat3 known{{2, 0, 0, 1, 1, 0, 0, 3, 4}};
    EXPECT_EQ(inverse(known), (Mat3{{0.5, 0, 0, -0.5, 1, 0, 0.375, -0.75, 0.25}}));
    forMany([](Rng& rng) {
        const Mat3 a = randomMat(rng);
        const double condition = frobeniusNorm(a) * frobeniusNorm(inverse(a));
        EXPECT_NEAR(frobeniusNorm(a * inverse(a) - Mat3::identity()), 0, 1e-15 * condition * condition);
        EXPECT_NEAR(frobeniusNorm(inverse(a) * a - Mat3::identity()), 0, 1e-15 * condition * condition);
    });
}

TEST(Quat, turnsByTheRightHandRule) {
    const Quat quarter = Quat::fromAxisAngle({0, 0, 2}, std::numbers::pi / 2);
    EXPECT_NEAR(norm(quarter.rotate({1, 0, 0}) - Vec3{0, 1, 0}), 0, kTolerance);
    EXPECT_EQ(Quat::fromRotationVector({}), Quat{});
    forMany([](Rng& rng) {   // Rodrigues' formula
        const Vec3 axis = normalized(randomVec(rng)), v = randomVec(rng);
        const double angle = rng.uniform(-7, 7);
        const Vec3 expected = v * std::cos(angle) + cross(axis, v) * std::sin(angle) + axis * (dot(axis, v) * (1 - std::cos(angle)));
        EXPECT_NEAR(norm(Quat::fromAxisAngle(axis, angle).rotate(v) - expected), 0, kTolerance);
        EXPECT_NEAR(norm(Quat::fromRotationVector(axis * angle).rotate(v) - expected), 0, kTolerance);
    });
}

TEST(Quat, composesLikeItsMatrix) {
    forMany([](Rng& rng) {
        const Quat p = randomQuat(rng), q = randomQuat(rng);
        const Vec3 v = randomVec(rng);
        EXPECT_NEAR(norm((p * q).rotate(v) - p.rotate(q.rotate(v))), 0, kTolerance);
        EXPECT_NEAR(norm(p.matrix() * v - p.rotate(v)), 0, kTolerance);
        EXPECT_NEAR(frobeniusNorm((p * q).matrix() - p.matrix() * q.matrix()), 0, kTolerance);
        EXPECT_NEAR(frobeniusNorm(p.conjugate().matrix() - transpose(p.matrix())), 0, kTolerance);
        EXPECT_NEAR(determinant(p.matrix()), 1, kTolerance);
        EXPECT_NEAR(norm(p.rotate(v)), norm(v), kTolerance);
    });
}

TEST(RigidTransform, inverseUndoesAndDistancesStay) {
    forMany([](Rng& rng) {
        const RigidTransform transform{randomQuat(rng), randomVec(rng)};
        const Vec3 a = randomVec(rng), b = randomVec(rng);
        EXPECT_NEAR(norm(transform.applyInverse(transform.apply(a)) - a), 0, kTolerance);
        EXPECT_NEAR(norm(transform.apply(transform.applyInverse(a)) - a), 0, kTolerance);
        EXPECT_NEAR(norm(transform.apply(a) - transform.apply(b)), norm(a - b), kTolerance);
    });
    EXPECT_EQ((RigidTransform{{}, {1, 2, 3}}.apply({1, 1, 1})), (Vec3{2, 3, 4}));
}

TEST(Aabb, growsToHoldItsPoints) {
    Aabb box;
    EXPECT_TRUE(box.empty());
    EXPECT_FALSE(box.contains({}));
    box.extend({1, 2, 3});
    box.extend({-1, 4, 0});
    EXPECT_FALSE(box.empty());
    EXPECT_EQ(box.size(), (Vec3{2, 2, 3}));
    EXPECT_EQ(box.centre(), (Vec3{0, 3, 1.5}));
    EXPECT_TRUE(box.contains({1, 2, 3}));
    EXPECT_FALSE(box.contains({1, 2, 3.001}));
}

}  // namespace
}  // namespace talus
