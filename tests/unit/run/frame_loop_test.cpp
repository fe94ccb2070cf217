// SPDX-License-Identifier: Apache-2.0
#include "unit/run/play.h"

#include "io/poly_data.h"
#include "io/vtp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace talus::run {
namespace {

TEST(FrameSchedule, framesAreRegularWithOneMoreAtAnOddEnd) {
    const FrameSchedule even(2, 24), odd(0.1, 24), rounded(0.1, 30), limited(2, 24, 5);
    EXPECT_EQ(even.last(), 48);
    EXPECT_EQ(even.time(48), 2);
    EXPECT_EQ(odd.last(), 3);
    EXPECT_EQ(odd.time(2), 2.0 / 24);
    EXPECT_EQ(odd.time(3), 0.1);
    EXPECT_TRUE(odd.isRegular(2) && !odd.isRegular(3));
    EXPECT_EQ(rounded.last(), 3);
    EXPECT_EQ(limited.last(), 5);
    EXPECT_EQ(limited.time(5), 5.0 / 24);
    EXPECT_EQ(FrameSchedule(0.01, 24).last(), 1);
}

TEST(FrameLoop, writesWhatTheContractNames) {
    const TemporaryFolder folder;
    const Outcome outcome = play(folder / "run", {.end = 0.22});
    EXPECT_EQ(outcome.code, ExitCode::done);
    EXPECT_EQ(outcome.record.status, "done");
    EXPECT_EQ(outcome.record.frames, 6);
    EXPECT_EQ(outcome.record.grains, 10);
    EXPECT_EQ(outcome.record.fallbacks.at("tunnelled"), 0);
    for (int k = 0; k < 6; ++k) EXPECT_TRUE(std::filesystem::exists(folder / "run" / "frames" / io::frameName(k)));
    EXPECT_EQ(io::readVtp(folder / "run" / "frames" / io::frameName(5)).time, 0.22);
    const auto listed = io::readVtpSeries(folder / "run" / "frames/grains.vtp.series");
    ASSERT_EQ(listed.size(), 6u);
    EXPECT_EQ(listed[5].time, 0.22);

    std::istringstream series(io::readFile(folder / "run" / "series.csv"));
    std::string line;
    std::getline(series, line);
    EXPECT_EQ(line, "time_s,steps,dt_s,grains,mass_kg,kinetic_energy_J,potential_energy_J,elastic_energy_J,body_work_J,dissipated_J,"
                    "com_x_m,com_y_m,com_z_m,max_speed_m_s,iterations");
    std::getline(series, line);
    EXPECT_EQ(line.substr(0, 14), "0,0,0,10,10,0,");
    EXPECT_NE(line.find(",0,0,0,4.5,0,"), std::string::npos) << "nothing stored, worked or dissipated yet: " << line;
    std::istringstream bodies(io::readFile(folder / "run" / "frames/bodies.csv"));
    std::getline(bodies, line);
    std::getline(bodies, line);
    EXPECT_EQ(line, "0,0,\"cup, \"\"left\"\"\",1,2,3,1,0,0,0");
    std::getline(bodies, line);
    EXPECT_EQ(line, "1,0.05,\"cup, \"\"left\"\"\",1.05,2,3,1,0,0,0");
}

TEST(FrameLoop, interruptedAtAnyStepAndResumedGivesTheSameBytes) {
    const TemporaryFolder folder;
    const Outcome whole = play(folder / "whole", {});
    const auto expected = results(folder / "whole");
    ASSERT_EQ(expected.size(), 6u + 3u + 6u + 2u + 2u);
    ASSERT_GT(whole.record.steps, 60);
    for (std::int64_t step = 0; step < whole.record.steps; step += test::kBetweenInterruptions) {
        const Path path = folder / ("stopped" + std::to_string(step));
        const Outcome first = play(path, {.stopAfter = step});
        ASSERT_EQ(first.code, ExitCode::interrupted);
        ASSERT_EQ(first.record.status, "interrupted");
        ASSERT_EQ(first.record.steps, step);
        const Outcome second = play(path, {.resume = true});
        ASSERT_EQ(second.record.status, "done");
        ASSERT_EQ(second.record.steps, whole.record.steps);
        ASSERT_EQ(results(path), expected) << "stopped after step " << step;
        std::filesystem::remove_all(path);
    }
}

TEST(FrameLoop, stoppedAfterEveryFewStepsGivesTheSameBytes) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    Outcome outcome = play(folder / "often", {.stopAfter = 7});
    while (outcome.code == ExitCode::interrupted) outcome = play(folder / "often", {.stopAfter = 7, .resume = true});
    EXPECT_EQ(results(folder / "often"), results(folder / "whole"));
}

