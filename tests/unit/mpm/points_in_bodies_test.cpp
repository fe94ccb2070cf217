// SPDX-License-Identifier: Apache-2.0
#include "mpm/points_in_bodies.h"

#include "geometry/primitives.h"
#include "world/free_bodies.h"
#include "world/world.h"

#include <gtest/gtest.h>

#include <memory>

namespace talus::mpm {
namespace {

world::Body box(const Vec3& size, const Vec3& middle) {
    return {.name = "box", .shape = std::make_shared<geometry::Box>(size), .motion = world::Motion(middle, {}, {}), .load = {}};
}

std::vector<const world::BodySnapshot*> pointers(const std::vector<world::BodySnapshot>& bodies) {
    std::vector<const world::BodySnapshot*> all;
    for (const world::BodySnapshot& body : bodies) all.push_back(&body);
    return all;
}

/// A plate above x > 0, z > 0 and one below z < 0 that reaches further to −x: a step with a crack under it.
struct Crack {
    world::World world;
    explicit Crack(double width) {
        world.materials = {world::Material{}};
        world.bodies = {box({1, 1, 0.2}, {0.5, 0, 0.1 + width}), box({2, 1, 0.2}, {0, 0, -0.1})};
    }
    struct Left {
        Vec3 x;
        int meetings = 0, gaps = 0;
        const world::Body* met = nullptr;
        Vec3 normal;
    };
    Left left(const Vec3& before, const Vec3& after) const {
        Left left{.x = after, .normal = {}};
        const std::vector<world::BodySnapshot> bodies = bodiesAfter(world, {}, 0.01);
        leave(pointers(bodies), 0.05, before, left.x, [&](const Meeting& meeting) {
            ++left.meetings;
            left.gaps += meeting.atGap;
            left.met = &meeting.body.body();
            left.normal = meeting.normal;
        });
        return left;
    }
};

TEST(PointsInBodies, aPointIsPutOnTheSurfaceItCameThrough) {
    const Crack crack(0);
    const Crack::Left left = crack.left({-0.5, 0.1, 0.01}, {-0.49, 0.1, -0.01});
    EXPECT_LT(norm(left.x - Vec3{-0.49, 0.1, 0}), 1e-12);
    EXPECT_EQ(left.meetings, 1);
    EXPECT_EQ(left.met, &crack.world.bodies[1]);
    EXPECT_LT(norm(left.normal - Vec3{0, 0, 1}), 1e-12);
    EXPECT_EQ(left.gaps, 0);
}

TEST(PointsInBodies, aPointInACornerLeavesBothBodies) {
    const Crack::Left left = Crack(0).left({-0.02, 0, 0.02}, {0.01, 0, -0.015});
    EXPECT_LE(left.x.x, 1e-12);
    EXPECT_GE(left.x.z, -1e-12);
}

TEST(PointsInBodies, aPointInTheOpenIsLeftAlone) {
    for (const Vec3& x : {Vec3{-0.1, 0, 0.001}, Vec3{-0.01, 0, 0.5}, Vec3{2, 0, 0.1}}) {
        const Crack::Left left = Crack(0).left(x - Vec3{0.01, 0, 0}, x);
        EXPECT_EQ(left.x, x);
        EXPECT_EQ(left.meetings, 0);
    }
}

TEST(PointsInBodies, aNarrowGapIsClosedAndAWideOneIsNot) {
    const Vec3 mouth{-0.001, 0, 0.001}, within{0.01, 0, 0.001};
    for (const double width : {0.0, 0.02, 0.049}) {
        const Crack::Left left = Crack(width).left(mouth, within);
        EXPECT_EQ(left.x, mouth) << width;
        EXPECT_EQ(left.gaps, 1);
    }
    EXPECT_EQ(Crack(0.051).left(mouth, within).x, within);
}

TEST(PointsInBodies, aPointMayLeaveAGapWhereItWidens) {
    world::World world;
    world.materials = {world::Material{}};
    world.bodies = {box({1, 1, 0.2}, {0, 0, -0.1}), box({1, 1, 0.2}, {0, 0, 0.11})};   // a gap of 1 cm, and out of it is the open
    Vec3 x{0.505, 0, 0.005};
    const std::vector<world::BodySnapshot> bodies = bodiesAfter(world, {}, 0.01);
    leave(pointers(bodies), 0.05, {0.49, 0, 0.005}, x, [](const Meeting&) {});
    EXPECT_EQ(x, (Vec3{0.505, 0, 0.005}));
}

TEST(PointsInBodies, aThinBodyIsNotJumpedOver) {
    world::World world;
    world.materials = {world::Material{}};
    world.bodies = {box({1, 1, 0.02}, {0, 0, 0})};
    Vec3 x{0.3, 0, -0.2};
    int meetings = 0;
    const std::vector<world::BodySnapshot> bodies = bodiesAfter(world, {}, 0.01);
    leave(pointers(bodies), 0.02, {0, 0, 0.1}, x, [&](const Meeting&) { ++meetings; });
    EXPECT_NEAR(x.z, 0.01, 1e-12);
    EXPECT_NEAR(x.x, 0.3, 1e-12) << "slides on";
    EXPECT_GT(meetings, 0);
}

TEST(PointsInBodies, aPointThatIsPutOutKeepsNoVelocityIntoTheBodyAndTheBodyGetsIt) {
    world::World world;
    world.materials = {world::Material{}};
    world.bodies = {box({1, 1, 0.2}, {0, 0, -0.1})};
    world::FreeBody moves;
    moves.mass = 2;
    moves.pose.position = {0, 0, -0.1};
    moves.pose.velocity = {0, 0, 0.5};
    world.bodies[0].motion = moves;
    world::FreeBodies free;
    world.gravity = {};
    free.begin(world, 0.01);
    const std::vector<world::BodySnapshot> bodies = bodiesAfter(world, free, 0.01);
    const Vec3 x{0.2, 0.1, 0};
    Vec3 v{3, 0, -1};
    const PointLoad load = stop({bodies[0], {0, 0, 1}, false}, 0.4, x, 0.1, 0.01, v);
    EXPECT_LT(norm(v - Vec3{3 - 0.4 * 1.5, 0, 0.5}), 1e-12) << "as fast as the body, and rubbed by the friction of 1.5 m/s";
    EXPECT_LT(norm(load.load.impulse - 0.1 * Vec3{0.6, 0, -1.5}), 1e-12);
    const Vec6 before = free.velocity(0);
    addLoads(world, free, std::vector{load, load});
    EXPECT_LT(norm(free.velocity(0).linear - before.linear - (2 * 0.1 / 2.0) * Vec3{0.6, 0, -1.5}), 1e-12);
    EXPECT_LT(norm(free.velocity(0).angular - before.angular - 2.0 * cross(Vec3{0.2, 0.1, 0.1}, load.load.impulse)), 1e-12);
    EXPECT_LT(norm(world.bodies[0].load.impulse - 2.0 * load.load.impulse), 1e-12);
    Vec3 leaving{1, 0, 0.7}, atGap{1, 0, 0.7};
    EXPECT_EQ(stop({bodies[0], {0, 0, 1}, false}, 0.4, x, 0.1, 0.01, leaving).load.impulse, Vec3{});
    EXPECT_EQ(leaving, (Vec3{1, 0, 0.7})) << "it comes out faster than the surface";
    stop({bodies[0], {0, 0, 1}, true}, 0.4, x, 0.1, 0.01, atGap);
    EXPECT_LT(norm(atGap - Vec3{0, 0, 0.5}), 1e-12);
}

TEST(PointsInBodies, aThinBodyHasTwoSides) {
    world::World world;
    world.materials = {world::Material{}};
    world.bodies = {box({1, 1, 0.02}, {0, 0, 0})};
    const world::BodySnapshot body(world.bodies.front(), 0);
    const Vec3 x{0.1, 0.2, -0.004};
    const world::SurfacePoint nearest = body.surface(x);
    const std::optional<world::SurfacePoint> other = otherSide(body, x, nearest, 0.015);
    ASSERT_TRUE(other);
    EXPECT_LT(norm(other->normal - Vec3{0, 0, 1}), 1e-12);
    EXPECT_NEAR(other->distance, -0.014, 1e-12);
    EXPECT_FALSE(otherSide(body, x, nearest, 0.013)) << "not that thin";
    EXPECT_FALSE(otherSide(body, {0, 0, 0.1}, body.surface({0, 0, 0.1}), 0.03)) << "outside";
}

}  // namespace
}  // namespace talus::mpm
