// SPDX-License-Identifier: Apache-2.0
#include "unit/run/play.h"

#include "geometry/primitives.h"
#include "io/vtp.h"
#include "unit/run/three_stages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace talus::run {
namespace {

TEST(StagedRun, writesAFrameAtEveryEndAndClosesTheSeriesWhereTheClockIsSetBack) {
    const TemporaryFolder folder;
    const Outcome outcome = play(folder / "run", {.end = 0.3, .stages = threeStages()});
    EXPECT_EQ(outcome.code, ExitCode::done);
    // 20 frames a second: 0, 0.05, 0.07 (end), 0.10, 0.13 (end); then on a new clock 0.05 and its end.
    std::vector<double> times;
    for (const io::FrameTime& frame : io::readVtpSeries(folder / "run" / "frames" / "grains.vtp.series")) times.push_back(frame.time);
    ASSERT_EQ(times.size(), 7u);
    const std::array expected{0.0, 0.05, 0.07, 0.10, 0.13, 0.18};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-12) << i;
    EXPECT_GE(times[6] - 0.13, 0.055);   // first look at 5 ms, held for 50 ms
    EXPECT_LE(times[6] - 0.13, 0.055 + 2 * 0.004);

    const auto rows = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    EXPECT_EQ(rows(io::readFile(folder / "run" / "series.rest.csv")), 1 + 5);
    const std::string after = io::readFile(folder / "run" / "series.csv");
    EXPECT_EQ(rows(after), 1 + 3) << "the frame of the change, 0.05 s and the end";
    EXPECT_EQ(after.substr(after.find('\n') + 1, 2), "0,") << "on a new clock";

    const std::vector<StageRecord>& stages = outcome.record.stages;
    ASSERT_EQ(stages.size(), 3u);
    EXPECT_EQ(stages[0].name + stages[1].name + stages[2].name, "droprestlift");
    EXPECT_NEAR(stages[1].begin, 0.07, 1e-12);
    EXPECT_NEAR(stages[2].begin, 0.13, 1e-12);
    EXPECT_EQ(stages[2].clock, 0);
    EXPECT_GT(stages[2].step, stages[1].step);
    EXPECT_EQ(stages[0].ended + " " + stages[1].ended + " " + stages[2].ended, "time limit condition");
    ASSERT_EQ(outcome.record.warnings.size(), 1u);
    EXPECT_NE(outcome.record.warnings[0].find("stage 'rest' was not over after 0.06 s"), std::string::npos) << outcome.record.warnings[0];
}

TEST(StagedRun, isTheSameToTheByteWhereverItWasInterruptedOrKilled) {
    const TemporaryFolder folder;
    play(folder / "whole", {.end = 0.3, .stages = threeStages()});
    const auto whole = results(folder / "whole");
    ASSERT_TRUE(whole.contains("series.rest.csv"));
    for (std::int64_t step = 0;; step += test::kBetweenInterruptions) {
        const Path stopped = folder / fmt::format("stopped-{}", step), killed = folder / fmt::format("killed-{}", step);
        const bool over = play(stopped, {.end = 0.3, .stopAfter = step, .stages = threeStages()}).code == ExitCode::done;
        if (over) break;
        play(stopped, {.end = 0.3, .resume = true, .stages = threeStages()});
        EXPECT_EQ(results(stopped), whole) << "interrupted before step " << step;
        const auto kill = [&](std::int64_t now) { if (now == step) throw Killed{}; };
        EXPECT_THROW(play(killed, {.end = 0.3, .eachStep = kill, .stages = threeStages()}), Killed);
        play(killed, {.end = 0.3, .resume = true, .stages = threeStages()});
        EXPECT_EQ(results(killed), whole) << "killed before step " << step;
        ASSERT_LT(step, 500);
    }
}

// From a stage on in which gravity changes in time what is lost is unknown, for the work of that is in no column.
TEST(StagedRun, whatIsLostIsUnknownWhereGravityIsASchedule) {
    const TemporaryFolder folder;
    world::Stage first{.name = "rest", .until = world::Until{.condition = world::AfterTime{0.1}}, .resetTime = false, .world = test::fallingGrains().world()};
    world::Stage second = first;
    second.name = "shake";
    second.given = {"gravity"};
    second.world.gravityOverTime = Sine<Vec3>{{0, 0, -9.81}, {0, 0, 5}, 3};
    second.until = {};
    play(folder / "run", {.stages = {first, second}});
    std::istringstream series(io::readFile(folder / "run" / "series.csv"));
    std::string line;
    std::getline(series, line);
    for (const double time : {0.0, 0.05, 0.1, 0.15, 0.2, 0.25}) {
        std::getline(series, line);
        std::istringstream row(line);
        std::string cell;
        for (int column = 0; column < 10; ++column) std::getline(row, cell, ',');
        EXPECT_EQ(cell.empty(), time > 0.1) << line;
    }
}

