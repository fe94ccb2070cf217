// SPDX-License-Identifier: Apache-2.0
// Volume, centre and inertia of a solid of unit density.
#pragma once

#include "core/vec.h"

namespace talus::geometry {

class Shape;

struct MassProperties {
    double volume = 0;   // [m³]
    Vec3 centre;         // of mass [m]
    Mat3 inertia;        // about the centre [m⁵]: ∫ (|x|² 1 − x xᵀ) dV
};

/// The same solid moved: x ↦ rotation x + translation.
MassProperties placed(const MassProperties&, const Mat3& rotation, const Vec3& translation);

/// By deterministic quadrature over cells of 1/128 of the extent: good to 1e-3 for parts thicker than a few of them.
MassProperties measuredMassProperties(const Shape&);

}  // namespace talus::geometry
