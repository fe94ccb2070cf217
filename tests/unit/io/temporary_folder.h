// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace talus::test {

/// A folder that vanishes with the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "talus-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// Runs a Python program with arguments; skips the test where there is no Python with NumPy.
inline void python(const std::string& program, const std::string& arguments) {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 with numpy";
    TemporaryFolder folder;
    io::writeFile(folder / "check.py", program);
    EXPECT_EQ(std::system(("/usr/bin/python3 " + (folder / "check.py").string() + " " + arguments).c_str()), 0);
}

}  // namespace talus::test