TEST(StagedRun, aClosedSeriesIsTakenBackForACheckpointFromBeforeIt) {
    const TemporaryFolder folder;
    play(folder / "whole", {.end = 0.3, .stages = threeStages()});
    const auto whole = results(folder / "whole");
    // The run was killed after it had closed the series, and its newer checkpoint is lost.
    std::int64_t rest = 0;
    play(folder / "run", {.end = 0.3, .stages = threeStages()});
    io::removeFile(folder / "run" / "checkpoint" / "a.h5");
    io::removeFile(folder / "run" / "checkpoint" / "b.h5");
    for (std::int64_t step = 0; !std::filesystem::exists(folder / "cut" / "series.rest.csv"); ++step, ++rest) {
        std::filesystem::remove_all(folder / "cut");
        play(folder / "cut", {.end = 0.3, .stopAfter = step, .stages = threeStages()});
        ASSERT_LT(step, 500);
    }
    std::filesystem::remove_all(folder / "cut");
    play(folder / "cut", {.end = 0.3, .stopAfter = rest - 2, .stages = threeStages()});
    for (const std::string_view file : {"series.csv", "series.rest.csv", "flows.csv", "flows.rest.csv"})   // as the later part of the run left them
        io::writeFile(folder / "cut" / file, io::readFile(folder / "whole" / file));
    play(folder / "cut", {.end = 0.3, .resume = true, .stages = threeStages()});
    EXPECT_EQ(results(folder / "cut"), whole);
}

/// What stands in the first column of a table.
std::vector<double> timesIn(const Path& table) {
    std::istringstream text(io::readFile(table));
    std::string line;
    std::vector<double> times;
    std::getline(text, line);
    while (std::getline(text, line)) times.push_back(std::stod(line));
    return times;
}

TEST(StagedRun, tablesOfProbesAndFlowsBeginAnewWithTheClock) {
    const TemporaryFolder folder;
    play(folder / "run", {.end = 0.3, .stages = threeStages(), .probes = true});
    const std::vector<double> closed = timesIn(folder / "run" / "probes/heights.rest.csv"), open = timesIn(folder / "run" / "probes/heights.csv");
    for (std::size_t k = 0; k < closed.size(); ++k) EXPECT_NEAR(closed[k], static_cast<double>(k) / 70, 1e-12);
    for (std::size_t k = 0; k < open.size(); ++k) EXPECT_NEAR(open[k], static_cast<double>(k) / 70, 1e-12) << "samples restart with the clock";
    EXPECT_EQ(closed.size(), 10u) << "up to 0.13 s";
    EXPECT_GT(open.size(), 1u);
    const std::vector<double> frames = timesIn(folder / "run" / "series.csv");
    EXPECT_EQ(timesIn(folder / "run" / "probes/down.csv"), frames) << "those that go with the frames have one at every end";
    EXPECT_EQ(timesIn(folder / "run" / "flows.csv"), frames);
    EXPECT_EQ(timesIn(folder / "run" / "probes/down.rest.csv"), timesIn(folder / "run" / "series.rest.csv"));
    EXPECT_EQ(timesIn(folder / "run" / "flows.rest.csv"), timesIn(folder / "run" / "series.rest.csv"));
    std::set<std::string> tables;
    for (const Result& result : readResults(folder / "run")) tables.insert(result.probe);
    EXPECT_EQ(tables, (std::set<std::string>{"down", "down.rest", "heights", "heights.rest"}));
}

TEST(StagedRun, withProbesItIsTheSameToTheByteWhereverItWasInterruptedOrKilled) {
    const TemporaryFolder folder;
    const auto with = [](Part part) {
        part.end = 0.3;
        part.stages = threeStages();
        part.probes = true;
        return part;
    };
    play(folder / "whole", with({}));
    const auto whole = results(folder / "whole");
    ASSERT_TRUE(whole.contains("probes/heights.rest.csv") && whole.contains("results.json"));
    for (std::int64_t step = 0;; step += test::kBetweenInterruptions) {
        const Path stopped = folder / fmt::format("stopped-{}", step), killed = folder / fmt::format("killed-{}", step);
        if (play(stopped, with({.stopAfter = step})).code == ExitCode::done) break;
        play(stopped, with({.resume = true}));
        EXPECT_EQ(results(stopped), whole) << "interrupted before step " << step;
        const auto kill = [&](std::int64_t now) { if (now == step) throw Killed{}; };
        EXPECT_THROW(play(killed, with({.eachStep = kill})), Killed);
        play(killed, with({.resume = true}));
        EXPECT_EQ(results(killed), whole) << "killed before step " << step;
        ASSERT_LT(step, 500);
    }
}

