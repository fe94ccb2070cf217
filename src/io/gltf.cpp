// SPDX-License-Identifier: Apache-2.0
#include "io/mesh_file.h"
#include "io/text_scanner.h"

#define TINYGLTF_IMPLEMENTATION
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <tiny_gltf.h>
#pragma GCC diagnostic pop

#include <array>
#include <cstring>

namespace talus::io {
namespace {

constexpr std::size_t kMostTriangles = std::size_t{1} << 27;

/// x ↦ m x + t.
struct Affine {
    Mat3 m = Mat3::identity();
    Vec3 t;
    Affine operator*(const Affine& b) const { return {m * b.m, m * b.t + t}; }
};

Affine transformOf(const tinygltf::Node& node) {
    Affine a;
    if (node.matrix.size() == 16) {   // column by column
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) a.m(i, j) = node.matrix[static_cast<std::size_t>(4 * j + i)];
            a.t[i] = node.matrix[static_cast<std::size_t>(12 + i)];
        }
        return a;
    }
    if (node.rotation.size() == 4) a.m = Quat{node.rotation[3], node.rotation[0], node.rotation[1], node.rotation[2]}.normalizedQuat().matrix();
    if (node.scale.size() == 3) a.m = a.m * Mat3::diagonal({node.scale[0], node.scale[1], node.scale[2]});
    if (node.translation.size() == 3) a.t = {node.translation[0], node.translation[1], node.translation[2]};
    return a;
}

template <class T>
const T& item(const std::vector<T>& list, int index, const char* what) {
    if (index < 0 || static_cast<std::size_t>(index) >= list.size())
        throw FileFault(fmt::format("there is no {} {}: the file has {}", what, index, list.size()));
    return list[static_cast<std::size_t>(index)];
}

/// An accessor whose every element lies inside its buffer.
struct Elements {
    const unsigned char* first = nullptr;
    std::size_t count = 0, stride = 0;
};
Elements elementsOf(const tinygltf::Model& model, const tinygltf::Accessor& accessor, std::size_t size) {
    if (accessor.sparse.isSparse) throw FileFault("sparse accessors are not read; export the mesh without shape keys");
    const tinygltf::BufferView& view = item(model.bufferViews, accessor.bufferView, "buffer view");
    const std::vector<unsigned char>& data = item(model.buffers, view.buffer, "buffer").data;
    const std::size_t stride = view.byteStride > 0 ? view.byteStride : size;
    if (view.byteOffset > data.size() || view.byteLength > data.size() - view.byteOffset || accessor.byteOffset > view.byteLength)
        throw FileFault("an accessor lies outside its buffer: the file is cut off");
    const std::size_t room = view.byteLength - accessor.byteOffset;
    if (accessor.count > 0 && (room < size || (accessor.count - 1) > (room - size) / stride))
        throw FileFault(fmt::format("an accessor of {} elements reaches beyond its buffer: the file is cut off", accessor.count));
    return {data.data() + view.byteOffset + accessor.byteOffset, accessor.count, stride};
}

class Collector {
public:
    explicit Collector(const tinygltf::Model& model) : model_(model), seen_(model.nodes.size(), false) {}

    geometry::Mesh collect() {
        if (model_.scenes.empty()) {
            for (int n = 0; n < static_cast<int>(model_.nodes.size()); ++n)
                if (!seen_[static_cast<std::size_t>(n)]) visit(n, {}, 0);
        } else {
            for (const int node : item(model_.scenes, std::max(model_.defaultScene, 0), "scene").nodes) visit(node, {}, 0);
        }
        return std::move(mesh_);
    }

private:
    void visit(int index, const Affine& parent, int depth) {
        constexpr int kDeepest = 256;
        const tinygltf::Node& node = item(model_.nodes, index, "node");
        if (seen_[static_cast<std::size_t>(index)] || depth > kDeepest) throw FileFault(fmt::format("node {} appears twice: nodes must be a tree", index));
        seen_[static_cast<std::size_t>(index)] = true;
        const Affine here = parent * transformOf(node);
        if (node.mesh >= 0)
            for (const tinygltf::Primitive& primitive : item(model_.meshes, node.mesh, "mesh").primitives) add(primitive, here);
        for (const int child : node.children) visit(child, here, depth + 1);
    }

