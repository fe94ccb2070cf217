// SPDX-License-Identifier: Apache-2.0
#include "unit/run/play.h"
#include "unit/run/three_stages.h"

#include <gtest/gtest.h>

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
