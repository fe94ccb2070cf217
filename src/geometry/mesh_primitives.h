// SPDX-License-Identifier: Apache-2.0
// Closed meshes of known shape, for tests, benchmarks and height fields.
#pragma once

#include "geometry/mesh.h"

namespace talus::geometry {

/// The icosahedron on the unit sphere, each triangle divided in four `subdivisions` times.
Mesh icosphere(int subdivisions);
/// About the z axis, quadrilaterals cut in two: `around` of them along the ring, `across` around the tube.
Mesh torusMesh(double radius, double tubeRadius, int around, int across);
Mesh boxMesh(const Vec3& min, const Vec3& max);

}  // namespace talus::geometry
