// SPDX-License-Identifier: Apache-2.0
// What a stage does to a method in mid-run.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "world/stage.h"

namespace talus::contract {
namespace {

using namespace world;

Stage changedStage(const World& world) {
    Stage stage;
    stage.name = "next";
    stage.world = world;
    for (Material& material : stage.world.materials) material.muHat *= 0.5;
    for (Body& body : stage.world.bodies) body.contact = ContactMode::sticky;
    stage.world.bodies[0].active = {-1, 0};
    stage.world.bodies[4].motion = Motion({}, {}, {Travel{Vec3{0, 0, 0.3}}});   // the floor rises
    stage.given = {"bodies." + stage.world.bodies[4].name + ".motion", "bodies." + stage.world.bodies[0].name + ".active"};
    return stage;
}

// A method made for the changed world has nothing to forget: one that was there before must not differ by a bit.
TEST_P(MethodContract, keepsNothingOfTheWorldBeforeAStage) {
    const Exec exec(2);
    LiveWorld run(GetParam(), makeWorld()), unchanged(GetParam(), makeWorld());
    run.steps(exec, 20);
    unchanged.steps(exec, 40);
    enter(run.world, changedStage(makeWorld()), run.world.time);
    LiveWorld fresh(GetParam(), run.world, run.save());
    ASSERT_EQ(fresh.world.revision, 1);
    run.steps(exec, 20);
    fresh.steps(exec, 20);
    EXPECT_EQ(difference(run.save(), fresh.save()), "");
    EXPECT_NE(difference(run.save(), unchanged.save()), "") << "the changes made no difference";
}

TEST_P(MethodContract, settingTheClockBackChangesBirthTimesOnly) {
    const Exec exec(1);
    LiveWorld run(GetParam(), makeWorld());
    run.steps(exec, 5);
    const FieldTable before = read(*run.method, {}, exec);
    run.method->setClockBack(0.25);
    const FieldTable after = read(*run.method, {}, exec);
    ASSERT_GT(before.count(), 0u);
    for (const FieldTable::Whole& column : before.columns()) {
        if (column.info.type == FieldType::integer) {
            EXPECT_TRUE(std::ranges::equal(column.integers, after.integers(column.info.name)));
            continue;
        }
        const double shift = column.info.name == field::birthTime.name ? 0.25 : 0;
        for (std::size_t i = 0; i < column.reals.size(); ++i) ASSERT_EQ(after.reals(column.info.name)[i], column.reals[i] - shift) << column.info.name;
    }
}

}  // namespace
}  // namespace talus::contract
