// SPDX-License-Identifier: Apache-2.0
#include "io/grain_table.h"

#include "example_frame.h"
#include "io/export.h"
#include "io/vtp.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace talus::io {
namespace {

std::string faultOf(auto read, std::string_view text) {
    try {
        read(text);
    } catch (const TableFault& fault) {
        return fault.what();
    }
    return {};
}

TEST(GrainTable, readsCsvByTheNamesOfColumns) {
    const GrainColumns t = parseGrainCsv("# a bed\nmass, z,x ,y,stress_xx,stress_yy,stress_zz,stress_xy,stress_yz,stress_xz\r\n1,4,2,3,5,6,7,8,9,10\n\n0.5,-4e-3,-2,-3,0,0,0,0,0,0\n");
    ASSERT_EQ(t.count, 2u);
    ASSERT_TRUE(t.find("position"));
    EXPECT_EQ(t.find("position")->values, (std::vector<double>{2, 3, 4, -2, -3, -4e-3}));
    EXPECT_EQ(t.find("mass")->values, (std::vector<double>{1, 0.5}));
    EXPECT_EQ(t.find("stress")->components, 6u);
    EXPECT_EQ(t.find("stress")->values[4], 9);
    EXPECT_FALSE(t.find("velocity"));
}

TEST(GrainTable, saysWhatIsWrongWithCsv) {
    EXPECT_EQ(faultOf(parseGrainCsv, ""), "it is empty; the first line should name the columns: x,y,z,…");
    EXPECT_EQ(faultOf(parseGrainCsv, "x,y,z\n1,2\n"), "line 2: 2 cells under 3 names");
    EXPECT_EQ(faultOf(parseGrainCsv, "x,y,z\n1,2,three\n"), "line 2: 'three' is not a finite number");
    EXPECT_EQ(faultOf(parseGrainCsv, "x,y,z\n1,2,nan\n"), "line 2: 'nan' is not a finite number");
    EXPECT_EQ(faultOf(parseGrainCsv, "x,y\n1,2\n"), "of 'position' the component z is missing");
    EXPECT_EQ(faultOf(parseGrainCsv, "x,y,z,x\n1,2,3,4\n"), "column 'position' is there twice");
}

TEST(GrainTable, readsBackWhatExportAndFramesWrite) {
    const test::TemporaryFolder folder;
    const Frame frame = test::exampleFrame(5, 0.5);
    writeVtp(folder.path() / "a.vtp", frame);
    exportFrame(folder.path() / "a.csv", frame, ExportFormat::csv);
    exportFrame(folder.path() / "a.npz", frame, ExportFormat::npz);
    for (const char* name : {"a.vtp", "a.csv", "a.npz"}) {
        const GrainColumns t = parseGrains(readFile(folder.path() / name), name);
        ASSERT_EQ(t.count, frame.count) << name;
        for (const FrameColumn& column : frame.columns) {
            const GrainColumn* read = t.find(column.name);
            ASSERT_TRUE(read) << name << " " << column.name;
            EXPECT_EQ(read->components, column.components);
            for (std::size_t i = 0; i < read->values.size(); ++i)
                EXPECT_EQ(read->values[i], column.type == world::FieldType::real ? static_cast<double>(column.reals[i]) : static_cast<double>(column.integers[i])) << name << " " << column.name;
        }
    }
}

TEST(GrainTable, survivesEveryCutOfAnNpz) {
    const test::TemporaryFolder folder;
    exportFrame(folder.path() / "a.npz", test::exampleFrame(5, 0.5), ExportFormat::npz);
    const std::string whole = readFile(folder.path() / "a.npz");
    for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_NE(faultOf(parseGrainNpz, std::string_view(whole).substr(0, length)), "") << length;
    for (std::size_t at = 0; at < whole.size(); ++at) {   // any byte may be wrong: an answer or a fault, no crash
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        faultOf(parseGrainNpz, damaged);
    }
}

}  // namespace
}  // namespace talus::io
