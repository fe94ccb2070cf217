// SPDX-License-Identifier: Apache-2.0
// Any bytes: a mesh with its indices in range, or a FileFault.
#include "geometry/mesh.h"
#include "io/mesh_file.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const talus::geometry::Mesh mesh = talus::io::parseGltf(text);
        for (const talus::geometry::Triangle& t : mesh.triangles)
            for (const std::uint32_t corner : t)
                if (corner >= mesh.vertices.size()) __builtin_trap();
        talus::geometry::faults(talus::geometry::welded(mesh, 1e-6));
    } catch (const talus::io::FileFault&) {
    }
    return 0;
}
