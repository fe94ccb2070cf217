// SPDX-License-Identifier: Apache-2.0
// The text of a scene, from a file or from the scenes inside the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace talus::scene {

struct Source {
    std::string name;   // of the scene: of the file without .toml
    std::string text;
    std::string folder;   // that names of files in the scene are relative to
};

/// `scene` is a path (has '/' or ends in .toml) or the name of a built-in scene.
/// Throws Error: exit 3 for a file that cannot be read, 2 for an unknown name.
Source findSource(const std::string& scene);

struct EmbeddedScene {
    std::string_view name, text;
};
/// What a folder that stands where a scene should holds, and what to do with it: a run or a sweep to go on with, a scene.toml. Empty: nothing known.
std::string describeFolder(const std::string& folder);

/// scenes/*.toml as the build put them into the program (cmake/TalusScenes.cmake), by name.
std::span<const EmbeddedScene> embeddedScenes();
struct EmbeddedFile {
    std::string_view name, bytes;
};
/// scenes/*.ply, likewise; a scene names one as "talus:NAME", wherever it stands itself.
std::span<const EmbeddedFile> embeddedFiles();
inline constexpr std::string_view kEmbeddedPrefix = "talus:";
/// scenes/materials.toml, likewise.
std::string_view embeddedMaterials();

}  // namespace talus::scene
