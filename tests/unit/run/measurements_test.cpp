// SPDX-License-Identifier: Apache-2.0
#include "run/measurements.h"

#include "run/events.h"
#include "run/frame_loop.h"
#include "unit/io/temporary_folder.h"
#include "unit/run/falling_grains.h"
#include "world/probes.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>
#include <sstream>

namespace talus::run {
namespace {

using test::TemporaryFolder;

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(Events, theEarliestComesFirstAndTheNearlySimultaneousTogether) {
    Event event = nextEvent(std::vector<double>{0.2, 0.1, kNever}, 1e-12);
    EXPECT_EQ(event.time, 0.1);
    EXPECT_EQ(event.due, (std::vector<bool>{false, true, false}));
    const double third = 0.1 * 3;   // not 0.3
    ASSERT_NE(third, 0.3);
    event = nextEvent(std::vector<double>{third, 0.3, 0.31}, 1e-12);
    EXPECT_EQ(event.time, third) << "the first in the list gives the time";
    EXPECT_EQ(event.due, (std::vector<bool>{true, true, false}));
    event = nextEvent(std::vector<double>{0.3, third, 0.31}, 1e-12);
    EXPECT_EQ(event.time, 0.3);
    EXPECT_EQ(event.due, (std::vector<bool>{true, true, false}));
}

std::vector<world::ProbePlan> plans() {
    std::vector<world::ProbePlan> plans(3);
    world::StatisticProbe median;
    median.of = {world::field::position, 2, "position_z"};
    median.statistic = world::Statistic::percentile;
    median.percentiles = {50};
    plans[0].probe = world::makeProbe({"heights", {}}, median);
    plans[0].rate = 70;   // none of its times is a frame's but 0, 0.1, …
    plans[0].results = {{"highest", "position_z_p50_m", world::Reduce::max, 50, {}, {}}, {"fall", "position_z_p50_m", world::Reduce::slope, 50, 0.0, 0.1}};
    plans[1].probe = world::makeProbe({"down", {}}, world::FluxProbe{{0, 0, 0.1}, {0, 0, -1}, {}, {}});
    plans[1].rate = 30;
    plans[2].probe = world::makeProbe({"each", {}}, world::TrackProbe{{2, 5}, {}, 1, {}, {}});
    return plans;
}

struct Part {
    double end = 0.25;
    std::int64_t stopAfter = -1;
    double checkpointInterval = 0, failTime = 1e300;
    bool resume = false;
};

ExitCode play(const Path& path, const Part& part) {
    const Exec exec(1);
    world::Simulation simulation = test::fallingGrains(part.failTime);
    RunDirectory directory = part.resume ? RunDirectory::open(path) : RunDirectory::create(path, false);
    Observer observer;
    LoopSettings settings{.end = part.end, .framesPerSecond = 20, .frames = {}, .stages = {}, .firstNumber = 0, .fields = {"id", "position"},
                          .checkpointInterval = part.checkpointInterval, .maxSeconds = {}, .stamp = {"1", "AVX2", "float", "abc"}, .probes = plans()};
    Record record;
    if (part.resume) record.carryOver(readRecord(path));
    FrameLoop loop(exec, simulation, directory, record, std::move(settings), observer);
    if (!part.resume) loop.begin("scene");
    else EXPECT_TRUE(loop.resume("scene", false));
    std::int64_t steps = 0;
    return loop.run([&]() -> std::optional<ExitCode> {
        if (steps++ == part.stopAfter) return ExitCode::interrupted;
        return {};
    });
}

std::map<std::string, std::string> results(const Path& directory) {
    std::map<std::string, std::string> files{{"results.json", io::readFile(directory / "results.json")}, {"series.csv", io::readFile(directory / "series.csv")}};
    for (const auto& entry : std::filesystem::directory_iterator(directory / "probes")) files[entry.path().filename().string()] = io::readFile(entry.path());
    return files;
}

std::vector<double> timesOf(const Path& table) {
    std::istringstream text(io::readFile(table));
    std::vector<double> times;
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line)) times.push_back(std::stod(line));
    return times;
}

