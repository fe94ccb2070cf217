// SPDX-License-Identifier: Apache-2.0
// Rigid grains made of overlapping spheres [Bell2005, §3.1]. A template has the volume of a sphere of diameter 1, its centre of
// mass at the origin and its principal axes along the axes of coordinates; a grain is a template times a diameter.
#pragma once

#include "core/vec.h"
#include "geometry/mass_properties.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::dem {

struct TemplateSphere {
    Vec3 centre;
    double radius = 0.5;
};

struct ClumpTemplate {
    std::string name;
    std::vector<TemplateSphere> spheres;
    Vec3 inertia{1, 1, 1};        // principal moments per mass and diameter²
    double boundingRadius = 0.5;  // about the origin, per diameter
    double sphereReach = 0;       // largest distance of a sphere's centre from the origin, per diameter

    bool isSphere() const { return spheres.size() == 1; }
    /// The moments are alike, so that it spins like a sphere.
    bool isotropic() const { return inertia.x == inertia.y && inertia.y == inertia.z; }
    double smallestInertia() const { return minComponent(inertia); }
    double largestSphere() const { return std::ranges::max_element(spheres, {}, &TemplateSphere::radius)->radius; }
};

enum class Shape { sphere, tetra4, octa6, cube8, bcc9, spheres };
inline constexpr std::array<std::string_view, 6> kShapeNames{"sphere", "tetra4", "octa6", "cube8", "bcc9", "spheres"};

/// Spheres of radius 1 at the corners of a tetrahedron, an octahedron or a cube, for bcc9 also in its middle. `spacing` is the
/// distance of neighbours over their diameter: 1 where they touch. (bcc9: neighbours along the diagonal of the cube.)
std::vector<TemplateSphere> builtInSpheres(Shape, double spacing);

/// Of the union of the spheres at unit density: what two of them share counts once. Columns along z are integrated exactly, the
/// midpoint rule lies across; good to 1e-4 for spheres of like size.
geometry::MassProperties unionProperties(std::span<const TemplateSphere>);

/// Scaled, centred and turned as the head of this file says.
ClumpTemplate makeTemplate(std::string name, std::vector<TemplateSphere>);

}  // namespace talus::dem