TEST(FrameLoop, secondOutputsAreWrittenWithEveryFrameInTheSameBytesHoweverInterrupted) {
    const TemporaryFolder folder;
    const Outcome whole = play(folder / "whole", {.second = true});
    const Path frames = folder / "whole" / "frames";
    const io::PolyData lines = io::readPolyData(frames / "contacts_000003.vtp"), points = io::readPolyData(frames / "nodes_000003.vtp");
    ASSERT_EQ(lines.lines.size(), 10u);
    ASSERT_EQ(points.points.size(), 10u);
    for (std::size_t i = 0; i < 10; ++i) {
        const Vec3f from = lines.points[lines.lines[i][0]], to = lines.points[lines.lines[i][1]];
        EXPECT_EQ(from, points.points[i]);
        EXPECT_EQ(to, (Vec3f{from.x, 0, 0}));
        EXPECT_EQ(lines.findCellData("height")->values[i], from.z);
        EXPECT_EQ(points.findPointData("height")->values[i], from.z);
    }
    EXPECT_EQ(io::readPolyData(frames / "nodes_000000.vtp").points.size(), 0u) << "nothing was stepped yet";
    EXPECT_EQ(io::readVtpSeries(frames / "grains.vtp.series").size(), 6u);
    const auto expected = results(folder / "whole");
    for (const char* name : {"contacts", "nodes"}) EXPECT_NE(expected.at(fmt::format("frames/{}.vtp.series", name)).find(fmt::format("{}_000005.vtp", name)), std::string::npos);
    for (std::int64_t step = 0; step < whole.record.steps; step += 7) {
        const Path path = folder / ("stopped" + std::to_string(step));
        play(path, {.stopAfter = step, .second = true});
        play(path, {.resume = true, .second = true});
        ASSERT_EQ(results(path), expected) << "stopped after step " << step;
    }
    { RunDirectory::create(folder / "whole", true); }
    EXPECT_FALSE(std::filesystem::exists(frames)) << "they are cleared away";
}

TEST(FrameLoop, secondOutputsThatComeWithAResumeListTheFramesThatHaveThem) {
    const TemporaryFolder folder;
    play(folder / "run", {.frames = 2});
    play(folder / "run", {.resume = true, .second = true});
    const std::string list = io::readFile(folder / "run" / "frames" / "nodes.vtp.series");
    EXPECT_EQ(list.find("nodes_000002.vtp"), std::string::npos);
    for (const char* name : {"nodes_000003.vtp", "nodes_000005.vtp"}) EXPECT_NE(list.find(name), std::string::npos) << list;
}

// A kill leaves files that are newer than the last checkpoint: a frame, rows, temporaries.
TEST(FrameLoop, whatIsNewerThanTheCheckpointIsCutBack) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    play(folder / "killed", {.frames = 2});
    const Path frames = folder / "killed" / "frames";
    std::filesystem::copy_file(frames / io::frameName(2), frames / io::frameName(3));
    io::writeFile(frames / (".grains_000004.vtp.tmp-ABCDEF"), "half");
    io::writeFile(folder / "killed" / "series.csv", io::readFile(folder / "killed" / "series.csv") + "0.15,1");
    io::writeFile(folder / "killed" / "checkpoint/.a.h5.tmp-ABCDEF", "half");
    EXPECT_EQ(play(folder / "killed", {.resume = true}).code, ExitCode::done);
    EXPECT_EQ(results(folder / "killed"), results(folder / "whole"));
    EXPECT_FALSE(std::filesystem::exists(folder / "killed" / "checkpoint/.a.h5.tmp-ABCDEF"));
}

