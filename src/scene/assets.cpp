// SPDX-License-Identifier: Apache-2.0
#include "scene/assets.h"

#include "io/files.h"
#include "io/height_csv.h"
#include "io/mesh_file.h"
#include "scene/source.h"
#include "scene/suggestion.h"
#include "scene/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace talus::scene {
namespace {

/// Its keys as text: what makes two descriptions alike.
template <class Description>
std::string described(Description& description) {
    TomlWriter writer(TomlWriter::Layout::inlineTable);
    description.keys(writer);
    return fmt::format("{}: {}", Description::kType, writer.text());
}

/// Without the prefix of files inside the program.
std::string_view embeddedName(std::string_view file) { return file.starts_with(kEmbeddedPrefix) ? file.substr(kEmbeddedPrefix.size()) : std::string_view{}; }

/// Nothing, and a problem, where the program has no file of that name.
std::optional<std::string> readEmbedded(std::string_view name, const std::string& path, Problems& problems) {
    std::vector<std::string_view> names;
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.name == name) return std::string(file.bytes);
        names.push_back(file.name);
    }
    problems.error(path, fmt::format("there is no file '{}' inside the program; it has {}. Names without '{}' are files relative to the folder of the scene", name, quotedList(names), kEmbeddedPrefix));
    return {};
}

}  // namespace

void AssetLoader::load(SceneDescription& scene, WellRead wellRead, Problems& problems) {
    const auto visit = [&](geometry::ShapeDescription& shape, const std::string& path) {
        const auto given = [&](std::initializer_list<std::string_view> keys) {
            return std::ranges::all_of(keys, [&](std::string_view key) { return wellRead(fmt::format("{}.{}", path, key)); });
        };
        if (auto* mesh = std::get_if<geometry::MeshDescription>(&shape.kind); mesh && given({"file", "scale", "up", "voxel", "band"}))
            load(*mesh, path, problems);
        if (auto* heights = std::get_if<geometry::HeightFieldDescription>(&shape.kind);
            heights && given({"heights", "file", "scale", "spacing", "base", "voxel", "band"}))
            load(*heights, path, problems);
    };
    eachShape(scene, [&](geometry::ShapeDescription& shape, const std::string& path) { geometry::eachShape(shape, path, visit); });
}

void AssetLoader::load(geometry::MeshDescription& mesh, const std::string& path, Problems& problems) {
    const std::string key = path + ".file";
    const std::optional<io::MeshFormat> format = io::meshFormat(mesh.file);
    if (!format) return problems.error(key, fmt::format("\"{}\" is no mesh file that Talus reads: its name should end in .stl, .obj, .ply, .glb or .gltf", mesh.file));
    const std::string* bytes = read(mesh.file, key, problems);
    if (bytes == nullptr) return;
    if (mesh.up == geometry::MeshUp::usual) mesh.up = io::usualUp(*format) == io::UpAxis::y ? geometry::MeshUp::y : geometry::MeshUp::z;
    geometry::ShapePtr& solid = solids_[described(mesh)];
    mesh.sampled.solid = solid;
    if (solid) return;
    try {
        const io::UpAxis up = mesh.up == geometry::MeshUp::y ? io::UpAxis::y : io::UpAxis::z;
        geometry::prepare(exec_, mesh, io::parseMesh(*bytes, *format, mesh.scale, up), path, problems);
    } catch (const io::FileFault& fault) {
        return problems.error(key, fmt::format("cannot read '{}': {}", mesh.file, fault.what()));
    }
    solid = mesh.sampled.solid;
}

void AssetLoader::load(geometry::HeightFieldDescription& field, const std::string& path, Problems& problems) {
    if (field.file && !field.heights.empty()) return problems.error(path + ".file", "heights and file are both given; keep one of them");
    if (!field.file && field.heights.empty()) return problems.error(path + ".heights", "a height field needs heights, or a file with them");
    geometry::ShapePtr& solid = solids_[described(field)];
    field.sampled.solid = solid;
    const std::string* text = field.file ? read(*field.file, path + ".file", problems) : nullptr;
    if (field.file && text == nullptr) return;
    try {
        std::vector<std::vector<double>> heights = field.file ? io::parseHeights(*text) : field.heights;
        if (field.file)
            for (std::vector<double>& row : heights)
                for (double& height : row) height *= field.scale;
        if (!solid) geometry::prepare(exec_, field, heights, path, problems);
    } catch (const io::FileFault& fault) {
        return problems.error(path + ".file", fmt::format("cannot read '{}': {}", *field.file, fault.what()));
    }
    solid = field.sampled.solid;
}

const std::string* AssetLoader::read(const std::string& file, const std::string& path, Problems& problems) {
    if (const auto known = assetOfFile_.find(file); known != assetOfFile_.end()) return &assets_[known->second].bytes;
    std::string bytes;
    if (const std::string_view own = embeddedName(file); !own.empty()) {
        std::optional<std::string> found = readEmbedded(own, path, problems);
        if (!found) return nullptr;
        bytes = std::move(*found);
    } else try {
        bytes = io::readFile(io::Path(folder_) / file);
    } catch (const Error& error) {
        const std::string_view what = error.what();
        problems.error(path, fmt::format("cannot read '{}': {}; names of files are relative to the folder of the scene", file, what.substr(what.rfind(": ") + 2)));
        ++missing_;
        return nullptr;
    }
    assetOfFile_[file] = assets_.size();
    assets_.push_back({freeName(file), std::move(bytes)});
    return &assets_.back().bytes;
}

std::string AssetLoader::freeName(const std::string& file) const {
    const std::string_view own = embeddedName(file);
    const io::Path path = io::Path(own.empty() ? std::string_view(file) : own).filename();
    const auto taken = [&](const std::string& name) { return std::ranges::find(assets_, name, &Asset::name) != assets_.end(); };
    std::string name = path.string();
    for (int n = 2; taken(name); ++n) name = fmt::format("{}-{}{}", path.stem().string(), n, path.extension().string());
    return name;
}

}  // namespace talus::scene
