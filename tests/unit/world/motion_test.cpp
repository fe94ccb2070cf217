// SPDX-License-Identifier: Apache-2.0
#include "world/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

constexpr double kPi = std::numbers::pi;

Keyframes keyframes(Interpolation interpolation) {
    return {interpolation,
            {0.2, 0.5, 1.1, 1.2, 2.0},
            {{0, 0, 0}, {1, 0, -1}, {1, 3, -2}, {2, 3, 4}, {5, 2, 4}},
            {{0, 0, 0}, {0.5, 0, 1}, {2, -1, 1}, {4, -1, 9}, {4, -3, 9}}};
}

/// Velocity and angular velocity of at() against central differences of its position and rotation.
void expectExactRates(const Motion& motion, double time) {
    constexpr double h = 1e-5;   // truncation h² f‴/6 and rounding ε/h are both below the tolerance
    const Pose before = motion.at(time - h), now = motion.at(time), after = motion.at(time + h);
    const Vec3 velocity = (after.position - before.position) / (2 * h);
    const Quat turn = after.rotation * before.rotation.conjugate();   // by ω 2h, so its vector part is ω h
    const Vec3 spin = Vec3{turn.x, turn.y, turn.z} * ((turn.w < 0 ? -1 : 1) / h);
    EXPECT_LT(norm(velocity - now.velocity), 2e-6 * (1 + norm(now.velocity))) << "t = " << time;
    EXPECT_LT(norm(spin - now.angularVelocity), 2e-6 * (1 + norm(now.angularVelocity))) << "t = " << time;
}

class MotionRates : public testing::TestWithParam<std::vector<MotionPart>> {};

TEST_P(MotionRates, areDerivatives) {
    const Motion motion({1, 2, 3}, Quat::fromAxisAngle({1, 2, -1}, 0.7), GetParam());
    for (const double time : {-0.3, 0.11, 0.37, 0.501, 0.77, 1.13, 1.17, 1.6, 1.93, 2.5}) expectExactRates(motion, time);
}

INSTANTIATE_TEST_SUITE_P(
    EveryPart, MotionRates,
    testing::Values(std::vector<MotionPart>{}, std::vector<MotionPart>{Travel{Vec3{1, -2, 3}}},
                    std::vector<MotionPart>{constantSpin({1, 2, -2})},
                    std::vector<MotionPart>{Travel{TimeTable<Vec3>{{0.2, 1, 2}, {{}, {1, 0, 3}, {0, 2, 0}}}}},
                    std::vector<MotionPart>{Spin{{0.6, 0, 0.8}, Sine<double>{1, 3, 0.4, 20}}},
                    std::vector<MotionPart>{Oscillation{{0.1, 0.2, 0}, 1.5, 0.3, false}},
                    std::vector<MotionPart>{Oscillation{{0, 0.4, 2.5}, 1.5, 0.3, true}},
                    std::vector<MotionPart>{keyframes(Interpolation::linear)},
                    std::vector<MotionPart>{keyframes(Interpolation::smooth)},
                    std::vector<MotionPart>{constantSpin({0, 3, 0}), Oscillation{{1, 0, 0}, 0.8, 0, true}, constantSpin({0, 0, -4})},
                    std::vector<MotionPart>{keyframes(Interpolation::smooth), constantSpin({2, 0, 1}), Travel{Vec3{1, 1, 1}},
                                            keyframes(Interpolation::linear), Oscillation{{0, 1, 1}, 2, 1, true},
                                            Oscillation{{3, 0, 0}, 2, 0, false}}));

TEST(Motion, partsAddUp) {
    const Motion motion({1, 0, 0}, Quat{},
                        {Travel{Vec3{2, 0, 0}}, Oscillation{{0, 0, 3}, 0.25, 0, false}, constantSpin({0, 0, kPi / 2})});
    const Pose pose = motion.at(1);
    EXPECT_LT(norm(pose.position - Vec3{3, 0, 3}), 1e-15);
    EXPECT_LT(norm(pose.rotation.rotate({1, 0, 0}) - Vec3{0, 1, 0}), 1e-15);
    EXPECT_LT(norm(pose.velocityAt({3, 1, 0}) - Vec3{2 - kPi / 2, 0, 0}), 1e-14);
}

