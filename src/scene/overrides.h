// SPDX-License-Identifier: Apache-2.0
// What variants and the command line change in a scene: file < variant < --set < --method, --precision.
#pragma once

#include "scene/diagnostics.h"
#include "scene/document.h"
#include "scene/scene.h"

namespace talus::scene {

/// A key to be set: by a variant, an option, a stage.
struct Override {
    std::string path;
    Place place;   // of the key
    Value value;
};

/// The changes that a table of paths makes. Dotted keys and sub-tables set the keys inside them; an inline table replaces
/// what was there.
std::vector<Override> overridesIn(const Table&);
void apply(Value& root, const Override&, Diagnostics&);

/// Applies what the request asks for to the tree. [variant] stays in it.
void applyOverrides(Value& root, const Request&, Diagnostics&);

std::vector<std::string> variantNames(const Value& root);

}  // namespace talus::scene
