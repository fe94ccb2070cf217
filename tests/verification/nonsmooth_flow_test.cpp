// SPDX-License-Identifier: Apache-2.0
// Flows of the method nonsmooth that have names: Janssen's column, craters; and grains beside others.
#include "nonsmooth/nonsmooth.h"
#include "verification/named_flows.h"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

// PHYSICS: 15 %, with K from the run itself.
TEST(NonsmoothVerification, wallsCarryAColumnAsJanssenSays) {
    Settings settings;
    settings.tolerance = 1e-4;
    // Walls carry what they can only when the sand has sunk by half a cell: after 0.3, 0.45, 0.6, 0.9 s the floor has 15, 11, 13, 4 % more than expected.
    const JanssenColumn column = sinkingColumn(startWith(nonsmooth::info, settings), 0.9);
    EXPECT_NEAR(column.floor / column.expected, 1, 0.15);
    EXPECT_LT(column.floor, 0.8 * column.hydrostatic);
}

// §7.5 of the paper: a heavy cluster that falls beside a few grains throws them up, where they share nodes with it. How fast, over the speed
// of the cluster; and not at all where they are two cells away.
TEST(NonsmoothVerification, grainsBesideAClusterAreThrownOnlyWhereTheyShareItsNodes) {
    const double h = 0.1, speed = 1;
    for (const double gap : {0.3, 0.6, 2.2}) {
        world::World world;
        world.domain.max = {12 * h, 4 * h, 12 * h};
        world.materials = {world::Material{.name = "sand"}};
        world.bodies = world::domainFaces(world.domain);
        const double from = (4 + gap) * h;
        world.fills = {{boxBetween({0, 0, 0.2 * h}, {4 * h, 4 * h, 4.2 * h}), 0, 0, {0, 0, -speed}}, {boxBetween({from, 0, 0}, {from + 0.5 * h, 4 * h, 0.5 * h}), 0, 1, {}}};
        world.resolution.size = h;
        Settings settings;
        settings.dt = 0.005;
        const Exec exec(1);
        world::Simulation run = startWith(nonsmooth::info, settings)(std::move(world), exec);
        double up = 0, away = 0;
        for (int i = 1; i <= 20; ++i) {
            advance(run, exec, 0.005 * i);
            const world::FieldTable now = read(run, exec, {"velocity", "source"});
            for (std::size_t k = 0; k < now.count(); ++k)
                if (now.integers("source")[k] == 1) {
                    up = std::max(up, now.reals("velocity")[3 * k + 2]);
                    away = std::max(away, std::abs(now.reals("velocity")[3 * k]));
                }
        }
        std::printf("    %.1f cells away: thrown up with %.3f, pushed away with %.3f of the speed of the cluster\n", gap, up / speed, away / speed);
        EXPECT_LT(up, gap > 2 ? 1e-6 : 1.0) << gap;
        EXPECT_LT(away, gap > 2 ? 1e-6 : 1.0) << gap;
    }
}

TEST(NonsmoothStudy, aCraterIsRound) {
    Settings settings;
    settings.start = mpm::Start::jittered;
    expectRound(craterOfABall(startWith(nonsmooth::info, settings)));
}

}  // namespace
}  // namespace talus
