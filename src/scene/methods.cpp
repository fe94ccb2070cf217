// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

namespace talus::scene {

Methods builtInMethods() { return {}; }

}  // namespace talus::scene
