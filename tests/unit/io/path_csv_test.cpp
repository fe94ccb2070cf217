// SPDX-License-Identifier: Apache-2.0
#include "io/path_csv.h"

#include "core/vec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace talus::io {
namespace {

TEST(PathCsv, readsColumnsByNameInAnyOrder) {
    const PathTable path = parsePath("# mm\nz_m, x_m ,y_m,time_s\r\n3,1,2,0\n\n6,4,5,0.5\n");
    EXPECT_EQ(path.times, (std::vector<double>{0, 0.5}));
    EXPECT_EQ(path.displacements, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(path.rotationsDeg.empty());
}

TEST(PathCsv, readsNumbersWithoutNames) {
    const PathTable path = parsePath("0,1,2,3,10,20,30\n1,1,2,3,40,50,60");
    EXPECT_EQ(path.rotationsDeg, (std::vector<double>{10, 20, 30, 40, 50, 60}));
}

TEST(PathCsv, takesWhatSpreadsheetsMark) {
    EXPECT_EQ(parsePath("\xef\xbb\xbftime,x,y,z\n0,1,2,3\n1,4,5,6\n").times, (std::vector<double>{0, 1}));
    EXPECT_EQ(parsePath("\xef\xbb\xbf" "0,1,2,3\n1,4,5,6\n").times, (std::vector<double>{0, 1}));
}

TEST(PathCsv, quaternionsTurnOnWithoutJumps) {
    std::string text = "time,x,y,z,qw,qx,qy,qz\n";
    constexpr int kRows = 30;
    for (int i = 0; i < kRows; ++i) {   // three turns about y, the sign of every second quaternion reversed
        const double half = 0.5 * (2 * std::numbers::pi * 3 * i / (kRows - 1)), sign = i % 2 == 0 ? 1 : -1;
        text += std::to_string(i) + ",0,0,0," + std::to_string(sign * std::cos(half)) + ",0," + std::to_string(sign * std::sin(half)) + ",0\n";
    }
    const PathTable path = parsePath(text);
    for (int i = 0; i < kRows; ++i) EXPECT_NEAR(path.rotationsDeg[static_cast<std::size_t>(3 * i + 1)], 360.0 * 3 * i / (kRows - 1), 1e-2);
}

TEST(PathCsv, saysWhereItIsWrong) {
    const auto fault = [](const char* text) -> std::string {
        try {
            parsePath(text);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(fault("0,0,0,0\n1,0,nan,0\n"), "line 2: \"nan\" is not a number");
    EXPECT_EQ(fault("0,0,0,0\n0,0,0,0\n"), "line 2: time 0 does not come after 0");
    EXPECT_EQ(fault(""), "a path needs at least two rows, and this has 0");
    EXPECT_NE(fault("time,x,x,y,z\n"), "");
    EXPECT_NE(fault("time,x,y,z,qw\n"), "");
    EXPECT_NE(fault("0,0,0\n"), "");
}

}  // namespace
}  // namespace talus::io
