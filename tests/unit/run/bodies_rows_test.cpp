// SPDX-License-Identifier: Apache-2.0
#include "geometry/primitives.h"
#include "run/series.h"
#include "unit/run/falling_grains.h"

#include <gtest/gtest.h>

namespace talus::run {
namespace {

std::string rowsAt(double time) {
    world::World world;
    for (const char* const name : {"wall", "gate"}) {
        world::Body& body = world.bodies.emplace_back();
        body.name = name;
        body.shape = std::make_shared<geometry::Sphere>(0.1);
    }
    world.bodies[1].active = {0, 0.3};
    world.time = time;
    return bodiesRows({std::move(world), std::make_unique<test::FallingGrains>(1e300, true)}, 7);
}

TEST(BodiesRows, leaveOutABodyThatIsNotThere) {
    EXPECT_EQ(rowsAt(0.25), "7,0.25,wall,0,0,0,1,0,0,0\n7,0.25,gate,0,0,0,1,0,0,0\n");
    EXPECT_EQ(rowsAt(0.5), "7,0.5,wall,0,0,0,1,0,0,0\n");
}

}  // namespace
}  // namespace talus::run