TEST(Motion, goesOnWhenTheClockIsSetBack) {
    const Motion motion({1, 0, 0}, Quat{}, {Travel{TimeTable<Vec3>{{0, 1}, {{}, {2, 0, 0}}}}, constantSpin({0, 0, 3})});
    const Pose before = motion.at(1.5), after = motion.earlier(1.2).at(0.3);
    EXPECT_LT(norm(after.position - before.position), 1e-15);
    EXPECT_LT(norm(after.rotation.rotate({1, 0, 0}) - before.rotation.rotate({1, 0, 0})), 1e-15);
}

TEST(Motion, startsFromAPose) {
    const Pose pose = Motion({1, 0, 0}, Quat{}, {Travel{Vec3{2, 0, 0}}}).at(3);
    const Motion lift = Motion({9, 9, 9}, Quat{}, {Travel{Vec3{0, 0, 1}}}).startedFrom(pose, 3);
    EXPECT_EQ(lift.at(3).position, (Vec3{7, 0, 0}));
    EXPECT_EQ(lift.at(5).position, (Vec3{7, 0, 2}));
}

TEST(Motion, rotationsApplyInTheOrderOfTheParts) {
    const Keyframes quarterX{Interpolation::linear, {0}, {}, {{kPi / 2, 0, 0}}},
        quarterZ{Interpolation::linear, {0}, {}, {{0, 0, kPi / 2}}};
    const Pose pose = Motion({}, Quat{}, {quarterX, quarterZ}).at(1);
    EXPECT_LT(norm(pose.rotation.rotate({0, 1, 0}) - Vec3{0, 0, 1}), 1e-15);   // y → z by the first, z stays by the second
}

TEST(Motion, keyframesHoldOutsideAndMeetTheirValues) {
    for (const Interpolation interpolation : {Interpolation::linear, Interpolation::smooth}) {
        const Keyframes keys = keyframes(interpolation);
        const Motion motion({}, Quat{}, {keys});
        for (std::size_t k = 0; k < keys.times.size(); ++k)
            EXPECT_LT(norm(motion.at(keys.times[k]).position - keys.displacements[k]), 1e-14);
        for (const double time : {-5.0, 0.1, 2.0, 7.0}) {
            const Pose pose = motion.at(time);
            EXPECT_EQ(pose.position, time < 1 ? keys.displacements.front() : keys.displacements.back());
            EXPECT_EQ(pose.velocity, Vec3{});
            EXPECT_EQ(pose.angularVelocity, Vec3{});
        }
    }
}

TEST(Motion, smoothKeyframesAreMonotoneWithContinuousVelocity) {
    const Keyframes keys = keyframes(Interpolation::smooth);
    const Motion motion({}, Quat{}, {keys});
    for (std::size_t k = 0; k + 1 < keys.times.size(); ++k) {
        const double length = keys.times[k + 1] - keys.times[k];
        for (int axis = 0; axis < 3; ++axis) {
            const double step = keys.displacements[k + 1][axis] - keys.displacements[k][axis];
            for (int i = 1; i < 200; ++i) {
                const double rate = motion.at(keys.times[k] + length * i / 200).velocity[axis];
                EXPECT_GE(rate * step, 0);
                EXPECT_TRUE(step != 0 || std::abs(rate) < 1e-12);
            }
        }
    }
    for (const double time : keys.times) {
        const double jump = norm(motion.at(time + 1e-9).velocity - motion.at(time - 1e-9).velocity);
        EXPECT_LT(jump, 2e-5) << "t = " << time;   // acceleration up to 1e4 over 2e-9 s
    }
}

TEST(Motion, aLongTurnKeepsItsCount) {
    const Motion motion({}, Quat{}, {Keyframes{Interpolation::linear, {0, 1}, {}, {{0, 0, 0}, {0, 0, 6 * kPi}}}});
    EXPECT_NEAR(motion.at(0.5).angularVelocity.z, 6 * kPi, 1e-12);
    EXPECT_LT(norm(motion.at(0.25).rotation.rotate({1, 0, 0}) - Vec3{0, -1, 0}), 1e-14);   // 3/4 of a turn after 1/4 of three
}

}  // namespace
}  // namespace talus::world
