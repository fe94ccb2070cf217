// SPDX-License-Identifier: Apache-2.0
// The parts of a run directory that pictures are made of. Everything is optional but the frames.
#pragma once

#include "io/frame.h"
#include "io/look.h"
#include "io/vtp.h"
#include "render/subject.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace talus::render {

/// A clump template of frames/templates.json: its spheres and, where there is one, its mesh, in its own coordinates.
///     {"templates": [{"name": "coin", "spheres": [[x, y, z, r], …], "mesh": {"vertices": [[x, y, z], …], "triangles": [[a, b, c], …]}}]}
/// A grain uses template number `template` (a field; 0 where frames have none), turned by the fields `orientation_w` and
/// `orientation` (the quaternion's vector part) and enlarged by its radius over that of the template's spheres' bound.
struct ClumpTemplate {
    std::string name;
    std::vector<std::array<double, 4>> spheres;
    TriangleMesh mesh;
    double radius = 0;            // of the sphere about its origin that holds it
};

class RunFiles {
public:
    /// Exit code 3 where the folder has no run or no frames, 5 where something in it is damaged.
    explicit RunFiles(const io::Path& directory);

    const io::Path& directory() const { return directory_; }
    const std::vector<io::FrameTime>& frames() const { return frames_; }
    const io::Look& look() const { return look_; }
    bool hasLook() const { return hasLook_; }
    const std::vector<ClumpTemplate>& templates() const { return templates_; }

    io::Frame frame(std::int64_t number) const;
    io::Path contacts(std::int64_t number) const;   // whether it exists or not

    struct Body {
        std::string name;
        TriangleMesh mesh;
        std::map<std::int64_t, RigidTransform> poses;   // by frame number
    };
    const std::vector<Body>& bodies() const { return bodies_; }

    /// Where the grains are over the whole run: a box that leaves out the outermost thousandth along each axis.
    const Aabb& extent() const;

private:
    void readBodies();
    void readTemplates();

    io::Path directory_;
    std::vector<io::FrameTime> frames_;
    io::Look look_;
    bool hasLook_ = false;
    std::vector<Body> bodies_;
    std::vector<ClumpTemplate> templates_;
    mutable std::optional<Aabb> extent_;
};

/// The box of all grains but the outermost thousandth along each axis, radii included.
Aabb extentOf(const io::Frame&);

/// A frame that is asked to be drawn must have these fields.
const io::FrameColumn& requireField(const io::Frame&, std::string_view name, std::string_view why);

}  // namespace talus::render
