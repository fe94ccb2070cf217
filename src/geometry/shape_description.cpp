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

void ShapeDescription::keys(KeyVisitor& v, const Key& key) {
    v.oneOf(key, kind, [this](auto& described, KeyVisitor& inside) {
        described.keys(inside);
        inside.vector({"position", described.kPosition, Dimension::length}, position);
        inside.vector({"rotation_deg", "rotation about the fixed axes x, then y, then z, through position", Dimension::angle},
                      rotationDeg);
    });
}

}  // namespace talus::geometry
