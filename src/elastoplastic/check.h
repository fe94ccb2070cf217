// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elastoplastic/elastoplastic.h"

namespace talus::elastoplastic {

/// What the method refuses or warns of before a run.
void check(const world::MethodSettings&, const world::World&, Problems&);

}  // namespace talus::elastoplastic
