// SPDX-License-Identifier: Apache-2.0
// Every shape against brute force: a dense sample of its surface, and points counted inside.
#include "geometry/lathe.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

namespace talus::geometry {
namespace {

using std::numbers::pi;

Vec3 randomPoint(Rng& rng, const Aabb& box) {
    return {rng.uniform(box.min.x, box.max.x), rng.uniform(box.min.y, box.max.y), rng.uniform(box.min.z, box.max.z)};
}

/// A shape as the test knows it, independently of its distance: what is inside. `inside` decides the sign; the surface is found by
/// bisecting along segments between random points, one inside, one outside.
struct Case {
    std::string name;
    ShapePtr shape;
    std::function<bool(const Vec3&)> inside;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

double radial(const Vec3& p) { return std::hypot(p.x, p.y); }
bool insideBox(const Vec3& p, const Vec3& half) {
    return std::abs(p.x) < half.x && std::abs(p.y) < half.y && std::abs(p.z) < half.z;
}
ShapePtr placed(ShapePtr of, const Vec3& position, const Vec3& rotation = {}) {
    return std::make_shared<Placed>(std::move(of), RigidTransform{Quat::fromRotationVector(rotation), position});
}

const Profile kVase{{0.3, 0}, {0.5, 0.2}, {0.15, 0.6}, {0.4, 1.0}};
double vaseRadius(double z) {
    for (std::size_t i = 1; i < kVase.size(); ++i)
        if (z <= kVase[i].height) {
            const double t = (z - kVase[i - 1].height) / (kVase[i].height - kVase[i - 1].height);
            return kVase[i - 1].radius + t * (kVase[i].radius - kVase[i - 1].radius);
        }
    return 0;
}

std::vector<Case> exactCases() {
    const RigidTransform turned{Quat::fromRotationVector({0.3, -0.7, 1.1}), {0.2, -0.1, 0.3}};
    return {
        {"box", std::make_shared<Box>(Vec3{1, 0.6, 0.4}),
         [](const Vec3& p) {
             return insideBox(p, {0.5, 0.3, 0.2});
         }},
        {"roundedBox", std::make_shared<Box>(Vec3{1, 0.6, 0.4}, 0.15),
         [](const Vec3& p) {
             const Vec3 q = max(Vec3{std::abs(p.x) - 0.35, std::abs(p.y) - 0.15, std::abs(p.z) - 0.05}, Vec3{});
             return norm(q) < 0.15;
         }},
        {"sphere", std::make_shared<Sphere>(0.4), [](const Vec3& p) { return norm(p) < 0.4; }},
        {"cylinder", std::make_shared<Cylinder>(0.3, 0.8), [](const Vec3& p) { return radial(p) < 0.3 && p.z > 0 && p.z < 0.8; }},
        {"capsule", std::make_shared<Capsule>(0.2, 0.6),
         [](const Vec3& p) {
             return norm(p - Vec3{0, 0, std::clamp(p.z, -0.3, 0.3)}) < 0.2;
         }},
        {"frustum", std::make_shared<Cone>(0.5, 0.2, 0.6),
         [](const Vec3& p) { return p.z > 0 && p.z < 0.6 && radial(p) < 0.5 - 0.5 * p.z; }},
        {"flaringCone", std::make_shared<Cone>(0.0, 0.5, 0.4),
         [](const Vec3& p) { return p.z > 0 && p.z < 0.4 && radial(p) < 1.25 * p.z; }},
        {"torus", std::make_shared<Torus>(0.5, 0.2), [](const Vec3& p) { return std::hypot(radial(p) - 0.5, p.z) < 0.2; }},
        {"vase", std::make_shared<Lathe>(kVase), [](const Vec3& p) { return p.z > 0 && p.z < 1 && radial(p) < vaseRadius(p.z); }},
        {"twoLobes", std::make_shared<Lathe>(Profile{{0, 1}, {0.4, 0.8}, {0, 0.6}, {0, 0.4}, {0.3, 0.2}, {0, 0}}),
         [](const Vec3& p) {
             return (p.z > 0.6 && p.z < 1 && radial(p) < 0.4 - 2 * std::abs(p.z - 0.8)) ||
                    (p.z > 0 && p.z < 0.4 && radial(p) < 0.3 - 1.5 * std::abs(p.z - 0.2));
         }},
        {"ring", std::make_shared<Lathe>(Profile{{0, 0}, {0.5, 0}, {0.5, 0.5}, {0.3, 0.5}, {0.3, 0.2}, {0, 0.2}}),
         [](const Vec3& p) { return p.z > 0 && radial(p) < 0.5 && (p.z < 0.2 || (p.z < 0.5 && radial(p) > 0.3)); }},
        {"placedFrustum", std::make_shared<Placed>(std::make_shared<Cone>(0.5, 0.2, 0.6), turned),
         [turned](const Vec3& world) {
             const Vec3 p = turned.applyInverse(world);
             return p.z > 0 && p.z < 0.6 && radial(p) < 0.5 - 0.5 * p.z;
         }},
    };
}

std::vector<Case> boundCases() {
    const ShapePtr box = std::make_shared<Box>(Vec3{1, 0.6, 0.4}), ball = std::make_shared<Sphere>(0.35);
    const ShapePtr aside = placed(ball, {0.4, 0.2, 0.1});
    const auto inBox = [](const Vec3& p) { return insideBox(p, {0.5, 0.3, 0.2}); };
    const auto inBall = [](const Vec3& p) { return norm(p - Vec3{0.4, 0.2, 0.1}) < 0.35; };
    const ShapePtr below = std::make_shared<Plane>(Vec3{1, 2, 2}, Vec3{0, 0, 0.1});
    return {
        {"union", std::make_shared<Union>(std::vector{box, aside}), [=](const Vec3& p) { return inBox(p) || inBall(p); }},
        {"intersection", std::make_shared<Intersection>(std::vector{box, aside, below}),
         [=](const Vec3& p) { return inBox(p) && inBall(p) && p.x + 2 * p.y + 2 * p.z < 0.2; }},
        {"difference", std::make_shared<Difference>(box, std::vector{aside, placed(ball, {-0.5, 0, 0})}),
         [=](const Vec3& p) { return inBox(p) && !inBall(p) && norm(p - Vec3{-0.5, 0, 0}) > 0.35; }},
        {"grown", std::make_shared<Offset>(box, 0.1),
         [](const Vec3& p) { return norm(max(Vec3{std::abs(p.x) - 0.5, std::abs(p.y) - 0.3, std::abs(p.z) - 0.2}, Vec3{})) < 0.1; }},
        {"shrunk", std::make_shared<Offset>(box, -0.1), [](const Vec3& p) { return insideBox(p, {0.4, 0.2, 0.1}); }},
        {"mitred", placed(std::make_shared<Offset>(placed(std::make_shared<Intersection>(std::vector{aside, placed(ball, {-0.1, 0.2, 0.1})}), {}, {0, 0, 1}), 0.2), {}, {0, 0, -1}),
         [](const Vec3& p) { return norm(p - Vec3{0.4, 0.2, 0.1}) < 0.55 && norm(p - Vec3{-0.1, 0.2, 0.1}) < 0.55; }},
        {"shell", std::make_shared<Shell>(std::make_shared<Cylinder>(0.3, 0.8), 0.1),
         [](const Vec3& p) {
             const double r = radial(p) - 0.3, z = std::abs(p.z - 0.4) - 0.4;
             return std::hypot(std::max(r, 0.0), std::max(z, 0.0)) < 0.05 && std::max(r, z) > -0.05;
         }},
        {"wall", std::make_shared<Lathe>(Profile{{0.2, 0}, {0.2, 0.3}, {0.5, 0.6}}, 0.08),
         [](const Vec3& p) {
             const double r = radial(p) - 0.2, z = p.z;
             const double pipe = std::hypot(r, z - std::clamp(z, 0.0, 0.3));
             const double t = std::clamp((r + z - 0.3) / 0.6, 0.0, 1.0);
             return std::min(pipe, std::hypot(r - 0.3 * t, z - 0.3 - 0.3 * t)) < 0.04;
         }},
    };
}

Aabb surroundings(const Shape& shape) { return grown(shape.bounds(), 0.3); }

std::vector<Vec3> sampleSurface(const Case& c, std::size_t count) {
    std::vector<Vec3> inside, outside, surface;
    const Aabb box = surroundings(*c.shape);
    for (std::uint64_t i = 0; inside.size() < count || outside.size() < count; ++i) {
        Rng rng(1, 2, i);
        const Vec3 p = randomPoint(rng, box);
        (c.inside(p) ? inside : outside).push_back(p);
    }
    for (std::size_t i = 0; i < count; ++i) {
        Vec3 a = inside[i], b = outside[i];
        for (int step = 0; step < 45; ++step) {
            const Vec3 m = 0.5 * (a + b);
            (c.inside(m) ? a : b) = m;
        }
        surface.push_back(0.5 * (a + b));
    }
    return surface;
}

double bruteForce(const std::vector<Vec3>& surface, const Vec3& p) {
    double square = std::numeric_limits<double>::infinity();
    for (const Vec3& s : surface) square = std::min(square, normSquared(s - p));
    return std::sqrt(square);
}

class ShapeTest : public testing::TestWithParam<Case> {};

TEST_P(ShapeTest, signIsThatOfTheSolidAndBoundsContainIt) {
    const Case& c = GetParam();
    for (std::uint64_t i = 0; i < 20000; ++i) {
        Rng rng(3, 0, i);
        const Vec3 p = randomPoint(rng, surroundings(*c.shape));
        EXPECT_EQ(c.shape->distance(p) < 0, c.inside(p)) << p.x << ' ' << p.y << ' ' << p.z;
        EXPECT_TRUE(!c.inside(p) || c.shape->bounds().contains(p));
    }
}

TEST_P(ShapeTest, distanceIsThatToTheSurfaceOrABound) {
    const Case& c = GetParam();
    const std::vector<Vec3> surface = sampleSurface(c, 20000);
    for (const Vec3& s : surface) EXPECT_NEAR(c.shape->distance(s), 0, 1e-9);
    double worst = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
        Rng rng(4, 0, i);
        const Vec3 p = randomPoint(rng, surroundings(*c.shape));
        const double distance = std::abs(c.shape->distance(p)), truth = bruteForce(surface, p);
        EXPECT_LE(distance, truth + 1e-9);
        worst = std::max(worst, truth - distance);
    }
    // The sample is about 0.02 apart: the nearest sample is at most sqrt(d² + 0.03²) away, and much less on average.
    EXPECT_TRUE(!c.shape->exact() || worst < 0.03) << worst;
}

TEST_P(ShapeTest, normalIsTheUnitGradient) {
    const Case& c = GetParam();
    constexpr double kStep = 1e-6;
    int smooth = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        Rng rng(5, 0, i);
        const Vec3 p = randomPoint(rng, surroundings(*c.shape));
        const Surface s = c.shape->surface(p);
        EXPECT_NEAR(norm(s.normal), 1, 1e-12);
        EXPECT_NEAR(s.distance, c.shape->distance(p), 1e-15);
        Vec3 gradient;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 step;
            step[axis] = kStep;
            gradient[axis] = (c.shape->distance(p + step) - c.shape->distance(p - step)) / (2 * kStep);
        }
        if (norm(gradient) < 1 - 1e-6) continue;   // across the medial axis
        ++smooth;
        EXPECT_LT(norm(gradient - s.normal), 1e-4);
    }
    EXPECT_GT(smooth, 1980);
}

