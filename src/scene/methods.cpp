// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/elastoplastic.h"
#include "scene/scene.h"

#include <array>

namespace talus::scene {

Methods builtInMethods() {
    static constexpr std::array<const world::MethodInfo*, 1> kMethods{&elastoplastic::info};
    return kMethods;
}

}  // namespace talus::scene
