// SPDX-License-Identifier: Apache-2.0
#include "dem/dem.h"
#include "elastoplastic/elastoplastic.h"
#include "nonsmooth/nonsmooth.h"
#include "scene/scene.h"
#include "upsampling/guided.h"

#include <array>

namespace talus::scene {

Methods builtInMethods() {
    static constexpr std::array kMethods{&dem::info, &elastoplastic::info, &nonsmooth::info, &upsampling::info};
    return kMethods;
}

}  // namespace talus::scene
