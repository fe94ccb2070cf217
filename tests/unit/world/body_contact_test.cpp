// SPDX-License-Identifier: Apache-2.0
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/free_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace talus::world {
namespace {

using geometry::ShapePtr;

ShapePtr boxShape(const Vec3& size) { return std::make_shared<geometry::Box>(size); }

struct Scene {
    World world;
    Scene() { world.gravity = {0, 0, -9.81}; }

    std::size_t add(ShapePtr shape, const Pose& pose, double density = 1000) {
        Body body{.name = "free", .shape = shape, .motion = {}, .source = 0, .load = {}};
        FreeBody free = freeBody(shape->massProperties(), density);
        free.pose = pose;
        body.motion = free;
        world.bodies.push_back(std::move(body));
        return world.bodies.size() - 1;
    }
    std::size_t addFixed(ShapePtr shape, const Vec3& position, const Quat& rotation = {}) {
        Body body{.name = "fixed", .shape = std::move(shape), .motion = {}, .source = 0, .load = {}};
        body.motion = Motion(position, rotation);
        world.bodies.push_back(std::move(body));
        return world.bodies.size() - 1;
    }
    void floor() { addFixed(std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{}), {}); }
    const FreeBody& free(std::size_t i) const { return *world.bodies[i].free(); }
    const Pose& pose(std::size_t i) const { return free(i).pose; }

    void run(double time, double dt = 2e-3) {
        const double end = world.time + time;
        FreeBodies bodies;
        while (world.time < end - 0.5 * dt) {
            bodies.begin(world, dt);
            bodies.meet();
            bodies.move();
            bodies.commit(world);
            world.time += dt;
        }
    }
};

Quat about(const Vec3& axis, double degrees) { return Quat::fromAxisAngle(axis, degrees * std::numbers::pi / 180); }

TEST(BodyContact, aStackOfTenBoxesRests) {
    Scene scene;
    scene.floor();
    for (int i = 0; i < 10; ++i) scene.add(boxShape({0.1, 0.1, 0.1}), {{0.001 * (i % 3), 0, 0.05 + 0.1002 * i}, {}, {}, {}});
    scene.run(1);
    std::vector<Vec3> early;
    for (std::size_t i = 1; i <= 10; ++i) early.push_back(scene.pose(i).position);
    scene.run(4);
    for (std::size_t i = 1; i <= 10; ++i) {
        const Pose& pose = scene.pose(i);
        EXPECT_LT(norm(pose.velocity), 1e-4) << "box " << i;
        EXPECT_LT(norm(pose.angularVelocity), 1e-3) << "box " << i;
        EXPECT_LT(norm(pose.position - early[i - 1]), 1e-4) << "box " << i << " creeps";
        EXPECT_NEAR(pose.position.z, 0.05 + 0.1 * static_cast<double>(i - 1), 2e-3) << "box " << i;
        EXPECT_GT(pose.rotation.rotate({0, 0, 1}).z, 0.9999) << "box " << i;
    }
}

TEST(BodyContact, nothingFallsThroughAtTenMetresPerSecond) {
    const std::vector<ShapePtr> shapes{boxShape({0.05, 0.04, 0.03}), std::make_shared<geometry::Sphere>(0.02), std::make_shared<geometry::Cylinder>(0.02, 0.05),
                                       std::make_shared<geometry::Capsule>(0.01, 0.05), std::make_shared<geometry::Cone>(0.03, 0, 0.05)};
    for (std::size_t s = 0; s < shapes.size(); ++s)
        for (int turn = 0; turn < 6; ++turn) {
            Scene scene;
            scene.world.gravity = {};
            const bool plane = turn % 2 == 0;
            if (plane) scene.floor();
            else scene.addFixed(boxShape({0.4, 0.4, 0.005}), {0, 0, -0.0025});   // thinner than a step is long
            const Quat rotation = about({1, 0.3, 0.2}, 37.0 * turn);
            const std::size_t b = scene.add(shapes[s], {{0.003, 0.001, 0.2}, rotation, {0.5, 0, -10}, {3, 5, 2}});
            double lowest = 1;
            for (int i = 0; i < 40; ++i) {
                scene.run(2e-3);
                for (const geometry::ContactFeature& f : shapes[s]->contactFeatures()) {
                    const Pose& pose = scene.pose(b);
                    lowest = std::min(lowest, (pose.position + pose.rotation.rotate(f.from)).z - f.radius);
                }
            }
            EXPECT_GT(lowest, -2e-3) << "shape " << s << " turn " << turn;
            EXPECT_GT(scene.pose(b).velocity.z, -1.0) << "shape " << s << " turn " << turn;
        }
}

TEST(BodyContact, edgesThatCrossTouch) {
    Scene scene;   // a bar on its edge across another, at right angles: no corner comes near
    scene.addFixed(boxShape({0.6, 0.1, 0.1}), {0.013, 0, 0}, about({1, 0, 0}, 45));
    const std::size_t b = scene.add(boxShape({0.1, 0.6, 0.1}), {{0, 0.017, 0.16}, about({0, 1, 0}, 45), {}, {}});
    std::get<FreeBody>(scene.world.bodies[b].motion).locked = {true, true, false, true, true, true};
    scene.run(0.5);
    EXPECT_NEAR(scene.pose(b).position.z, 0.1 * std::numbers::sqrt2, 1e-3);
    EXPECT_LT(norm(scene.pose(b).velocity), 1e-3);
}

TEST(BodyContact, twoBodiesKeepTheirMomentumAndLoseTheEnergyOfRestitution) {
    for (const double e : {0.0, 0.5, 1.0}) {
        Scene scene;
        scene.world.gravity = {};
        scene.world.contacts.set(-1, -1, {0.4, e});
        const std::size_t a = scene.add(std::make_shared<geometry::Sphere>(0.1), {{-0.15, 0, 0}, {}, {2, 0, 0}, {}});
        const std::size_t b = scene.add(std::make_shared<geometry::Sphere>(0.1), {{0.15, 0.02, 0}, {}, {-1, 0, 0}, {0, 0, 3}}, 3000);
        const auto total = [&] { return momentum(scene.free(a)) + momentum(scene.free(b)); };
        const auto spin = [&] { return angularMomentum(scene.free(a)) + angularMomentum(scene.free(b)); };
        const Vec3 p = total(), h = spin();
        const double before = 3;
        scene.run(0.2, 1e-4);
        EXPECT_LT(norm(total() - p), 1e-12 * norm(p));
        EXPECT_LT(norm(spin() - h), 2e-3 * norm(h)) << "impulses act at one point of both, up to the skin";
        const Vec3 apart = normalized(scene.pose(b).position - scene.pose(a).position);
        const double separation = dot(scene.pose(b).velocity - scene.pose(a).velocity, apart);
        EXPECT_NEAR(separation, e * before, 0.1 * before) << "restitution " << e;
    }
}

TEST(BodyContact, aBallBouncesToTheHeightOfItsRestitution) {
    Scene scene;
    scene.world.contacts.set(-1, -1, {0.3, 0.7});
    scene.floor();
    const std::size_t b = scene.add(std::make_shared<geometry::Sphere>(0.05), {{0, 0, 0.05 + 0.5}, {}, {}, {}});
    double highest = 0;
    bool bounced = false;
    for (int i = 0; i < 9000; ++i) {
        scene.run(1e-4, 1e-4);
        bounced |= scene.pose(b).velocity.z > 0;
        if (bounced) highest = std::max(highest, scene.pose(b).position.z - 0.05);
        if (bounced && scene.pose(b).velocity.z < -0.1) break;
    }
    EXPECT_NEAR(highest, 0.49 * 0.5, 0.003);
    scene.run(6, 1e-3);
    EXPECT_LT(norm(scene.pose(b).velocity), 1e-3);
    EXPECT_NEAR(scene.pose(b).position.z, 0.05, 2e-4);
}

// A body that comes in later is met like any other: what lies in it by a little is moved out.
TEST(BodyContact, bodiesThatCameInLaterMoveApart) {
    Scene scene;
    scene.floor();
    scene.world.bodies.back().active = {0.5, 10};
    scene.world.time = 0.5;
    const std::size_t b = scene.add(std::make_shared<geometry::Sphere>(0.05), {{0, 0, 0.0495}, {}, {}, {}});
    scene.run(1);
    EXPECT_NEAR(scene.pose(b).position.z, 0.05, 1.2e-4);
}

// Where in a step the impact comes does not matter, however long the step: e² of the height, of balls and of boxes on their face.
TEST(BodyContact, bouncesAreAsHighInLongSteps) {
    for (const bool box : {false, true})
        for (const double dt : {5e-3, 2e-3, 1e-3})
            for (const double fall : {0.25, 0.26, 0.27, 0.95}) {
                Scene scene;
                scene.world.contacts.set(-1, -1, {0.3, 0.5});
                scene.floor();
                const std::size_t b = scene.add(box ? boxShape({0.1, 0.1, 0.1}) : std::make_shared<geometry::Sphere>(0.05), {{0, 0, 0.05 + fall}, {}, {}, {}});
                double highest = 0;
                bool bounced = false;
                for (int i = 0; i < 2000 && !(bounced && scene.pose(b).velocity.z < -0.1); ++i) {
                    scene.run(dt, dt);
                    bounced |= scene.pose(b).velocity.z > 0;
                    if (bounced) highest = std::max(highest, scene.pose(b).position.z - 0.05);
                }
                EXPECT_NEAR(highest, 0.25 * fall, 0.005 * fall) << (box ? "box" : "ball") << ", dt " << dt << ", fall " << fall;
            }
}

TEST(BodyContact, aBoxSlidesAsCoulombSays) {
    const double mu = 0.3;
    Scene flat;
    flat.world.contacts.set(-1, -1, {mu, 0});
    flat.floor();
    const std::size_t b = flat.add(boxShape({0.2, 0.2, 0.05}), {{0, 0, 0.02505}, {}, {1.5, 0, 0}, {}});
    flat.run(1, 1e-3);
    EXPECT_NEAR(flat.pose(b).position.x, 1.5 * 1.5 / (2 * mu * 9.81), 2e-3);
    EXPECT_LT(norm(flat.pose(b).velocity), 1e-4);

    for (const double degrees : {15.0, 18.0}) {   // atan 0.3 = 16.7°
        Scene slope;
        slope.world.contacts.set(-1, -1, {mu, 0});
        const Quat tilt = about({0, 1, 0}, degrees);
        slope.addFixed(std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{}), {}, tilt);
        const std::size_t c = slope.add(boxShape({0.2, 0.2, 0.05}), {tilt.rotate({0, 0, 0.02505}), tilt, {}, {}});
        slope.run(1, 1e-3);
        const double angle = degrees * std::numbers::pi / 180, expected = std::max(0.0, 9.81 * (std::sin(angle) - mu * std::cos(angle)));
        EXPECT_NEAR(norm(slope.pose(c).velocity), expected, 2e-3 + 0.01 * expected) << degrees;
    }
}

