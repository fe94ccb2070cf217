// SPDX-License-Identifier: Apache-2.0
#include "geometry/sampling.h"
#include "geometry/lathe.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace talus::geometry {
namespace {

ShapePtr hourglass() {
    return std::make_shared<Lathe>(smoothed({{0.3, 0}, {0.3, 0.3}, {0.04, 0.5}, {0.3, 0.7}, {0.3, 1}}, 1e-4));
}
/// Two balls apart: what starts in one of them does not reach the other.
ShapePtr twoBalls() {
    const ShapePtr ball = std::make_shared<Sphere>(0.2);
    return std::make_shared<Union>(std::vector<ShapePtr>{ball, std::make_shared<Placed>(ball, RigidTransform{{}, {1, 0, 0}})});
}

double nearest(const std::vector<Vec3>& points, const Vec3& p) {
    double square = std::numeric_limits<double>::infinity();
    for (const Vec3& q : points) square = std::min(square, normSquared(q - p));
    return std::sqrt(square);
}

TEST(Lattice, fillsABoxExactly) {
    const Placed box(std::make_shared<Box>(Vec3{1, 0.5, 0.25}), {{}, {0.5, 0.25, 0.125}});
    const std::vector<Vec3> points = subcellLattice(box, {0.125, 0.125, 0.125}, {0, 0, 0}, 2);
    ASSERT_EQ(points.size(), 16u * 8u * 4u);
    std::size_t n = 0;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 16; ++i, ++n) EXPECT_EQ(points[n], (0.0625 * Vec3{i + 0.5, j + 0.5, k + 0.5}));
}

TEST(Lattice, skipsNothingAndAddsNothing) {
    const ShapePtr shape = hourglass();
    const Vec3 spacing{0.02, 0.03, 0.025}, origin{0.001, -7.003, 2.002};
    const std::vector<Vec3> points = lattice(*shape, spacing, origin);
    std::size_t expected = 0;
    for (int i = -20; i <= 20; ++i)
        for (int j = 220; j <= 250; ++j)
            for (int k = -85; k <= -35; ++k)
                expected += shape->distance(origin + componentProduct({double(i), double(j), double(k)}, spacing)) < 0;
    EXPECT_EQ(points.size(), expected);
    for (const Vec3& p : points) EXPECT_LT(shape->distance(p), 0);
}

TEST(Jittered, countIsTheVolumeWithinItsStatistics) {
    const ShapePtr shape = hourglass();
    const Vec3 cell{0.02, 0.02, 0.02};
    double sum = 0;
    constexpr int kSeeds = 20;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const std::vector<Vec3> points = jittered(*shape, cell, {0, 0, 0}, {seed});
        for (const Vec3& p : points) ASSERT_LT(shape->distance(p), 0);
        sum += static_cast<double>(points.size());
    }
    // Only cut cells are uncertain: about (area / cell²) of them, with a variance of at most 1/4 each.
    const double expected = shape->volume() / (cell.x * cell.y * cell.z), cut = 2 * 3.0 / (cell.x * cell.x);
    EXPECT_NEAR(sum / kSeeds, expected, 4 * std::sqrt(0.25 * cut / kSeeds));
}

TEST(Jittered, neighboursMeetWithoutGapOrOverlap) {
    const auto part = [](double height, double base) {
        return Placed(std::make_shared<Box>(Vec3{1, 1, height}), {{}, {0.5, 0.5, base + 0.5 * height}});
    };
    const Vec3 cell{0.1, 0.1, 0.1};
    const std::size_t whole = jittered(part(1, 0), cell, {}, {3}).size();
    EXPECT_EQ(whole, 1000u);
    EXPECT_EQ(jittered(part(0.37, 0), cell, {}, {3}).size() + jittered(part(0.63, 0.37), cell, {}, {3}).size(), whole);
}

TEST(PoissonDisk, keepsItsDistanceAndLeavesNoHoles) {
    for (const ShapePtr& shape : {hourglass(), twoBalls()}) {
        const double distance = 0.03;
        const std::vector<Vec3> points = poissonDisk(*shape, distance, {5});
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_LT(shape->distance(points[i]), 0);
            for (std::size_t j = 0; j < i; ++j) ASSERT_GE(norm(points[i] - points[j]), distance);
        }
        EXPECT_GT(static_cast<double>(points.size()) * distance * distance * distance / shape->volume(), 0.6);
        int probes = 0, holes = 0, roomy = 0;
        const Aabb box = shape->bounds();
        for (std::uint64_t i = 0; probes < 10000; ++i) {
            Rng rng(9, 0, i);
            const Vec3 p{rng.uniform(box.min.x, box.max.x), rng.uniform(box.min.y, box.max.y), rng.uniform(box.min.z, box.max.z)};
            if (shape->distance(p) >= 0) continue;
            ++probes;
            const double gap = nearest(points, p);
            holes += gap > 2 * distance;
            roomy += gap > distance;   // another point would have fitted
        }
        EXPECT_EQ(holes, 0);
        EXPECT_LT(roomy, 100);
    }
}

TEST(Sampling, seedAndStreamDecide) {
    const ShapePtr shape = twoBalls();
    const Vec3 cell{0.05, 0.05, 0.05};
    EXPECT_EQ(jittered(*shape, cell, {}, {1, 2}), jittered(*shape, cell, {}, {1, 2}));
    EXPECT_NE(jittered(*shape, cell, {}, {1, 2}), jittered(*shape, cell, {}, {2, 2}));
    EXPECT_NE(jittered(*shape, cell, {}, {1, 2}), jittered(*shape, cell, {}, {1, 3}));
    EXPECT_EQ(poissonDisk(*shape, 0.05, {1, 2}), poissonDisk(*shape, 0.05, {1, 2}));
    EXPECT_NE(poissonDisk(*shape, 0.05, {1, 2}), poissonDisk(*shape, 0.05, {2, 2}));
    EXPECT_NE(poissonDisk(*shape, 0.05, {1, 2}), poissonDisk(*shape, 0.05, {1, 3}));
}

TEST(Sampling, needsABoundedShapeAndFillsAnEmptyOneWithNothing) {
    const Plane plane({0, 0, 1}, {});
    EXPECT_THROW(lattice(plane, {1, 1, 1}, {}), std::invalid_argument);
    EXPECT_THROW(jittered(plane, {1, 1, 1}, {}, {1}), std::invalid_argument);
    EXPECT_THROW(poissonDisk(plane, 1, {1}), std::invalid_argument);
    const Offset nothing(std::make_shared<Sphere>(1), -2);
    EXPECT_TRUE(lattice(nothing, {0.1, 0.1, 0.1}, {}).empty());
    EXPECT_TRUE(jittered(nothing, {0.1, 0.1, 0.1}, {}, {1}).empty());
    EXPECT_TRUE(poissonDisk(nothing, 0.1, {1}).empty());
}

}  // namespace
}  // namespace talus::geometry
