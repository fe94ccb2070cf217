// SPDX-License-Identifier: Apache-2.0
// Cutting a picture open: what lies outside a half space or slab is left out.
#pragma once

#include "render/subject.h"

#include <limits>
#include <span>
#include <string_view>

namespace talus::render {

/// What is kept: low < coordinate < high.
struct Clip {
    int axis = 0;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();   // [m]

    bool keeps(const Vec3f& p) const { return p[axis] > low && p[axis] < high; }
};

/// "x<0.1", "y>0", "0<z<0.2"; an Error with exit code 2 where it is none of these.
Clip parseClip(std::string_view);

/// The mesh at this place less what is cut away, in world coordinates.
TriangleMesh clipped(const TriangleMesh&, const RigidTransform&, std::span<const Clip>);

}  // namespace talus::render
