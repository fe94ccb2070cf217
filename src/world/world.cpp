// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include "geometry/primitives.h"

#include <array>
#include <string>
#include <utility>

namespace talus::world {

double World::fillVolume() const {
    double volume = 0;
    for (const Fill& fill : fills) volume += fill.region->volume();
    return volume;
}

std::vector<BodySnapshot> World::bodiesAt(double t) const {
    std::vector<BodySnapshot> snapshots;
    snapshots.reserve(bodies.size());
    for (const Body& body : bodies) snapshots.emplace_back(body, t);
    return snapshots;
}

void World::save(Archive& archive) const {
    archive.put("time", time);
    archive.put("next_id", nextId);
    std::vector<double> loads;
    for (const Body& body : bodies) {
        const BodyLoad& l = body.load;
        loads.insert(loads.end(), {l.impulse.x, l.impulse.y, l.impulse.z, l.angularImpulse.x, l.angularImpulse.y,
                                   l.angularImpulse.z, l.work, l.slipWork});
    }
    archive.put("body_loads", loads);
}

void World::load(const Archive& archive) {
    constexpr std::size_t kPerBody = 8;
    const std::vector<double> loads = archive.get<double>("body_loads");
    if (loads.size() != kPerBody * bodies.size()) throw ArchiveError("the archive has another number of bodies than the scene");
    time = archive.value<double>("time");
    nextId = archive.value<std::int64_t>("next_id");
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const double* l = &loads[kPerBody * b];
        bodies[b].load = {{l[0], l[1], l[2]}, {l[3], l[4], l[5]}, l[6], l[7]};
    }
}

std::vector<Body> domainFaces(const Domain& domain) {
    std::vector<Body> walls;
    for (std::size_t face = 0; face < domain.faces.size(); ++face) {
        if (domain.faces[face] != FaceType::wall) continue;
        const int axis = static_cast<int>(face / 2);
        const bool low = face % 2 == 0;
        Vec3 inward, centre = 0.5 * (domain.min + domain.max);
        inward[axis] = low ? 1 : -1;
        centre[axis] = low ? domain.min[axis] : domain.max[axis];
        Body wall;
        wall.name = "domain." + std::string(kFaceNames[face]);
        wall.shape = std::make_shared<geometry::Plane>(inward, Vec3{});
        wall.motion = Motion(centre, Quat{});
        walls.push_back(std::move(wall));
    }
    return walls;
}

}  // namespace talus::world
