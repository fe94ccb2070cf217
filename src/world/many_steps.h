// SPDX-License-Identifier: Apache-2.0
// A run of very many steps lasts days: said before it begins.
#pragma once

#include "core/problems.h"
#include "world/world.h"

#include <string_view>

namespace talus::world {

/// Warns of a run of more than ten million steps of `step` [s]. `given`: the key of a step that the scene chose; else the step follows from `reason`.
void warnOfManySteps(const World&, double step, std::string_view given, std::string_view reason, Problems&);

}  // namespace talus::world
