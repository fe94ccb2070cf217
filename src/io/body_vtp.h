// SPDX-License-Identifier: Apache-2.0
// Bodies for ParaView. Each mesh is written once, in coordinates of its body (bodies/NAME.vtp); bodies that stand still are
// in one file for all frames, moving ones in a file a frame, both in world coordinates: bodies.vtp.series and
// bodies_moving.vtp.series list them.
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
