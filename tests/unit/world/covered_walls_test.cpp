// SPDX-License-Identifier: Apache-2.0
#include "world/covered_walls.h"

#include "geometry/primitives.h"
#include "world/world.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace talus::world {
namespace {

using geometry::ShapePtr;

/// What is said of a body at a height of the domain's floor z = 0, over grains of material 0; it is of material 1 with its own friction.
std::string warningOf(const ShapePtr& shape, const Vec3& place, double reach, double friction = 0.2, const Motion* motion = nullptr) {
    World world;
    world.domain = {{0, 0, 0}, {1, 1, 1}, {}};
    world.materials.resize(2);
    world.contacts.set(0, 1, {.friction = friction});
    world.bodies = domainFaces(world.domain);
    Body& body = world.bodies.emplace_back();
    body.name = "floor";
    body.material = 1;
    body.shape = shape;
    body.source = 0;
    body.motion = motion ? *motion : Motion(place, Quat{});
    Fill& fill = world.fills.emplace_back();
    fill.material = 0;
    Problems problems;
    warnOfCoveredWalls(world, reach, problems);
    return problems.warnings().empty() ? "" : problems.warnings().front().message;
}

const ShapePtr kPlane = std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{});

TEST(CoveredWalls, aFloorThatIsGivenTwiceIsNamed) {
    EXPECT_EQ(warningOf(kPlane, {}, 0.05),
              "the wall z_min of the domain coincides with the surface of 'floor', so that grains feel both, with friction 0.5 and 0.2; make that face \"open\", or put it further behind");
    EXPECT_EQ(warningOf(kPlane, {0, 0, 0.03}, 0.05),
              "the wall z_min of the domain lies only 0.03 m behind the surface of 'floor', so that grains feel both, with friction 0.5 and 0.2; make that face \"open\", or put it further behind");
    const Motion belt({}, {}, {Travel{Vec3{1, 0, 0}}});
    EXPECT_NE(warningOf(kPlane, {}, 0.05, 0.5, &belt).find("of which the wall stands still"), std::string::npos) << "it moves, with the friction of the wall";
}

TEST(CoveredWalls, whereNoGrainFeelsBothAlikeNothingIsSaid) {
    EXPECT_EQ(warningOf(kPlane, {}, 0.05, 0.5), "") << "the same friction";
    EXPECT_EQ(warningOf(kPlane, {0, 0, 0.06}, 0.05), "") << "out of reach";
    EXPECT_EQ(warningOf(kPlane, {0, 0, -0.01}, 0.05), "") << "behind the wall";
    const ShapePtr box = std::make_shared<geometry::Box>(Vec3{0.5, 0.5, 0.2});
    EXPECT_EQ(warningOf(box, {0.5, 0.5, 0.1}, 0.05), "") << "a box that stands on the floor";
    EXPECT_NE(warningOf(box, {0.5, 0.5, -0.08}, 0.05), "") << "a box of which two centimetres look out of it";
}

}  // namespace
}  // namespace talus::world
