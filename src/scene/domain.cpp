// SPDX-License-Identifier: Apache-2.0
// [domain]: the box, its faces, and the slab that a two-dimensional case is.
#include "scene/description.h"

#include <fmt/format.h>

namespace talus::scene {

namespace {

constexpr std::array<std::string_view, 3> kAxisNames{"x", "y", "z"};
constexpr std::array<std::string_view, 4> kSlabNames{"none", "x", "y", "z"};
constexpr std::array<std::string_view, 3> kFaceTypeNames{"wall", "open", "periodic"};   // in the order of world::FaceType

void extentRule(KeyVisitor& v, const DomainDescription& d, int axis) {
    const std::string_view name = kAxisNames[static_cast<std::size_t>(axis)];
    if (d.min[axis] < d.max[axis] || (axis == d.slabAxis() && d.min[axis] == d.max[axis])) return;
    v.problem("max", fmt::format("'domain.max' must be greater than 'domain.min' along {}: {} is not greater than {}{}", name, d.max[axis], d.min[axis],
                                 d.min[axis] == d.max[axis] && d.slab == Slab::none ? fmt::format("; for a two-dimensional case write slab = \"{}\"", name) : ""));
}

}  // namespace

void DomainDescription::keys(KeyVisitor& v) {
    v.vector({"min", "lower corner", Dimension::length, between(-1e6, 1e6)}, min);
    v.vector({"max", "upper corner", Dimension::length, between(-1e6, 1e6)}, max);
    v.choice({"slab", "axis across a two-dimensional case: periodic, and where min and max are the same along it, as wide as the method needs; see slabs.md"}, kSlabNames, slab);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        axes[axis].key = kAxisNames[axis];
        v.table({.name = kAxisNames[axis],
                 .help = "both faces of the axis: \"wall\" (the default), \"open\" or \"periodic\"",
                 .shorthand = "type"},
                axes[axis].given, [&](KeyVisitor& inside) { axes[axis].keys(inside, kFaceTypeNames); });
        extentRule(v, *this, static_cast<int>(axis));
        if (axes[axis].given && static_cast<int>(axis) == slabAxis()) slabRule(v, kAxisNames[axis]);
    }
    for (std::size_t face = 0; face < 6; ++face) {
        faces[face].key = world::kFaceNames[face];
        v.table({.name = world::kFaceNames[face], .help = "one face: \"wall\" or \"open\"", .shorthand = "type"},
                faces[face].given, [&](KeyVisitor& inside) { faces[face].keys(inside, kFaceTypeNames); });
        if (faces[face].given && static_cast<int>(face / 2) == slabAxis()) {
            slabRule(v, world::kFaceNames[face]);
            continue;
        }
        if (faces[face].given && faces[face].type == world::FaceType::periodic)
            v.problem(world::kFaceNames[face],
                      fmt::format("'domain.{}' cannot be periodic alone; write {} = \"periodic\" for both faces",
                                  world::kFaceNames[face], kAxisNames[face / 2]));
        if (faces[face].given && axes[face / 2].given)
            v.problem(world::kFaceNames[face], fmt::format("'domain.{}' is set by 'domain.{}' already; keep one of them",
                                                           world::kFaceNames[face], kAxisNames[face / 2]));
    }
}

void DomainDescription::slabRule(KeyVisitor& v, std::string_view key) const {
    v.problem(key, fmt::format("'domain.{}' lies across the slab: its faces along {} are periodic by themselves; remove it, or slab", key,
                               kSlabNames[static_cast<std::size_t>(slab)]));
}

void DomainDescription::resolve() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool across = static_cast<int>(axis) == slabAxis();
        const bool periodic = axes[axis].given && axes[axis].type == world::FaceType::periodic;
        for (const std::size_t face : {2 * axis, 2 * axis + 1}) {
            if (axes[axis].given) faces[face] = axes[axis];
            if (across) faces[face].type = world::FaceType::periodic;
            faces[face].given = !periodic && !across;
        }
        axes[axis].given = periodic && !across;
    }
}

}  // namespace talus::scene
