// SPDX-License-Identifier: Apache-2.0
#include "scene/source.h"

#include "core/problems.h"
#include "scene/document.h"
#include "scene/overrides.h"
#include "scene/scene.h"
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace talus::scene {

namespace {

Source readFile(const std::string& path) {
    const auto fail = [&](int error) {
        const std::string stem = std::filesystem::path(path).stem().string();
        const bool builtIn = std::ranges::find(embeddedScenes(), stem, &EmbeddedScene::name) != embeddedScenes().end();
        return Error(ExitCode::missing, fmt::format("cannot open scene '{}': {}{}", path, std::generic_category().message(error), builtIn ? fmt::format("; the built-in scene is called '{}'", stem) : ""));
    };
    if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
        if (const std::string folder = describeFolder(path); !folder.empty()) throw Error(ExitCode::missing, fmt::format("'{}' is no scene but {}", path, folder));
        throw fail(EISDIR);
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw fail(errno != 0 ? errno : EIO);
    std::ostringstream text;
    text << file.rdbuf();
    if (file.bad()) throw fail(EIO);
    return {std::filesystem::path(path).stem().string(), text.str(), std::filesystem::path(path).parent_path().string()};
}

/// "# A column of sand collapses.\n…" begins with what `talus scenes` shows.
std::string firstComment(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("# ") && !line.starts_with("# SPDX")) return line.substr(2);
    return {};
}

}  // namespace

std::string describeFolder(const std::string& folder) {
    const std::filesystem::path path(folder);
    const auto has = [&](const char* file) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(path / file, ignored);
    };
    if (has("sweep.json")) return fmt::format("the folder of a sweep; go on with it by: talus sweep --resume --out {}", shellWord(folder));
    if (!has("scene.toml")) return {};
    const std::string scene = shellWord((path / "scene.toml").string());
    if (!has("run.json")) return fmt::format("a folder with a scene in it; run that by: talus run {}", scene);
    return fmt::format("the folder of a run; go on with it by: talus run --resume --out {}; run its scene anew by: talus run {}", shellWord(folder), scene);
}

bool isBuiltIn(std::string_view scene) { return !isFile(scene) && std::ranges::find(embeddedScenes(), scene, &EmbeddedScene::name) != embeddedScenes().end(); }

bool isFile(std::string_view scene) { return scene.find('/') != std::string_view::npos || scene.ends_with(".toml"); }

Source findSource(const std::string& scene) {
    if (isFile(scene)) return readFile(scene);
    std::vector<std::string_view> names;
    for (const EmbeddedScene& embedded : embeddedScenes()) {
        if (embedded.name == scene) return {scene, std::string(embedded.text), {}};
        names.push_back(embedded.name);
    }
    if (const std::string folder = describeFolder(scene); !folder.empty()) throw Error(ExitCode::usage, fmt::format("there is no built-in scene '{0}', and '{0}' here is {1}", scene, folder));
    const std::string_view near = nearest(scene, names);
    throw Error(
        ExitCode::usage,
        fmt::format(
            "there is no built-in scene '{0}'{1} The built-in scenes are {2}; a scene file is given by its path, ./{0}.toml",
            scene, near.empty() ? "." : fmt::format("; did you mean '{}'?", near), quotedList(names)));
}

std::vector<BuiltInScene> builtInScenes() {
    std::vector<BuiltInScene> scenes;
    for (const EmbeddedScene& scene : embeddedScenes())
        scenes.push_back({scene.name, firstComment(scene.text), scene.text, variantNames(parseToml(scene.text, scene.name))});
    return scenes;
}

}  // namespace talus::scene