TEST(FrameLoop, aDamagedCheckpointFallsBackToTheOther) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    play(folder / "run", {.frames = 3});
    std::vector<std::string> warnings;
    const Path newest = io::CheckpointPair(folder / "run" / "checkpoint").usable(warnings)[0].path();
    io::writeFile(newest, io::readFile(newest).substr(0, 3000));
    const Outcome outcome = play(folder / "run", {.resume = true});
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
    ASSERT_EQ(outcome.record.warnings.size(), 1u);
    EXPECT_NE(outcome.record.warnings[0].find("damaged"), std::string::npos);

    for (const char* name : {"checkpoint/a.h5", "checkpoint/b.h5"}) io::writeFile(folder / "run" / name, "nothing");
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.end = 1, .resume = true}); }), ExitCode::missing);
}

TEST(FrameLoop, aFinishedRunIsExtendedAsIfItHadNeverEnded) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    for (const double end : {0.1, 0.12, 0.2, 0.22}) {   // at a frame and between frames
        const Path path = folder / ("extended" + std::to_string(end));
        play(path, {.end = end, .stopAfter = 20});
        EXPECT_EQ(play(path, {.end = end, .resume = true}).record.status, "done");
        EXPECT_TRUE(play(path, {.end = end, .resume = true}).nothingLeft);
        EXPECT_EQ(play(path, {.resume = true}).code, ExitCode::done);
        EXPECT_EQ(results(path), results(folder / "whole")) << end;
        EXPECT_TRUE(play(path, {.end = end, .resume = true}).nothingLeft) << "a shorter end has been passed";
    }
    play(folder / "odd", {.end = 0.12});
    play(folder / "odd", {.end = 0.12, .resume = true});
    EXPECT_EQ(play(folder / "odd", {.end = 0.15, .resume = true}).record.frames, 4);
    EXPECT_EQ(io::readVtp(folder / "odd" / "frames" / io::frameName(3)).time, 3 / kFramesPerSecond);
}

TEST(FrameLoop, framesLimitAndCheckpointIntervalChangeNothing) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    const Outcome limited = play(folder / "limited", {.frames = 2});
    EXPECT_EQ(limited.record.frames, 3);
    EXPECT_EQ(limited.record.status, "done");
    play(folder / "limited", {.resume = true});
    EXPECT_EQ(results(folder / "limited"), results(folder / "whole"));
    for (const double interval : {0.003, 0.07}) {
        const Path path = folder / ("interval" + std::to_string(interval));
        play(path, {.stopAfter = 50, .checkpointInterval = interval});
        play(path, {.checkpointInterval = interval, .resume = true});
        EXPECT_EQ(results(path), results(folder / "whole")) << interval;
    }
}

