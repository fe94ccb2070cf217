// SPDX-License-Identifier: Apache-2.0
#include "io/checkpoint.h"

#include "core/problems.h"
#include "unit/io/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>

namespace talus::io {
namespace {

using test::TemporaryFolder;

constexpr auto putExample = [](Archive& archive) {
    archive.put("step", std::int64_t{42});
    archive.put("name", std::string_view("hourglass"));
    const auto method = archive.group("method");
    archive.put("empty", std::vector<float>{});
    const auto points = archive.group("points");
    archive.put("x", std::vector<double>{0.1, -0.0, std::numeric_limits<double>::quiet_NaN()});
    archive.put("key", std::vector<std::uint32_t>{1, 2, 0xFFFFFFFF});
    archive.put("position", std::vector<float>(1000, 0.25f));
};

TEST(Checkpoint, holdsWhatWasPutIn) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "a.h5", 7, putExample);
    const Checkpoint checkpoint(folder / "a.h5");
    const Archive& archive = checkpoint.archive();
    EXPECT_EQ(checkpoint.serial(), 7u);
    EXPECT_EQ(archive.value<std::int64_t>("step"), 42);
    EXPECT_EQ(archive.text("name"), "hourglass");
    const auto method = archive.group("method");
    EXPECT_TRUE(archive.contains("empty"));
    EXPECT_FALSE(archive.contains("absent"));
    EXPECT_FALSE(archive.contains("absent/deeper"));
    EXPECT_TRUE(archive.get<float>("empty").empty());
    const auto points = archive.group("points");
    const auto x = archive.get<double>("x");
    ASSERT_EQ(x.size(), 3u);
    EXPECT_TRUE(x[0] == 0.1 && std::signbit(x[1]) && std::isnan(x[2]));
    EXPECT_EQ(archive.get<std::uint32_t>("key").back(), 0xFFFFFFFF);
    EXPECT_EQ(archive.get<float>("position"), std::vector<float>(1000, 0.25f));
    EXPECT_THROW(archive.get<float>("x"), ArchiveError) << "another type";
    EXPECT_THROW(archive.get<float>("absent"), ArchiveError);
}

TEST(Checkpoint, sameStateSameBytes) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "a.h5", 7, putExample);
    writeCheckpoint(folder / "b.h5", 7, putExample);
    EXPECT_EQ(readFile(folder / "a.h5"), readFile(folder / "b.h5"));
}

bool opens(const Path& path) {
    try {
        const Checkpoint checkpoint(path);
        return true;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::missing);
        return false;
    }
}

TEST(Checkpoint, damageIsNoticed) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "a.h5", 7, putExample);
    const std::string whole = readFile(folder / "a.h5");
    for (std::size_t length = 0; length < whole.size(); length += 61) {
        writeFile(folder / "b.h5", whole.substr(0, length));
        EXPECT_FALSE(opens(folder / "b.h5")) << "cut to " << length;
    }
    writeFile(folder / "b.h5", whole + "x");
    EXPECT_FALSE(opens(folder / "b.h5"));
    for (std::size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 13) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
        writeFile(folder / "b.h5", changed);
        EXPECT_FALSE(opens(folder / "b.h5")) << "byte " << at;
    }
    writeFile(folder / "b.h5", "");
    EXPECT_FALSE(opens(folder / "b.h5"));
    EXPECT_FALSE(opens(folder / "absent.h5"));
    EXPECT_FALSE(opens(folder.path()));
}

/// Ends the process as the program would, its exit handlers and those of HDF5 included.
[[noreturn]] void writeWithoutRoom(const Path& path) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit room{4096, 4096};   // [bytes] a file may have
    ::setrlimit(RLIMIT_FSIZE, &room);
    try {
        writeCheckpoint(path, 8, [](Archive& archive) { archive.put("position", std::vector<float>(100'000, 0.25f)); });
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::exit(static_cast<int>(error.code()));
    }
    std::exit(0);
}

TEST(CheckpointDeathTest, aFullDiskIsAnErrorAndLeavesTheOldFile) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "a.h5", 7, putExample);
    EXPECT_EXIT(writeWithoutRoom(folder / "a.h5"), testing::ExitedWithCode(5), "cannot write '.*a.h5': File too large");
    EXPECT_EQ(Checkpoint(folder / "a.h5").serial(), 7u);
    const auto files = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "a temporary file stayed";
}

TEST(CheckpointPair, alternatesAndFallsBack) {
    const TemporaryFolder folder;
    CheckpointPair pair(folder.path());
    std::vector<std::string> warnings;
    EXPECT_TRUE(pair.usable(warnings).empty());
    EXPECT_TRUE(warnings.empty());
    for (std::int64_t step = 1; step <= 3; ++step) pair.write(false, [&](Archive& a) { a.put("step", step); });

    const auto steps = [&] {
        std::vector<std::int64_t> values;
        warnings.clear();
        for (const Checkpoint& c : CheckpointPair(folder.path()).usable(warnings)) values.push_back(c.archive().value<std::int64_t>("step"));
        return values;
    };
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 2}));
    writeFile(folder / "a.h5", readFile(folder / "a.h5").substr(0, 1000));   // the third write, cut off
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{2}));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("a.h5"), std::string::npos);

    CheckpointPair again(folder.path());
    const std::vector<Checkpoint> found = again.usable(warnings);
    again.continueFrom(found[0], false);
    again.write(false, [&](Archive& a) { a.put("step", std::int64_t{4}); });
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{4, 2})) << "the good file was spared";
}

TEST(CheckpointPair, provisionalOnesNeverReplaceTheLastRegularOne) {
    const TemporaryFolder folder;
    CheckpointPair pair(folder.path());
    const auto write = [](CheckpointPair& to, std::int64_t step, bool provisional) { to.write(provisional, [&](Archive& a) { a.put("step", step); }); };
    const auto steps = [&] {
        std::vector<std::string> warnings;
        std::vector<std::int64_t> values;
        for (const Checkpoint& c : CheckpointPair(folder.path()).usable(warnings)) values.push_back(c.archive().value<std::int64_t>("step"));
        return values;
    };
    write(pair, 1, false);
    write(pair, 2, false);
    write(pair, 3, true);
    write(pair, 4, true);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{4, 2}));

    CheckpointPair resumed(folder.path());
    std::vector<std::string> warnings;
    const std::vector<Checkpoint> found = resumed.usable(warnings);
    resumed.continueFrom(found[0], true);
    write(resumed, 5, true);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{5, 2}));
    resumed.continueFrom(found[1], false);
    write(resumed, 6, false);
    EXPECT_EQ(steps(), (std::vector<std::int64_t>{6, 2}));
}

}  // namespace
}  // namespace talus::io
