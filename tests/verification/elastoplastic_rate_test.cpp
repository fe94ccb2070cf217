// SPDX-License-Identifier: Apache-2.0
// Sand whose friction grows with the speed of shear, μ(I), against the solution of its flow down a slope.
#include "elastoplastic/elastoplastic.h"
#include "verification/jop_layer.h"

namespace talus {
namespace {

using namespace test;

JopLayer layerOf(int cells, mpm::Start start) {
    elastoplastic::Settings settings;
    settings.youngsModulus = 2e4;   // 290 Pa at the bottom
    settings.fastMuHat = kJopFast;
    settings.inertialScale = kJopScale;
    settings.start = start;
    return {cells, 4, elastoplastic::info, settings};
}

// D_bagnold_transient_jop_24deg.csv: the layer takes on Bagnold's profile. After 2 s: later the points leave their
// lattice, and noise in the pressure makes the flow too fast (docs/methods/elastoplastic.md, Limits).
TEST(ElastoplasticRate, aLayerSpeedsUpAsItsFrictionSays) { layerOf(20, mpm::Start::lattice).compare(4, 4); }

// Points that are not on a lattice part from their volumes in shear, 60 in 2 s here; crowded ones move apart again.
TEST(ElastoplasticRate, longShearLeavesALayerItsHeight) {
    JopLayer layer = layerOf(10, mpm::Start::jittered);
    layer.flowUntil(2);
    std::printf("    %.3f of its height after 2 s\n", layer.height());
    EXPECT_NEAR(layer.height(), 1, 0.05);
}

}  // namespace
}  // namespace talus
