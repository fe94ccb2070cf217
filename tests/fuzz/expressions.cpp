// SPDX-License-Identifier: Apache-2.0
// Short texts inside scenes and after --set. A value of --set is put into a scene as a number.
#include "core/problems.h"
#include "scene/document.h"
#include "scene/expressions.h"
#include "scene/key_path.h"
#include "scene/scene.h"
#include "scene/units.h"

#include <cmath>
#include <cstdlib>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const scene::Evaluated result = scene::evaluate(text, [](std::string_view name) {
        return name == "r0" ? scene::NameValue{0.5, {}} : scene::NameValue{{}, "unknown"};
    });
    if (result.problem.empty() && !std::isfinite(result.value)) std::abort();
    for (int d = 0; d <= static_cast<int>(Dimension::temperature); ++d) scene::convertUnit(text, static_cast<Dimension>(d));
    scene::convertAnyUnit(text);
    if (const auto path = scene::parsePath(text); path && scene::pathText(*path, path->size()) != text) {
        const auto again = scene::parsePath(scene::pathText(*path, path->size()));   // [007] is [7]
        if (!again || again->size() != path->size()) std::abort();
    }
    scene::parseOptionValue(text, {"--set"});
    try {
        scene::Request request;
        request.scene = "column";
        request.sets = {text};
        scene::read(request, scene::builtInMethods());
    } catch (const Error&) {   // refused with a message
    }
    return 0;
}
