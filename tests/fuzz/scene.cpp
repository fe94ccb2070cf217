// SPDX-License-Identifier: Apache-2.0
// A scene is refused with messages, or read; then what was resolved reads back as the same scene.
#include "core/problems.h"
#include "scene/scene.h"

#include <cstdlib>

using namespace talus;

namespace {

scene::Scene readText(std::string text) {
    scene::Request request;
    request.scene = "fuzz.toml";
    request.text = std::move(text);
    return scene::read(request, scene::builtInMethods());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::optional<scene::Scene> scene;
    try {
        scene.emplace(readText({reinterpret_cast<const char*>(data), size}));
    } catch (const Error& refused) {
        if (refused.code() != ExitCode::usage && refused.code() != ExitCode::missing) std::abort();
        if (*refused.what() == '\0') std::abort();   // a refusal says why
        return 0;
    }
    const std::string resolved = scene->toml();
    if (readText(resolved).toml() != resolved) std::abort();
    return 0;
}
