// SPDX-License-Identifier: Apache-2.0
// How flat grains lie [Daviet2016, §6.2]: a point stands for many, of whose normals n it keeps the second moment ν₂ = ⟨n nᵀ⟩. A flow
// turns them as it turns ellipsoids [Jeffery1922], [Folgar1984]:
//     dν₂/dt = W ν₂ − ν₂ W + Λ (ε̇ ν₂ + ν₂ ε̇ − 2 (ε̇:ν₂) ν₂),   Λ = (r² − 1)/(r² + 1),   r thickness over width,
// with the quadratic closure ⟨n n n n⟩ ≈ ν₂ ⊗ ν₂. Departures from the paper: its W ν₂ + ν₂ W and (r − 1)/(r + 1) are misprints, and its
// detour over the axes of rods leaves the tensors that there are.
#pragma once

#include "nonsmooth/transfer.h"

#include <span>
#include <vector>

namespace talus::nonsmooth {

/// Jeffery's coefficient Λ of grains of that thickness over width.
inline double jefferyCoefficient(double aspect) { return (aspect * aspect - 1) / (aspect * aspect + 1); }

Mat3 exponential(const Mat3&);

/// ν₂ after a time in a constant velocity gradient, exact for the closure: with L = W + Λ ε̇ and E = exp(Δt L) it is E ν₂ Eᵀ over its
/// trace, which is a second moment of normals however long the step.
SymTensor turned(const SymTensor& orientation, const Mat3& gradient, double coefficient, double dt);

/// ν₂ of every site, the mean over what is in it.
std::vector<SymTensor> siteOrientation(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, std::span<const Rheology>, StressBasis);

/// Turns the normals of points by the velocity gradients that they have.
void turnNormals(const Exec&, double coefficient, double dt, Points&);

}  // namespace talus::nonsmooth
