// SPDX-License-Identifier: Apache-2.0
// Any shape as triangles, for pictures and ParaView.
#pragma once

#include "core/exec.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"

namespace talus::geometry {

/// A closed mesh of the part of the shape inside `box`, whose longest side is cut into about `cells`. A shape that is made
/// of triangles and lies in the box gives its own. Otherwise one vertex in each cell that the surface crosses (dual
/// contouring): where the tangent planes of the crossings meet best [Ju2002], so that edges and corners stay sharp. The same
/// bits for any number of threads; empty where no part of the shape is inside.
Mesh polygonise(const Exec&, const Shape&, const Aabb& box, int cells);

}  // namespace talus::geometry
