// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/description.h"

namespace talus::scene {

/// What no range of a single key of [[probes]] can say: names of bodies, materials and fields, places outside the domain.
void checkProbes(const SceneDescription&, WellRead, Problems&);

}  // namespace talus::scene
