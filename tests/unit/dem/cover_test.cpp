// SPDX-License-Identifier: Apache-2.0
#include "dem/cover.h"

#include "core/rng.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus::dem {
namespace {

constexpr double kSpacing = 0.05;

Vec3 nearest(Vec3 d, const CoverPlace& place) {
    for (int axis = 0; axis < 3; ++axis)
        if (const double length = place.box.max[axis] - place.box.min[axis]; place.periodic[static_cast<std::size_t>(axis)]) d[axis] -= length * std::round(d[axis] / length);
    return d;
}
double closest(const Vec3& x, const std::vector<Vec3>& points, const CoverPlace& place, std::size_t but) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < points.size(); ++j)
        if (j != but) least = std::min(least, norm(nearest(x - points[j], place)));
    return least;
}

/// Neighbours are equally far apart, every point of the surface has one near, and all lie at the depth.
void expectEven(const char* name, const CoverPlace& place, double depth, double area) {
    const std::vector<Vec3> points = evenPoints(place, depth, kSpacing);
    ASSERT_GT(points.size(), 20u) << name;
    double sum = 0, squares = 0, least = 1e9;
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_NEAR(place.shape.distance(points[i]), -depth, 1e-3 * kSpacing) << name;
        const double d = closest(points[i], points, place, i) / kSpacing;
        sum += d;
        squares += d * d;
        least = std::min(least, d);
    }
    const auto n = static_cast<double>(points.size());
    const double mean = sum / n, spread = std::sqrt(squares / n - mean * mean) / mean;
    CoverPlace other = place;
    other.seed = 77;
    double widest = 0;
    for (const Vec3& x : scatteredPoints(other, depth, 0.2 * kSpacing, 0.35)) widest = std::max(widest, closest(x, points, place, points.size()) / kSpacing);
    std::printf("    %-8s %zu points, %.2f of those of a hexagonal lattice; nearest neighbour %.3f +- %.1f %%, at least %.3f; gaps %.3f of the spacing\n", name, points.size(),
                n * kSpacing * kSpacing * std::sqrt(0.75) / area, mean, 100 * spread, least, widest);
    EXPECT_LT(spread, 0.15) << name;
    EXPECT_GT(least, 0.5) << name;
    EXPECT_LT(widest, kCoverReach) << name;
}

TEST(Cover, isEvenAndClosed) {
    const geometry::Sphere sphere(0.4);
    expectEven("sphere", {sphere, sphere.bounds()}, 0.05, 4 * std::numbers::pi * 0.35 * 0.35);
    const geometry::Box box({0.5, 0.4, 0.3});
    expectEven("box", {box, box.bounds()}, 0.02, 2 * (0.46 * 0.36 + 0.46 * 0.26 + 0.36 * 0.26));
    const geometry::Torus torus(0.3, 0.1);
    expectEven("torus", {torus, torus.bounds()}, 0.02, 4 * std::numbers::pi * std::numbers::pi * 0.3 * 0.08);
    const geometry::Plane plane({0, 0, 1}, {});
    expectEven("plane", {plane, {{0, 0, -0.3}, {0.8, 0.6, 0.3}}, {true, true, false}}, 0.02, 0.8 * 0.6);
}

TEST(Cover, scattersSpheresThatDoNotOverlap) {
    const geometry::Plane plane({0, 0, 1}, {});
    const CoverPlace place{plane, {{0, 0, -0.3}, {0.8, 0.6, 0.3}}, {true, true, false}};
    const std::vector<Vec3> points = scatteredPoints(place, 0.01, 0.02, 0.3);
    double least = 1;
    for (std::size_t i = 0; i < points.size(); ++i) least = std::min(least, closest(points[i], points, place, i));
    EXPECT_GE(least, 0.02);
    const double share = static_cast<double>(points.size()) * std::numbers::pi * 1e-4 / 0.48;
    std::printf("    share %.3f of 0.3\n", share);
    EXPECT_NEAR(share, 0.3, 0.05);   // candidates are spread more evenly than by chance, so that more of them find room
}

world::World boxAndFloor() {
    world::World world;
    world.domain.max = {1, 1, 1};
    world.domain.faces[0] = world.domain.faces[1] = world::FaceType::periodic;
    world.bodies = world::domainFaces(world.domain);
    world::Body box{.name = "box", .shape = std::make_shared<geometry::Box>(Vec3{0.3, 0.2, 0.2}), .motion = {}, .source = 0, .load = {}};
    world::FreeBody free = world::freeBody(box.shape->massProperties(), 1000);
    free.pose.position = {0.5, 0.5, 0.5};
    free.pose.rotation = Quat::fromAxisAngle({1, 2, 3}, 0.8);
    box.motion = free;
    world.bodies.push_back(std::move(box));
    return world;
}

TEST(Cover, findsTheSpheresNearAPoint) {
    const world::World world = boxAndFloor();
    const CoverSettings settings[] = {{.body = "domain.z_min", .radius = 0.04, .spacing = {}, .rough = 0.01}, {.body = "box", .radius = 0.03, .spacing = 0.04, .rough = {}}};
    const Covers covers(settings, world);
    ASSERT_GT(covers.size(), 300u);
    std::size_t many = 0;
    for (std::uint64_t n = 0; n < 300; ++n) {
        Rng rng(5, 1, n);
        const Vec3 x{rng.uniform(), rng.uniform(), rng.uniform()};
        const double reach = rng.uniform(0.01, 0.2);
        for (std::uint32_t b = 0; b < world.bodies.size(); ++b) {
            if (!covers.covers(b)) continue;
            const world::Pose pose = world.bodies[b].pose(0);
            std::vector<std::uint32_t> found, expected;
            covers.near(b, pose, world.domain, x, reach, found);
            for (std::uint32_t p = Covers::kFirst; p < Covers::kFirst + covers.size(); ++p)
                if (covers.bodyOf(p) == b && covers.surface(p, pose, world.domain, x).distance < reach) expected.push_back(p);
            EXPECT_EQ(found, expected);
            many += expected.size();
        }
    }
    EXPECT_GT(many, 1000u);
    EXPECT_FALSE(covers.covers(1));
}

TEST(Cover, refusesWhatCannotBeCovered) {
    world::World world = boxAndFloor();
    world.bodies.back().motion = world::Motion({0.5, 0.5, 0.5}, {}, {world::Travel{Vec3{1, 0, 0}}});
    const auto errors = [&](const CoverSettings& s) {
        Problems problems;
        const CoverSettings list[] = {s};
        checkCovers(list, world, 0.01, problems);
        return problems.errors().size();
    };
    EXPECT_EQ(errors({.body = "box", .radius = 0.02, .spacing = {}, .rough = {}}), 0u);
    EXPECT_EQ(errors({.body = "boxes", .radius = 0.02, .spacing = {}, .rough = {}}), 1u);
    EXPECT_EQ(errors({.body = "box", .radius = 0.11, .spacing = {}, .rough = {}}), 2u) << "too thin, and holes";
    EXPECT_EQ(errors({.body = "box", .radius = 0.02, .spacing = 0.04, .rough = {}}), 1u) << "holes";
    EXPECT_EQ(errors({.body = "domain.z_min", .radius = 1e-5, .spacing = {}, .rough = {}}), 1u) << "too many";
    world.bodies[0].contact = world::ContactMode::sticky;
    EXPECT_EQ(errors({.body = world.bodies[0].name, .radius = 0.02, .spacing = {}, .rough = {}}), 1u);
}

}  // namespace
}  // namespace talus::dem
