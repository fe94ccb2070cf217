// SPDX-License-Identifier: Apache-2.0
// How much closer grains may still come. Counted by the points around a node it changes with the chance of where they lie: in flow, cells that chance
// leaves a little room close up without pressure, their neighbours bear it alone, and a layer that should flow steadily is braked. So points remember
// the room that their grains have, as a part e of the volume that these take up packed: what flow opens is added, de/dt = (1 + e) ∇·u, pressure closes
// all of it, and what is counted comes in slowly.
#pragma once

#include "nonsmooth/friction_problem.h"
#include "nonsmooth/grid.h"

#include <span>

namespace talus::nonsmooth {

/// What points of a cell remember, in the mean over their volume, or what is counted where they are spread thin.
double rememberedRoom(const Grid&, const Points&, std::size_t cell, double counted);

/// At the end of a step. `taken` is the volume that grains of a cell take up [m³].
void changeRoom(const Exec&, const mpm::GridFrame&, const Grid&, const FrictionProblem&, std::span<const double> counted, std::span<const double> taken, double dt, Points&);

}  // namespace talus::nonsmooth
