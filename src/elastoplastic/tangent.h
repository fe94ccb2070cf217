// SPDX-License-Identifier: Apache-2.0
// The derivative of the stress at the end of a step by the velocity gradient of the step: what an implicit update needs of the
// return map [Klar2016, §5.6]. The trial state is b = (1 + A)(1 + E)(1 + A)ᵀ with A = Δt ∇v, and τ is an isotropic function of it, so
// in the principal axes of b, with its values β_i and strains e_i = ½ ln β_i,
//     dτ_ii = Σ_j ∂τ_i/∂e_j db_jj/(2 β_j),     dτ_ij = θ_ij db_ij,  θ_ij = (τ_i − τ_j)/(β_i − β_j),     db = dA (1 + E)(1 + A)ᵀ + its transpose.
// Neither F nor a singular value decomposition is needed. Of sand, with t = Σ e + v_c, n = dev e/|dev e| and H = (t/3) 1 + f dev e,
//     case I:    f = 1,                          ∂H/∂e = 1
//     case II:   H = 0,                          ∂H/∂e = 0
//     case III:  f = −κ (t − tip)/|dev e|,       ∂H/∂e = (1/3) 1 1ᵀ − κ n 1ᵀ + f (1 − 1 1ᵀ/3 − n nᵀ);
// −κ n 1ᵀ is the only part that is not symmetric. The cone itself is that of the start of the step: friction that follows the plastic strain or
// the rate of shear has no part in the derivative.
#pragma once

#include "elastoplastic/sand.h"
#include "elastoplastic/solid.h"

#include <array>
#include <cmath>

namespace talus::elastoplastic {

template <class Real>
struct Tangent {
    static constexpr std::size_t kPacks = 31;

    WideMat3<Real> axes;                      // principal ones of the trial b, as columns
    std::array<Wide<Real>, 9> ofValues;       // ∂τ_i/∂e_j/(2 β_j), row-major [Pa]
    std::array<Wide<Real>, 3> ofShear;        // θ of the pairs (0, 1), (1, 2), (0, 2) [Pa]
    WideMat3<Real> carried;                   // (1 + E)(1 + A)ᵀ
    Wide<Real> ofSound;                       // ζ/Δt, the bulk viscosity where it acts [Pa]

    /// dτ of dA, row-major.
    [[gnu::always_inline]] WideSym3<Real> apply(const std::array<Wide<Real>, 9>& dA) const {
        using W = Wide<Real>;
        const WideMat3<Real> half = transpose(axes) * (WideMat3<Real>{dA} * carried) * axes;   // db = half + halfᵀ
        const std::array<W, 3> values{half(0, 0) + half(0, 0), half(1, 1) + half(1, 1), half(2, 2) + half(2, 2)};
        WideMat3<Real> tau;
        for (int i = 0; i < 3; ++i) {
            const auto row = static_cast<std::size_t>(3 * i);
            tau(i, i) = mulAdd(ofValues[row], values[0], mulAdd(ofValues[row + 1], values[1], ofValues[row + 2] * values[2]));
        }
        const auto shear = [&](int i, int j, std::size_t pair) { tau(i, j) = tau(j, i) = ofShear[pair] * (half(i, j) + half(j, i)); };
        shear(0, 1, 0);
        shear(1, 2, 1);
        shear(0, 2, 2);
        const WideMat3<Real> back = axes * tau;
        const auto entry = [&](int i, int j) { return dot(back.row(i), axes.row(j)); };
        const W sound = ofSound * (dA[0] + dA[4] + dA[8]);
        return {entry(0, 0) + sound, entry(1, 1) + sound, entry(2, 2) + sound, entry(0, 1), entry(1, 2), entry(0, 2)};
    }