TEST(BodyContact, aBallRollsDownASlope) {
    Scene scene;
    const Quat tilt = about({0, 1, 0}, 10);
    scene.addFixed(std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{}), {}, tilt);
    const std::size_t b = scene.add(std::make_shared<geometry::Sphere>(0.05), {tilt.rotate({0, 0, 0.05005}), {}, {}, {}});
    scene.run(1, 1e-3);
    const double expected = 5.0 / 7 * 9.81 * std::sin(10 * std::numbers::pi / 180);
    EXPECT_NEAR(norm(scene.pose(b).velocity), expected, 0.01 * expected);
    EXPECT_NEAR(norm(scene.pose(b).angularVelocity) * 0.05, expected, 0.02 * expected);
}

TEST(BodyContact, aBeltCarriesABox) {
    Scene scene;
    scene.floor();
    scene.world.bodies[0].belt = Belt{BeltAlong{Vec3{0.5, 0, 0}}};
    const std::size_t b = scene.add(boxShape({0.1, 0.1, 0.1}), {{0, 0, 0.0501}, {}, {}, {}});
    scene.run(1);
    EXPECT_NEAR(scene.pose(b).velocity.x, 0.5, 1e-3);
    EXPECT_NEAR(scene.pose(b).position.x, 0.5 - 0.5 * 0.5 / (2 * 0.5 * 9.81), 3e-3);
}

