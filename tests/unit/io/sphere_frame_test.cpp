// SPDX-License-Identifier: Apache-2.0
#include "io/sphere_frame.h"

#include "core/problems.h"
#include "io/contact_files.h"
#include "unit/io/example_frame.h"
#include "unit/io/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::io {
namespace {

FrameColumn reals(std::string name, std::size_t components, std::vector<float> values) { return {std::move(name), world::FieldType::real, components, std::move(values), {}}; }
FrameColumn integers(std::string name, std::vector<std::int64_t> values) { return {std::move(name), world::FieldType::integer, 1, {}, std::move(values)}; }

/// A ball at x = 5, and a dumbbell at the origin, twice as large as its template, turned by 90 degrees about z and spinning about z.
Frame ballAndDumbbell() {
    const auto half = static_cast<float>(std::sqrt(0.5));
    return {.time = 2, .count = 2, .columns = {integers("id", {7, 9}), reals("position", 3, {5, 0, 0, 0, 0, 0}), reals("velocity", 3, {0, 0, 1, 1, 0, 0}), reals("radius", 1, {0.25F, 4}),
                                               reals("mass", 1, {1, 2}), reals("orientation", 3, {0, 0, 0, 0, 0, half}), reals("orientation_w", 1, {1, half}), integers("template", {0, 1}),
                                               reals("angular_velocity", 3, {0, 0, 9, 0, 0, 3})}};
}
const std::vector<world::GrainTemplate> kShapes{{"ball", {{0, 0, 0, 0.5}}}, {"dumbbell", {{1, 0, 0, 1}, {-1, 0, 0, 0.5}}}};

TEST(SphereFrame, hasARowForEverySphereThatMovesAsThePartOfItsGrain) {
    const Frame spheres = spheresOf(ballAndDumbbell(), kShapes);
    ASSERT_EQ(spheres.count, 3U);
    EXPECT_EQ(spheres.time, 2);
    EXPECT_EQ(spheres.find("id")->integers, (std::vector<std::int64_t>{7, 9, 9}));
    EXPECT_EQ(spheres.find("sphere")->integers, (std::vector<std::int64_t>{0, 0, 1}));
    EXPECT_EQ(spheres.find("radius")->reals, (std::vector<float>{0.25F, 2, 1}));
    EXPECT_EQ(spheres.find("mass")->reals, (std::vector<float>{1, 2, 2}));
    const std::vector<float> positions{5, 0, 0, 0, 2, 0, 0, -2, 0}, velocities{0, 0, 1, -5, 0, 0, 7, 0, 0};
    for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_NEAR(spheres.find("position")->reals[k], positions[k], 1e-6) << k;
        EXPECT_NEAR(spheres.find("velocity")->reals[k], velocities[k], 1e-5) << k;
    }
}

TEST(SphereFrame, ofGrainsWithoutTemplatesIsTheGrains) {
    const Frame grains = ballAndDumbbell(), spheres = spheresOf(grains, {});
    EXPECT_EQ(spheres.count, 2U);
    for (const char* name : {"position", "velocity", "radius", "mass"}) EXPECT_EQ(spheres.find(name)->reals, grains.find(name)->reals);
}

TEST(SphereFrame, saysWhichFieldIsMissing) {
    Frame frame = ballAndDumbbell();
    frame.columns.pop_back();
    try {
        spheresOf(frame, kShapes);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the frames have no field 'angular_velocity', which the spheres of clumps need; run the scene again with output.fields = [\"angular_velocity\"]");
    }
}

TEST(SphereFrame, readsTheTemplatesOfARun) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(readTemplates(folder / "templates.json").empty());
    writeTemplates(folder / "templates.json", kShapes);
    const std::vector<world::GrainTemplate> read = readTemplates(folder / "templates.json");
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[1].name, "dumbbell");
    EXPECT_EQ(read[1].spheres, kShapes[1].spheres);
}

}  // namespace
}  // namespace talus::io
