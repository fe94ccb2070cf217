// SPDX-License-Identifier: Apache-2.0
// Bodies as triangles for ParaView and pictures: each mesh once in coordinates of its body (body_NAME.vtp), all that stand
// still in world coordinates once (bodies_fixed.vtp), and those that move with every frame (bodies_000012.vtp).
#pragma once

#include "core/exec.h"
#include "geometry/mesh.h"
#include "run/run_directory.h"
#include "world/stage.h"

#include <span>
#include <string>
#include <vector>

namespace talus::run {

inline bool isDomainFace(const world::Body& body) { return body.name.starts_with("domain."); }

class BodyMeshes {
public:
    /// Of the bodies of the scene, not of the faces of the domain, at the start of the run; without `fixed` of those that move
    /// alone. A body that some stage sets in motion, brings in or takes away moves all through the run.
    BodyMeshes(const Exec&, const world::World& atStart, std::span<const world::Stage>, bool fixed);

    static bool anyMoves(const world::World&, std::span<const world::Stage>);
    bool moving() const { return moving_; }

    void writeOnce(const RunDirectory&) const;
    void writeFrame(const Path&, const world::World&) const;

private:
    struct Entry {
        std::string name;
        std::size_t body;    // in World::bodies
        int number;          // in bodies.csv, from 0
        bool moves;
        geometry::Mesh mesh;
        world::Pose start;
    };
    std::vector<Entry> entries_;
    bool moving_ = false;
};

}  // namespace talus::run
