// SPDX-License-Identifier: Apache-2.0
#include "mpm/node_contact.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <memory>

namespace talus::mpm {
namespace {

using world::ContactMode;
constexpr double kDt = 0.01, kTouching = 1e-9;
const Vec3 kUp{0, 0, 1};

Vec3 after(ContactMode mode, double friction, double distance, const Vec3& v) { return v + contactChange(mode, friction, {distance, kUp}, v, kDt, kTouching); }

TEST(ContactChange, separateStopsApproachAndRubs) {
    EXPECT_EQ(after(ContactMode::separate, 0.5, -0.1, {3, 0, -2}), (Vec3{2, 0, 0}));    // slides: loses μ |Δv_n| = 1
    EXPECT_EQ(after(ContactMode::separate, 0.5, -0.1, {0.4, 0, -2}), (Vec3{0, 0, 0}));  // sticks
    EXPECT_EQ(after(ContactMode::separate, 0.5, -0.1, {3, 0, 2}), (Vec3{3, 0, 2}));     // leaves
    EXPECT_EQ(after(ContactMode::separate, 0, -0.1, {3, 0, -2}), (Vec3{3, 0, 0}));      // smooth
}

TEST(ContactChange, separateLetsANodeReachTheSurfaceAndNoFurther) {
    EXPECT_EQ(after(ContactMode::separate, 0, 0.03, {0, 0, -2}), (Vec3{0, 0, -2}));     // 2 cm in this step: not there yet
    EXPECT_NEAR(after(ContactMode::separate, 0, 0.01, {0, 0, -2}).z, -1, 1e-6);         // stops on the surface
    EXPECT_NEAR(after(ContactMode::separate, 0, -1e-12, {0, 0, -2}).z, 0, 1e-12);
}

TEST(ContactChange, slipHoldsTheNormalBothWays) {
    EXPECT_EQ(after(ContactMode::slip, 0, -0.1, {3, 0, 2}), (Vec3{3, 0, 0}));
    EXPECT_EQ(after(ContactMode::slip, 0, 0.1, {3, 0, 2}), (Vec3{3, 0, 2}));
}

TEST(ContactChange, stickyHoldsEverything) {
    EXPECT_EQ(after(ContactMode::sticky, 0, 0, {3, 1, 2}), (Vec3{0, 0, 0}));
    EXPECT_EQ(after(ContactMode::sticky, 0, 0.1, {3, 1, 2}), (Vec3{3, 1, 2}));
}

TEST(ContactStiffness, isTheDerivativeOfTheChange) {
    const geometry::Surface surface{0.001, normalized(Vec3{0.2, -0.1, 1})};
    const double h = 1e-6;
    for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::sticky})
        for (const double friction : {0.0, 0.3, 2.0})
            for (const Vec3& v : {Vec3{1, 0.5, -2}, Vec3{0.1, 0.1, -2}, Vec3{1, 0, 3}, Vec3{3, -1, -0.5}}) {
                const Mat3 k = contactStiffness(mode, friction, surface, v, kDt, 0);
                for (int j = 0; j < 3; ++j) {
                    Vec3 step;
                    step[j] = h;
                    const Vec3 slope = (contactChange(mode, friction, surface, v + step, kDt, 0) - contactChange(mode, friction, surface, v - step, kDt, 0)) / (2 * h);
                    EXPECT_LT(norm(slope + k.column(j)), 1e-6) << static_cast<int>(mode) << " " << friction << " " << j;
                }
            }
}

world::World worldWith(std::vector<world::Body> bodies) {
    world::World world;
    world.materials = {world::Material{}};
    world.bodies = std::move(bodies);
    return world;
}
world::Body wall(const Vec3& normal, world::Motion motion = {}) {
    return {.name = "wall", .shape = std::make_shared<geometry::Plane>(normal, Vec3{}), .motion = std::move(motion), .load = {}};
}

TEST(NodeContact, momentumAndWorkAreAccountedFor) {
    // A wall that moves up at 1 m/s pushes a resting node along.
    const GridFrame frame = makeFrame({}, 0.1);
    world::World world = worldWith({wall(kUp, world::Motion({0, 0, 0}, {}, {world::Travel{Vec3{0, 0, 1}}}))});
    const std::vector<NodeBlock> blocks(1);
    NodeContact contact;
    contact.place(Exec(1), frame, blocks, world, 0, 1.0);
    contact.beginStep(Exec(1), world, {});
    MovingNode node{{0, 0, 0}, 2.0, {0.3, 0, 0}};
    contact.apply(0, 0, kDt, node, node.velocity);
    EXPECT_NEAR(node.velocity.z, 1, 1e-14);
    EXPECT_EQ(node.velocity.x, 0) << "friction 0.5 on an impulse of 1 stops 0.3 m/s";
    contact.addLoads(world);
    const world::BodyLoad& load = world.bodies[0].load;
    EXPECT_NEAR(load.impulse.z, -2, 1e-14);
    EXPECT_NEAR(load.impulse.x, 0.6, 1e-14);
    EXPECT_NEAR(load.work, 2, 1e-14);
    EXPECT_NEAR(norm(load.angularImpulse - cross(node.position, load.impulse)), 0, 1e-14);
}

TEST(NodeContact, noBodyIsViolatedInACorner) {
    // Three walls, two of them at an acute angle.
    const GridFrame frame = makeFrame({}, 0.1);
    world::World world = worldWith({wall({0, 0, 1}), wall({1, 0, -0.5}), wall({0, 1, 0})});
    for (world::Body& body : world.bodies) world.contacts.set(0, body.material, {0.0, 0});
    const std::vector<NodeBlock> blocks(1);
    NodeContact contact;
    contact.place(Exec(1), frame, blocks, world, 0, 1.0);
    contact.beginStep(Exec(1), world, {});
    MovingNode node{{0, 0, 0}, 1.0, {-3, -2, -1}};
    contact.apply(0, 0, kDt, node, node.velocity);
    for (const world::Body& body : world.bodies) EXPECT_GE(dot(node.velocity, body.shape->surface({}).normal), -1e-3);
}

TEST(NodeContact, farBlocksAreNotNear) {
    const GridFrame frame = makeFrame({}, 0.1);
    world::World world = worldWith({wall(kUp)});
    std::vector<NodeBlock> blocks(2);
    blocks[1].coord = {0, 0, 3};
    NodeContact contact;
    contact.place(Exec(1), frame, blocks, world, 0, 1.0);
    contact.beginStep(Exec(1), world, {});
    EXPECT_TRUE(contact.near(0));
    EXPECT_FALSE(contact.near(1));
}

}  // namespace
}  // namespace talus::mpm
