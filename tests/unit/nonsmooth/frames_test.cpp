// SPDX-License-Identifier: Apache-2.0
// Ellipsoids of points, and points that are halved and put together.
#include "geometry/primitives.h"
#include "nonsmooth/frames.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace talus::nonsmooth {
namespace {

constexpr double kWhole = 1e-6;   // volume of a point [m³]

/// Points with frames; masses 1500 kg/m³.
void fill(Points& points, const std::vector<Vec3>& positions, double volume) {
    points.bindTogether();
    points.layFlat();
    points.followVolumes();
    points.resize(positions.size());
    for (std::size_t row = 0; row < positions.size(); ++row) {
        points.setPosition(row, positions[row]);
        points.setVelocity(row, {1 + 0.1 * static_cast<double>(row), -0.5, 0.25});
        points.volume(row) = volume;
        points.mass(row) = 1500 * volume;
        points.id(row) = static_cast<std::int64_t>(row);
        points.frames->set(row, ballOf(volume));
    }
}
struct Sums {
    double mass = 0, volume = 0;
    Vec3 momentum, moment;
};
Sums sumsOf(const Points& points) {
    Sums s;
    for (std::size_t row = 0; row < points.rows(); ++row) {
        s.mass += points.mass(row);
        s.volume += points.volume(row);
        s.momentum += points.mass(row) * points.velocityOf(row);
        s.moment += points.mass(row) * points.positionOf(row);
    }
    return s;
}
void expectSame(const Sums& a, const Sums& b) {
    EXPECT_NEAR(a.mass, b.mass, 1e-15 * a.mass);
    EXPECT_NEAR(a.volume, b.volume, 1e-15 * a.volume);
    EXPECT_LT(norm(a.momentum - b.momentum), 1e-15 * norm(a.momentum));
    EXPECT_LT(norm(a.moment - b.moment), 1e-14 * norm(a.moment) + 1e-20);
}

// Simple shear by γ makes of a ball the ellipsoid with F = r² [1 + γ², γ; γ, 1], in one step or in many.
TEST(Frames, followAShear) {
    Mat3 shear;
    shear(0, 1) = 2;
    for (const int steps : {1, 25}) {
        Points points;
        fill(points, {{0, 0, 0}}, kWhole);
        points.setGradient(0, shear);
        for (int i = 0; i < steps; ++i) stretchFrames(Exec(1), 0.5 / steps, points);
        const SymTensor f = points.frames->tensor(0);
        const double r2 = ballOf(kWhole).xx;
        EXPECT_NEAR(f.xx / r2, 2, 1e-5);
        EXPECT_NEAR(f.xy / r2, 1, 1e-5);
        EXPECT_NEAR(f.yy / r2, 1, 1e-5);
        EXPECT_NEAR(f.zz / r2, 1, 1e-5);
    }
}

// Stretched by s along x and by 1/√s across; the volume stays whatever the gradient says of it.
TEST(Frames, keepTheirVolume) {
    Points points;
    fill(points, {{0, 0, 0}}, kWhole);
    points.setGradient(0, Mat3{{1.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}});
    stretchFrames(Exec(1), 0.6, points);
    const SymTensor f = points.frames->tensor(0);
    EXPECT_NEAR(4.0 / 3 * std::numbers::pi * std::sqrt(f.xx * f.yy * f.zz), kWhole, 1e-5 * kWhole);
    EXPECT_NEAR(f.xx / f.yy, std::exp(2 * 0.6 * 1.0), 1e-4);
}

TEST(Frames, longPointsAreHalvedAndKeepMassAndMomentum) {
    Points points;
    fill(points, {{0.1, 0.2, 0.3}, {0.2, 0.2, 0.3}, {0.3, 0.2, 0.3}}, kWhole);
    const double r = std::sqrt(ballOf(kWhole).xx);
    const double along = 2.2 * r, across = r / std::sqrt(2.2);
    points.frames->set(0, {across * across, along * along, across * across, 0, 0, 0});
    points.frames->set(2, {1.9 * 1.9 * r * r, r * r / 1.9, r * r / 1.9, 0, 0, 0});   // not long enough
    Mat3 gradient;
    gradient(0, 1) = 3;
    points.setGradient(0, gradient);
    points.bonds->strength(0) = 0.5F;
    const Sums before = sumsOf(points);
    std::int64_t nextId = 77;
    const world::Domain domain{{0, 0, 0}, {1, 1, 1}, {}};
    EXPECT_EQ(split(Exec(2), kWhole, {}, domain, nextId, points), 1);
    ASSERT_EQ(points.rows(), 4u);
    EXPECT_EQ(nextId, 78);
    EXPECT_EQ(points.id(0), 0);
    EXPECT_EQ(points.id(3), 77);
    expectSame(before, sumsOf(points));
    EXPECT_NEAR(std::abs(points.positionOf(3).y - points.positionOf(0).y), along, 1e-6 * r);
    EXPECT_NEAR(std::abs(points.velocityOf(3).x - points.velocityOf(0).x), 3 * along, 1e-5 * along);
    EXPECT_EQ(points.bonds->strength(3), 0.5F);
    const SymTensor half = points.frames->tensor(3);
    EXPECT_NEAR(half.yy, 0.25 * along * along, 1e-5 * r * r);
    EXPECT_NEAR(half.xx, across * across, 1e-5 * r * r);
}

TEST(Frames, smallPointsAndThoseBesideBodiesAreNotHalved) {
    const world::Domain domain{{0, 0, 0}, {1, 1, 1}, {}};
    std::int64_t nextId = 1;
    Points small;
    fill(small, {{0.1, 0.1, 0.1}}, 0.2 * kWhole);
    const double r2 = ballOf(0.2 * kWhole).xx;
    small.frames->set(0, {9 * r2, r2 / 3, r2 / 3, 0, 0, 0});
    EXPECT_EQ(split(Exec(1), kWhole, {}, domain, nextId, small), 0);

    const world::Body wall{.name = "wall", .shape = std::make_shared<geometry::Plane>(Vec3{1, 0, 0}, Vec3{0.095, 0, 0}), .motion = {}, .load = {}};
    const std::vector<world::BodySnapshot> bodies{world::BodySnapshot(wall, 0)};
    Points beside;
    fill(beside, {{0.1, 0.1, 0.1}}, kWhole);
    const double s2 = ballOf(kWhole).xx;
    beside.frames->set(0, {9 * s2, s2 / 3, s2 / 3, 0, 0, 0});
    EXPECT_EQ(split(Exec(1), kWhole, bodies, domain, nextId, beside), 0);
    EXPECT_EQ(split(Exec(1), kWhole, {}, domain, nextId, beside), 1);
    EXPECT_EQ(nextId, 2);
}

// A cell with 32 quarters of points where 8 wholes were: pairs become halves, as far as these are round enough. 14 go.
TEST(Frames, crowdedPointsArePutTogether) {
    const mpm::GridFrame frame{{0, 0, 0}, {0.02, 0.02, 0.02}, {}};
    std::vector<Vec3> positions;
    for (int i = 0; i < 32; ++i) positions.push_back({0.02 * (0.1 + 0.2 * (i % 4)) + 1e-5 * i, 0.02 * (0.1 + 0.2 * (i / 4 % 4)), 0.02 * (0.2 + 0.5 * (i / 16)) + 2e-6 * i});
    Points points;
    fill(points, positions, 0.25 * kWhole);
    const Sums before = sumsOf(points);
    std::int64_t went = 0;
    for (int i = 0; i < 6; ++i) {
        points.reorder(Exec(1), cellOrder(Exec(1), frame, points));
        went += merge(Exec(2), frame, kWhole, 8, points);
    }
    EXPECT_EQ(static_cast<std::int64_t>(points.rows()) + went, 32);
    EXPECT_GE(went, 12);
    expectSame(before, sumsOf(points));
    for (std::size_t row = 0; row < points.rows(); ++row) EXPECT_LE(points.volume(row), 1.01 * kWhole);
    for (std::size_t row = 1; row < points.rows(); ++row) EXPECT_LT(points.id(row - 1), points.id(row));
}

}  // namespace
}  // namespace talus::nonsmooth
