// SPDX-License-Identifier: Apache-2.0
// A brute-force discrete element method for spheres: every pair is looked at in every step, in double precision. It is the
// second method of the contract suite and the oracle for faster ones, so it is written to be checked by eye.
#pragma once

#include "world/method.h"

namespace talus::contract {

/// Normal force k_r x^{3/2} + k_d x^{1/2} ẋ at overlap x (Hertz; the case α = 1/2, β = 3/2 of [Bell2005], eq. 7), never
/// attractive; a linear spring along the surface, at most μ times the normal force long (eq. 19).
struct SphereDemSettings final : world::MethodSettings {
    double normalStiffness = 1e6;   // k_r [N/m^{3/2}]
    double normalDamping = 50;      // k_d [N s/m^{3/2}]
    double shearStiffness = 1e4;    // [N/m]
    double stepFraction = 0.05;     // of half a period of the stiffest contact

    void keys(KeyVisitor&) override;
};

extern const world::MethodInfo sphereDemInfo;

}  // namespace talus::contract
