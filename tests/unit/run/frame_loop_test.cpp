// SPDX-License-Identifier: Apache-2.0
#include "run/frame_loop.h"

#include "geometry/primitives.h"
#include "io/vtp.h"
#include "unit/io/temporary_folder.h"
#include "unit/run/falling_grains.h"
#include "world/probes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace {
int lockError = 0;   // what flock answers in this program; 0: the truth
}  // namespace

extern "C" int flock(int file, int operation) noexcept {
    if (lockError == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
    errno = lockError;
    return -1;
}

namespace talus::run {
namespace {

using test::TemporaryFolder;

constexpr double kEnd = 0.25, kFramesPerSecond = 20;

/// Everything that must be the same to the byte, and nothing that may differ.
std::map<std::string, std::string> results(const Path& directory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        const std::string name = std::filesystem::relative(entry.path(), directory).string();
        if (entry.is_regular_file() && (name.starts_with("frames/") || name.starts_with("series.") || name.starts_with("flows.") || name.starts_with("probes/") || name == "results.json")) files[name] = io::readFile(entry.path());
    }
    return files;
}

struct Part {
    double end = kEnd;
    std::optional<std::int64_t> frames = {};
    std::int64_t stopAfter = -1;               // steps of this part
    double checkpointInterval = 0, failTime = 1e300;
    std::optional<double> maxSeconds = {};
    Stamp stamp{"1", "AVX2", "float", "abc"};
    bool resume = false, force = false, loadable = true;
    std::function<void(std::int64_t step)> eachStep = [](std::int64_t) {};
    std::vector<world::Stage> stages = {};
    bool probes = false;                       // one with the frames, one at a rate of its own
};

struct Outcome {
    ExitCode code = ExitCode::done;
    bool nothingLeft = false;
    Record record;
};

/// Not an exception that anyone handles: the nearest to a kill inside one process.
struct Killed {};

Record recordOf(const Path& path, const Part& part) {
    Record record;
    record.version = part.stamp.version;
    record.simd = part.stamp.simd;
    if (part.resume) record.carryOver(readRecord(path));
    return record;
}

std::vector<world::ProbePlan> probesOf(const Part& part) {
    std::vector<world::ProbePlan> plans(part.probes ? 2 : 0);
    if (!part.probes) return plans;
    world::StatisticProbe median;
    median.of = {world::field::position, 2, "position_z"};
    median.statistic = world::Statistic::percentile;
    median.percentiles = {50};
    plans[0].probe = world::makeProbe({"heights", {}}, median);
    plans[0].rate = 70;   // none of its times is a frame's but 0, 0.1, …
    plans[1].probe = world::makeProbe({"down", {}}, world::FluxProbe{{0, 0, 0.1}, {0, 0, -1}, {}, {}});
    return plans;
}

Outcome play(const Path& path, const Part& part) {
    const Exec exec(1);
    world::Simulation simulation = test::fallingGrains(part.failTime, part.loadable);
    RunDirectory directory = part.resume ? RunDirectory::open(path) : RunDirectory::create(path, false);
    Observer observer;
    LoopSettings settings{.end = part.end, .framesPerSecond = kFramesPerSecond, .frames = part.frames, .stages = part.stages, .firstNumber = 0, .fields = {"id", "position", "velocity"},
                          .checkpointInterval = part.checkpointInterval, .maxSeconds = part.maxSeconds, .stamp = part.stamp, .probes = probesOf(part)};
    FrameLoop loop(exec, simulation, directory, recordOf(path, part), std::move(settings), observer);
    if (!part.resume) loop.begin("scene");
    else if (!loop.resume("scene", part.force)) return {ExitCode::done, true, readRecord(path)};
    std::int64_t steps = 0;
    const ExitCode code = loop.run([&]() -> std::optional<ExitCode> {
        part.eachStep(steps);
        if (steps++ == part.stopAfter) return ExitCode::interrupted;
        return {};
    });
    return {code, false, readRecord(path)};
}

ExitCode codeOf(auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::done;
}

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
    for (std::int64_t step = 0; step < whole.record.steps; ++step) {
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

TEST(RunDirectory, refusesWhatIsNotItsOwn) {
    const TemporaryFolder folder;
    play(folder / "run", {.frames = 1});
    io::writeFile(folder / "run" / "notes.txt", "mine");
    io::writeFile(folder / "run" / "frames/mine.vtp", "mine");
    EXPECT_EQ(codeOf([&] { RunDirectory::create(folder / "run", false); }), ExitCode::usage);
    { RunDirectory::create(folder / "run", true); }
    EXPECT_EQ(results(folder / "run"), (std::map<std::string, std::string>{{"frames/mine.vtp", "mine"}}));
    EXPECT_FALSE(std::filesystem::exists(folder / "run" / "checkpoint"));
    EXPECT_EQ(io::readFile(folder / "run" / "notes.txt"), "mine");

    std::filesystem::create_directory(folder / "other");
    { RunDirectory::create(folder / "other", false); }
    io::writeFile(folder / "other" / "thesis.tex", "mine");
    EXPECT_EQ(codeOf([&] { RunDirectory::create(folder / "other", true); }), ExitCode::usage);
    EXPECT_EQ(io::readFile(folder / "other" / "thesis.tex"), "mine");
    EXPECT_EQ(codeOf([&] { RunDirectory::create(folder / "other" / "thesis.tex", true); }), ExitCode::usage);
    EXPECT_EQ(codeOf([&] { RunDirectory::open(folder / "other"); }), ExitCode::missing);
    EXPECT_EQ(codeOf([&] { RunDirectory::open(folder / "absent"); }), ExitCode::missing);
}

TEST(RunDirectory, belongsToOneRunAtATime) {
    const TemporaryFolder folder;
    const RunDirectory first = RunDirectory::create(folder / "run", false);
    EXPECT_EQ(codeOf([&] { RunDirectory::create(folder / "run", true); }), ExitCode::usage);
}

TEST(RunDirectory, aFileSystemWithoutLocksIsWarnedOf) {
    const TemporaryFolder folder;
    lockError = ENOLCK;
    const Outcome outcome = play(folder / "run", {.frames = 1});
    lockError = EIO;
    EXPECT_EQ(codeOf([&] { RunDirectory::open(folder / "run"); }), ExitCode::io) << "and any other error is one";
    lockError = 0;
    ASSERT_EQ(outcome.record.warnings.size(), 1u);
    EXPECT_NE(outcome.record.warnings[0].find("has no locks"), std::string::npos) << outcome.record.warnings[0];
    EXPECT_EQ(outcome.record.status, "done");
}

// ---- stages --------------------------------------------------------------------------------------------------------

/// 0.07 s; then until the grains, which bounce, are slower than they ever are, at most 0.06 s; then with a new clock and
/// half the gravity until the lowest of them is below 5 cm, which is found by a look every 5 ms.
std::vector<world::Stage> threeStages() {
    world::Stage first{.name = "drop", .until = world::Until{.condition = world::AfterTime{0.07}}, .resetTime = false, .world = test::fallingGrains(1e300, true).world()};
    world::Stage second = first, third = first;
    second.name = "rest";
    second.until = world::Until{.condition = world::WhenSlow{1e-6}, .every = 0.01, .atMost = 0.06};
    third.name = "lift";
    third.resetTime = true;
    third.given = {"gravity"};
    third.world.gravity = {0, 0, -4};
    third.world.gravityOverTime = Schedule<Vec3>(Vec3{0, 0, -4});
    const auto all = std::make_shared<geometry::Sphere>(100);
    third.until = world::Until{.condition = world::WhenMass{all, 9.5, true}, .hold = 0.05, .every = 0.005, .atMost = 0.2};
    return {first, second, third};
}

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
    for (std::int64_t step = 0;; ++step) {
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
    for (std::int64_t step = 0;; ++step) {
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

TEST(RunDirectory, overwritingRemovesTheSeriesOfStages) {
    const TemporaryFolder folder;
    play(folder / "run", {.end = 0.3, .stages = threeStages()});
    io::writeFile(folder / "run" / "series.mine.csv", "mine");
    ASSERT_TRUE(std::filesystem::exists(folder / "run" / "series.rest.csv"));
    { RunDirectory::create(folder / "run", true); }
    EXPECT_FALSE(std::filesystem::exists(folder / "run" / "series.rest.csv"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / "series.mine.csv"));
}

}  // namespace
}  // namespace talus::run
