// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec.h"
#include "render/tracer.h"

namespace talus::render {

/// Smooths the irradiance where normal, depth and albedo say that it is one surface, and only as far as its own variance
/// explains the difference: an edge-avoiding à-trous filter [Dammertz2010] with the variance weights of [Schied2017].
void denoise(const Exec&, Film&);

}  // namespace talus::render
