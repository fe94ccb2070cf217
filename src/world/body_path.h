// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "world/body.h"

#include <string>

namespace talus::world {

/// The table of the body in the scene, which messages name.
inline std::string pathOf(const Body& body) { return "bodies[" + std::to_string(body.source) + "]"; }

}  // namespace talus::world
