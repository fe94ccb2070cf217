// SPDX-License-Identifier: Apache-2.0
#include "io/vtp.h"

#include "core/problems.h"
#include "unit/io/example_frame.h"
#include "unit/io/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace talus::io {
namespace {

using test::exampleFrame;
using test::TemporaryFolder;

void expectExample(const Frame& frame, std::size_t count, double time) {
    EXPECT_EQ(frame.time, time);
    ASSERT_EQ(frame.count, count);
    ASSERT_EQ(frame.columns.size(), 4u);
    EXPECT_EQ(frame.columns[1].name, "position");
    const auto &ids = frame.find("id")->integers;
    const auto &positions = frame.find("position")->reals, &radii = frame.find("radius")->reals, &stresses = frame.find("stress")->reals;
    ASSERT_EQ(ids.size(), count);
    ASSERT_EQ(positions.size(), 3 * count);
    ASSERT_EQ(stresses.size(), 6 * count);
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(ids[i], static_cast<std::int64_t>(3 * (i + 1))) << "rows are in id order";
        const auto id = static_cast<float>(ids[i]);
        ASSERT_EQ(positions[3 * i], id + 0.25f);
        ASSERT_EQ(positions[3 * i + 2], -id);
        ASSERT_EQ(radii[i], 0.125f * id);
        ASSERT_EQ(stresses[6 * i + 5], 10 * id + 5);
    }
}

TEST(Vtp, isReadBackAsItWasWritten) {
    const TemporaryFolder folder;
    for (const std::size_t count : {0u, 1u, 10000u}) {
        writeVtp(folder / "a.vtp", exampleFrame(count, 0.1));
        expectExample(readVtp(folder / "a.vtp"), count, 0.1);
        writeVtp(folder / "b.vtp", exampleFrame(count, 0.1));
        EXPECT_EQ(readFile(folder / "a.vtp"), readFile(folder / "b.vtp"));
    }
}

TEST(Vtp, isTheDocumentedFormat) {
    const TemporaryFolder folder;
    writeVtp(folder / "a.vtp", exampleFrame(5, 0.1));
    test::python(R"(
import sys, struct, xml.etree.ElementTree as et, numpy as np
data = open(sys.argv[1], 'rb').read()
mark = data.index(b'\n_') + 2
assert data[:mark].endswith(b'<AppendedData encoding="raw">\n_')
root = et.fromstring(data[:mark] + b'</AppendedData></VTKFile>')
assert root.get('header_type') == 'UInt64' and root.get('byte_order') == 'LittleEndian'
assert float(root.find('.//FieldData/DataArray').text) == 0.1
piece = root.find('.//Piece')
assert piece.get('NumberOfPoints') == piece.get('NumberOfVerts') == '5'
types = {'Float32': '<f4', 'Int64': '<i8'}
end = mark
def array(path):
    global end
    a = piece.find(path)
    at = mark + int(a.get('offset'))
    assert at == end, 'arrays follow each other'
    size, = struct.unpack('<Q', data[at:at + 8])
    end = at + 8 + size
    return np.frombuffer(data[at + 8:end], types[a.get('type')]).reshape(-1, int(a.get('NumberOfComponents')))
ids = array("PointData/DataArray[@Name='id']")
radius = array("PointData/DataArray[@Name='radius']")
stress = array("PointData/DataArray[@Name='stress']")
points = array('Points/DataArray')
assert (ids[:, 0] == 3 * np.arange(1, 6)).all() and (points[:, 2] == -ids[:, 0]).all() and (radius == 0.125 * ids).all()
assert (stress == 10 * ids + np.arange(6)).all()
assert (array("Verts/DataArray[@Name='connectivity']")[:, 0] == np.arange(5)).all()
assert (array("Verts/DataArray[@Name='offsets']")[:, 0] == np.arange(1, 6)).all()
assert data[end:] == b'\n</AppendedData>\n</VTKFile>\n'
)",
                 (folder / "a.vtp").string());
}

// Positions move by at most half a step, a power of two of at most 1/64 of the smallest radius; nothing else changes.
TEST(Vtp, quantisedFramesAreSmallAndNear) {
    const TemporaryFolder folder;
    for (const std::size_t count : {0u, 1u, 100000u}) {
        writeVtp(folder / "a.vtp", exampleFrame(count, 0.1), FrameStyle::quantised);
        expectExample(readVtp(folder / "a.vtp"), count, 0.1);   // its positions lie on the lattice
    }
    Frame frame = exampleFrame(50000, 0.1);
    std::uint32_t random = 1;
    for (FrameColumn& column : frame.columns) {
        if (column.name == "radius") std::ranges::fill(column.reals, 1e-3f);
        if (column.name == "position")
            for (float& x : column.reals) x = static_cast<float>(random = 1664525 * random + 1013904223) * 0x1p-32f;
    }
    writeVtp(folder / "exact.vtp", frame);
    writeVtp(folder / "a.vtp", frame, FrameStyle::quantised);
    const Frame read = readVtp(folder / "a.vtp");
    const auto &before = frame.find("position")->reals, &after = read.find("position")->reals;
    ASSERT_EQ(after.size(), before.size());
    constexpr double kStep = 0x1p-16;   // 1e-3/64 rounded down to a power of two
    for (std::size_t i = 0; i < before.size(); ++i) {
        ASSERT_LE(std::abs(after[i] - before[i]), 0.5 * kStep);
        ASSERT_EQ(std::fmod(after[i], kStep), 0);
    }
    EXPECT_EQ(read.find("stress")->reals, frame.find("stress")->reals);
    EXPECT_EQ(read.find("id")->integers, frame.find("id")->integers);
    const auto bytes = [&](const char* name) { return static_cast<double>(std::filesystem::file_size(folder / name)); };
    std::printf("[ measured ] exact %.1f, quantised %.1f bytes a grain\n", bytes("exact.vtp") / 50000, bytes("a.vtp") / 50000);
    EXPECT_LT(bytes("a.vtp"), 0.6 * bytes("exact.vtp"));
    writeVtp(folder / "b.vtp", frame, FrameStyle::quantised);
    EXPECT_EQ(readFile(folder / "a.vtp"), readFile(folder / "b.vtp"));
}