TEST(Measurements, samplesFallOnTheirTimesExactly) {
    const TemporaryFolder folder;
    ASSERT_EQ(play(folder / "run", {}), ExitCode::done);
    const std::vector<double> fast = timesOf(folder / "run/probes/heights.csv");
    ASSERT_EQ(fast.size(), 18u);   // 0 … 17/70 s
    for (std::size_t k = 0; k < fast.size(); ++k) EXPECT_NEAR(fast[k], static_cast<double>(k) / 70, 1e-16);
    EXPECT_EQ(timesOf(folder / "run/probes/down.csv").size(), 8u);   // 0 … 7/30 s
    const std::vector<double> frames = timesOf(folder / "run/probes/each.csv");
    ASSERT_EQ(frames.size(), 2 * 6u);   // two grains
    EXPECT_EQ(frames[11], 0.25);

    std::istringstream heights(io::readFile(folder / "run/probes/heights.csv"));
    std::string line;
    std::getline(heights, line);
    EXPECT_EQ(line, "time_s,position_z_p50_m");
    std::getline(heights, line);
    EXPECT_EQ(line, "0,0.14");
}

TEST(Measurements, resultsNameValueAndUnit) {
    const TemporaryFolder folder;
    play(folder / "run", {});
    const auto json = nlohmann::json::parse(io::readFile(folder / "run/results.json"));
    EXPECT_EQ(json["heights"]["highest"]["value"], 0.14);
    EXPECT_EQ(json["heights"]["highest"]["unit"], "m");
    EXPECT_EQ(json["heights"]["fall"]["unit"], "m/s");
    EXPECT_LT(json["heights"]["fall"]["value"].get<double>(), 0);
    EXPECT_EQ(json["down"]["mass_kg.last"]["unit"], "kg") << "standard results of every column";
    EXPECT_EQ(json["down"]["mass_kg.mean"]["reduce"], "mean");
    const std::vector<Result> read = readResults(folder / "run");
    ASSERT_FALSE(read.empty());
    EXPECT_EQ(read[0].probe, "heights");
    EXPECT_EQ(read[0].value, 0.14);
}

TEST(Measurements, interruptedAtAnyStepAndResumedGiveTheSameBytes) {
    const TemporaryFolder folder;
    play(folder / "whole", {});
    const auto expected = results(folder / "whole");
    ASSERT_EQ(expected.size(), 5u);
    for (const double interval : {0.0, 0.033})
        for (std::int64_t step = 0; step < 80; step += 3 * test::kBetweenInterruptions) {
            const Path path = folder / ("at" + std::to_string(step) + (interval > 0 ? "i" : ""));
            ASSERT_EQ(play(path, {.stopAfter = step, .checkpointInterval = interval}), ExitCode::interrupted);
            ASSERT_EQ(play(path, {.checkpointInterval = interval, .resume = true}), ExitCode::done);
            ASSERT_EQ(results(path), expected) << "interrupted after step " << step;
        }
}

TEST(Measurements, anExtendedRunIsTheSameAsALongOne) {
    const TemporaryFolder folder;
    play(folder / "whole", {.end = 0.4});
    play(folder / "short", {.end = 0.22});
    play(folder / "short", {.end = 0.4, .resume = true});
    EXPECT_EQ(results(folder / "short"), results(folder / "whole"));
}

TEST(Measurements, aTableThatWasCutIsNoticed) {
    const TemporaryFolder folder;
    play(folder / "run", {.stopAfter = 60});
    std::filesystem::resize_file(folder / "run/probes/heights.csv", 20);
    EXPECT_THROW(play(folder / "run", {.resume = true}), Error);
}

TEST(Measurements, whatWasMeasuredBeforeAFailureIsKept) {
    const TemporaryFolder folder;
    EXPECT_THROW(play(folder / "run", {.failTime = 0.12}), Error);
    EXPECT_EQ(timesOf(folder / "run/probes/heights.csv").size(), 9u);   // until 8/70 s
    EXPECT_EQ(nlohmann::json::parse(io::readFile(folder / "run/results.json"))["heights"]["highest"]["value"], 0.14);
}

TEST(Measurements, overwritingRemovesTablesAndNothingElse) {
    const TemporaryFolder folder;
    play(folder / "run", {});
    io::writeFile(folder / "run/probes/mine.csv", "a,b\n1,2\n");
    RunDirectory::create(folder / "run", true);
    EXPECT_FALSE(std::filesystem::exists(folder / "run/probes/heights.csv"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run/probes/mine.csv"));
}

}  // namespace
}  // namespace talus::run
