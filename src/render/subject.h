// SPDX-License-Identifier: Apache-2.0
// What is in front of the camera, as plain data in world coordinates [m] and linear colours.
#pragma once

#include "core/vec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace talus::render {

enum class Finish { plain, checker, glass };

struct Surface {
    Finish finish = Finish::plain;
    Vec3f colour{0.35f, 0.36f, 0.38f}, second{0.05f, 0.05f, 0.05f};   // of glass: what passes through it
    float checkerSize = 0.05f;   // edge of a square [m]
};

/// Embree's layout: x, y, z, radius of each.
struct Spheres {
    std::vector<std::array<float, 4>> open, close;   // while the shutter opens; while it closes, or empty: at rest
    std::vector<std::uint32_t> colours;              // packColour

    std::size_t count() const { return open.size(); }
};

struct TriangleMesh {
    std::vector<Vec3f> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<Vec3f> cornerNormals;                // three a triangle; empty: flat
    std::vector<std::uint32_t> vertexColours;        // packColour; empty: as the instance's surface says
};
/// Normals at the corners, averaged over the faces around a vertex that meet at less than `creaseDegrees`.
void smoothCorners(TriangleMesh&, double creaseDegrees = 35);

struct Placement {
    RigidTransform open, close;   // of the shutter
    float scale = 1;
};
struct Instance {
    std::size_t mesh = 0;
    Placement placement;
    Surface surface;
};

struct Tube {
    Vec3f from, to;
    float radius = 0;
    std::uint32_t colour = 0;
};

enum class GroundKind { none, plane, catcher };

/// The plane z = height. A catcher is invisible but for the shadows on it.
struct Ground {
    GroundKind kind = GroundKind::plane;
    float height = 0;
    Surface surface{Finish::plain, {0.50f, 0.49f, 0.475f}, {0.26f, 0.26f, 0.26f}, 0.1f};
    Vec3f centre;                 // beyond `fade` metres from here it turns into the background
    float fade = 1e9f;
};

struct AreaLight {
    Vec3f centre, halfWidth, halfHeight;   // shines towards halfWidth × halfHeight
    Vec3f radiance{8, 8, 8};
};

struct Lights {
    Vec3f sunDirection{0.40f, -0.45f, 0.80f};   // towards the sun; need not be of length 1
    Vec3f sunIrradiance{3.10f, 2.90f, 2.55f};   // on a surface that faces it
    float sunRadiusDegrees = 2.5f;              // half the angle it spans: softness of shadows
    Vec3f zenith{0.30f, 0.38f, 0.50f}, horizon{0.60f, 0.62f, 0.64f}, below{0.24f, 0.22f, 0.20f};   // radiance of the sky
    std::optional<AreaLight> area;
};

/// What the camera sees where there is nothing.
struct Background {
    bool sky = false;                                                 // the sky that also gives light
    Vec3f top{0.40f, 0.44f, 0.49f}, bottom{0.66f, 0.66f, 0.65f};      // else from the upper to the lower edge of the picture
    bool transparent = false;
};

struct Subject {
    Spheres spheres;
    std::vector<TriangleMesh> meshes;
    std::vector<Instance> instances;
    std::vector<Tube> tubes;
    Ground ground;
    Lights lights;
    Background background;
};

}  // namespace talus::render
