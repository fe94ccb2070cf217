// SPDX-License-Identifier: Apache-2.0
#include "run/body_meshes.h"

#include "geometry/polygonise.h"
#include "io/body_vtp.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::run {
namespace {

bool moves(const world::World& world, std::span<const world::Stage> stages, std::size_t b) {
    return !isDomainFace(world.bodies[b]) &&
           (!world.bodies[b].fixed() || std::ranges::any_of(stages, [&](const world::Stage& stage) { return !stage.world.bodies[b].fixed(); }));
}

/// What a picture shows of a body without end: the domain and a little around it, seen from the body at its start.
Aabb clipOf(const world::Body& body, const world::World& world) {
    constexpr double kAround = 0.05;   // of the longest side
    const Vec3 size = world.domain.max - world.domain.min;
    const Aabb shown = geometry::grown({world.domain.min, world.domain.max}, kAround * maxComponent(size));
    const Aabb own = body.shape->bounds();
    const world::Pose pose = body.pose(0);
    Aabb box;
    for (int corner = 0; corner < 8; ++corner)
        box.extend(pose.rotation.conjugate().rotate(Vec3{corner & 1 ? shown.max.x : shown.min.x, corner & 2 ? shown.max.y : shown.min.y,
                                                         corner & 4 ? shown.max.z : shown.min.z} - pose.position));
    // Where the body ends, it is shown to its end.
    for (int axis = 0; axis < 3; ++axis) {
        if (std::isfinite(own.min[axis])) box.min[axis] = own.min[axis];
        if (std::isfinite(own.max[axis])) box.max[axis] = own.max[axis];
    }
    return box;
}

/// Finer until the triangles hold the volume of the shape: thin walls need small cells.
geometry::Mesh meshOf(const Exec& exec, const world::Body& body, const world::World& world) {
    constexpr std::array<int, 3> kCells{64, 128, 256};
    constexpr double kSame = 0.03;
    geometry::Mesh mesh;
    for (const int cells : kCells) {
        mesh = geometry::polygonise(exec, *body.shape, clipOf(body, world), cells);
        if (!body.shape->bounded() || body.shape->ownMesh()) break;
        const double volume = body.shape->volume();
        if (!mesh.triangles.empty() && std::abs(geometry::massProperties(mesh).volume - volume) <= kSame * volume) break;
    }
    return mesh;
}

}  // namespace

bool BodyMeshes::anyMoves(const world::World& world, std::span<const world::Stage> stages) {
    for (std::size_t b = 0; b < world.bodies.size(); ++b)
        if (moves(world, stages, b)) return true;
    return false;
}

BodyMeshes::BodyMeshes(const Exec& exec, const world::World& world, std::span<const world::Stage> stages, bool fixed) : moving_(anyMoves(world, stages)) {
    int number = 0;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const world::Body& body = world.bodies[b];
        if (isDomainFace(body)) continue;
        const bool moving = moves(world, stages, b);
        if (fixed || moving) entries_.push_back({body.name, b, number, moving, meshOf(exec, body, world), body.pose(0)});
        ++number;
    }
}

void BodyMeshes::writeOnce(const RunDirectory& directory) const {
    std::vector<io::PlacedMesh> still;
    for (const Entry& e : entries_) {
        io::writeMeshVtp(directory.bodyMesh(e.name), {{&e.mesh, e.number, {}}});
        if (!e.moves) still.push_back({&e.mesh, e.number, {e.start.rotation, e.start.position}});
    }
    if (!still.empty()) io::writeMeshVtp(directory.fixedBodies(), still);
}

void BodyMeshes::writeFrame(const Path& path, const world::World& world) const {
    std::vector<io::PlacedMesh> placed;
    for (const Entry& e : entries_) {
        const world::Body& body = world.bodies[e.body];
        if (!e.moves || !body.activeAt(world.time)) continue;
        const world::Pose pose = body.pose(world.time);
        placed.push_back({&e.mesh, e.number, {pose.rotation, pose.position}});
    }
    io::writeMeshVtp(path, placed);
}

}  // namespace talus::run
