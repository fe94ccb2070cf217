// SPDX-License-Identifier: Apache-2.0
// Shapes as a scene describes them: plain values that declare their keys, are checked, and build a Shape.
#pragma once

#include "core/keys.h"
#include "core/problems.h"
#include "geometry/shape.h"

#include <optional>
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
                              ConeDescription, LatheDescription, UnionDescription, IntersectionDescription, DifferenceDescription,
                              OffsetDescription, ShellDescription>;
    Kind kind;
    Vec3 position;      // [m]
    Vec3 rotationDeg;   // about the fixed axes x, then y, then z, through `position`

    void keys(KeyVisitor&, const Key&);                  // the table of that name
    void keys(KeyVisitor& v) { keys(v, Key{"", ""}); }   // the table being visited: an item of a list
};

/// What no range of a single key can say. `path` is that of the shape's table.
void check(const ShapeDescription&, std::string_view path, Problems&);

/// Of a description that passed check().
ShapePtr build(const ShapeDescription&);

}  // namespace talus::geometry
