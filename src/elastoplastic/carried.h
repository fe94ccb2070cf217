// SPDX-License-Identifier: Apache-2.0
// The state of a point that is put in with a stress.
#pragma once

#include "elastoplastic/material_law.h"

#include <array>

namespace talus::elastoplastic {

using Sym = std::array<double, 6>;   // xx, yy, zz, xy, yz, xz

/// Kirchhoff stress and strain E = b − 1 of a point that carries the Cauchy stress σ and has no expansion open: the law solved for b,
/// with τ = J σ. Of a stress that no strain of the law belongs to, the nearest that was found.
struct Carried {
    Sym tau, strain;
};
Carried carried(const Matter&, const Sym& sigma);

}  // namespace talus::elastoplastic
