// SPDX-License-Identifier: Apache-2.0
// Meshes from files that others wrote: STL, OBJ, PLY, glTF. Every reader works on the bytes of a file, trusts none of them,
// and throws FileFault with the place in the file; counts are compared with the size of the file before memory is taken.
#pragma once

#include "geometry/mesh.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace talus::io {

/// What is wrong inside a file: "line 7: …" or "byte 84: …".
class FileFault : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
[[noreturn]] void faultAtLine(std::size_t line, std::string_view what);
[[noreturn]] void faultAtByte(std::size_t byte, std::string_view what);

enum class MeshFormat { stl, obj, ply, gltf };
/// By the ending of the name: .stl, .obj, .ply, .gltf, .glb.
std::optional<MeshFormat> meshFormat(std::string_view fileName);

enum class UpAxis { y, z };
constexpr UpAxis usualUp(MeshFormat format) { return format == MeshFormat::gltf ? UpAxis::y : UpAxis::z; }

/// As the file has them: coordinates finite, indices in range, polygons cut into triangles.
geometry::Mesh parseStl(std::string_view bytes);
geometry::Mesh parseObj(std::string_view bytes);
geometry::Mesh parsePly(std::string_view bytes);
geometry::Mesh parseGltf(std::string_view bytes);   // .gltf with its buffers inside, or .glb
geometry::Mesh parseMesh(std::string_view bytes, MeshFormat);

/// Times `scale`, turned so that `up` becomes z, vertices that coincide welded.
geometry::Mesh parseMesh(std::string_view bytes, MeshFormat, double scale, UpAxis up);

}  // namespace talus::io