TEST(Vtp, quantisedFramesAreTheDocumentedFormat) {
    const TemporaryFolder folder;
    writeVtp(folder / "a.vtp", exampleFrame(50000, 0.1), FrameStyle::quantised);
    test::python(R"(
import sys, struct, zlib, xml.etree.ElementTree as et
data = open(sys.argv[1], 'rb').read()
mark = data.index(b'\n_') + 2
root = et.fromstring(data[:mark] + b'</AppendedData></VTKFile>')
assert root.get('compressor') == 'vtkZLibDataCompressor' and root.get('header_type') == 'UInt64'
def array(a):
    at = mark + int(a.get('offset'))
    blocks, size, last = struct.unpack_from('<3Q', data, at)
    sizes = struct.unpack_from('<%dQ' % blocks, data, at + 24)
    at += 24 + 8 * blocks
    parts = []
    for packed in sizes:
        parts.append(zlib.decompress(data[at:at + packed]))
        at += packed
    assert all(len(p) == size for p in parts[:-1]) and len(parts[-1]) == (last or size)
    raw = b''.join(parts)
    return struct.unpack('<%d%s' % (len(raw) // (4 if a.get('type') == 'Float32' else 8), 'f' if a.get('type') == 'Float32' else 'q'), raw)
ids = array(root.find(".//PointData/DataArray[@Name='id']"))
points = array(root.find('.//Points/DataArray'))
assert ids == tuple(3 * (i + 1) for i in range(50000))
assert all(points[3 * i] == ids[i] + 0.25 and points[3 * i + 2] == -ids[i] for i in range(50000))
assert array(root.find(".//Verts/DataArray[@Name='offsets']")) == tuple(range(1, 50001))
)",
                 (folder / "a.vtp").string());
}

TEST(Vtp, damagedCompressedFilesAreRefused) {
    const TemporaryFolder folder;
    writeVtp(folder / "a.vtp", exampleFrame(200, 0.1), FrameStyle::quantised);
    const std::string whole = readFile(folder / "a.vtp");
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); at += 3) {   // refused or readable, never worse
        for (const std::string& damaged : {whole.substr(0, at), whole.substr(0, at) + static_cast<char>(whole[at] ^ 0x11) + whole.substr(at + 1)}) {
            try {
                parseVtp(damaged, "b.vtp");
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ExitCode::io);
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, whole.size() / 3);
}

TEST(Vtp, damagedFilesAreRefused) {
    const TemporaryFolder folder;
    writeVtp(folder / "a.vtp", exampleFrame(20, 0.1));
    const std::string whole = readFile(folder / "a.vtp");
    const auto readable = [&](const std::string& text) {
        writeFile(folder / "b.vtp", text);
        try {
            readVtp(folder / "b.vtp");
            return true;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::io);
            return false;
        }
    };
    const std::size_t arraysEnd = whole.size() - 2 * (8 + 20 * 8) - 28;   // without the cells, which are not read
    for (std::size_t length = 0; length < arraysEnd; length += 7) EXPECT_FALSE(readable(whole.substr(0, length))) << length;
    for (std::size_t at = 0; at < whole.find("<Verts>"); ++at) {   // refused or readable, never worse
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x11);
        readable(changed);
    }
}

TEST(VtpSeries, listsFilesAndTimes) {
    const TemporaryFolder folder;
    writeVtpSeries(folder / "grains.vtp.series", {{0, 0.0}, {1, 1.0 / 24}});
    const std::vector<FrameTime> read = readVtpSeries(folder / "grains.vtp.series");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[1].number, 1);
    EXPECT_EQ(read[1].time, 1.0 / 24);
    EXPECT_NE(readFile(folder / "grains.vtp.series").find("grains_000001.vtp"), std::string::npos);
    writeFile(folder / "bad.series", "{\"files\": [{\"name\": \"x\"}]}");
    EXPECT_THROW(readVtpSeries(folder / "bad.series"), Error);
}

}  // namespace
}  // namespace talus::io
