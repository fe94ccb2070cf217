// SPDX-License-Identifier: Apache-2.0
// Triangle meshes as plain lists, what may be wrong with them, and the mass properties of the solid inside.
#pragma once

#include "core/vec.h"
#include "geometry/mass_properties.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace talus::geometry {

using Triangle = std::array<std::uint32_t, 3>;   // indices of vertices, anticlockwise seen from outside

struct Mesh {
    std::vector<Vec3> vertices;         // [m]
    std::vector<Triangle> triangles;

    Aabb bounds() const;
    const Vec3& corner(std::size_t triangle, std::size_t k) const { return vertices[triangles[triangle][k]]; }
    /// Cross product of two edges: twice the area, along the outward normal.
    Vec3 doubleArea(std::size_t triangle) const {
        return cross(corner(triangle, 1) - corner(triangle, 0), corner(triangle, 2) - corner(triangle, 0));
    }
};

/// Joins vertices that lie within `tolerance` [m] of an earlier one, drops triangles that lose a side by it, and vertices
/// that no triangle uses. STL files repeat each vertex for each triangle, and round it.
Mesh welded(const Mesh&, double tolerance);
/// A fraction of the extent far above the rounding of a float and far below what anybody models.
constexpr double kWeldTolerance = 1e-6;

/// Why the mesh is not the surface of a solid: sentences that say how many of what, where the first is, and what to do.
/// None: closed, oriented outwards, every edge shared by two triangles, every triangle with an area.
std::vector<std::string> faults(const Mesh&);

/// Of the solid inside, exact: polynomial integrals over the tetrahedra between each triangle and a common point.
MassProperties massProperties(const Mesh&);

}  // namespace talus::geometry
