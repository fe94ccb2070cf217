// SPDX-License-Identifier: Apache-2.0
#include "core/schedule.h"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// Midpoint sums over many small parts.
template <class T>
T summed(const Schedule<T>& schedule, double from, double to) {
    constexpr int kParts = 200000;
    T sum{};
    for (int i = 0; i < kParts; ++i) sum = sum + schedule.at(from + (to - from) * (i + 0.5) / kParts) * ((to - from) / kParts);
    return sum;
}

const std::vector<Schedule<double>> kSchedules{
    3.0, TimeTable<double>{{1}, {4}}, TimeTable<double>{{0, 1, 3}, {2, -1, 5}}, TimeTable<double>{{0.5, 1, 1, 2}, {1, 2, 7, 0}},
    Sine<double>{2, 3, 0.7, 40}};

TEST(Schedule, IntegralIsTheSumOfTheValues) {
    for (const Schedule<double>& schedule : kSchedules)
        for (const auto& [from, to] : {std::pair{0.0, 0.3}, std::pair{-1.0, 4.0}, std::pair{0.7, 2.2}, std::pair{2.0, 1.0}, std::pair{3.5, 6.0}})
            EXPECT_NEAR(schedule.integral(from, to), summed(schedule, from, to), 1e-4) << from << " to " << to << ", form " << schedule.form().index();
}

TEST(Schedule, IntegralsAddUp) {
    for (const Schedule<double>& schedule : kSchedules)
        EXPECT_NEAR(schedule.integral(-0.5, 1.3) + schedule.integral(1.3, 2.9), schedule.integral(-0.5, 2.9), 1e-14);
}

// As a walk over all rows before a time sums them up.
TEST(Schedule, IntegralOfALongTableIsExact) {
    TimeTable<double> rows;
    for (int k = 0; k < 1000; ++k) {
        rows.times.push_back(0.01 * (k - k % 5));   // with jumps
        rows.values.push_back(1 + 0.37 * (k * 7919 % 101));
    }
    const auto walked = [&](const TimeTable<double>& table, double time) {
        double sum = 0;
        std::size_t k = 0;
        for (; k + 1 < table.times.size() && table.times[k + 1] <= time; ++k) sum += (table.values[k] + table.values[k + 1]) * (0.5 * (table.times[k + 1] - table.times[k]));
        return sum + (table.values[k] + table.at(time)) * (0.5 * (time - table.times[k]));
    };
    const Schedule<double> given = rows;
    for (const Schedule<double>& schedule : {given, given.later(0.3), given.times(1.7)}) {
        const auto& table = std::get<TimeTable<double>>(schedule.form());
        for (const double time : {0.31, 0.5, 3.14159, 9.95, 12.5}) EXPECT_EQ(schedule.integral(0.3, time), walked(table, time) - walked(table, 0.3)) << time;
    }
}

TEST(Schedule, TableHoldsBeforeAndAfterAndJumps) {
    const Schedule<double> table = TimeTable<double>{{0.5, 1, 1, 2}, {1, 2, 7, 0}};
    EXPECT_EQ(table.at(-3), 1);
    EXPECT_DOUBLE_EQ(table.at(0.75), 1.5);
    EXPECT_EQ(table.at(1), 7);
    EXPECT_NEAR(table.at(1 - 1e-12), 2, 1e-9);
    EXPECT_EQ(table.at(99), 0);
}

TEST(Schedule, VectorsChangeByComponent) {
    const Schedule<Vec3> table = TimeTable<Vec3>{{0, 2}, {{0, 1, 2}, {2, 1, 0}}};
    EXPECT_EQ(table.at(1), (Vec3{1, 1, 1}));
    EXPECT_EQ(table.integral(0, 2), (Vec3{2, 2, 2}));
    EXPECT_FALSE(table.constant());
    EXPECT_TRUE(Schedule<Vec3>(Vec3{1, 2, 3}).constant());
}

}  // namespace
}  // namespace talus
