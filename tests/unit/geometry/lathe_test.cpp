// SPDX-License-Identifier: Apache-2.0
#include "geometry/lathe.h"
#include "geometry/primitives.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <numbers>

namespace talus::geometry {
namespace {

using std::numbers::pi;

void expectSame(const Shape& a, const Shape& b) {
    const Aabb box = grown(a.bounds(), 0.5);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        Rng rng(1, 0, i);
        const Vec3 p{rng.uniform(box.min.x, box.max.x), rng.uniform(box.min.y, box.max.y), rng.uniform(box.min.z, box.max.z)};
        const Surface sa = a.surface(p), sb = b.surface(p);
        EXPECT_NEAR(sa.distance, sb.distance, 1e-12);
        EXPECT_LT(norm(sa.normal - sb.normal), 1e-9);
    }
    EXPECT_NEAR(a.volume(), b.volume(), 1e-12);
    EXPECT_EQ(a.bounds().min, b.bounds().min);
    EXPECT_EQ(a.bounds().max, b.bounds().max);
}

TEST(Lathe, turnsLinesIntoCylinderAndCone) {
    expectSame(Lathe({{0.4, 0}, {0.4, 0.7}}), Cylinder(0.4, 0.7));
    expectSame(Lathe({{0.4, 0.7}, {0.4, 0}}), Cylinder(0.4, 0.7));   // either direction
    expectSame(Lathe({{0, 0}, {0.4, 0}, {0.4, 0.35}, {0.4, 0.35}, {0.4, 0.7}, {0, 0.7}}), Cylinder(0.4, 0.7));
    expectSame(Lathe({{0.5, 0}, {0.2, 0.6}}), Cone(0.5, 0.2, 0.6));
    expectSame(Lathe({{0, 0}, {0.5, 0.6}}), Cone(0, 0.5, 0.6));
}

TEST(Lathe, signHoldsWhereSegmentsContinueStraight) {
    // At a vertex between collinear segments rounding alone decides which of the three is nearest.
    Profile side;
    for (int i = 0; i <= 37; ++i) side.push_back({0.3 + 0.1 * i / 37, 0.9 * i / 37});
    const Lathe lathe(side);
    const double slant = std::hypot(0.1, 0.9);
    for (std::size_t i = 4; i + 4 < side.size(); ++i)   // nearer to the side than to the ends
        for (const double d : {-0.05, 0.05})
            EXPECT_NEAR(lathe.distance({side[i].radius + d * 0.9 / slant, 0, side[i].height - d * 0.1 / slant}), d, 1e-12);
}

TEST(Lathe, smoothProfileIsWithinItsToleranceOfTheCurve) {
    const Profile points{{0.5, 0}, {0.5, 0.3}, {0.05, 0.5}, {0.5, 0.7}, {0.5, 1}};
    const Profile coarse = smoothed(points, 1e-3), fine = smoothed(points, 1e-6);
    EXPECT_LT(coarse.size(), 100u);
    const Lathe polyline(coarse, 1e-9);
    for (const ProfilePoint& p : fine) EXPECT_LT(polyline.distance({p.radius, 0, p.height}), 1e-3);
    const Lathe curve(fine, 1e-9);
    for (const ProfilePoint& p : points) EXPECT_LT(curve.distance({p.radius, 0, p.height}), 1e-9);   // through the points
    for (std::size_t i = 2; i < fine.size(); ++i) {   // no corner left
        const double r1 = fine[i - 1].radius - fine[i - 2].radius, z1 = fine[i - 1].height - fine[i - 2].height;
        const double r2 = fine[i].radius - fine[i - 1].radius, z2 = fine[i].height - fine[i - 1].height;
        EXPECT_LT(std::abs(std::atan2(r1 * z2 - r2 * z1, r1 * r2 + z1 * z2)), 0.1);
    }
    EXPECT_FALSE(crossesItself(fine));
}

TEST(Lathe, smoothCurveMeetsTheAxisAtARightAngle) {
    Profile circle;
    for (int i = 0; i <= 12; ++i)
        circle.push_back({i % 12 == 0 ? 0.0 : 0.5 * std::sin(pi * i / 12), -0.5 * std::cos(pi * i / 12)});
    const Lathe ball(smoothed(circle, 1e-5));
    EXPECT_NEAR(ball.volume() / Sphere(0.5).volume(), 1, 3e-3);
    for (double angle = 0; angle < pi; angle += 0.01) {
        const Vec3 p{0.5 * std::sin(angle), 0, -0.5 * std::cos(angle)};
        EXPECT_NEAR(ball.distance(p), 0, 6e-4);
        EXPECT_GT(dot(ball.surface(1.01 * p).normal, 2.0 * p), 0.995);
    }
}

TEST(Lathe, wallHasThicknessAndRoundEnds) {
    const Lathe pipe({{0.3, 0}, {0.3, 1}}, 0.02);
    EXPECT_NEAR(pipe.distance({0.3, 0, 0.5}), -0.01, 1e-15);
    EXPECT_NEAR(pipe.distance({0, 0.25, 0.5}), 0.04, 1e-15);
    EXPECT_NEAR(pipe.distance({0.3, 0, 1.05}), 0.04, 1e-15);
    EXPECT_EQ(pipe.surface({0, 0.25, 0.5}).normal, (Vec3{0, -1, 0}));
    EXPECT_NEAR(norm(pipe.surface({0.3, 0, 0.5}).normal), 1, 1e-15);
    EXPECT_TRUE(pipe.exact());
}

TEST(Lathe, thinWallVolume) {
    // Straight pipe in closed form: a ring plus two halves of a torus.
    const double t = 0.004;
    EXPECT_NEAR(Lathe({{0.3, 0}, {0.3, 1}}, t).volume(), 2 * pi * 0.3 * t + 2 * pi * 0.3 * pi * t * t / 4, 1e-12);
    // Bends against midpoint quadrature of 2π r over the section.
    const Lathe funnel({{0.1, 0}, {0.1, 0.2}, {0.4, 0.2}, {0.4, 0.5}}, t);
    constexpr double kCell = 2.5e-4;
    double sum = 0;
    for (double r = 0.5 * kCell; r < 0.45; r += kCell)
        for (double z = -0.01 + 0.5 * kCell; z < 0.51; z += kCell)
            if (funnel.distance({r, 0, z}) < 0) sum += 2 * pi * r * kCell * kCell;
    EXPECT_NEAR(funnel.volume() / sum, 1, 2e-3);
}

TEST(Lathe, crossingProfileIsFound) {
    EXPECT_FALSE(crossesItself({{0.5, 0}, {0.2, 0.5}, {0.5, 1}}));
    EXPECT_TRUE(crossesItself({{0.5, 0}, {0.5, 1}, {0.2, 1}, {0.8, 0.5}}));
    EXPECT_TRUE(crossesItself({{0.5, 0}, {0.5, 1}, {0.7, 0.5}}));   // by the line that closes it to the axis
}

}  // namespace
}  // namespace talus::geometry
