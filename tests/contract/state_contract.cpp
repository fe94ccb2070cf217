// SPDX-License-Identifier: Apache-2.0
// The state of a method is its archive, whole and to the bit.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "world/simulation.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace talus::contract {
namespace {

using namespace world;

/// Bits of every field of every grain, in the order of read().
std::vector<std::int64_t> fieldBits(const Method& method, const Exec& exec) {
    std::vector<std::int64_t> bits;
    const FieldTable table = read(method, {}, exec);
    for (const FieldTable::Whole& column : table.columns()) {
        for (const double value : column.reals) bits.push_back(std::bit_cast<std::int64_t>(value));
        bits.insert(bits.end(), column.integers.begin(), column.integers.end());
    }
    return bits;
}

TEST_P(MethodContract, sameBitsForAnyNumberOfThreads) {
    const Exec one(1);
    LiveWorld reference(GetParam(), makeWorld());
    const std::vector<std::int64_t> start = fieldBits(*reference.method, one);
    reference.steps(one, 40);
    const std::vector<std::int64_t> expected = fieldBits(*reference.method, one);
    ASSERT_NE(start, expected);
    ASSERT_NE(norm(reference.world.bodies[4].load.impulse), 0) << "the floor was not touched";
    for (const int threads : {2, 3}) {
        const Exec exec(threads);
        LiveWorld run(GetParam(), makeWorld(), exec);
        run.steps(exec, 40);
        EXPECT_TRUE(fieldBits(*run.method, exec) == expected) << threads << " threads";
        EXPECT_EQ(difference(run.save(), reference.save()), "") << threads << " threads";
    }
}

std::vector<double> secondOutputs(const LiveWorld& run, const MethodInfo& info) {
    std::vector<double> numbers;
    for (const SecondOutput& output : info.secondOutputs) {
        FieldTable rows;
        run.method->readSecond(output, rows);
        EXPECT_GT(rows.count(), 0u) << output.name;
        for (const FieldTable::Whole& column : rows.columns()) numbers.insert(numbers.end(), column.reals.begin(), column.reals.end());
    }
    return numbers;
}

TEST_P(MethodContract, secondOutputsAreTheSameForAnyNumberOfThreadsAndAfterAResume) {
    const MethodInfo& info = *GetParam().info;
    if (info.secondOutputs.empty()) GTEST_SKIP() << "it has none";
    for (const SecondOutput& output : info.secondOutputs) {
        ASSERT_EQ(output.fields[0].name, output.lines ? "from" : "position");
        ASSERT_EQ(output.fields[1].name == "to", output.lines);
    }
    const Exec one(1), three(3);
    LiveWorld reference(GetParam(), makeWorld());
    reference.steps(one, 40);
    const std::vector<double> expected = secondOutputs(reference, info);
    LiveWorld first(GetParam(), makeWorld());
    first.steps(three, 39);
    LiveWorld second(GetParam(), makeWorld(), first.save());
    first.steps(three, 1);
    EXPECT_EQ(secondOutputs(first, info), expected) << "3 threads";
    second.steps(one, 1);
    EXPECT_EQ(secondOutputs(second, info), expected) << "resumed before the last step";
}

TEST_P(MethodContract, takesGrainsOutBetweenStepsWithTheSameBits) {
    const auto runTo = [&](LiveWorld& run, const Exec& exec, int from, int to) {
        for (int s = from; s < to; ++s) {
            run.steps(exec, 1);
            if (s % 3 == 2) run.method->erase(exec, {box({-1, -1, -1}, {(6 + 0.1 * s) * kSize, 9, 9}), true});
        }
    };
    const Exec one(1), three(3);
    LiveWorld reference(GetParam(), makeWorld());
    runTo(reference, one, 0, 24);
    ASSERT_LT(reference.method->count(), reference.inserted.count);
    ASSERT_GT(reference.method->count(), 0);
    LiveWorld threaded(GetParam(), makeWorld());
    runTo(threaded, three, 0, 24);
    EXPECT_EQ(difference(threaded.save(), reference.save()), "") << "3 threads";
    LiveWorld first(GetParam(), makeWorld());
    runTo(first, one, 0, 10);
    LiveWorld second(GetParam(), makeWorld(), first.save());
    EXPECT_EQ(second.method->count(), first.method->count());
    runTo(second, one, 10, 24);
    EXPECT_EQ(difference(second.save(), reference.save()), "") << "resumed";
}

TEST_P(MethodContract, resumesAtAnyStepWithTheSameBits) {
    const Exec exec(2);
    constexpr int kSteps = 24;
    LiveWorld whole(GetParam(), makeWorld());
    whole.steps(exec, kSteps);
    for (const int stop : {0, 1, 2, 7, 16, 23}) {
        LiveWorld first(GetParam(), makeWorld());
        first.steps(exec, stop);
        const MemoryArchive checkpoint = first.save();
        EXPECT_EQ(difference(first.save(), checkpoint), "") << "saving changed the state";

        LiveWorld second(GetParam(), makeWorld(), checkpoint);
        EXPECT_EQ(difference(second.save(), checkpoint), "") << "step " << stop;
        EXPECT_EQ(second.method->stableStep(second.world), first.method->stableStep(first.world));
        second.steps(exec, kSteps - stop);
        EXPECT_TRUE(fieldBits(*second.method, exec) == fieldBits(*whole.method, exec)) << "resumed at step " << stop;
        EXPECT_EQ(difference(second.save(), whole.save()), "") << "resumed at step " << stop;
    }
}

TEST_P(MethodContract, aRejectedStepChangesNothing) {
    const Exec exec(2);
    LiveWorld run(GetParam(), makeWorld()), undisturbed(GetParam(), makeWorld());
    run.steps(exec, 5);
    undisturbed.steps(exec, 5);
    const MemoryArchive before = run.save();
    bool rejected = false;
    for (double factor = 2; factor < 1e7 && !rejected; factor *= 2) {
        const double dt = factor * run.method->stableStep(run.world);
        const StepReport report = run.method->step(exec, run.world, dt);
        if (const auto* shorter = std::get_if<Rejected>(&report)) {
            rejected = true;
            EXPECT_LT(shorter->dt, dt);
            EXPECT_GT(shorter->dt, kSmallestStep);
            EXPECT_EQ(difference(run.save(), before), "");
        } else {
            run.load(before);
        }
    }
    ASSERT_TRUE(rejected) << "no step was too long";
    run.steps(exec, 5);
    undisturbed.steps(exec, 5);
    EXPECT_EQ(difference(run.save(), undisturbed.save()), "");
}

TEST_P(MethodContract, twoRunsInOneProcessDoNotDisturbEachOther) {
    const Exec exec(2);
    LiveWorld alone(GetParam(), makeWorld());
    alone.steps(exec, 12);
    World other = makeWorld();
    other.gravity = {3, 0, -4};
    other.fills[0].velocity = {-1, 2, -3};
    LiveWorld a(GetParam(), makeWorld()), b(GetParam(), std::move(other));
    for (int step = 0; step < 12; ++step) {
        a.steps(exec, 1);
        b.steps(exec, 1);
    }
    EXPECT_EQ(difference(a.save(), alone.save()), "");
    EXPECT_NE(difference(b.save(), alone.save()), "");
}

template <class T>
void spoilFirst(MemoryArchive& archive, const std::string& entry) {
    std::vector<T> values = archive.get<T>(entry);
    values.front() = std::numeric_limits<T>::quiet_NaN();
    archive.put(entry, values);
}

TEST_P(MethodContract, aStateThatIsNotFiniteIsReportedWithItsGrain) {
    const Exec exec(2);
    LiveWorld run(GetParam(), makeWorld());
    run.steps(exec, 3);
    MemoryArchive spoilt = run.save();
    const std::string entry = "method/" + GetParam().velocityEntry;
    if (spoilt.entries().at(entry).type == ElementType::float32) spoilFirst<float>(spoilt, entry);
    else spoilFirst<double>(spoilt, entry);
    run.load(spoilt);

    std::set<std::int64_t> bad;
    const FieldTable grains = read(*run.method);
    for (std::size_t i = 0; i < grains.count(); ++i)
        if (!isFinite(vectorAt(grains, field::velocity, i))) bad.insert(grains.integers("id")[i]);
    ASSERT_EQ(bad.size(), 1u);

    const StepReport report = run.method->step(exec, run.world, run.method->stableStep(run.world));
    const auto* failed = std::get_if<Failed>(&report);
    ASSERT_TRUE(failed) << "the step did not notice";
    EXPECT_EQ(failed->grain, *bad.begin());
    EXPECT_FALSE(failed->what.empty());
    EXPECT_FALSE(failed->field.empty());
}

// Gravity reaches every grain and every node. Bodies: unit_world Simulation.
TEST_P(MethodContract, aForceThatIsNotFiniteIsReportedInTheSameStep) {
    const Exec exec(2);
    for (const int before : {0, 1, 6}) {
        LiveWorld run(GetParam(), makeWorld());
        run.steps(exec, before);
        const double dt = run.method->stableStep(run.world);
        run.world.gravity.z = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(std::holds_alternative<Failed>(run.method->step(exec, run.world, dt))) << "after " << before << " steps";
    }
}

}  // namespace
}  // namespace talus::contract