    void store(Real* to) const {
        const auto put = [&to](const Wide<Real>& value) {
            value.store(to);
            to += 8;
        };
        for (const Wide<Real>& value : axes.m) put(value);
        for (const Wide<Real>& value : ofValues) put(value);
        for (const Wide<Real>& value : ofShear) put(value);
        for (const Wide<Real>& value : carried.m) put(value);
        put(ofSound);
    }
    [[gnu::always_inline]] static Tangent load(const Real* from) {
        Tangent t;
        const auto at = [from](std::size_t i) __attribute__((always_inline)) { return Wide<Real>::load(from + 8 * i); };
        for (std::size_t i = 0; i < 9; ++i) {
            t.axes.m[i] = at(i);
            t.ofValues[i] = at(9 + i);
            t.carried.m[i] = at(21 + i);
        }
        for (std::size_t i = 0; i < 3; ++i) t.ofShear[i] = at(18 + i);
        t.ofSound = at(30);
        return t;
    }
};

/// The trial state of eight points in its principal axes.
template <class Real>
struct PrincipalTrial {
    std::array<Wide<Real>, 3> excess;      // β − 1
    std::array<Wide<Real>, 3> squared;     // β
    std::array<Wide<Real>, 3> strain;      // e
    WideMat3<Real> axes;

    explicit PrincipalTrial(const WideSym3<Real>& e) {
        WideVec3<Real> values;
        symmetricEigen(e, values, axes);
        for (int i = 0; i < 3; ++i) {
            const auto k = static_cast<std::size_t>(i);
            excess[k] = max(Wide<Real>(Real(kLeastStretchSquared - 1)), values[i]);
            squared[k] = excess[k] + Real(1);
            strain[k] = Real(0.5) * log1p(excess[k]);
        }
    }
    /// (e_i − e_j)/(β_i − β_j), also where the two are equal.
    Wide<Real> slope(std::size_t i, std::size_t j) const {
        using W = Wide<Real>;
        const W x = (excess[i] - excess[j]) / squared[j];
        const W series = mulAdd(x, mulAdd(x, mulAdd(x, mulAdd(x, W(Real(0.2)), W(Real(-0.25))), W(Real(1) / 3)), W(Real(-0.5))), W(Real(1)));
        const auto small = abs(x) < W(Real(1e-3));
        return Real(0.5) * select(small, series, log1p(x) / select(small, W(Real(1)), x)) / squared[j];
    }
};

/// What the laws say of ∂τ/∂e and of τ_i − τ_j; the rest of a tangent is the same for all.
template <class Real>
struct PrincipalTangent {
    std::array<Wide<Real>, 9> ofStrains;   // ∂τ_i/∂e_j
    std::array<Wide<Real>, 3> ofShear;
    Wide<Real> bulk, shear;                // moduli for a bound of its diagonal: K and μ as they act [Pa]
    WideMask<Real> touching;               // where the bulk viscosity acts
};

inline constexpr std::array<std::array<std::size_t, 2>, 3> kShearPairs{{{0, 1}, {1, 2}, {0, 2}}};

template <class Real, template <class> class AnyCone>
PrincipalTangent<Real> sandTangent(const Lame<Real>& lame, const AnyCone<Real>& cone, const PrincipalTrial<Real>& trial, const Wide<Real>& expansion) {
    using W = Wide<Real>;
    const W zero(Real(0)), one(Real(1)), third(Real(1) / Real(3));
    const auto& e = trial.strain;
    const W trace = e[0] + e[1] + e[2], mean = trace * third;
    const std::array<W, 3> deviator{e[0] - mean, e[1] - mean, e[2] - mean};
    const W size = sqrt(mulAdd(deviator[0], deviator[0], mulAdd(deviator[1], deviator[1], deviator[2] * deviator[2])));
    const W t = trace + expansion, beyondTip = t - select(expansion <= zero, cone.tip, zero);
    const auto parted = beyondTip >= zero;
    const W kappa = cone.slope(lame, beyondTip), limit = -kappa * beyondTip;
    const auto elastic = size <= limit;
    const W perSize = one / max(size, W(Real(1e-30)));
    const W factor = select(parted, zero, select(elastic, one, limit * perSize));
    const W bulk = select(parted, zero, mulAdd(lame.twoMu, third, lame.lambda)), twoMu = lame.twoMu * factor;
    // dτ = K Σde 1 + 2μ f dev de − n (2μ f n·de + 2μ κ Σde), the last in case III alone.
    const auto slides = !(parted | elastic);
    const W along = select(slides, twoMu, zero), dilate = select(slides, lame.twoMu * kappa, zero);
    PrincipalTangent<Real> tangent{.ofStrains = {}, .ofShear = {}, .bulk = bulk, .shear = Real(0.5) * twoMu, .touching = !(parted & (t > zero))};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const W ni = deviator[i] * perSize, nj = deviator[j] * perSize;
            const W isotropic = negMulAdd(twoMu, third, bulk) + (i == j ? twoMu : zero);
            tangent.ofStrains[3 * i + j] = negMulAdd(ni, mulAdd(along, nj, dilate), isotropic);
        }
    for (std::size_t pair = 0; pair < 3; ++pair) tangent.ofShear[pair] = twoMu * trial.slope(kShearPairs[pair][0], kShearPairs[pair][1]);
    return tangent;
}

