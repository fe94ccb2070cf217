// SPDX-License-Identifier: Apache-2.0
// How much points keep of velocities finer than the grid, by what they do. Noise of points is to die out within the time in which sound crosses a
// cell where sand lies or shears slowly, or it lowers friction; where it flows fast, what is finer than the grid is the flow itself, as at the rim of an
// opening, and inertia carries it on. The two differ by the inertial number of a cell,
//     I = γ̇ h √(ρ/p),
// the time in which pressure would move a cell of sand by its own size over that in which it is sheared by it: 0.01 and less in layers that
// begin to slide, about 1 at the rim of an opening. To p is added a hundredth of the weight of a cell, for what lies still at a surface.
#pragma once

#include "core/wide.h"
#include "elastoplastic/elastoplastic.h"
#include "elastoplastic/material_law.h"

#include <vector>

namespace talus::elastoplastic {

/// I at which half of the way from the memory at rest to that in flow is gone. From 0.2 to 0.35 layers on slopes, layers with μ(I), columns and outlets
/// change little; with 0.1 and less noise lowers the friction of layers and heaps that flow, as it does with one long memory for all.
inline constexpr double kInertialHalf = 0.35;

template <class Real>
struct FlowMemory {
    /// `spacing` of the grid [m]. g = h/(2 T)², T the settling time.
    FlowMemory(const VelocityMemory& memory, const std::vector<Matter>& matter, double spacing)
        : atRest(static_cast<Real>(memory.atRest)), inertia(static_cast<Real>(spacing * spacing / (kInertialHalf * kInertialHalf))), leastPressure(static_cast<Real>(0.0025 * spacing * spacing / (settlingTime(spacing) * settlingTime(spacing)))) {
        for (const Matter& one : matter) gain.push_back(static_cast<Real>(one.solid() ? 0 : memory.inFlow - memory.atRest));
    }
    /// a = a_rest + gain/(1 + (I½/I)²), with γ̇, m, tr τ and V⁰ of eight points: p V = −V⁰ tr τ/3.
    [[gnu::always_inline]] Wide<Real> operator()(const Wide<Real>& gainOf, const Wide<Real>& shearRate, const Wide<Real>& mass, const Wide<Real>& trace, const Wide<Real>& volume) const {
        using W = Wide<Real>;
        const W moving = shearRate * shearRate * mass * inertia, pressed = mulAdd(mass, W(leastPressure), max(W(Real(0)), trace * volume * Real(-1.0 / 3)));
        return mulAdd(gainOf, moving / (moving + pressed + Real(1e-30)), W(atRest));
    }

    Real atRest, inertia, leastPressure;    // a at rest; h²/I½²; g h/100, over the density
    std::vector<Real> gain;  // by material; solids do not flow
};

}  // namespace talus::elastoplastic
