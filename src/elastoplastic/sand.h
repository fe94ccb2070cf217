// SPDX-License-Identifier: Apache-2.0
// Sand as a point feels it: Hencky elasticity with a Drucker–Prager cone [Klar2016, §6.3 and §7].
//     τ = 2μ H + λ tr H 1,       yield: |dev τ|_F ≤ −α tr τ,   α = (√2/3) μ̂.
// In strains, with κ = α (3λ + 2μ)/(2μ), the cone is |dev H|_F ≤ −κ tr H.
#pragma once

#include "elastoplastic/elasticity.h"
#include "elastoplastic/hencky.h"

#include <array>

namespace talus::elastoplastic {

template <class Real>
struct SandState {
    WideSym3<Real> strain;      // E = b − 1
    Wide<Real> expansion;       // v_c: ln of the volume gained in tension and not yet pushed back; below 0: of what is crowded and is to move apart
    WideSym3<Real> stress;      // Kirchhoff stress τ [Pa]
    Wide<Real> plasticStrain;   // q: shear strain that was lost to sliding, summed up (29)
};

/// The cone |dev H|_F ≤ −κ (tr H − tip) that bounds the strain of a point.
template <class Real>
struct Cone {
    Wide<Real> kappa;
    Wide<Real> tip = Wide<Real>(Real(0));   // tr H that cohesion holds; counts where the grains touch

    /// κ at tr H − tip.
    Wide<Real> slope(const Lame<Real>&, const Wide<Real>&) const { return kappa; }
};

/// The same with friction that grows with the speed of shear, μ(I) [Jop2006]: κ + (κ₂ − κ)/(1 + I₀/I), I = γ̇ d √(ρ/p) with the
/// diameter d and density ρ of a grain, γ̇ = √(2 dev D : dev D) of the step and p the pressure at its end.
template <class Real>
struct FlowCone {
    Wide<Real> kappa, kappaFast;
    Wide<Real> tip;
    Wide<Real> rate;   // γ̇ d √ρ/I₀ [√Pa]

    Wide<Real> slope(const Lame<Real>& lame, const Wide<Real>& beyondTip) const {
        const Wide<Real> zero(Real(0)), bulkModulus = mulAdd(lame.twoMu, Wide<Real>(Real(1) / Real(3)), lame.lambda);
        const Wide<Real> root = sqrt(max(zero, -bulkModulus * beyondTip));
        return mulAdd(max(zero, kappaFast - kappa), rate / (rate + root + Real(1e-20)), kappa);
    }
};

/// γ̇ Δt = √(2 dev D : dev D) Δt of a step with Δt ∇v.
template <class Real>
[[gnu::always_inline]] inline Wide<Real> shearOf(const std::array<Wide<Real>, 9>& a) {
    const Real half = Real(0.5);
    const Wide<Real> mean = (a[0] + a[4] + a[8]) * (Real(1) / Real(3));
    const WideSym3<Real> dev{a[0] - mean, a[4] - mean, a[8] - mean, half * (a[1] + a[3]), half * (a[5] + a[7]), half * (a[2] + a[6])};
    return sqrt(Real(2) * frobeniusSquared(dev));
}

/// Moves with the velocity gradient for a step: b ← (1 + A) b (1 + A)ᵀ with A = Δt ∇v, written for E = b − 1 so that
/// small strains keep their digits.
template <class Real>
[[gnu::always_inline]] inline WideSym3<Real> advanceStrain(const WideSym3<Real>& e, const std::array<Wide<Real>, 9>& a) {
    // E' = E + M + Mᵀ + A (E Aᵀ), with M = A + A E + ½ A Aᵀ.
    const std::array<Wide<Real>, 9> s{e.xx, e.xy, e.xz, e.xy, e.yy, e.yz, e.xz, e.yz, e.zz};
    std::array<Wide<Real>, 9> ae;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) ae[3 * i + j] = mulAdd(a[3 * i], s[j], mulAdd(a[3 * i + 1], s[3 + j], a[3 * i + 2] * s[6 + j]));
    const auto entry = [&](std::size_t i, std::size_t j) {
        // (A + A E) (j-th row of A) covers A Aᵀ + A E Aᵀ.
        const Wide<Real> second = mulAdd(a[3 * i] + ae[3 * i], a[3 * j], mulAdd(a[3 * i + 1] + ae[3 * i + 1], a[3 * j + 1], (a[3 * i + 2] + ae[3 * i + 2]) * a[3 * j + 2]));
        return s[3 * i + j] + ((a[3 * i + j] + a[3 * j + i]) + (ae[3 * i + j] + ae[3 * j + i]) + second);
    };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)};
}

