// SPDX-License-Identifier: Apache-2.0
// What of a solid can touch another first: corners, edges, round parts.
#pragma once

#include "core/vec.h"

#include <vector>

namespace talus::geometry {

class Shape;

/// The points within `radius` of a straight line from `from` to `to`, all of them in the solid and some on its surface: a
/// corner (from = to, radius 0), a sharp or rounded edge, a ball that fits inside and touches the surface. The ends of a line
/// are features of their own.
struct ContactFeature {
    Vec3 from, to;       // [m]
    double radius = 0;   // [m]
    bool point() const { return from == to; }
};
using ContactFeatures = std::vector<ContactFeature>;

/// For a shape that does not know its own: points of its surface, about 1/16 of the extent apart and so far from sharp edges at most,
/// each with the largest ball that touches the surface there from inside.
ContactFeatures sampledFeatures(const Shape&);

}  // namespace talus::geometry
