// SPDX-License-Identifier: Apache-2.0
// Bodies that dem covers with spheres, as files for a look.
#pragma once

#include "run/run_directory.h"
#include "world/method.h"

namespace talus::run {

/// body_NAME.cover.vtp: centre and radius of every sphere that covers a body, in coordinates of the body. Nothing where the method covers none.
void writeCovers(const RunDirectory&, const world::Method&, const world::World&);

}  // namespace talus::run
