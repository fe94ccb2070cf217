// SPDX-License-Identifier: Apache-2.0
// Polygons of mesh files as triangles.
#pragma once

#include "geometry/mesh.h"

#include <cstdint>
#include <span>

namespace talus::io {

/// Appends the polygon, given by indices of vertices in range, cut into triangles that follow its outline: ears are cut off
/// as long as there are some, concave outlines included. A polygon of fewer than three corners adds nothing.
void appendPolygon(geometry::Mesh&, std::span<const std::uint32_t> corners);

}  // namespace talus::io
