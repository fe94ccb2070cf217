# SPDX-License-Identifier: Apache-2.0
# Puts scenes/*.toml into the program, a source file with one raw string for each, and the meshes that they name, scenes/*.ply.
file(GLOB scene_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.toml)
list(SORT scene_files)
set(materials_file ${PROJECT_SOURCE_DIR}/scenes/materials.toml)   # presets, not a scene
list(REMOVE_ITEM scene_files ${materials_file})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${materials_file})
file(READ ${materials_file} materials_text)
set(scene_entries "")
foreach(file ${scene_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND scene_entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(GLOB mesh_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.ply)
list(SORT mesh_files)
set(mesh_entries "")
set(mesh_constants "")
list(LENGTH mesh_files mesh_count)
foreach(file ${mesh_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(MAKE_C_IDENTIFIER "kBytesOf_${name}" constant)
  string(APPEND mesh_constants "constexpr char ${constant}[] = \"${bytes}\";\n")
  string(APPEND mesh_entries "    {\"${name}\", {${constant}, sizeof ${constant} - 1}},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_scenes.cpp @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
// Made by cmake/TalusScenes.cmake.
#include "scene/source.h"

#include <array>

#pragma GCC diagnostic ignored "-Woverlength-strings"   // meshes

namespace talus::scene {

namespace {
constexpr auto kScenes = std::to_array<EmbeddedScene>({
@scene_entries@});
@mesh_constants@
constexpr std::array<EmbeddedFile, @mesh_count@> kFiles{{
@mesh_entries@}};
}  // namespace

std::span<const EmbeddedScene> embeddedScenes() { return kScenes; }
std::span<const EmbeddedFile> embeddedFiles() { return kFiles; }

std::string_view embeddedMaterials() {
    return R"toml(@materials_text@)toml";
}

}  // namespace talus::scene
]])
target_sources(talus_scene PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_scenes.cpp)
