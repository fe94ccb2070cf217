// SPDX-License-Identifier: Apache-2.0
#include "run/cover_files.h"

#include "dem/dem_method.h"
#include "io/vtp.h"

namespace talus::run {

void writeCovers(const RunDirectory& directory, const world::Method& method, const world::World& world) {
    const auto* dem = dynamic_cast<const dem::DemMethod*>(&method);
    if (!dem) return;
    for (std::uint32_t b = 0; b < world.bodies.size(); ++b) {
        const std::vector<dem::TemplateSphere> spheres = dem->covers().spheresOf(b);
        if (spheres.empty()) continue;
        io::Frame frame{.time = 0, .count = spheres.size(), .columns = {{"id", world::FieldType::integer, 1, {}, {}}, {"position", world::FieldType::real, 3, {}, {}}, {"radius", world::FieldType::real, 1, {}, {}}}};
        for (std::size_t s = 0; s < spheres.size(); ++s) {
            frame.columns[0].integers.push_back(static_cast<std::int64_t>(s));
            for (int axis = 0; axis < 3; ++axis) frame.columns[1].reals.push_back(static_cast<float>(spheres[s].centre[axis]));
            frame.columns[2].reals.push_back(static_cast<float>(spheres[s].radius));
        }
        io::writeVtp(directory.bodyMesh(world.bodies[b].name + ".cover"), frame);
    }
}

}  // namespace talus::run
