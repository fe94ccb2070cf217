// SPDX-License-Identifier: Apache-2.0
// What pictures and ParaView need beside the grains: force chains, and the shapes of clumps.
#pragma once

#include "io/files.h"
#include "world/method.h"

#include <vector>

namespace talus::io {

/// Lines between grains that touch, with `force` (on the first), `normal_force` and `shear_force` of each; contacts_000012.vtp.
void writeContacts(const Path&, const std::vector<world::ContactLine>&);

/// templates.json: names and spheres.
void writeTemplates(const Path&, const std::vector<world::GrainTemplate>&);

}  // namespace talus::io
