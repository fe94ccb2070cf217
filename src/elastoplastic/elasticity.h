// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/wide.h"

#include <cmath>

namespace talus::elastoplastic {

/// Lamé's constants of the bulk [Pa].
struct Elasticity {
    double lambda, mu;

    static Elasticity fromYoung(double youngsModulus, double poissonRatio) {
        return {youngsModulus * poissonRatio / ((1 + poissonRatio) * (1 - 2 * poissonRatio)), youngsModulus / (2 * (1 + poissonRatio))};
    }
    double waveSpeed(double density) const { return std::sqrt((lambda + 2 * mu) / density); }   // [m/s]
    double bulkModulus() const { return lambda + 2 * mu / 3; }   // [Pa]
    /// tr H at the tip of the cone √J₂ ≤ μ̂ p + k, where p = −k/μ̂; 0 for dry sand, and where there is no friction there is none either.
    double tip(double cohesion, double muHat) const { return muHat > 0 ? cohesion / (muHat * bulkModulus()) : 0; }
    /// Slope of the cone in strain space.
    double kappa(double muHat) const { return std::sqrt(2.0) / 3.0 * muHat * (3 * lambda + 2 * mu) / (2 * mu); }

    bool operator==(const Elasticity&) const = default;
};

/// λ and 2μ of eight points [Pa].
template <class Real>
struct Lame {
    Wide<Real> lambda, twoMu;

    Lame(const Wide<Real>& ofVolume, const Wide<Real>& ofShape) : lambda(ofVolume), twoMu(ofShape) {}
    explicit Lame(const Elasticity& e) : lambda(static_cast<Real>(e.lambda)), twoMu(static_cast<Real>(2 * e.mu)) {}
};

}  // namespace talus::elastoplastic
