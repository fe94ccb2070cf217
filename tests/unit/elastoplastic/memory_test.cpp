// SPDX-License-Identifier: Apache-2.0
// What points keep of velocities finer than the grid.
#include "elastoplastic/flow_memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::elastoplastic {
namespace {

constexpr double kSpacing = 0.005, kSound = 4e-4, kStep = 1e-4;

VelocityMemory memoryOf(const Settings& settings) { return velocityMemory(settings, kSound, kStep); }

TEST(Memory, fadesWithSoundUnlessToldOtherwise) {
    Settings settings;
    const VelocityMemory usual = memoryOf(settings);
    EXPECT_DOUBLE_EQ(usual.atRest, std::exp(-kStep / kSound));
    EXPECT_EQ(usual.inFlow, usual.atRest);
    settings.flowRelaxationTime = 0.01;
    EXPECT_EQ(memoryOf(settings).atRest, usual.atRest);
    EXPECT_DOUBLE_EQ(memoryOf(settings).inFlow, std::exp(-kStep / 0.01));
    settings.flowRelaxationTime = 0.5 * kSound;
    EXPECT_EQ(memoryOf(settings).inFlow, usual.atRest) << "no shorter in flow than at rest";
    settings.relaxationTime = 0.02;
    EXPECT_DOUBLE_EQ(memoryOf(settings).inFlow, std::exp(-kStep / 0.02));
    settings = {};
    settings.transfer = Transfer::flip;
    EXPECT_EQ(memoryOf(settings).atRest, 1);
    EXPECT_EQ(memoryOf(settings).inFlow, 1);
    for (const Transfer transfer : {Transfer::apic, Transfer::pic}) {
        settings.transfer = transfer;
        EXPECT_EQ(memoryOf(settings).inFlow, 0);
    }
}

TEST(Memory, growsWithTheInertialNumberOfACell) {
    const std::vector<Matter> matter{{Law::sand, {}}, {Law::hencky, {}}};
    const FlowMemory<double> memories({0.7, 0.99}, matter, kSpacing);
    EXPECT_EQ(memories.gain[1], 0) << "solids do not flow";
    using W = Wide<double>;
    const auto at = [&](double rate, double pressure) {   // of 1500 kg/m³ in 1 mm³
        return memories(W(memories.gain[0]), W(rate), W(1.5e-6), W(-3 * pressure), W(1e-9)).lane(0);
    };
    EXPECT_DOUBLE_EQ(at(0, 0), 0.7) << "still, at a surface";
    EXPECT_NEAR(at(1, 1000), 0.7, 1e-3) << "slow, deep down: I = 0.006";
    EXPECT_NEAR(at(200, 0), 0.99, 1e-3) << "torn apart without pressure";
    const double pressure = 1500 * std::pow(50 * kSpacing / kInertialHalf, 2);   // I of the half at 50/s
    EXPECT_NEAR(at(50, pressure), 0.845, 1e-3);
    EXPECT_GT(at(60, pressure), at(50, pressure));
    EXPECT_EQ(at(50, -100), at(50, 0)) << "tension is no pressure";
}

}  // namespace
}  // namespace talus::elastoplastic