    void add(const tinygltf::Primitive& primitive, const Affine& transform) {
        const int mode = primitive.mode < 0 ? TINYGLTF_MODE_TRIANGLES : primitive.mode;
        if (mode < TINYGLTF_MODE_TRIANGLES) return;   // points and lines
        const auto position = primitive.attributes.find("POSITION");
        if (position == primitive.attributes.end()) throw FileFault("a primitive without POSITION");
        const auto first = mesh_.vertices.size();
        addVertices(item(model_.accessors, position->second, "accessor"), transform);
        const std::size_t count = mesh_.vertices.size() - first;
        std::vector<std::uint32_t> corners;
        if (primitive.indices >= 0) corners = indices(item(model_.accessors, primitive.indices, "accessor"), count);
        else
            for (std::size_t i = 0; i < count; ++i) corners.push_back(static_cast<std::uint32_t>(i));
        const bool mirrored = determinant(transform.m) < 0;
        const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
            if (mirrored) std::swap(b, c);
            const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(first + corners[i]); };
            mesh_.triangles.push_back({at(a), at(b), at(c)});
        };
        if (mode == TINYGLTF_MODE_TRIANGLES)
            for (std::size_t i = 0; i + 2 < corners.size(); i += 3) triangle(i, i + 1, i + 2);
        else
            for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
                if (mode == TINYGLTF_MODE_TRIANGLE_FAN) triangle(0, i + 1, i + 2);
                else i % 2 == 0 ? triangle(i, i + 1, i + 2) : triangle(i + 1, i, i + 2);
            }
        if (mesh_.triangles.size() > kMostTriangles || mesh_.vertices.size() > 0xffffffffULL)
            throw FileFault(fmt::format("more than {} triangles", kMostTriangles));
    }

    void addVertices(const tinygltf::Accessor& accessor, const Affine& transform) {
        if (accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT || accessor.type != TINYGLTF_TYPE_VEC3)
            throw FileFault("positions must be three floats; export without quantisation or compression");
        const Elements elements = elementsOf(model_, accessor, 3 * sizeof(float));
        mesh_.vertices.reserve(mesh_.vertices.size() + elements.count);
        for (std::size_t i = 0; i < elements.count; ++i) {
            std::array<float, 3> p;
            std::memcpy(p.data(), elements.first + i * elements.stride, sizeof p);
            const Vec3 v = transform.m * Vec3{double(p[0]), double(p[1]), double(p[2])} + transform.t;
            if (!isFinite(v)) throw FileFault(fmt::format("vertex {} is not finite", i));
            mesh_.vertices.push_back(v);
        }
    }

    std::vector<std::uint32_t> indices(const tinygltf::Accessor& accessor, std::size_t vertices) const {
        const int type = accessor.componentType;
        const std::size_t size = type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE ? 1 : type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ? 2 : 4;
        if ((size == 4 && type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT) || accessor.type != TINYGLTF_TYPE_SCALAR)
            throw FileFault("indices must be unsigned whole numbers");
        const Elements elements = elementsOf(model_, accessor, size);
        std::vector<std::uint32_t> result(elements.count);
        for (std::size_t i = 0; i < elements.count; ++i) {
            std::memcpy(&result[i], elements.first + i * elements.stride, size);   // little endian, as the file is
            if (result[i] >= vertices) throw FileFault(fmt::format("a triangle has the vertex {}, and there are {}", result[i], vertices));
        }
        return result;
    }

    const tinygltf::Model& model_;
    std::vector<bool> seen_;
    geometry::Mesh mesh_;
};

/// Nothing outside the file is opened: what a run copies must be all of it.
tinygltf::FsCallbacks noFiles() {
    tinygltf::FsCallbacks callbacks{};
    callbacks.FileExists = [](const std::string&, void*) { return false; };
    callbacks.ExpandFilePath = [](const std::string& path, void*) { return path; };
    callbacks.ReadWholeFile = [](std::vector<unsigned char>*, std::string*, const std::string&, void*) { return false; };
    callbacks.WriteWholeFile = [](std::string*, const std::string&, const std::vector<unsigned char>&, void*) { return false; };
    return callbacks;
}

/// tinygltf's message is about its functions; the first line tells what a user can use.
std::string firstLine(const std::string& text) {
    std::string line = text.substr(0, text.find('\n'));
    if (line.starts_with("[json")) {   // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
        line.erase(0, std::min(line.find("] ") + 2, line.size()));
        line.erase(std::min(line.find(": "), line.size()));
    }
    std::string printable;
    for (const char c : line.substr(0, 120)) printable += c >= 0x20 && c < 0x7f ? c : '?';
    return printable.empty() ? "it cannot be read" : printable;
}

bool refersToFiles(std::string_view text) { return text.find(".bin\"") != std::string_view::npos; }

}  // namespace

geometry::Mesh parseGltf(std::string_view bytes) {
    if (bytes.size() > 0xffffffffULL) throw FileFault("larger than 4 GB");
    tinygltf::TinyGLTF loader;
    loader.SetImageLoader([](tinygltf::Image*, const int, std::string*, std::string*, int, int, const unsigned char*, int, void*) { return true; }, nullptr);
    loader.SetFsCallbacks(noFiles());
    tinygltf::Model model;
    std::string error, warning;
    const auto length = static_cast<unsigned>(bytes.size());
    bool read = false;
    try {
        read = bytes.starts_with("glTF")
                   ? loader.LoadBinaryFromMemory(&model, &error, &warning, reinterpret_cast<const unsigned char*>(bytes.data()), length)
                   : loader.LoadASCIIFromString(&model, &error, &warning, bytes.data(), length, "");
    } catch (const nlohmann::json::exception& problem) {
        error = problem.what();
    }
    for (const std::string& extension : model.extensionsRequired)
        if (extension.find("draco") != std::string::npos || extension.find("meshopt") != std::string::npos)
            throw FileFault(fmt::format("the mesh is compressed ({}); export it without compression", shown(extension)));
    if (!read && refersToFiles(bytes)) throw FileFault("its buffers are in a file of their own; export it as .glb, or as .gltf with embedded buffers");
    if (!read) throw FileFault(fmt::format("not a glTF file: {}", firstLine(error)));
    geometry::Mesh mesh = Collector(model).collect();
    if (mesh.triangles.empty()) throw FileFault("no triangles");
    return mesh;
}

}  // namespace talus::io
