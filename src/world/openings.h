// SPDX-License-Identifier: Apache-2.0
// The narrow places that grains have to pass, found from the distance to bodies alone.
#pragma once

#include "geometry/shape.h"
#include "world/body.h"
#include "world/domain.h"

#include <functional>
#include <span>
#include <vector>

namespace talus::world {

struct World;

struct Opening {
    Vec3 place;              // its middle [m]
    double width = 0;        // of the largest ball that passes [m]
};

/// Openings between spaces of the domain of which at least one holds grains, from the narrowest; places where the space gets hardly narrower
/// do not count. `size` is that of the grains [m]: openings narrower than it may be missed.
std::vector<Opening> findOpenings(std::span<const BodySnapshot>, const Domain&, const std::function<bool(const Vec3&)>& holdsGrains, double size);

/// The same between the bodies of a world that stand still all the time and that `counts` takes: others may open the way. What is emitted or listed may be anywhere.
std::vector<Opening> findOpenings(const World&, double size, const std::function<bool(const Body&)>& counts = {});

/// Diameter of the largest ball in a region of the domain [m].
double thickness(const geometry::Shape& region, const Domain&);

}  // namespace talus::world
