// SPDX-License-Identifier: Apache-2.0
// What a scene reads from tables: fills, [[grains]] table = "bed.csv", and fields of forces.
#pragma once

#include "scene/assets.h"
#include "scene/description.h"

namespace talus::scene {

/// Reads the tables of all fills and forces. Grains outside the domain are left out. `stateFollows`: those of fills stand in for grains of a checkpoint.
void loadTables(SceneDescription&, AssetLoader&, bool stateFollows, WellRead, Problems&);

}  // namespace talus::scene
