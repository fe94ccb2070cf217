// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

Domain slab() {
    Domain domain;
    domain.min = {-1, 2, 0};
    domain.max = {1, 5, 4};
    domain.faces = {FaceType::periodic, FaceType::periodic, FaceType::wall, FaceType::open, FaceType::wall, FaceType::open};
    return domain;
}

TEST(Domain, wrapsAlongPeriodicAxesOnly) {
    const Domain domain = slab();
    for (const double x : {-7.3, -1.0, -0.2, 0.99, 1.0, 5.25}) {
        const Vec3 wrapped = domain.wrap({x, 9, -3});
        EXPECT_GE(wrapped.x, -1);
        EXPECT_LT(wrapped.x, 1);
        EXPECT_NEAR(std::remainder(wrapped.x - x, 2.0), 0, 1e-14);
        EXPECT_EQ(wrapped.y, 9);
        EXPECT_EQ(wrapped.z, -3);
    }
}

TEST(Domain, aHairBelowThePeriodicFaceStaysInside) {
    Domain domain = slab();
    for (const double min : {-1.0, 0.0, 0.3}) {
        domain.min.x = min;
        const Vec3 wrapped = domain.wrap({std::nextafter(min, -9.0), 3, 1});
        EXPECT_GE(wrapped.x, min);
        EXPECT_LT(wrapped.x, 1);
    }
}

TEST(Domain, nearestImageIsTheShortestOfAllImages) {
    const Domain domain = slab();
    for (double d = -6.01; d < 6; d += 0.137) {
        double shortest = 1e300;
        for (int image = -5; image <= 5; ++image) shortest = std::min(shortest, std::abs(d + 2 * image));
        const Vec3 nearest = domain.nearestImage({d, d, d});
        EXPECT_NEAR(std::abs(nearest.x), shortest, 1e-14);
        EXPECT_EQ(nearest.y, d);
    }
}

TEST(World, closedFacesBecomeBodiesThatPointInwards) {
    Domain domain = slab();
    domain.faces[5] = FaceType::wall;
    World world;
    world.domain = domain;
    world.bodies = domainFaces(domain);
    ASSERT_EQ(world.bodies.size(), 3u);
    const std::array<std::string_view, 3> names{"domain.y_min", "domain.z_min", "domain.z_max"};
    const std::array<Vec3, 3> normals{Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}};
    const std::array<double, 3> distances{0.5, 1, 3};
    const std::vector<BodySnapshot> bodies = world.bodiesAt(0);
    for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_EQ(bodies[b].body().name, names[b]);
        const SurfacePoint surface = bodies[b].surface({0.3, 2.5, 1});
        EXPECT_NEAR(surface.distance, distances[b], 1e-15);
        EXPECT_EQ(surface.normal, normals[b]);
        EXPECT_EQ(surface.velocity, Vec3{});
    }
}

TEST(World, snapshotOfAMovingBody) {
    Body body;
    body.shape = std::make_shared<geometry::Box>(Vec3{2, 2, 2});
    body.motion = Motion({5, 0, 0}, Quat{}, {Travel{Vec3{0, 0, 3}}, constantSpin({0, 0, 2})});
    const double time = std::numbers::pi / 8;   // turned by 45°: an edge points along x
    const SurfacePoint surface = BodySnapshot(body, time).surface(Vec3{7, 0, 3 * time});
    EXPECT_NEAR(surface.distance, 2 - std::sqrt(2.0), 1e-14);
    EXPECT_LT(norm(surface.normal - Vec3{1, 0, 0}), 1e-14);
    EXPECT_LT(norm(surface.velocity - Vec3{0, 4, 3}), 1e-14);
}

TEST(World, regionsAndFillVolume) {
    const auto sphere = std::make_shared<geometry::Sphere>(0.5);
    EXPECT_TRUE((Region{sphere, true}.contains({0.4, 0, 0})));
    EXPECT_FALSE((Region{sphere, false}.contains({0.4, 0, 0})));
    EXPECT_TRUE((Region{sphere, false}.contains({0.6, 0, 0})));
    World world;
    world.fills = {Fill{sphere, 0, 0, {}}, Fill{std::make_shared<geometry::Box>(Vec3{1, 2, 3}), 0, 1, {}}};
    EXPECT_NEAR(world.fillVolume(), std::numbers::pi / 6 + 6, 1e-12);
}

