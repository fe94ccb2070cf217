// SPDX-License-Identifier: Apache-2.0
// Walls of the domain that lie close behind the surface of a body, as where a floor is given twice.
#pragma once

#include "core/problems.h"

namespace talus::world {

struct World;

/// Warns of closed faces of the domain that grains would feel through the surface of a body less than `reach` [m] in front of them, and that
/// rub otherwise than it: grains would neither slide as on the one nor as on the other.
void warnOfCoveredWalls(const World&, double reach, Problems&);

}  // namespace talus::world
