// SPDX-License-Identifier: Apache-2.0
// Shapes as a scene describes them: plain values that declare their keys, are checked, and build a Shape.
#pragma once

#include "core/exec.h"
#include "core/keys.h"
#include "core/problems.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus::geometry {

struct ShapeDescription;

struct BoxDescription {
    static constexpr std::string_view kType = "box", kPosition = "centre of the box, or origin of its corners [m]";
    std::optional<Vec3> size{};         // full extents [m]
    std::optional<Vec3> min{}, max{};   // corners [m], instead of size
    double rounding = 0;                // radius of edges and corners [m]
    void keys(KeyVisitor&);
};

struct PlaneDescription {
    static constexpr std::string_view kType = "plane", kPosition = "a point on the plane [m]";
    Vec3 normal{0, 0, 1};
    void keys(KeyVisitor&);
};

struct SphereDescription {
    static constexpr std::string_view kType = "sphere", kPosition = "centre [m]";
    double radius = 1;   // [m]
    void keys(KeyVisitor&);
};

struct CylinderDescription {
    static constexpr std::string_view kType = "cylinder", kPosition = "centre of the base [m]";
    double radius = 1, height = 1;   // [m]
    Vec3 axis{0, 0, 1};
    void keys(KeyVisitor&);
};

struct CapsuleDescription {
    static constexpr std::string_view kType = "capsule", kPosition = "centre [m]";
    double radius = 1, height = 1;   // [m]; height of the straight part
    Vec3 axis{0, 0, 1};
    void keys(KeyVisitor&);
};

struct ConeDescription {
    static constexpr std::string_view kType = "cone", kPosition = "centre of the base [m]";
    double radius = 1, topRadius = 0, height = 1;   // [m]
    Vec3 axis{0, 0, 1};
    void keys(KeyVisitor&);
};

struct LatheDescription {
    static constexpr std::string_view kType = "lathe", kPosition = "point of the axis at height 0 of the profile [m]";
    std::vector<double> profile{};   // radius, height, radius, height, … [m]
    double thickness = 0;            // of a wall [m]; 0: solid
    bool smooth = false;
    Vec3 axis{0, 0, 1};
    void keys(KeyVisitor&);
};

struct TorusDescription {
    static constexpr std::string_view kType = "torus", kPosition = "centre [m]";
    double radius = 1, tubeRadius = 0.25;   // [m]
    Vec3 axis{0, 0, 1};
    void keys(KeyVisitor&);
};

/// What a solid made of triangles takes beyond its triangles, and the solid itself once it is made (prepare()): descriptions
/// are copied, checked and built several times, its bricks only once.
struct SampledSolid {
    std::optional<double> voxel, band;   // [m]; chosen unless given
    ShapePtr solid;
    void keys(KeyVisitor&);
};

enum class MeshUp { usual, y, z };
inline constexpr std::array<std::string_view, 3> kMeshUpNames{"usual", "y", "z"};

struct MeshDescription {
    static constexpr std::string_view kType = "mesh", kPosition = "origin of the file's coordinates [m]";
    std::string file;      // who reads files calls prepare() with its triangles
    double scale = 1;      // [m] of a unit of the file
    MeshUp up = MeshUp::usual;
    SampledSolid sampled{};
    void keys(KeyVisitor&);
};

struct HeightFieldDescription {
    static constexpr std::string_view kType = "height_field", kPosition = "corner at the first height of the first row, at height 0 [m]";
    std::vector<std::vector<double>> heights{};   // [m], rows along x, one row after the other along y
    std::optional<std::string> file{};            // a table of them instead
    double scale = 1;                             // [m] of a unit of the file
    double spacing = 1;                           // of neighbours along x and y [m]
    std::optional<double> base{};                 // height of the underside [m]
    SampledSolid sampled{};
    void keys(KeyVisitor&);
};

struct UnionDescription {
    static constexpr std::string_view kType = "union", kPosition = "moves all parts [m]";
    std::vector<ShapeDescription> parts;
    void keys(KeyVisitor&);
};

struct IntersectionDescription {
    static constexpr std::string_view kType = "intersection", kPosition = "moves all parts [m]";
    std::vector<ShapeDescription> parts;
    void keys(KeyVisitor&);
};

struct DifferenceDescription {
    static constexpr std::string_view kType = "difference", kPosition = "moves all parts [m]";
    std::vector<ShapeDescription> from;   // one; a vector since the type is incomplete here
    std::vector<ShapeDescription> minus;
    void keys(KeyVisitor&);
};

struct OffsetDescription {
    static constexpr std::string_view kType = "offset", kPosition = "moves the shape [m]";
    std::vector<ShapeDescription> of;   // one
    double distance = 0;                // [m]
    void keys(KeyVisitor&);
};

struct ShellDescription {
    static constexpr std::string_view kType = "shell", kPosition = "moves the shape [m]";
    std::vector<ShapeDescription> of;   // one
    double thickness = 0.01;            // [m]
    void keys(KeyVisitor&);
};

struct ShapeDescription {
    using Kind = std::variant<BoxDescription, PlaneDescription, SphereDescription, CylinderDescription, CapsuleDescription,
                              ConeDescription, LatheDescription, TorusDescription, MeshDescription, HeightFieldDescription, UnionDescription, IntersectionDescription, DifferenceDescription,
                              OffsetDescription, ShellDescription>;
    Kind kind;
    Vec3 position;      // [m]
    Vec3 rotationDeg;   // about the fixed axes x, then y, then z, through `position`

    void keys(KeyVisitor&, const Key&);                  // the table of that name
    void keys(KeyVisitor& v) { keys(v, Key{"", ""}); }   // the table being visited: an item of a list
};

/// What no range of a single key can say. `path` is that of the shape's table.
void check(const ShapeDescription&, std::string_view path, Problems&);

/// Warns of cuts of a difference that end in the same plane as the solid. Of a description that can be built.
void warnOfSkins(const ShapeDescription&, const std::string& path, Problems&);

/// Calls visit(description, its path) for the shape and every shape inside it.
void eachShape(ShapeDescription&, const std::string& path, FunctionRef<void(ShapeDescription&, const std::string& path)> visit);

/// Makes the solid of a closed mesh or of a height field, unless something is wrong with the mesh, the voxel or the heights;
/// `path` is that of the shape's table.
void prepare(const Exec&, MeshDescription&, Mesh, std::string_view path, Problems&);
void prepare(const Exec&, HeightFieldDescription&, const std::vector<std::vector<double>>& heights, std::string_view path, Problems&);

/// Of a description that passed check(), its meshes and height fields prepared.
ShapePtr build(const ShapeDescription&);

}  // namespace talus::geometry
