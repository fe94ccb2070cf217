// SPDX-License-Identifier: Apache-2.0
// What dem refuses before it runs, and what it will need.
#pragma once

#include "dem/dem.h"

namespace talus::dem {

/// Most that grains of a table may overlap each other or bodies at the start [radii].
inline constexpr double kMostListedOverlap = 0.05;

void checkDem(const Settings&, const world::World&, Problems&);
/// Of a two-dimensional case [m].
double slabWidth(const Settings&, const world::World&);
/// How near to a body a grain may feel it [m].
double bodyReach(const Settings&, const world::World&);
world::Estimate estimateDem(const Settings&, const world::World&, world::Precision);

/// Longest step that resolves the stiffest contact of the smallest grain at the reference speed, with that fraction of half a period [s].
double plannedStep(const Settings&, const world::World&, double fraction);

}  // namespace talus::dem
