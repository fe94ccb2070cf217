// SPDX-License-Identifier: Apache-2.0
// What variants and the command line change in a scene: file < variant < --set < --method, --precision.
#pragma once

#include "scene/diagnostics.h"
#include "scene/document.h"
#include "scene/scene.h"

namespace talus::scene {

/// Applies what the request asks for to the tree. [variant] stays in it.
void applyOverrides(Value& root, const Request&, Diagnostics&);

std::vector<std::string> variantNames(const Value& root);

}  // namespace talus::scene
