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
    writeVtp(folder.path() / "packed.vtp", frame, FrameStyle::quantised);   // whose positions lie on the lattice
    exportFrame(folder.path() / "a.csv", frame, ExportFormat::csv);
    exportFrame(folder.path() / "a.npz", frame, ExportFormat::npz);
    for (const char* name : {"a.vtp", "packed.vtp", "a.csv", "a.npz"}) {
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

/// Two grains with a velocity and a material, as other programs write them.
struct ForeignVtp {
    std::string format = "ascii", header = "UInt64", encoding = "raw";
    bool lengthApart = false;            // of the text in base64

    std::string text() const {
        std::string data;
        const std::string arrays = "<PointData Scalars=\"material\">\n" + array("Int32", "material", 1, std::vector<std::int32_t>{1, 0}, "1 0", data) + array("Float64", "normal", 2, std::vector<double>{1, 2, 3, 4}, "1 2 3 4", data) +
                                   array("Float64", "velocity", 3, std::vector<double>{0.5, 0, -1, 2, 0, 0}, "0.5 0 -1\n 2 0 0", data) + "</PointData>\n<Points>\n" +
                                   array("Float32", "Points", 3, std::vector<float>{1, 2, 3, -4, 5, 6.5f}, "1 2 3 -4 5 6.5", data) + "</Points>\n";
        return "<?xml version='1.0'?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"" + header + "\">\n<PolyData>\n<Piece NumberOfPoints=\"2\" NumberOfVerts=\"0\">\n" +
               arrays + "</Piece>\n</PolyData>\n" + (format == "appended" ? "<AppendedData encoding=\"" + encoding + "\">\n _" + data + "\n</AppendedData>\n" : "") + "</VTKFile>\n";
    }

private:
    static std::string base64(std::string_view bytes) {
        constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string text;
        for (std::size_t i = 0; i < bytes.size(); i += 3) {
            std::uint32_t group = 0;
            for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
            for (unsigned k = 0; k < 4; ++k) text += k > bytes.size() - i ? '=' : kLetters[group >> (18 - 6 * k) & 63u];
        }
        return text;
    }
    template <class T>
    std::string array(const std::string& type, const std::string& name, int components, const std::vector<T>& values, const std::string& asText, std::string& data) const {
        const std::uint64_t length = values.size() * sizeof(T);
        const std::string size(reinterpret_cast<const char*>(&length), header == "UInt64" ? 8 : 4), bytes(reinterpret_cast<const char*>(values.data()), length);
        const std::string coded = lengthApart ? base64(size) + base64(bytes) : base64(size + bytes);
        std::string tag = "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" + std::to_string(components) + "\" format=\"" + format + "\"";
        if (format == "appended") {
            tag += " offset=\"" + std::to_string(data.size()) + "\"/>\n";
            data += encoding == "raw" ? size + bytes : coded;
            return tag;
        }
        return tag + ">\n  " + (format == "ascii" ? asText : coded) + "\n  <InformationKey name=\"L2\"/>\n</DataArray>\n";
    }
};

TEST(GrainTable, readsVtpOfOtherPrograms) {
    for (const char* format : {"ascii", "binary", "appended"})
        for (const char* header : {"UInt32", "UInt64"})
            for (const char* encoding : {"raw", "base64"})
                for (const bool apart : {false, true}) {
                    const std::string text = ForeignVtp{format, header, encoding, apart}.text();
                    SCOPED_TRACE(text);
                    const GrainColumns t = parseGrainVtp(text);
                    ASSERT_EQ(t.count, 2u);
                    EXPECT_EQ(t.find("position")->values, (std::vector<double>{1, 2, 3, -4, 5, 6.5}));
                    EXPECT_EQ(t.find("velocity")->values, (std::vector<double>{0.5, 0, -1, 2, 0, 0}));
                    EXPECT_EQ(t.find("material")->values, (std::vector<double>{1, 0}));
                    EXPECT_FALSE(t.find("normal"));   // two components: no field of grains
                }
}

TEST(GrainTable, saysWhatIsWrongWithVtp) {
    const auto with = [](std::string from, const std::string& to) {
        std::string text = ForeignVtp{}.text();
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(faultOf(parseGrainVtp, "solid cube"), "it is not a VTK XML file; in ParaView save as .vtp");
    EXPECT_EQ(faultOf(parseGrainVtp, with("\"PolyData\"", "\"UnstructuredGrid\"")), "it holds 'UnstructuredGrid', not PolyData; in ParaView apply Extract Surface and save as .vtp");
    EXPECT_EQ(faultOf(parseGrainVtp, with(" version=\"1.0\"", " compressor=\"vtkZLibDataCompressor\"")), "its arrays are compressed; in ParaView's dialogue choose the compressor None");
    EXPECT_EQ(faultOf(parseGrainVtp, with("LittleEndian", "BigEndian")), "its byte order is BigEndian; write it as LittleEndian");
    EXPECT_EQ(faultOf(parseGrainVtp, with("NumberOfPoints=\"2\"", "NumberOfPoints=\"3\"")), "array 'position' has 6 numbers for 3 points");
    EXPECT_EQ(faultOf(parseGrainVtp, with("1 2 3 -4", "1 2 nan -4")), "array 'position' holds a number that is not finite");
    EXPECT_EQ(faultOf(parseGrainVtp, with("NumberOfPoints=\"2\"", "NumberOfPoints=\"1e30\"")), "it is cut off");
    EXPECT_EQ(faultOf(parseGrainVtp, with("</Piece>", "</Piece><Piece NumberOfPoints=\"2\">")), "it consists of several pieces; in ParaView merge them and save again");
}

TEST(GrainTable, survivesEveryCutOfAVtp) {
    for (const char* format : {"binary", "appended"})
        for (const char* encoding : {"raw", "base64"}) {
            const std::string whole = ForeignVtp{format, "UInt64", encoding, false}.text();
            for (std::size_t length = 0; length < whole.size(); ++length) faultOf(parseGrainVtp, std::string_view(whole).substr(0, length));
            for (std::size_t at = 0; at < whole.size(); ++at) {   // any byte may be wrong: an answer or a fault, no crash
                std::string damaged = whole;
                damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
                faultOf(parseGrainVtp, damaged);
            }
        }
}

}  // namespace
}  // namespace talus::io
