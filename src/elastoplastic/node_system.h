// SPDX-License-Identifier: Apache-2.0
// What the implicit update knows during a step: the equations of the nodes' velocities, see implicit_step.cpp.
#pragma once

#include "core/vec.h"
#include "elastoplastic/gmres.h"
#include "mpm/tile.h"

#include <cstdint>
#include <vector>

namespace talus::elastoplastic {

template <class Real>
struct NodeSystem {
    // Of every node of every node block, three components and a zero unless said otherwise.
    mpm::NodeValues<Real> free;        // v* without stress and bodies [m/s]
    mpm::NodeValues<Real> velocity;    // the iterate [m/s]
    mpm::NodeValues<Real> impulse;     // r = m (v − v*) − Δt f(v): what bodies would have to give [N s]
    mpm::NodeValues<Real> imbalance;   // R = a (v − P(v − r/a)); r where there are no bodies [N s]
    mpm::NodeValues<Real> change, trial;
    mpm::NodeValues<Real> weight;      // a, one number [kg]
    mpm::NodeValues<Real> diagonal;    // of ∂r/∂v: xx, yy, zz, xy, yz, xz and two zeros [kg]
    mpm::NodeValues<Real> inverse;     // of the blocks on the diagonal of ∂R/∂v: three rows of four [1/kg]
    mpm::NodeValues<Real> tangents;    // of groups of points
    std::vector<std::vector<Mat3>> slopes;   // ∂P of the nodes of blocks with bodies near, else empty
    double scale = 1;                  // of imbalance: what the tolerance is relative to [N s]
    Gmres<Real> gmres;

    struct Counts {
        std::int64_t newton = 0, krylov = 0, unsettled = 0;   // iterations, and steps that were taken though they had not settled
        double residual = 0;                                  // |R| of the last step, over ρ g L
    };
    Counts now, totals;                // of the step, and of all that were accepted
    void accept() {
        totals = {totals.newton + now.newton, totals.krylov + now.krylov, totals.unsettled + now.unsettled, now.residual};
    }
};

}  // namespace talus::elastoplastic
