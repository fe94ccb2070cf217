# SPDX-License-Identifier: Apache-2.0
# Puts scenes/*.toml into the program: a source file with one raw string for each.
file(GLOB scene_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.toml)
list(SORT scene_files)
set(scene_entries "")
foreach(file ${scene_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND scene_entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_scenes.cpp @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
// Made by cmake/TalusScenes.cmake.
#include "scene/source.h"

#include <array>

namespace talus::scene {

namespace {
constexpr auto kScenes = std::to_array<EmbeddedScene>({
@scene_entries@});
}  // namespace

std::span<const EmbeddedScene> embeddedScenes() { return kScenes; }

}  // namespace talus::scene
]])
target_sources(talus_scene PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_scenes.cpp)
