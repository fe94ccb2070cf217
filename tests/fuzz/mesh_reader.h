// SPDX-License-Identifier: Apache-2.0
// Any bytes: a mesh with its indices in range, or a FileFault.
#pragma once

#include "geometry/mesh.h"
#include "io/mesh_file.h"

#include <cstdint>
#include <string_view>

namespace talus::fuzz {

inline int readMesh(const std::uint8_t* data, std::size_t size, geometry::Mesh (*parse)(std::string_view)) {
    try {
        const geometry::Mesh mesh = parse({reinterpret_cast<const char*>(data), size});
        for (const geometry::Triangle& t : mesh.triangles)
            for (const std::uint32_t corner : t)
                if (corner >= mesh.vertices.size()) __builtin_trap();
        geometry::faults(geometry::welded(mesh, 1e-6));
    } catch (const io::FileFault&) {
    }
    return 0;
}

}  // namespace talus::fuzz
