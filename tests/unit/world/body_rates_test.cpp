// SPDX-License-Identifier: Apache-2.0
#include "world/body_rates.h"

#include <gtest/gtest.h>

namespace talus::world {
namespace {

FreeBody lopsided() {
    FreeBody body;
    body.mass = 3;
    body.centre = {0.1, -0.05, 0.2};
    body.inertia = {{0.4, 0.02, 0, 0.02, 0.3, -0.01, 0, -0.01, 0.2}};
    body.pose = {{1, 2, 3}, Quat::fromAxisAngle({1, 2, -1}, 0.7), {0.3, -0.2, 0.5}, {2, -1, 3}};
    return body;
}

Pose stepped(const FreeBody& body, double h, const Vec6& wrench) {   // the rule of the midpoint, of order 2
    BodyNumbers start = bodyNumbers(body, body.pose), middle = start;
    const BodyNumbers k = bodyRates(body, start, wrench, {});
    for (std::size_t n = 0; n < k.size(); ++n) middle[n] += 0.5 * h * k[n];
    const BodyNumbers m = bodyRates(body, middle, wrench, {});
    for (std::size_t n = 0; n < m.size(); ++n) start[n] += h * m[n];
    return bodyPose(body, start);
}

TEST(BodyRates, numbersAreAPose) {
    const FreeBody body = lopsided();
    const Pose pose = bodyPose(body, bodyNumbers(body, body.pose));
    EXPECT_LT(norm(pose.position - body.pose.position), 1e-15);
    EXPECT_LT(norm(pose.velocity - body.pose.velocity), 1e-15);
    EXPECT_LT(norm(pose.angularVelocity - body.pose.angularVelocity), 1e-15);
}

// Without forces the motion is that of `drifted`, free, hinged and guided alike.
TEST(BodyRates, aFreeMotionIsThatOfADrift) {
    constexpr double kStep = 1e-4;
    for (const Locks& locks : {Locks{}, Locks{true, true, true, false, false, false}, Locks{true, false, false, false, true, false}, Locks{false, false, false, true, true, false}}) {
        FreeBody body = lopsided();
        body.locked = locks;
        for (int axis = 0; axis < 3; ++axis) {
            if (locks[static_cast<std::size_t>(axis)]) body.pose.velocity[axis] = 0;
            if (locks[static_cast<std::size_t>(axis + 3)]) body.pose.angularVelocity[axis] = 0;
        }
        const Pose expected = drifted(body, body.pose, kStep), found = stepped(body, kStep, {});
        EXPECT_LT(norm(found.position - expected.position), 1e-10);
        EXPECT_LT(norm(found.velocity - expected.velocity), 1e-8);
        EXPECT_LT(norm(found.angularVelocity - expected.angularVelocity), 1e-8);
    }
}

// Momentum changes by the impulse to rounding, angular momentum about a fixed point to the order of the rule.
TEST(BodyRates, aWrenchChangesMomenta) {
    constexpr double kStep = 1e-4;
    FreeBody body = lopsided();
    const Vec6 wrench{{5, -2, 7}, {0.4, 1, -2}};
    const Vec3 p = momentum(body), l = angularMomentum(body), moment = wrench.angular + cross(body.pose.position, wrench.linear);
    body.pose = stepped(body, kStep, wrench);
    EXPECT_LT(norm(momentum(body) - p - kStep * wrench.linear), 1e-14 * norm(p));
    EXPECT_LT(norm(angularMomentum(body) - l - kStep * moment), 1e-3 * kStep * norm(moment));
}

}  // namespace
}  // namespace talus::world
