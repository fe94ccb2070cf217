// SPDX-License-Identifier: Apache-2.0
// Clump templates against the table of unions of spheres.
#include "csv.h"
#include "dem/clump_template.h"
#include "dem/sizes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

Shape shapeNamed(std::string_view name) {
    for (std::size_t i = 0; i < kShapeNames.size(); ++i)
        if (kShapeNames[i] == name) return static_cast<Shape>(i);
    throw std::runtime_error("no such shape");
}

TEST(Clump, volumeAndInertiaOfTheUnionAgainstTheTable) {
    const test::CsvTable table("G_clump_inertia.csv");
    double worstVolume = 0, worstInertia = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::vector<TemplateSphere> spheres = builtInSpheres(shapeNamed(table.text(row, "shape")), table.number(row, "d/(2r)"));
        ASSERT_EQ(static_cast<double>(spheres.size()), table.number(row, "n"));
        const geometry::MassProperties whole = unionProperties(spheres);
        worstVolume = std::max(worstVolume, std::abs(whole.volume / table.number(row, "V_union/r^3") - 1));
        for (int axis = 0; axis < 3; ++axis) worstInertia = std::max(worstInertia, std::abs(whole.inertia(axis, axis) / whole.volume / table.number(row, "I_union/(M_union r^2)") - 1));
        double bound = 0;
        for (const TemplateSphere& s : spheres) bound = std::max(bound, norm(s.centre) + s.radius);
        EXPECT_NEAR(bound, table.number(row, "bounding_radius/r"), 1e-6);
    }
    std::printf("    volume %.1e, inertia %.1e\n", worstVolume, worstInertia);
    EXPECT_LT(worstVolume, 1e-3);
    EXPECT_LT(worstInertia, 1e-3);
}

TEST(Clump, aTemplateHasTheVolumeOfAUnitSphereAndItsPrincipalAxes) {
    // A rod of three spheres in an oblique direction, off the origin.
    const Vec3 along = normalized(Vec3{1, 2, -1});
    std::vector<TemplateSphere> rod;
    for (int i = 0; i < 3; ++i) rod.push_back({Vec3{5, 1, 2} + (1.2 * i) * along, 1});
    const ClumpTemplate made = makeTemplate("rod", rod);
    const geometry::MassProperties whole = unionProperties(made.spheres);
    EXPECT_NEAR(whole.volume, std::numbers::pi / 6, 1e-4);
    EXPECT_LT(norm(whole.centre), 1e-4);
    EXPECT_GT(made.inertia.x, 1.5 * made.inertia.z);
    EXPECT_NEAR(made.inertia.x, made.inertia.y, 1e-3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(whole.inertia(i, j) / whole.volume, i == j ? made.inertia[i] : 0, 1e-3 * made.inertia.x) << i << j;
    EXPECT_NEAR(makeTemplate("sphere", {{{3, 0, 0}, 2}}).inertia.x, 0.1, 1e-12);   // 2/5 r² of a diameter of 1
    EXPECT_TRUE(makeTemplate("tetra4", builtInSpheres(Shape::tetra4, 0.8)).isotropic());
}

TEST(Sizes, haveTheMeansAndEndsThatTheySay) {
    TableSize table;
    table.rows = {0.5, 0.3, 1, 0.3, 2, 0.4};
    const SizeDistribution all[] = {ConstantSize{}, UniformSize{}, NormalSize{}, LognormalSize{}, table};
    for (const SizeDistribution& sizes : all) {
        double sum = 0, cube = 0, low = 1e9, high = 0;
        constexpr int kDraws = 200000;
        double large = 0;
        for (int i = 0; i < kDraws; ++i) {
            Rng rng(7, 3, static_cast<std::uint64_t>(i));
            const double d = drawSize(sizes, rng);
            sum += d;
            cube += d * d * d;
            low = std::min(low, d);
            high = std::max(high, d);
            if (d == 2) large += d * d * d;
        }
        EXPECT_GE(low, smallestSize(sizes));
        EXPECT_LE(high, largestSize(sizes));
        EXPECT_NEAR(cube / kDraws / meanCube(sizes), 1, 0.04);
        if (sizes.index() < 3) {
            EXPECT_NEAR(sum / kDraws, 1, 0.005);
        }
        if (std::holds_alternative<TableSize>(sizes)) {
            EXPECT_NEAR(large / cube, 0.4, 0.02) << "share of the mass";
        }
    }
}

}  // namespace
}  // namespace talus::dem
