// SPDX-License-Identifier: Apache-2.0
// Clumps as the spheres that they are made of, for renderers that know spheres only.
#pragma once

#include "io/files.h"
#include "io/frame.h"
#include "world/method.h"

#include <span>
#include <vector>

namespace talus::io {

/// What writeTemplates() wrote; empty where there is no such file: grains are single spheres.
std::vector<world::GrainTemplate> readTemplates(const Path&);

/// One row for each sphere of each grain, by id and then by number: `id` of the grain, `sphere`, its number in the template, position, velocity
/// v + ω × arm and radius of the sphere, then the other fields of the grain, the same for all its spheres. Grains of no template are one sphere each.
Frame spheresOf(const Frame& grains, std::span<const world::GrainTemplate>);

}  // namespace talus::io