template <class Real>
PrincipalTangent<Real> solidTangent(Law law, const Lame<Real>& lame, const PrincipalTrial<Real>& trial) {
    using W = Wide<Real>;
    const W zero(Real(0));
    PrincipalTangent<Real> tangent{.ofStrains = {}, .ofShear = {}, .bulk = zero, .shear = Real(0.5) * lame.twoMu, .touching = zero != zero};
    if (law == Law::hencky) {
        for (std::size_t i = 0; i < 9; ++i) tangent.ofStrains[i] = lame.lambda + (i % 4 == 0 ? lame.twoMu : zero);
        for (std::size_t pair = 0; pair < 3; ++pair) tangent.ofShear[pair] = lame.twoMu * trial.slope(kShearPairs[pair][0], kShearPairs[pair][1]);
        tangent.bulk = mulAdd(lame.twoMu, W(Real(1) / 3), lame.lambda);
        return tangent;
    }
    // τ_i = 2μ (σ_i² − σ_i) + λ (J − 1) J.
    std::array<W, 3> sigma;
    for (std::size_t i = 0; i < 3; ++i) sigma[i] = sqrt(trial.squared[i]);
    const W j = sigma[0] * sigma[1] * sigma[2], ofVolume = lame.lambda * j * (j + j - Real(1));
    for (std::size_t i = 0; i < 9; ++i) tangent.ofStrains[i] = ofVolume + (i % 4 == 0 ? lame.twoMu * sigma[i / 4] * (sigma[i / 4] + sigma[i / 4] - Real(1)) : zero);
    for (std::size_t pair = 0; pair < 3; ++pair) {
        const W sum = sigma[kShearPairs[pair][0]] + sigma[kShearPairs[pair][1]];
        tangent.ofShear[pair] = lame.twoMu * (sum - Real(1)) / sum;
    }
    tangent.bulk = mulAdd(lame.twoMu, W(Real(1) / 3), max(zero, ofVolume));
    return tangent;
}

/// The whole, from the strain at the start of the step, A, and what the law says.
template <class Real>
Tangent<Real> wholeTangent(const WideSym3<Real>& e, const std::array<Wide<Real>, 9>& a, const PrincipalTrial<Real>& trial, const PrincipalTangent<Real>& law, const Wide<Real>& zetaPerStep) {
    using W = Wide<Real>;
    const W one(Real(1));
    Tangent<Real> tangent{.axes = trial.axes, .ofValues = law.ofStrains, .ofShear = law.ofShear, .carried = {}, .ofSound = select(law.touching, zetaPerStep, W(Real(0)))};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) tangent.ofValues[3 * i + j] = law.ofStrains[3 * i + j] * Real(0.5) / trial.squared[j];
    const WideMat3<Real> start{{one + e.xx, e.xy, e.xz, e.xy, one + e.yy, e.yz, e.xz, e.yz, one + e.zz}};
    WideMat3<Real> moved{a};
    for (int i = 0; i < 3; ++i) moved(i, i) += one;
    tangent.carried = start * transpose(moved);
    return tangent;
}

}  // namespace talus::elastoplastic
