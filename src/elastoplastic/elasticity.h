// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace talus::elastoplastic {

/// Lamé's constants of the bulk [Pa].
struct Elasticity {
    double lambda, mu;

    static Elasticity fromYoung(double youngsModulus, double poissonRatio) {
        return {youngsModulus * poissonRatio / ((1 + poissonRatio) * (1 - 2 * poissonRatio)), youngsModulus / (2 * (1 + poissonRatio))};
    }
    double waveSpeed(double density) const { return std::sqrt((lambda + 2 * mu) / density); }   // [m/s]
    /// Slope of the cone in strain space.
    double kappa(double muHat) const { return std::sqrt(2.0) / 3.0 * muHat * (3 * lambda + 2 * mu) / (2 * mu); }
};

}  // namespace talus::elastoplastic
