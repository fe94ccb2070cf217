// SPDX-License-Identifier: Apache-2.0
// One solid in every format, and files that lie.
#include "io/height_csv.h"
#include "io/mesh_file.h"

#include "geometry/mesh_primitives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace talus::io {
namespace {

using geometry::Mesh;
using geometry::Triangle;

Mesh solid() { return geometry::torusMesh(1, 0.25, 12, 8); }

template <class T>
void put(std::string& out, T value, bool big = false) {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), &value, sizeof value);
    if (big) std::reverse(raw.begin(), raw.end());
    out.append(raw.data(), raw.size());
}

std::string binaryStl(const Mesh& mesh, std::string header = "made by a test") {
    header.resize(80, '\0');
    std::string out = header;
    put(out, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (int i = 0; i < 3; ++i) put(out, 0.0F);
        for (std::size_t k = 0; k < 3; ++k)
            for (int axis = 0; axis < 3; ++axis) put(out, static_cast<float>(mesh.corner(t, k)[axis]));
        put(out, std::uint16_t{0});
    }
    return out;
}
std::string textStl(const Mesh& mesh) {
    std::string out = "solid part\n";
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        out += " facet normal 0 0 0\r\n  outer loop\n";
        for (std::size_t k = 0; k < 3; ++k) out += fmt::format("   vertex {} {} {:+e}\n", mesh.corner(t, k).x, mesh.corner(t, k).y, mesh.corner(t, k).z);
        out += "  endloop\n endfacet\n";
    }
    return out + "endsolid part\n";
}
std::string obj(const Mesh& mesh) {
    std::string out = "# a comment\nmtllib none.mtl\no part\n";
    for (const Vec3& v : mesh.vertices) out += fmt::format("v {} {} {}\n", v.x, v.y, v.z);
    out += "vn 0 0 1\nusemtl none\n";
    const auto n = static_cast<long>(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Triangle& c = mesh.triangles[t];
        if (t % 2) out += fmt::format("f {}//1 {}//1 {}//1\n", c[0] + 1, c[1] + 1, c[2] + 1);
        else out += fmt::format("f {} {} {}\n", static_cast<long>(c[0]) - n, static_cast<long>(c[1]) - n, static_cast<long>(c[2]) - n);
    }
    return out;
}
enum class Ply { text, little, big };
std::string ply(const Mesh& mesh, Ply form) {
    std::string out = fmt::format("ply\nformat {} 1.0\ncomment c\nelement vertex {}\nproperty double x\nproperty uchar red\nproperty double y\n"
                                  "property double z\nelement face {}\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n",
                                  form == Ply::text ? "ascii" : form == Ply::little ? "binary_little_endian" : "binary_big_endian",
                                  mesh.vertices.size(), mesh.triangles.size());
    const bool big = form == Ply::big;
    for (const Vec3& v : mesh.vertices) {
        if (form == Ply::text) out += fmt::format("{} 7 {} {}\n", v.x, v.y, v.z);
        else put(out, v.x, big), put(out, std::uint8_t{7}), put(out, v.y, big), put(out, v.z, big);
    }
    for (const Triangle& t : mesh.triangles) {
        if (form == Ply::text) out += fmt::format("3 {} {} {} 0.5\n", t[0], t[1], t[2]);
        else {
            put(out, std::uint8_t{3});
            for (const std::uint32_t c : t) put(out, static_cast<std::int32_t>(c), big);
            put(out, 0.5F, big);
        }
    }
    return out;
}
std::string glb(const Mesh& mesh, const std::string& node = R"({"mesh":0})", std::uint32_t firstIndex = 0) {
    std::string data;
    for (const Triangle& t : mesh.triangles)
        for (std::uint32_t c : t) put(data, static_cast<std::uint16_t>(c + firstIndex));
    const std::size_t indices = data.size();
    for (const Vec3& v : mesh.vertices)
        for (int axis = 0; axis < 3; ++axis) put(data, static_cast<float>(v[axis]));
    std::string json = fmt::format(
        R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":1}},"indices":0}}]}}],)"
        R"("accessors":[{{"bufferView":0,"componentType":5123,"count":{},"type":"SCALAR"}},{{"bufferView":1,"componentType":5126,"count":{},"type":"VEC3"}}],)"
        R"("bufferViews":[{{"buffer":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],"buffers":[{{"byteLength":{}}}]}})",
        node, 3 * mesh.triangles.size(), mesh.vertices.size(), indices, indices, data.size() - indices, data.size());
    while (json.size() % 4 != 0) json += ' ';
    while (data.size() % 4 != 0) data += '\0';
    std::string out = "glTF";
    put(out, std::uint32_t{2}), put(out, static_cast<std::uint32_t>(28 + json.size() + data.size()));
    put(out, static_cast<std::uint32_t>(json.size())), out += "JSON" + json;
    put(out, static_cast<std::uint32_t>(data.size())), out += std::string("BIN\0", 4) + data;
    return out;
}

