// SPDX-License-Identifier: Apache-2.0
// How fine a grid a scene asks for, and what methods with one grid and one velocity a node cannot do.
#pragma once

#include "core/problems.h"
#include "mpm/frame.h"
#include "world/world.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace talus::mpm {

/// A method's own settings of these, and its name for messages.
struct Resolution {
    std::string_view method;
    std::optional<double> spacing;      // [m]; from the scene's resolution unless given
    std::int64_t pointsPerCell = 8;
};

/// Grid spacing that the scene asks for, before it adapts to periodic axes; 0 where it does not say [m].
double wantedSpacing(const Resolution&, const world::World&);

/// One block, the least that a periodic axis can have.
double slabWidth(const Resolution&, const world::World&);

/// How near to a body a point feels it: its nodes ask the body's distance, which knows nothing of the images of either [m].
inline Vec3 bodyReach(const Vec3& spacing) { return 2.0 * spacing; }

/// Refuses a scene that does not say how fine, grids with too many cells, regions smaller than a point, periods that are no blocks.
void checkResolution(const Resolution&, const world::World&, Problems&);

/// One velocity per node: grains of several materials share it, so a body has one friction there.
void checkFriction(std::string_view method, const world::World&, Problems&);

}  // namespace talus::mpm
