// SPDX-License-Identifier: Apache-2.0
#include "io/mesh_file.h"
#include "io/polygon.h"
#include "io/text_scanner.h"

#define TINYOBJLOADER_IMPLEMENTATION
#define TINYOBJLOADER_USE_DOUBLE
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <tiny_obj_loader.h>
#pragma GCC diagnostic pop

#include <sstream>

namespace talus::io {
namespace {

/// Lines of vertices and faces, all that matters here; tinyobjloader takes words that are no numbers for zero, and 0e999 for none, so points are
/// read here.
struct Lines {
    std::string text;
    std::vector<Vec3> points;         // as they come
    std::vector<std::size_t> faces;   // line of each
};

Lines relevantLines(std::string_view bytes) {
    Lines kept;
    LineScanner lines(bytes);
    while (const auto line = lines.next()) {
        std::string_view rest = *line;
        const std::string_view word = takeWord(rest);
        if (word != "v" && word != "f") continue;
        if (line->find('\0') != std::string_view::npos) faultAtLine(lines.number(), "a zero byte: not an OBJ file, which is text");
        std::string_view values = rest;
        if (word == "v") kept.points.push_back(takePoint(values, lines.number()));
        else kept.faces.push_back(lines.number());
        kept.text.append(word).append(rest).append(1, '\n');
    }
    return kept;
}

struct Receiver {
    const Lines& lines;
    geometry::Mesh mesh;
    std::size_t face = 0;
    std::vector<std::uint32_t> corners;

    static void vertex(void* self, double, double, double, double) { static_cast<Receiver*>(self)->addVertex(); }
    static void polygon(void* self, tinyobj::index_t* indices, int count) { static_cast<Receiver*>(self)->add({indices, static_cast<std::size_t>(count)}); }

    void addVertex() {
        if (mesh.vertices.size() < lines.points.size()) mesh.vertices.push_back(lines.points[mesh.vertices.size()]);
    }

    /// Indices count from 1, or backwards from the last vertex so far.
    void add(std::span<const tinyobj::index_t> indices) {
        const std::size_t line = face < lines.faces.size() ? lines.faces[face] : 0;
        ++face;
        corners.clear();
        const auto known = static_cast<long>(mesh.vertices.size());
        for (const tinyobj::index_t& index : indices) {
            const long vertex = index.vertex_index > 0 ? index.vertex_index - 1L : known + index.vertex_index;
            if (index.vertex_index == 0 || vertex < 0 || vertex >= known)
                faultAtLine(line, fmt::format("a face has the vertex {}, and there are {} before it", index.vertex_index, known));
            corners.push_back(static_cast<std::uint32_t>(vertex));
        }
        if (corners.size() < 3) faultAtLine(line, fmt::format("a face with {} corners; it needs three", corners.size()));
        appendPolygon(mesh, corners);
    }
};

}  // namespace

geometry::Mesh parseObj(std::string_view bytes) {
    const Lines lines = relevantLines(bytes);
    if (lines.faces.empty()) throw FileFault("no faces: not an OBJ file, or one of curves or points alone");
    Receiver receiver{lines, {}, 0, {}};
    tinyobj::callback_t callback;
    callback.vertex_cb = Receiver::vertex;
    callback.index_cb = Receiver::polygon;
    std::istringstream stream(lines.text);
    std::string warning, error;
    if (!tinyobj::LoadObjWithCallback(stream, callback, &receiver, nullptr, &warning, &error))
        throw FileFault(fmt::format("not an OBJ file: {}", shown(error)));
    return std::move(receiver.mesh);
}

}  // namespace talus::io
