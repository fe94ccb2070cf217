// SPDX-License-Identifier: Apache-2.0
// Which of the three cases of the return map a point is in, told from its stress alone [Klar2016, §7.2 and Fig. 14].
#pragma once

#include "elastoplastic/elasticity.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace talus::elastoplastic {

/// 1: inside the cone, elastic. 2: at its tip, the grains part without stress. 3: on its flank, sheared. A point on the
/// flank is known by |dev H| reaching −κ tr H but for rounding; κ as in sand.h, τ in the order xx, yy, zz, xy, yz, xz.
inline std::int64_t plasticCase(const std::array<double, 6>& tau, const Elasticity& elasticity, double kappa, double tip = 0) {
    constexpr double kRounding = 1e-3;   // of stresses kept as floats: strains of 1e-5 have four digits
    const double trace = tau[0] + tau[1] + tau[2], mean = trace / 3;
    const double beyondTip = trace / (3 * elasticity.lambda + 2 * elasticity.mu) - tip;   // of tr H
    if (beyondTip >= 0) return 2;
    double squares = 0;
    for (std::size_t i = 0; i < 6; ++i) squares += (i < 3 ? 1 : 2) * std::pow(tau[i] - (i < 3 ? mean : 0), 2);
    const double shear = std::sqrt(squares) / (2 * elasticity.mu), limit = -kappa * beyondTip;
    return shear >= (1 - kRounding) * limit ? 3 : 1;
}

}  // namespace talus::elastoplastic
