// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape_description.h"

#include <array>
#include <utility>

namespace talus::geometry {
namespace {

Key lengthKey(std::string_view name, std::string_view help, Range range, bool required = true) {
    return {name, help, Dimension::length, range, required};
}
void axisKey(KeyVisitor& v, Vec3& axis) { v.vector({"axis", "direction of the axis, from the base up"}, axis); }

void onlyChild(KeyVisitor& v, std::string_view name, std::string_view help, std::vector<ShapeDescription>& child) {
    child.resize(1);
    child.front().keys(v, {.name = name, .help = help, .required = true});
}

}  // namespace

void BoxDescription::keys(KeyVisitor& v) {
    v.vector(lengthKey("size", "full extents; or give min and max", positive(), false), size);
    v.vector(lengthKey("min", "lower corner, with max instead of size", anyNumber(), false), min);
    v.vector(lengthKey("max", "upper corner, with min instead of size", anyNumber(), false), max);
    v.number(lengthKey("rounding", "radius of the edges, inside the given extents", nonNegative(), false), rounding);
}

void PlaneDescription::keys(KeyVisitor& v) { v.vector({"normal", "points out of the solid half space"}, normal); }

void SphereDescription::keys(KeyVisitor& v) { v.number(lengthKey("radius", "radius", positive()), radius); }

void CylinderDescription::keys(KeyVisitor& v) {
    v.number(lengthKey("radius", "radius", positive()), radius);
    v.number(lengthKey("height", "height above the base", positive()), height);
    axisKey(v, axis);
}

void CapsuleDescription::keys(KeyVisitor& v) {
    v.number(lengthKey("radius", "radius of the straight part and of its round ends", positive()), radius);
    v.number(lengthKey("height", "height of the straight part, without the round ends", nonNegative()), height);
    axisKey(v, axis);
}

void ConeDescription::keys(KeyVisitor& v) {
    v.number(lengthKey("radius", "radius of the base", nonNegative()), radius);
    v.number(lengthKey("top_radius", "radius of the top; 0 for a tip", nonNegative(), false), topRadius);
    v.number(lengthKey("height", "height above the base", positive()), height);
    axisKey(v, axis);
}

void LatheDescription::keys(KeyVisitor& v) {
    v.rows(lengthKey("profile", "points [radius, height] of the curve that is turned about the axis", anyNumber()), 2, profile);
    v.number(
        lengthKey("thickness", "of a wall along the profile; 0 fills the space between profile and axis", nonNegative(), false),
        thickness);
    v.flag({"smooth", "draw a smooth curve through the points instead of straight lines"}, smooth);
    axisKey(v, axis);
}

void TorusDescription::keys(KeyVisitor& v) {
    v.number(lengthKey("radius", "of the ring, from the axis to the middle of the tube", positive()), radius);
    v.number(lengthKey("tube_radius", "of the tube", positive()), tubeRadius);
    axisKey(v, axis);
}

void SampledSolid::keys(KeyVisitor& v) {
    v.number(lengthKey("voxel", "spacing of the samples of its distance; by default 1/128 of its extent, less where a part is thin", positive(), false), voxel);
    v.number(lengthKey("band", "how far from the surface its distance is known; beyond, it is a bound; by default 8 voxels", positive(), false), band);
}

void MeshDescription::keys(KeyVisitor& v) {
    v.file({.name = "file", .help = "a closed mesh: .stl, .obj, .ply, .glb, or .gltf with its buffers inside; \"talus:statue.ply\" is inside the program", .required = true}, file);
    v.number({.name = "scale", .help = "length of a unit of the file, \"mm\" or 0.001 for CAD in millimetres", .dimension = Dimension::length,
              .range = positive(), .unitAlone = true}, scale);
    v.choice({"up", "axis of the file that becomes z; usual: y for glTF, z for the others"}, kMeshUpNames, up);
    sampled.keys(v);
}

void HeightFieldDescription::keys(KeyVisitor& v) {
    v.rows(lengthKey("heights", "rows of heights along x, one row after the other along y", anyNumber(), false), heights);
    v.file({.name = "file", .help = "instead: a text file with a row a line, numbers separated by commas or blanks"}, file);
    v.number({.name = "scale", .help = "length of a unit of the file", .dimension = Dimension::length, .range = positive(), .unitAlone = true}, scale);
    v.number(lengthKey("spacing", "between neighbouring heights along x and y", positive()), spacing);
    v.number(lengthKey("base", "height of the flat underside; by default a tenth of the larger side below the lowest height", anyNumber(), false), base);
    sampled.keys(v);
}

void UnionDescription::keys(KeyVisitor& v) { v.list({.name = "parts", .help = "shapes to join", .required = true}, parts); }

void IntersectionDescription::keys(KeyVisitor& v) {
    v.list({.name = "parts", .help = "shapes whose common part is kept", .required = true}, parts);
}

void DifferenceDescription::keys(KeyVisitor& v) {
    onlyChild(v, "from", "shape to cut from", from);
    v.list({.name = "minus", .help = "shapes to cut away", .required = true}, minus);
}

void OffsetDescription::keys(KeyVisitor& v) {
    onlyChild(v, "of", "shape to grow or shrink", of);
    v.number(lengthKey("distance", "how far the surface moves out; negative: in", anyNumber()), distance);
}

void ShellDescription::keys(KeyVisitor& v) {
    onlyChild(v, "of", "shape whose surface becomes a wall", of);
    v.number(lengthKey("thickness", "of the wall, half of it on either side of the surface", positive()), thickness);
}

namespace {

/// The shapes inside each kind, by the key that holds them; one alone has no index in its path.
template <class Visit>
struct Inside {
    const std::string& path;
    const Visit& visit;

    template <class Leaf>
    void operator()(Leaf&) const {}
    void operator()(UnionDescription& d) const { all("parts", d.parts); }
    void operator()(IntersectionDescription& d) const { all("parts", d.parts); }
    void operator()(DifferenceDescription& d) const {
        only("from", d.from);
        all("minus", d.minus);
    }
    void operator()(OffsetDescription& d) const { only("of", d.of); }
    void operator()(ShellDescription& d) const { only("of", d.of); }

    void all(const char* key, std::vector<ShapeDescription>& shapes) const {
        for (std::size_t i = 0; i < shapes.size(); ++i) eachShape(shapes[i], path + "." + key + "[" + std::to_string(i) + "]", visit);
    }
    void only(const char* key, std::vector<ShapeDescription>& shapes) const {
        for (ShapeDescription& shape : shapes) eachShape(shape, path + "." + key, visit);
    }
};

}  // namespace

void eachShape(ShapeDescription& shape, const std::string& path, FunctionRef<void(ShapeDescription&, const std::string&)> visit) {
    visit(shape, path);
    std::visit(Inside<decltype(visit)>{path, visit}, shape.kind);
}

void ShapeDescription::keys(KeyVisitor& v, const Key& key) {
    v.oneOf(key, kind, [this](auto& described, KeyVisitor& inside) {
        described.keys(inside);
        inside.vector({"position", described.kPosition, Dimension::length}, position);
        inside.vector({"rotation_deg", "rotation about the fixed axes x, then y, then z, through position", Dimension::angle},
                      rotationDeg);
    });
}

}  // namespace talus::geometry