/// Projects a trial strain onto the cone [Klar2016, §7.2] with the volume correction of [Tampubolon2017] in its consistent
/// form. With t = tr H + v_c:
///     t ≥ 0 (case II, the grains part):      H ← 0,                                        v_c ← t
///     else (case I where the factor is 1,
///           case III where it is smaller):   H ← (t/3) 1 + min(1, −κ t/|dev H|) dev H,     v_c ← 0.
/// Cohesion moves the tip: where the grains touch (v_c ≤ 0), t − tip takes the place of t in these conditions and limits. Grains that
/// part let go of each other, and hold again when they have closed up.
/// The plastic strain q of (29) grows by |dev H| + κ t in case III, and in case II not at all: there it would grow with every step of free
/// flight, and friction would depend on the step. Departure from the paper, too: case I is tested before case II is given up on, so hydrostatic pressure survives.
/// Returns the lanes whose trial strain is beyond all sense, stretched or crushed a hundredfold.
template <class Real, template <class> class AnyCone>
[[gnu::always_inline]] inline WideMask<Real> projectToCone(const Lame<Real>& lame, const AnyCone<Real>& cone, SandState<Real>& state) {
    using W = Wide<Real>;
    const W zero(Real(0)), one(Real(1)), third(Real(1) / Real(3));
    const WideSym3<Real> trial = henckyStrain(state.strain);
    const W trace = trial.xx + trial.yy + trial.zz;
    const W mean = trace * third;
    const WideSym3<Real> deviator{trial.xx - mean, trial.yy - mean, trial.zz - mean, trial.xy, trial.yz, trial.xz};
    const W shear = sqrt(frobeniusSquared(deviator));

    const W t = trace + state.expansion;
    const W beyondTip = t - select(state.expansion <= zero, cone.tip, zero);
    const auto parted = beyondTip >= zero;
    const W limit = -cone.slope(lame, beyondTip) * beyondTip;
    const auto elastic = shear <= limit;
    const W factor = select(parted, zero, select(elastic, one, limit / max(shear, W(Real(1e-30)))));
    const W newTrace = select(parted, zero, t);
    const W newMean = newTrace * third;
    const WideSym3<Real> h{mulAdd(factor, deviator.xx, newMean), mulAdd(factor, deviator.yy, newMean), mulAdd(factor, deviator.zz, newMean),
                           factor * deviator.xy, factor * deviator.yz, factor * deviator.xz};

    const auto unchanged = elastic & (beyondTip < zero) & (state.expansion == zero);
    if (!all(unchanged)) {
        const WideSym3<Real> e = strainFromHencky(h);
        const auto pick = [&](const W& old, const W& fresh) { return select(unchanged, old, fresh); };
        state.strain = {pick(state.strain.xx, e.xx), pick(state.strain.yy, e.yy), pick(state.strain.zz, e.zz),
                        pick(state.strain.xy, e.xy), pick(state.strain.yz, e.yz), pick(state.strain.xz, e.xz)};
    }
    state.expansion = select(parted, t, zero);
    state.plasticStrain += select(parted, zero, max(zero, shear - limit));   // departure from (29): nothing in case II
    const W twoMu = lame.twoMu, pressure = newTrace * lame.lambda;
    state.stress = {mulAdd(twoMu, h.xx, pressure), mulAdd(twoMu, h.yy, pressure), mulAdd(twoMu, h.zz, pressure), twoMu * h.xy, twoMu * h.yz, twoMu * h.xz};
    constexpr double kMostStrain = 4.6;   // ln 100
    return mulAdd(shear, shear, trace * mean) > W(Real(kMostStrain * kMostStrain));
}

}  // namespace talus::elastoplastic
