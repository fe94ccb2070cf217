// SPDX-License-Identifier: Apache-2.0
// Grains in the ellipsoids of guides that offer them, and kept there.
#include "unit/upsampling/kinematic_guides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus::upsampling::test {
namespace {

const Mat3 kFrame{{0.014, 0, 0, 0, 0.009, -0.003, 0, 0.003, 0.009}};

/// Over all grains: how far the worst is out of the nearest of the ellipsoids, 1 on its surface; and how many are out of all.
struct Out {
    double worst = 0;
    std::size_t grains = 0;
};
Out outOf(const CarriedWorld& run) {
    const world::FieldTable table = run.read();
    const SampledVolume volume{false, kFrame};
    const Mat3 back = inverse(kFrame);
    Out out;
    for (std::size_t i = 0; i < table.count(); ++i) {
        double least = 1e300;
        for (const Vec3& guide : run.guides->positions) least = std::min(least, volume.outness(back, at(table.reals("position"), i) - guide));
        out.worst = std::max(out.worst, least);
        if (least > 1 + 1e-9) ++out.grains;
    }
    return out;
}

/// A stagnation flow that draws the block out along x: guides part, and the mean by weight smears what they do.
Vec3 drawOut(const Vec3& x, double) { return Vec3{2 * (x.x - 0.35), -(x.y - 0.35), -(x.z - 0.35)}; }

Out afterDrawing(bool confined) {
    Settings settings;
    settings.interpolateEvery = 3;
    settings.confined = confined;
    CarriedWorld run(drawOut, settings);
    run.guides->frame = kFrame;
    run.insert();
    EXPECT_LE(outOf(run).worst, 1 + 1e-9) << "they start in the ellipsoids";
    run.steps(Exec(2), 250);
    EXPECT_EQ(run.method->count(), 32 * 216);
    return outOf(run);
}

TEST(Confinement, keepsGrainsInTheEllipsoidsOfGuides) {
    const Out freely = afterDrawing(false), confined = afterDrawing(true);
    EXPECT_GT(freely.worst, 1.5);
    EXPECT_GT(freely.grains, 100u);
    EXPECT_LT(confined.worst, 1 + 1e-9) << "between interpolations too";
}

TEST(Confinement, bringsBackAGrainFarFromAllGuides) {
    Settings settings;
    settings.interpolateEvery = 1;
    settings.confined = true;
    CarriedWorld run([](const Vec3&, double) { return Vec3{}; }, settings);
    run.guides->frame = kFrame;
    run.insert();
    for (Vec3& x : run.guides->positions) x += Vec3{0, 0, 0.4};   // away from under their grains
    run.steps(Exec(2), 2);
    EXPECT_LT(outOf(run).worst, 1 + 1e-9);
}

// Ellipsoids that reach into a body do not draw grains into it.
TEST(Confinement, leavesGrainsOutOfBodies) {
    Settings settings;
    settings.interpolateEvery = 1;
    settings.confined = true;
    CarriedWorld run([](const Vec3&, double) { return Vec3{0, 0, -0.2}; }, settings, {0.3, 0.3, 0.03});
    run.guides->frame = kFrame;
    run.insert();
    run.steps(Exec(2), 200);   // guides go 4 cm down, some of them below the floor
    const world::FieldTable table = run.read();
    ASSERT_EQ(table.count(), 32u * 216u);
    for (std::size_t i = 0; i < table.count(); ++i) ASSERT_GT(at(table.reals("position"), i).z, 0.999 * table.reals("radius")[i]) << "grain " << i;
}

TEST(Confinement, grainsHaveTheNormalsOfTheirGuides) {
    CarriedWorld run([](const Vec3&, double) { return Vec3{}; });
    run.insert();
    const world::FieldTable without = run.read();
    for (const double component : without.reals("normal")) ASSERT_EQ(component, 0) << "guides without normals";
    run.guides->frame = kFrame;
    const world::FieldTable table = run.read();
    for (std::size_t i = 0; i < table.count(); ++i) {
        const Vec3 expected = normalized(Vec3{static_cast<double>(table.integers("guide")[i]), 1, 2});
        ASSERT_LT(norm(at(table.reals("normal"), i) - expected), 1e-15);
    }
}

}  // namespace
}  // namespace talus::upsampling::test