void expectSame(const Mesh& read, const Mesh& truth, double tolerance) {
    ASSERT_EQ(read.triangles.size(), truth.triangles.size());
    for (std::size_t t = 0; t < truth.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) ASSERT_LT(norm(read.corner(t, k) - truth.corner(t, k)), tolerance);
}

TEST(MeshFile, everyFormatGivesTheSameSolid) {
    const Mesh truth = solid();
    expectSame(parseStl(binaryStl(truth)), truth, 1e-6);
    expectSame(parseStl(binaryStl(truth, "solid but binary")), truth, 1e-6);
    expectSame(parseStl(textStl(truth)), truth, 1e-6);
    expectSame(parseObj(obj(truth)), truth, 1e-12);
    for (const Ply form : {Ply::text, Ply::little, Ply::big}) expectSame(parsePly(ply(truth, form)), truth, 1e-12);
    expectSame(parseGltf(glb(truth)), truth, 1e-6);
}

TEST(MeshFile, scaleUpAndWelding) {
    const Mesh truth = solid();
    const Mesh read = parseMesh(binaryStl(truth), MeshFormat::stl, 0.001, UpAxis::y);
    EXPECT_EQ(read.vertices.size(), truth.vertices.size());
    EXPECT_TRUE(geometry::faults(read).empty()) << geometry::faults(read).front();
    EXPECT_NEAR(geometry::massProperties(read).volume, 1e-9 * geometry::massProperties(truth).volume, 1e-15);
    EXPECT_NEAR(read.bounds().max.z, 1.25e-3, 1e-9);   // y of the file
    EXPECT_NEAR(read.bounds().max.y, 0.25e-3, 1e-9);   // z of the file
    EXPECT_EQ(usualUp(*meshFormat("a/Part.GLB")), UpAxis::y);
    EXPECT_EQ(usualUp(*meshFormat("part.STL")), UpAxis::z);
    EXPECT_FALSE(meshFormat("part.step"));
}

TEST(MeshFile, nodesOfGltfMoveTurnAndMirror) {
    const Mesh truth = solid();
    const Mesh moved = parseGltf(glb(truth, R"({"mesh":0,"translation":[1,2,3],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,2,2]})"));
    for (std::size_t i = 0; i < truth.vertices.size(); ++i) {
        const Vec3 v = 2.0 * truth.vertices[i];
        EXPECT_LT(norm(moved.vertices[i] - Vec3{1 - v.y, 2 + v.x, 3 + v.z}), 1e-5);
    }
    const Mesh mirrored = parseGltf(glb(truth, R"({"mesh":0,"scale":[-1,1,1]})"));
    EXPECT_GT(geometry::massProperties(mirrored).volume, 0);
    const Mesh twice = parseGltf(glb(truth, R"({"mesh":0,"children":[1]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1]})"));
    EXPECT_EQ(twice.triangles.size(), 2 * truth.triangles.size());
    EXPECT_NEAR(twice.bounds().max.x, 6.25, 1e-6);
}

TEST(MeshFile, polygonsFollowTheirOutline) {
    // A prism over a concave arrow, faces of 4 and 6 corners: right only if the cuts stay inside.
    const std::string text =
        "v 0 0 0\nv 2 -1 0\nv 1 0 0\nv 2 1 0\nv 0 0 1\nv 2 -1 1\nv 1 0 1\nv 2 1 1\n"
        "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    const Mesh mesh = parseObj(text);
    EXPECT_EQ(mesh.triangles.size(), 12U);
    EXPECT_TRUE(geometry::faults(mesh).empty());
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) area += 0.5 * norm(mesh.doubleArea(t));
    EXPECT_NEAR(geometry::massProperties(mesh).volume, 1, 1e-12);
    EXPECT_NEAR(area, 2 + 2 * std::sqrt(5.0) + 2 * std::sqrt(2.0), 1e-12);   // a cut outside would count the notch twice
}

void expectFault(const std::function<void()>& read, const std::string& text) {
    try {
        read();
        FAIL() << "no fault: " << text;
    } catch (const FileFault& fault) {
        EXPECT_NE(std::string(fault.what()).find(text), std::string::npos) << fault.what();
    }
}

