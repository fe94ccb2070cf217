// SPDX-License-Identifier: Apache-2.0
#include "io/mesh_file.h"
#include "io/polygon.h"
#include "io/text_scanner.h"

#include <bit>
#include <cstring>

namespace talus::io {
namespace {

constexpr std::size_t kHeader = 80, kPerTriangle = 50;   // bytes; a triangle is normal, three corners, two spare bytes
static_assert(std::endian::native == std::endian::little);

template <class T>
T valueAt(std::string_view bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

geometry::Mesh parseBinary(std::string_view bytes) {
    if (bytes.size() < kHeader + 4) throw FileFault(fmt::format("not an STL file: {} bytes, and the header alone takes {}", bytes.size(), kHeader + 4));
    const std::size_t count = valueAt<std::uint32_t>(bytes, kHeader);
    const std::size_t room = (bytes.size() - kHeader - 4) / kPerTriangle;
    if (count > room)
        faultAtByte(kHeader, fmt::format("{} triangles are announced, and the file has room for {}: it is cut off, or no STL file", count, room));
    geometry::Mesh mesh;
    mesh.vertices.reserve(3 * count);
    mesh.triangles.reserve(count);
    for (std::size_t t = 0; t < count; ++t) {
        const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = kHeader + 4 + t * kPerTriangle + 12 * (k + 1);
            const Vec3 p{double(valueAt<float>(bytes, at)), double(valueAt<float>(bytes, at + 4)), double(valueAt<float>(bytes, at + 8))};
            if (!isFinite(p)) faultAtByte(at, fmt::format("corner {} of triangle {} is not finite", k + 1, t + 1));
            mesh.vertices.push_back(p);
        }
        mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return mesh;
}

geometry::Mesh parseText(std::string_view text) {
    geometry::Mesh mesh;
    LineScanner lines(text);
    std::vector<std::uint32_t> loop;
    bool inLoop = false;
    while (auto line = lines.next()) {
        std::string_view rest = *line;
        const std::string_view word = takeWord(rest);
        if (word == "vertex") {
            if (!inLoop) faultAtLine(lines.number(), "a vertex outside of 'outer loop'");
            loop.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
            mesh.vertices.push_back(takePoint(rest, lines.number()));
        } else if (word == "outer") {
            if (inLoop) faultAtLine(lines.number(), "'outer loop' inside a loop; 'endloop' is missing");
            inLoop = true;
        } else if (word == "endloop") {
            if (!inLoop || loop.size() < 3) faultAtLine(lines.number(), fmt::format("a facet with {} vertices; it needs three", loop.size()));
            appendPolygon(mesh, loop);
            loop.clear();
            inLoop = false;
        } else if (word != "facet" && word != "endfacet" && word != "solid" && word != "endsolid" && !word.empty()) {
            faultAtLine(lines.number(), fmt::format("'{}' where a text STL file has 'facet', 'outer loop', 'vertex'", shown(word)));
        }
    }
    if (inLoop) faultAtLine(lines.number(), "the file ends inside a facet: it is cut off");
    return mesh;
}

}  // namespace

geometry::Mesh parseStl(std::string_view bytes) {
    // Binary files may begin with "solid" too; text has no zero bytes.
    const bool text = bytes.starts_with("solid") && bytes.substr(0, 1024).find('\0') == std::string_view::npos;
    const bool exactBinary = bytes.size() >= kHeader + 4 && bytes.size() == kHeader + 4 + kPerTriangle * std::size_t{valueAt<std::uint32_t>(bytes, kHeader)};
    return text && !exactBinary ? parseText(bytes) : parseBinary(bytes);
}

}  // namespace talus::io