TEST_P(ShapeTest, normalIsDefinedOnAxesAndOnTheSurface) {
    const Case& c = GetParam();
    const Aabb box = surroundings(*c.shape);
    for (int i = 0; i <= 40; ++i) {
        const double z = box.min.z + (box.max.z - box.min.z) * i / 40;
        for (const Vec3& p : {Vec3{0, 0, z}, Vec3{0, 0, 0.05 * i}, Vec3{0.05 * i, 0, 0}})
            EXPECT_NEAR(norm(c.shape->surface(p).normal), 1, 1e-12);
    }
    int agree = 0;
    const std::vector<Vec3> surface = sampleSurface(c, 2000);
    for (const Vec3& p : surface) {
        const Vec3 n = c.shape->surface(p).normal;
        agree += c.shape->distance(p + 1e-7 * n) > 0 && c.shape->distance(p - 1e-7 * n) < 0;
    }
    EXPECT_EQ(agree, 2000);
}

TEST_P(ShapeTest, volumeIsTheShareOfPointsInside) {
    const Case& c = GetParam();
    constexpr int kPerAxis = 160;   // one point in each cell: the error is far below that of independent points
    const Aabb box = c.shape->bounds();
    const Vec3 cell = box.size() / double{kPerAxis};
    int hits = 0;
    for (int i = 0; i < kPerAxis; ++i)
        for (int j = 0; j < kPerAxis; ++j)
            for (int k = 0; k < kPerAxis; ++k) {
                Rng rng(6, 0, static_cast<std::uint64_t>((i * kPerAxis + j) * kPerAxis + k));
                const Vec3 p{i + rng.uniform(), j + rng.uniform(), k + rng.uniform()};
                hits += c.inside(box.min + componentProduct(p, cell));
            }
    const double expected = hits * cell.x * cell.y * cell.z;
    EXPECT_NEAR(c.shape->volume() / expected, 1, 1.5e-3);
}

