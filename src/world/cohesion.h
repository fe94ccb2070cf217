// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problems.h"
#include "world/world.h"

#include <string>
#include <string_view>

namespace talus::world {

/// For methods whose grains do not stick together.
inline void refuseCohesion(std::string_view method, const World& world, Problems& problems) {
    for (const int m : world.grainMaterials())
        if (const Material& material = world.materials[static_cast<std::size_t>(m)]; material.cohesion > 0)
            problems.error("materials", std::string(method) + " has no cohesion; material '" + material.name + "' asks for it: leave it out, or take method = \"elastoplastic\"");
}

}  // namespace talus::world