TEST(StagedRun, aStageEndsWhereAProbePassesItsLimit) {
    const TemporaryFolder folder;
    play(folder / "free", {.end = 0.25, .probes = true});
    std::istringstream table(io::readFile(folder / "free" / "probes/heights.csv"));
    std::string line;
    std::vector<std::pair<double, double>> rows;
    std::getline(table, line);
    while (std::getline(table, line)) rows.emplace_back(std::stod(line), std::stod(line.substr(line.find(',') + 1)));
    ASSERT_GT(rows.size(), 8u);
    const double limit = 0.5 * (rows[6].second + rows[7].second);
    std::vector<world::Stage> stages = threeStages();
    stages.resize(1);
    stages[0].until = world::Until{.condition = world::WhenProbe{"heights", "position_z_p50_m", limit, rows[7].second > limit}, .every = 1e-6, .atMost = 0.2};
    const Outcome outcome = play(folder / "run", {.end = 0.25, .stages = stages, .probes = true});
    EXPECT_EQ(outcome.record.stages[0].ended, "condition");
    EXPECT_DOUBLE_EQ(outcome.record.time, rows[7].first) << "the first sample beyond the limit";
}

TEST(StagedRun, theLastStageGoesOnWithALaterEndUnlessItsConditionWasMet) {
    const TemporaryFolder folder;
    std::vector<world::Stage> stages = threeStages();
    stages.back().until.reset();
    play(folder / "whole", {.end = 0.3, .stages = stages});
    play(folder / "run", {.end = 0.12, .stages = stages});
    EXPECT_TRUE(play(folder / "run", {.end = 0.12, .resume = true, .stages = stages}).nothingLeft);
    play(folder / "run", {.end = 0.3, .resume = true, .stages = stages});
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));

    play(folder / "met", {.end = 0.2, .stages = threeStages()});
    EXPECT_TRUE(play(folder / "met", {.end = 0.3, .resume = true, .stages = threeStages()}).nothingLeft);
}

TEST(StagedRun, framesCountOverAllStages) {
    const TemporaryFolder folder;
    const Outcome part = play(folder / "run", {.end = 0.3, .frames = 3, .stages = threeStages()});
    EXPECT_EQ(part.record.frames, 4);
    play(folder / "run", {.end = 0.3, .resume = true, .stages = threeStages()});
    play(folder / "whole", {.end = 0.3, .stages = threeStages()});
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(StagedRun, aRequiredConditionThatIsNotMetIsAFailure) {
    const TemporaryFolder folder;
    std::vector<world::Stage> stages = threeStages();
    stages[1].until->required = true;
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.end = 0.3, .stages = stages}); }), ExitCode::diverged);
    const Record record = readRecord(folder / "run");
    EXPECT_EQ(record.status, "failed");
    EXPECT_NE(record.failure.find("the mean speed is"), std::string::npos) << record.failure;
}

TEST(StagedRun, lostEnergyDoesNotJumpWhereGravityDoes) {
    const TemporaryFolder folder;
    play(folder / "run", {.end = 0.3, .stages = threeStages()});
    const auto column = [](const std::string& line, int index) {
        std::size_t at = 0;
        for (int i = 0; i < index; ++i) at = line.find(',', at) + 1;
        return std::stod(line.substr(at));
    };
    const std::string before = io::readFile(folder / "run" / "series.rest.csv"), after = io::readFile(folder / "run" / "series.csv");
    const std::string last = before.substr(before.rfind('\n', before.size() - 2) + 1);
    const std::string first = after.substr(after.find('\n') + 1, after.find('\n', after.find('\n') + 1) - after.find('\n') - 1);
    constexpr int kPotential = 6, kDissipated = 9;
    EXPECT_NEAR(column(first, kPotential) / column(last, kPotential), 4 / 9.81, 1e-9);
    EXPECT_NEAR(column(first, kDissipated), column(last, kDissipated), 1e-9);
}

}  // namespace
}  // namespace talus::run