TEST(World, savesAndLoadsWhatChanges) {
    World world;
    world.bodies = domainFaces(world.domain);
    world.time = 1.5;
    world.nextId = 77;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const auto s = static_cast<double>(b + 1);
        world.bodies[b].load = {{s, 2 * s, 3 * s}, {4 * s, 5 * s, 6 * s}, 7 * s, 8 * s};
    }
    MemoryArchive saved, again;
    world.save(saved);
    World other;
    other.bodies = domainFaces(other.domain);
    other.load(saved);
    other.save(again);
    EXPECT_EQ(saved.entries(), again.entries());
    EXPECT_EQ(other.time, 1.5);
    EXPECT_EQ(other.bodies[5].load.slipWork, 48);
    other.bodies.pop_back();
    EXPECT_THROW(other.load(saved), ArchiveError);
}

TEST(World, refusesBodiesThatCrossAPeriodicFaceUnlessTheyAreTheSameAllAlong) {
    const auto errors = [](geometry::ShapePtr shape, const Vec3& position, const Quat& rotation = {}) {
        World world;
        world.domain = slab();   // periodic along x from -1 to 1
        world.bodies = domainFaces(world.domain);
        world.bodies.push_back({.name = "body", .shape = std::move(shape), .motion = Motion(position, rotation), .source = 0, .load = {}});
        Problems problems;
        check(world, 1, {}, problems);
        return problems.errors();
    };
    const auto box = std::make_shared<geometry::Box>(Vec3{1, 1, 1});
    EXPECT_TRUE(errors(box, {0, 3, 1}).empty());
    ASSERT_EQ(errors(box, {0.7, 3, 1}).size(), 1u);
    EXPECT_EQ(errors(box, {0.7, 3, 1}).front().path, "bodies[0].shape");
    EXPECT_TRUE(errors(std::make_shared<geometry::Box>(Vec3{9, 1, 1}), {0.7, 3, 1}).empty()) << "a beam through the whole length";
    EXPECT_TRUE(errors(std::make_shared<geometry::Plane>(Vec3{0, 0.3, 1}, Vec3{}), {0, 3, 0}).empty()) << "a floor tilted about x";
    EXPECT_EQ(errors(std::make_shared<geometry::Plane>(Vec3{0.3, 0, 1}, Vec3{}), {0, 3, 0}).size(), 1u) << "a floor that rises along x";
    EXPECT_EQ(errors(box, {0.4, 3, 1}, Quat::fromAxisAngle({0, 0, 1}, 0.785)).size(), 1u) << "a corner sticks out";
}

TEST(World, refusesBodiesThatWillCrossAPeriodicFace) {
    const auto problemsOf = [](std::variant<Motion, FreeBody> motion, double end) {
        World world;
        world.domain = slab();   // periodic along x from -1 to 1
        world.bodies = domainFaces(world.domain);
        world.bodies.push_back({.name = "body", .shape = std::make_shared<geometry::Box>(Vec3{1, 1, 1}), .motion = std::move(motion), .source = 0, .load = {}});
        Problems problems;
        check(world, end, {}, problems);
        return problems.errors();
    };
    const Motion travels({0, 3, 1}, {}, {Travel{Vec3{0.1, 0, 0}}});
    EXPECT_TRUE(problemsOf(travels, 4).empty());
    ASSERT_EQ(problemsOf(travels, 6).size(), 1u);
    EXPECT_EQ(problemsOf(travels, 6).front().path, "bodies[0].motion");
    FreeBody free;
    free.pose.position = {0, 3, 1};
    EXPECT_EQ(problemsOf(free, 1).size(), 1u);
    free.locked[0] = true;
    EXPECT_TRUE(problemsOf(free, 1).empty());
}

TEST(World, warnsOfBodiesThatOverlapAtTheStart) {
    for (const double height : {1.0, 0.9}) {
        World world;
        for (const double z : {0.0, height}) {
            FreeBody free;
            free.pose.position = {0, 0, z};
            world.bodies.push_back({.name = "body", .shape = std::make_shared<geometry::Box>(Vec3{1, 1, 1}), .motion = free, .source = 0, .load = {}});
        }
        Problems problems;
        check(world, 1, {}, problems);
        EXPECT_EQ(problems.warnings().size(), height < 1 ? 1u : 0u);
    }
}

}  // namespace
}  // namespace talus::world