const auto caseName = [](const testing::TestParamInfo<Case>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Exact, ShapeTest, testing::ValuesIn(exactCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Bound, ShapeTest, testing::ValuesIn(boundCases()), caseName);

TEST(Shape, exactnessIsClaimedWhereItHolds) {
    for (const Case& c : exactCases()) EXPECT_TRUE(c.shape->exact()) << c.name;
    for (const Case& c : boundCases()) EXPECT_FALSE(c.shape->exact()) << c.name;
}

TEST(Shape, planeIsAHalfSpace) {
    const Plane plane({0, 3, 4}, {0, 0, 1});
    EXPECT_NEAR(plane.distance({7, 0, 0}), -0.8, 1e-15);
    EXPECT_NEAR(norm(plane.surface({1, 2, 3}).normal - Vec3{0, 0.6, 0.8}), 0, 1e-15);
    EXPECT_FALSE(plane.bounded());
    EXPECT_EQ(plane.volume(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(Plane({0, 0, 2}, {5, 5, 3}).bounds().max.z, 3);
    EXPECT_EQ(Plane({0, -1, 0}, {5, 5, 3}).bounds().min.y, 5);
    // A quarter turn keeps the finite side finite.
    const ShapePtr wall = placed(std::make_shared<Plane>(Vec3{0, 0, 1}, Vec3{}), {2, 0, 0}, {0, pi / 2, 0});
    EXPECT_NEAR(wall->bounds().max.x, 2, 1e-12);
    EXPECT_EQ(wall->bounds().min.x, -std::numeric_limits<double>::infinity());
    const Intersection cut({wall, placed(std::make_shared<Box>(Vec3{2, 2, 2}), {2, 0, 0})});
    EXPECT_TRUE(cut.bounded());
    EXPECT_NEAR(cut.volume(), 4, 4e-3);
}

TEST(Shape, volumesInClosedForm) {
    EXPECT_DOUBLE_EQ(Box({1, 2, 3}).volume(), 6);
    EXPECT_NEAR(Box({2, 2, 2}, 1).volume(), 4 * pi / 3, 1e-12);
    EXPECT_DOUBLE_EQ(Sphere(2).volume(), 32 * pi / 3);
    EXPECT_DOUBLE_EQ(Cylinder(2, 3).volume(), 12 * pi);
    EXPECT_DOUBLE_EQ(Cone(3, 0, 2).volume(), 6 * pi);
    EXPECT_DOUBLE_EQ(Torus(2, 0.5).volume(), pi * pi);
    EXPECT_NEAR(Capsule(1, 2).volume(), 2 * pi + 4 * pi / 3, 1e-12);
    EXPECT_EQ(Offset(std::make_shared<Sphere>(1), -2).volume(), 0);
    const ShapePtr ball = std::make_shared<Sphere>(0.5);
    EXPECT_NEAR(Shell(ball, 0.02).volume() / (4 * pi / 3 * (std::pow(0.51, 3) - std::pow(0.49, 3))), 1, 1e-3);
    EXPECT_NEAR(Offset(ball, 0.5).volume() / (4 * pi / 3), 1, 1e-3);
}

TEST(Shape, batchEqualsSingleQueries) {
    for (const std::vector<Case>& cases : {exactCases(), boundCases()})
        for (const Case& c : cases) {
            std::vector<Vec3> points;
            for (std::uint64_t i = 0; i < 300; ++i) {
                Rng rng(7, 0, i);
                points.push_back(randomPoint(rng, surroundings(*c.shape)));
            }
            std::vector<Surface> out(points.size());
            c.shape->surfaces(points, out);
            for (std::size_t i = 0; i < points.size(); ++i) {
                ASSERT_EQ(out[i].distance, c.shape->surface(points[i]).distance) << c.name;
                ASSERT_EQ(out[i].normal, c.shape->surface(points[i]).normal) << c.name;
            }
        }
}

}  // namespace
}  // namespace talus::geometry
