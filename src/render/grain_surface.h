// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec.h"
#include "render/subject.h"

namespace talus::render {

/// Takes the spheres inside the box and gives back the smooth surface of the volume they fill, coloured like the grains
/// beneath: the zero level of |x − x̄| − r̄ with x̄, r̄ averages over the grains around [Zhu2005], as a mesh by surface nets.
/// Grains outside the box, and those too much alone to have a surface, stay spheres.
TriangleMesh surfaceOf(const Exec&, Spheres&, const Aabb& box);

}  // namespace talus::render