TEST(FrameLoop, timeIsUp) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    const Outcome outcome = play(folder / "run", {.maxSeconds = 0.0});
    EXPECT_EQ(outcome.code, ExitCode::timeUp);
    EXPECT_EQ(outcome.record.status, "interrupted");
    play(folder / "run", {.resume = true});
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(FrameLoop, aFailedStepNamesItsPlaceAndKeepsTheLastGoodState) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    try {
        play(folder / "run", {.failTime = 0.13});
        FAIL() << "should have diverged";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::diverged);
        const std::string message = error.what();
        for (const char* part : {"step ", "grain 3", "(1, 2, 3) m", "field velocity", "not finite"}) EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    const Record record = readRecord(folder / "run");
    EXPECT_EQ(record.status, "failed");
    EXPECT_FALSE(record.failure.empty());
    EXPECT_EQ(record.frames, 3);
    const Record resumed = play(folder / "run", {.resume = true}).record;
    EXPECT_EQ(resumed.status, "done");
    EXPECT_EQ(resumed.failure, "");
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(FrameLoop, aFileThatCannotBeWrittenIsInTheRecord) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    const Path frames = folder / "run" / "frames", away = folder / "away";
    const auto takeFramesAway = [&](std::int64_t step) { if (step == 30) std::filesystem::rename(frames, away); };
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.eachStep = takeFramesAway}); }), ExitCode::io);
    const Record record = readRecord(folder / "run");
    EXPECT_EQ(record.status, "failed");
    EXPECT_NE(record.failure.find("cannot create"), std::string::npos) << record.failure;
    std::filesystem::rename(away, frames);
    EXPECT_EQ(play(folder / "run", {.resume = true}).record.failure, "");
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(FrameLoop, aCheckpointWithoutItsEntriesFallsBackToTheOther) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    play(folder / "run", {.frames = 3});
    std::vector<std::string> none;
    const io::Checkpoint newest = std::move(io::CheckpointPair(folder / "run" / "checkpoint").usable(none)[0]);
    const Part part{.resume = true};
    const auto onlyStamp = [](const Stamp& stamp) { return [&stamp](Archive& archive) { stamp.save(archive); }; };
    io::writeCheckpoint(newest.path(), newest.serial(), onlyStamp(part.stamp));
    const Outcome outcome = play(folder / "run", part);
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
    ASSERT_EQ(outcome.record.warnings.size(), 1u);
    EXPECT_NE(outcome.record.warnings[0].find("cannot find"), std::string::npos) << outcome.record.warnings[0];

    for (const char* name : {"checkpoint/a.h5", "checkpoint/b.h5"}) io::writeCheckpoint(folder / "run" / name, 99, onlyStamp(part.stamp));
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.end = 1, .resume = true}); }), ExitCode::missing);
    for (const char* name : {"checkpoint/a.h5", "checkpoint/b.h5"}) io::writeCheckpoint(folder / "run" / name, 99, onlyStamp({"2", "AVX2", "float", "abc"}));
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.end = 1, .resume = true}); }), ExitCode::usage) << "another version is said before its entries are missed";
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(FrameLoop, aResumeThatFailsCutsNothing) {
    const TemporaryFolder folder;
    play(folder / "run", {.stopAfter = 30});
    const Path series = folder / "run" / "series.csv";
    const std::string rows = io::readFile(series);
    io::writeFile(series, rows + "written after the checkpoint\n");
    const auto before = results(folder / "run");
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.resume = true, .loadable = false}); }), ExitCode::missing);
    EXPECT_EQ(results(folder / "run"), before);
    io::writeFile(series, rows.substr(0, 10));
    EXPECT_EQ(codeOf([&] { play(folder / "run", {.resume = true}); }), ExitCode::missing) << "rows that no checkpoint can do without";
    EXPECT_EQ(io::readFile(series), rows.substr(0, 10));
}

// The checkpoint between frames 2 and 3 at the old end is newer than the one that the longer run goes on from.
TEST(FrameLoop, aKilledExtensionCanBeTakenBack) {
    const TemporaryFolder folder;
    play(folder / "whole", {.end = 0.12});
    play(folder / "run", {.end = 0.12});
    EXPECT_THROW(play(folder / "run", {.resume = true, .eachStep = [](std::int64_t) { throw Killed{}; }}), Killed);
    const Record record = play(folder / "run", {.end = 0.12, .resume = true}).record;
    EXPECT_EQ(record.status, "done");
    EXPECT_EQ(record.warnings, std::vector<std::string>{}) << "nothing of the old end is left to stumble over";
    EXPECT_EQ(results(folder / "run"), results(folder / "whole"));
}

TEST(FrameLoop, anotherBuildIsRefusedUnlessForced) {
    const TemporaryFolder folder;
    play(folder / "run", {.stopAfter = 30});
    const auto before = results(folder / "run");
    Part part{.stamp = {"1", "SSE2", "float", "abc"}, .resume = true};
    try {
        play(folder / "run", part);
        FAIL() << "should have been refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("AVX2 there, SSE2 here"), std::string::npos) << error.what();
    }
    EXPECT_EQ(results(folder / "run"), before);
    part.force = true;
    const Record record = play(folder / "run", part).record;
    EXPECT_EQ(record.status, "done");
    EXPECT_EQ(record.simd, "SSE2");
}

}  // namespace
}  // namespace talus::run
