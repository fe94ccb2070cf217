// SPDX-License-Identifier: Apache-2.0
// Materials that scenes can name instead of writing their numbers: scenes/materials.toml.
#pragma once

#include "scene/diagnostics.h"
#include "scene/document.h"

namespace talus::scene {

/// Fills in what the preset of a material says and its own table does not, and adds the contacts between two presets where
/// the scene names none for that pair. Afterwards the tree reads as if all had been written out.
void applyPresets(Value& root, Diagnostics&);

}  // namespace talus::scene
