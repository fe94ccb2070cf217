// SPDX-License-Identifier: Apache-2.0
// What pictures and ParaView need beside the grains: force chains, and the shapes of clumps.
#pragma once

#include "io/files.h"
#include "io/frame.h"
#include "world/method.h"

#include <vector>

namespace talus::io {

/// Lines between the columns `from` and `to`, with the others as values of each; contacts_000012.vtp.
void writeLines(const Path&, const Frame&);

/// templates.json: names and spheres.
void writeTemplates(const Path&, const std::vector<world::GrainTemplate>&);

}  // namespace talus::io
