// SPDX-License-Identifier: Apache-2.0
#include "io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace talus::io {

void faultAtLine(std::size_t line, std::string_view what) { throw FileFault(fmt::format("line {}: {}", line, what)); }
void faultAtByte(std::size_t byte, std::string_view what) { throw FileFault(fmt::format("byte {}: {}", byte, what)); }

std::optional<MeshFormat> meshFormat(std::string_view fileName) {
    std::string name(fileName);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.ends_with(".stl")) return MeshFormat::stl;
    if (name.ends_with(".obj")) return MeshFormat::obj;
    if (name.ends_with(".ply")) return MeshFormat::ply;
    if (name.ends_with(".gltf") || name.ends_with(".glb")) return MeshFormat::gltf;
    return {};
}

geometry::Mesh parseMesh(std::string_view bytes, MeshFormat format) {
    switch (format) {
        case MeshFormat::stl: return parseStl(bytes);
        case MeshFormat::obj: return parseObj(bytes);
        case MeshFormat::ply: return parsePly(bytes);
        case MeshFormat::gltf: return parseGltf(bytes);
    }
    throw std::logic_error("a format without a reader");
}

geometry::Mesh parseMesh(std::string_view bytes, MeshFormat format, double scale, UpAxis up) {
    geometry::Mesh mesh = parseMesh(bytes, format);
    for (Vec3& v : mesh.vertices) {
        if (up == UpAxis::y) v = {v.x, -v.z, v.y};
        v *= scale;
        if (!isFinite(v)) throw FileFault("a coordinate times scale is too large for a number");
    }
    return geometry::welded(mesh, geometry::kWeldTolerance * std::max(0.0, maxComponent(mesh.bounds().size())));
}

}  // namespace talus::io