TEST(MeshFile, filesThatLieAreRefusedWithTheirPlace) {
    const Mesh truth = solid();
    const std::string stl = binaryStl(truth);
    expectFault([&] { parseStl(stl.substr(0, stl.size() - 1)); }, "byte 80: 192 triangles are announced, and the file has room for 191");
    expectFault([&] { parseStl("x"); }, "not an STL file: 1 bytes");
    std::string huge = stl;
    huge.replace(80, 4, "\xff\xff\xff\xff");
    expectFault([&] { parseStl(huge); }, "4294967295 triangles are announced");
    std::string nan = stl;
    nan.replace(84 + 50 + 12, 4, std::string("\0\0\xc0\x7f", 4));
    expectFault([&] { parseStl(nan); }, "byte 146: corner 1 of triangle 2 is not finite");
    expectFault([&] { parseStl("solid a\nfacet\nouter loop\nvertex 1 2 nan\n"); }, "line 4: 'nan' is not a finite number");
    expectFault([&] { parseStl("solid a\nfacet\nouter loop\nvertex 1 2\n"); }, "line 4: a vertex needs three coordinates");
    expectFault([&] { parseStl("solid a\nfacet\nouter loop\nvertex 1 2 3\nendloop\n"); }, "line 5: a facet with 1 vertices");
    expectFault([&] { parseStl("solid a\nfacet\nouter loop\nvertex 1 2 3\n"); }, "line 4: the file ends inside a facet");

    expectFault([&] { parseObj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"); }, "line 4: a face has the vertex 4, and there are 3 before it");
    expectFault([&] { parseObj("v 0 0 0\nf 0 1 1\n"); }, "line 2: a face has the vertex 0");
    expectFault([&] { parseObj("v 0 0 0\nf -2 1 1\n"); }, "line 2: a face has the vertex -2");
    expectFault([&] { parseObj("v 0 zero 0\nf 1 1 1\n"); }, "line 1: 'zero' is not a finite number");
    EXPECT_TRUE(isFinite(parseObj("v 0 1 0E8000000\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").vertices[0])) << "points are not read by tinyobjloader, which makes NaN of it";
    expectFault([&] { parseObj("v 0 0 0\nf 1 1\n"); }, "line 2: a face with 2 corners");
    expectFault([&] { parseObj("hello\n"); }, "no faces");

    const std::string text = ply(truth, Ply::text), binary = ply(truth, Ply::little);
    expectFault([&] { parsePly(text.substr(0, text.size() / 2)); }, "line 87: a value is missing");
    expectFault([&] { parsePly(binary.substr(0, binary.size() - 3)); }, "the file ends too early");
    expectFault([&] { parsePly("ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n"); },
                "line 3: 4000000000 of 'vertex' are announced");
    expectFault([&] { parsePly("ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n"); }, "line 3: an element needs a name and a number");
    expectFault([&] { parsePly("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
                               "property list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n"); },
                "line 11: face 0 has the vertex 1, and there are 1");
    expectFault([&] { parsePly("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"); }, "line 3: vertices need the properties x, y and z");
    expectFault([&] { parsePly("ply\nformat ascii 1.0\nproperty float x\nend_header\n"); }, "line 3: a property before any element");
    expectFault([&] { parsePly("ply\nformat cuneiform 1.0\nend_header\n"); }, "line 2: unknown format 'cuneiform'");
    expectFault([&] { parsePly("plyers"); }, "line 1: 'plyers' in the header");
    expectFault([&] { parsePly("ply\ncomment and nothing more\n"); }, "no line 'end_header'");

    expectFault([&] { parseGltf(glb(truth).substr(0, 400)); }, "not a glTF file");
    expectFault([&] { parseGltf(glb(truth, R"({"mesh":0})", 60000)); }, "a triangle has the vertex 60");
    expectFault([&] { parseGltf(glb(truth, R"({"mesh":3})")); }, "there is no mesh 3: the file has 1");
    expectFault([&] { parseGltf(glb(truth, R"({"mesh":0,"children":[0]})")); }, "node 0 appears twice");
    expectFault([&] { parseGltf(R"({"asset":{"version":"2.0"},"buffers":[{"uri":"part.bin","byteLength":12}]})"); }, "its buffers are in a file of their own");
    expectFault([&] { parseGltf("{"); }, "not a glTF file");
}

TEST(HeightFile, rowsOfNumbers) {
    const auto rows = parseHeights("\xef\xbb\xbf# heights [m]\n1, 2,3\n\n4;5 ;6 # a ridge\r\n7\t8 9");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1], (std::vector<double>{4, 5, 6}));
    expectFault([] { parseHeights("1,2\n3,4,5\n"); }, "line 2: 3 numbers, and the rows before have 2");
    expectFault([] { parseHeights("1,2\n3,x\n"); }, "line 2: 'x' is not a finite number");
    expectFault([] { parseHeights("1,2,3\n"); }, "1 rows of 3 heights");
    expectFault([] { parseHeights(""); }, "0 rows of 0 heights");
}

}  // namespace
}  // namespace talus::io