TEST(BodyContact, aScriptedPlateLiftsABox) {
    Scene scene;
    const std::size_t plate = scene.addFixed(boxShape({1, 1, 0.1}), {});
    scene.world.bodies[plate].motion = Motion({0, 0, -0.05}, {}, {Travel{Vec3{0, 0, 0.2}}});
    const std::size_t b = scene.add(boxShape({0.1, 0.1, 0.1}), {{0, 0, 0.0501}, {}, {}, {}});
    scene.run(1);
    EXPECT_NEAR(scene.pose(b).position.z, 0.25, 1e-3);
}

TEST(BodyContact, overlapIsUndoneWithoutAJump) {
    Scene scene;
    scene.floor();
    const std::size_t b = scene.add(boxShape({0.1, 0.1, 0.1}), {{0, 0, 0.045}, {}, {}, {}});
    double fastest = 0;
    for (int i = 0; i < 200; ++i) {
        scene.run(2e-3);
        fastest = std::max(fastest, norm(scene.pose(b).velocity));
    }
    EXPECT_LT(fastest, 0.02) << "pushed apart with a jolt";
    EXPECT_NEAR(scene.pose(b).position.z, 0.05, 3e-4);
}

TEST(BodyContact, contactsAreStateThatIsSaved) {
    const auto start = [] {
        Scene scene;
        scene.floor();
        for (int i = 0; i < 3; ++i) scene.add(boxShape({0.1, 0.1, 0.1}), {{0.01 * i, 0, 0.05 + 0.11 * i}, about({0, 0, 1}, 10 * i), {}, {}});
        return scene;
    };
    Scene whole = start(), first = start(), second = start();
    whole.run(0.4);
    first.run(0.2);
    MemoryArchive saved, a, b;
    first.world.save(saved);
    EXPECT_FALSE(first.world.bodyContacts.empty());
    second.world.load(saved);
    second.run(0.2);
    whole.world.save(a);
    second.world.save(b);
    EXPECT_EQ(a.entries(), b.entries());
}

}  // namespace
}  // namespace talus::world
