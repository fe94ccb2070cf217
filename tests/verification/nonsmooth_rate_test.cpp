// SPDX-License-Identifier: Apache-2.0
// The method nonsmooth with μ(I) against the flow of a layer down a slope.
#include "nonsmooth/nonsmooth.h"
#include "verification/jop_layer.h"

namespace talus {
namespace {

using namespace test;

JopLayer layerOf(int cells, int wide) {
    nonsmooth::Settings settings;
    settings.fastMuHat = kJopFast;
    settings.inertialScale = kJopScale;
    return {cells, wide, nonsmooth::info, settings};
}

TEST(NonsmoothRate, aLayerSpeedsUpAsItsFrictionSays) { layerOf(16, 4).compare(1, 1); }

// Bagnold's profile, 1 − (1 − z/h)^{3/2}, and its speed. Only four cells wide the layer is too small a sample: its velocities at one moment scatter by 2 %, and
// it packs itself by 6 % on the way, which brakes it by up to 8 %.
TEST(NonsmoothStudy, aLayerTakesOnBagnoldsProfile) {
    JopLayer layer = layerOf(20, 8);
    layer.compare(6, 9);
    for (const double part : {0.25, 0.5, 0.75}) {
        const double shape = 1 - std::pow(1 - part, 1.5), found = layer.velocityAt(part) / layer.surfaceVelocity();
        std::printf("    u(%.2f h)/u(h) = %.3f, expected %.3f\n", part, found, shape);
        EXPECT_NEAR(found, shape, 0.05);
    }
    EXPECT_NEAR(layer.height(), 1, 0.05);
}

}  // namespace
}  // namespace talus
