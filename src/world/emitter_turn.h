// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "world/method.h"

namespace talus::world {

/// Longest step after which no emitter has more than one turn to make up for [s].
double emitterStep(const World&, const Method&);

}  // namespace talus::world
