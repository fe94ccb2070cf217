// SPDX-License-Identifier: Apache-2.0
#include "io/files.h"

#include "core/problems.h"
#include "unit/io/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace talus::io {
namespace {

using test::TemporaryFolder;

ExitCode codeOf(auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::done;
}

std::size_t entries(const Path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

TEST(AtomicFile, appearsOnlyWhenWhole) {
    const TemporaryFolder folder;
    const Path path = folder / "a.txt";
    writeFile(path, "old");
    {
        AtomicFile file(path);
        file.write("half of the n");
        EXPECT_EQ(readFile(path), "old");
        EXPECT_EQ(entries(folder.path()), 2u);
        EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(folder.path()), [](const auto& e) { return isTemporary(e.path()); }), 1);
    }
    EXPECT_EQ(readFile(path), "old");
    EXPECT_EQ(entries(folder.path()), 1u) << "an abandoned file leaves nothing behind";
    AtomicFile file(path);
    std::string expected;
    for (int i = 0; i < 300000; ++i) {   // more than the buffer, in pieces
        file.write("piece ");
        expected += "piece ";
    }
    const std::string large(3 << 20, 'x');   // one piece larger than the buffer
    file.write(large);
    file.write("end");
    file.commit();
    EXPECT_EQ(readFile(path), expected + large + "end");
    EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, failuresNameThePathAndHaveExitCode5) {
    const TemporaryFolder folder;
    EXPECT_EQ(codeOf([&] { writeFile(folder / "missing/a.txt", ""); }), ExitCode::io);
    EXPECT_EQ(codeOf([&] { readFile(folder / "absent"); }), ExitCode::io);
    EXPECT_EQ(codeOf([&] { readFile(folder.path()); }), ExitCode::io);
    EXPECT_EQ(codeOf([&] { createDirectories("/proc/nothing/here"); }), ExitCode::io);
    try {
        writeFile(folder / "missing/a.txt", "");
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("missing/a.txt"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
    }
}

TEST(RemoveTemporaries, takesOnlyTemporaryFiles) {
    const TemporaryFolder folder;
    writeFile(folder / "kept.txt", "");
    writeFile(folder / ".hidden", "");
    writeFile(folder / ".a.vtp.tmp-Ab12Cd", "");
    removeTemporaries(folder.path());
    EXPECT_TRUE(std::filesystem::exists(folder / "kept.txt"));
    EXPECT_TRUE(std::filesystem::exists(folder / ".hidden"));
    EXPECT_FALSE(std::filesystem::exists(folder / ".a.vtp.tmp-Ab12Cd"));
    removeTemporaries(folder / "absent");
}

TEST(AppendFile, growsAndIsCutBack) {
    const TemporaryFolder folder;
    const Path path = folder / "series.csv";
    std::uint64_t afterTwo = 0;
    {
        AppendFile file(path, 0);
        file.append("time_s\n");
        file.append("0\n");
        afterTwo = file.length();
        file.append("1\n2\n");
        EXPECT_EQ(file.length(), std::filesystem::file_size(path));
    }
    {
        AppendFile file(path, afterTwo);
        EXPECT_EQ(readFile(path), "time_s\n0\n");
        file.append("1\n");
    }
    EXPECT_EQ(readFile(path), "time_s\n0\n1\n");
    EXPECT_EQ(codeOf([&] { AppendFile(path, 1000); }), ExitCode::io) << "a file that lost rows cannot be continued";
}

}  // namespace
}  // namespace talus::io
