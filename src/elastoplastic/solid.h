// SPDX-License-Identifier: Apache-2.0
// Elastic solids as a point feels them, eight points at a time. The state is that of sand, E = b − 1: isotropic laws need of the
// deformation gradient F only b = F Fᵀ, whose root V has its principal stretches σ_i.
//   hencky:           ψ = μ tr H² + ½ λ (tr H)²,                 τ = 2μ H + λ tr H 1,                H = ln V
//   fixed corotated:  ψ = μ Σ (σ_i − 1)² + ½ λ (J − 1)²,         τ = 2μ (b − V) + λ (J − 1) J 1      [Stomakhin2012]
#pragma once

#include "elastoplastic/hencky.h"
#include "elastoplastic/material_law.h"

#include <array>
#include <cmath>

namespace talus::elastoplastic {

/// What a solid answers to its strain.
template <class Real>
struct SolidAnswer {
    WideSym3<Real> stress;       // Kirchhoff stress τ [Pa]
    Wide<Real> stiffening;       // bound of (c/c₀)²: waves through what is strained run faster
    WideMask<Real> beyondSense;  // stretched or crushed a hundredfold
};

/// b − V = E − (√(1 + E) − 1).
template <class Real>
[[gnu::always_inline]] inline WideSym3<Real> squareLessRoot(const WideSym3<Real>& e) {
    constexpr Real small = kSmallStrain<Real>;
    if (all(frobeniusSquared(e) <= Wide<Real>(small * small))) {
        constexpr std::array<Real, 8> c{0, Real(1) / 2, Real(1) / 8, Real(-1) / 16, Real(5) / 128, Real(-7) / 256, Real(21) / 1024, Real(-33) / 2048};
        return matrixPolynomial(c, e);
    }
    WideVec3<Real> values;
    WideMat3<Real> q;
    symmetricEigen(e, values, q);
    const auto ofValue = [](const Wide<Real>& x) {   // σ² − σ = σ (σ² − 1)/(σ + 1)
        const Wide<Real> held = max(Wide<Real>(Real(kLeastStretchSquared - 1)), x), sigma = sqrt(held + Real(1));
        return sigma * held / (sigma + Real(1));
    };
    return fromEigen<Real>({ofValue(values.x), ofValue(values.y), ofValue(values.z)}, q);
}

/// J² − 1 = tr E + the sum of its minors + its determinant: small strains keep their digits.
template <class Real>
[[gnu::always_inline]] inline Wide<Real> volumeSquaredLessOne(const WideSym3<Real>& e) {
    const Wide<Real> minorX = negMulAdd(e.yz, e.yz, e.yy * e.zz), minorY = negMulAdd(e.xz, e.xz, e.xx * e.zz), minorZ = negMulAdd(e.xy, e.xy, e.xx * e.yy);
    const Wide<Real> third = mulAdd(e.xx, minorX, mulAdd(e.xy, negMulAdd(e.xy, e.zz, e.xz * e.yz), e.xz * negMulAdd(e.xz, e.yy, e.xy * e.yz)));
    return (e.xx + e.yy + e.zz) + (minorX + minorY + minorZ) + third;
}

// A wave along a principal axis of stretch σ runs with c² = (2μ σ² + λ J²)/ρ₀.
template <class Real>
[[gnu::always_inline]] inline SolidAnswer<Real> fixedCorotated(const Lame<Real>& lame, const WideSym3<Real>& e) {
    using W = Wide<Real>;
    constexpr double kMost = 1e4;   // of the squares of stretches
    const W one(Real(1)), beyond = volumeSquaredLessOne(e), held = max(W(Real(1 / kMost - 1)), beyond), j = sqrt(one + held);
    const W pressure = lame.lambda * j * held / (j + one);   // λ (J − 1) J
    const WideSym3<Real> shape = squareLessRoot(e);
    SolidAnswer<Real> answer;
    answer.stress = {mulAdd(lame.twoMu, shape.xx, pressure), mulAdd(lame.twoMu, shape.yy, pressure), mulAdd(lame.twoMu, shape.zz, pressure),
                     lame.twoMu * shape.xy, lame.twoMu * shape.yz, lame.twoMu * shape.xz};
    const W size = sqrt(frobeniusSquared(e));
    answer.stiffening = mulAdd(lame.twoMu, one + size, mulAdd(lame.lambda, held, lame.lambda)) / (lame.twoMu + lame.lambda);
    answer.beyondSense = (size > W(Real(kMost))) | (beyond < W(Real(1 / kMost - 1)));
    return answer;
}

// Here c² = (λ + 2μ − τ)/ρ₀ along a principal axis of stress τ.
template <class Real>
[[gnu::always_inline]] inline SolidAnswer<Real> henckySolid(const Lame<Real>& lame, const WideSym3<Real>& e) {
    using W = Wide<Real>;
    constexpr double kMostStrain = 4.6;   // ln 100
    const WideSym3<Real> h = henckyStrain(e);
    const W pressure = lame.lambda * (h.xx + h.yy + h.zz), size = sqrt(frobeniusSquared(h));
    SolidAnswer<Real> answer;
    answer.stress = {mulAdd(lame.twoMu, h.xx, pressure), mulAdd(lame.twoMu, h.yy, pressure), mulAdd(lame.twoMu, h.zz, pressure),
                     lame.twoMu * h.xy, lame.twoMu * h.yz, lame.twoMu * h.xz};
    answer.stiffening = W(Real(1)) + sqrt(frobeniusSquared(answer.stress)) / (lame.lambda + lame.twoMu);
    answer.beyondSense = size > W(Real(kMostStrain));
    return answer;
}

/// ψ of the fixed corotated law at the Hencky strain H: xx, yy, zz, xy, yz, xz [Pa].
inline double fixedCorotatedEnergy(const Elasticity& e, const std::array<double, 6>& h) {
    using W = Wide<double>;
    WideVec3<double> values;
    WideMat3<double> q;
    symmetricEigen(WideSym3<double>{W(h[0]), W(h[1]), W(h[2]), W(h[3]), W(h[4]), W(h[5])}, values, q);
    const auto squared = [](double x) { return x * x; };
    const double shape = squared(std::expm1(values.x.lane(0))) + squared(std::expm1(values.y.lane(0))) + squared(std::expm1(values.z.lane(0)));
    return e.mu * shape + 0.5 * e.lambda * squared(std::expm1(h[0] + h[1] + h[2]));
}

}  // namespace talus::elastoplastic
