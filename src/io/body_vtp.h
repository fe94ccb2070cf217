// SPDX-License-Identifier: Apache-2.0
// Triangles of bodies as VTK PolyData, and lists of files with their times: what ParaView opens.
#pragma once

#include "core/vec.h"
#include "geometry/mesh.h"
#include "io/files.h"
#include "io/vtp.h"

#include <string>
#include <vector>

namespace talus::io {

struct PlacedMesh {
    const geometry::Mesh* mesh = nullptr;
    int body = 0;                 // number of the body in bodies.csv, written with each triangle
    RigidTransform pose;
};

/// Triangles as VTK PolyData with the field `body`; the same bytes for the same meshes.
void writeMeshVtp(const Path&, const std::vector<PlacedMesh>&);

struct NamedTime {
    std::string name;             // of a file
    double time = 0;              // [s]
};
void writeSeries(const Path&, const std::vector<NamedTime>&);

}  // namespace talus::io
