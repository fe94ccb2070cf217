// SPDX-License-Identifier: Apache-2.0
// The velocity of eight fine grains from the guides around them [Alduan2009, §4.3.1].
#pragma once

#include "core/wide.h"

#include <algorithm>
#include <array>
#include <span>

namespace talus::upsampling {

/// Weights w = (3r − 2d)/(4r) vanish at d = 1.5 r, where we cut them off. The paper gives no cut-off and collects guides up to r,
/// where w is still ¼: a guide that comes into reach would jerk the grain.
inline constexpr double kReach = 1.5;   // of r

/// A guide seen from the grains it carries.
template <class Real>
struct NearGuide {
    std::array<Real, 3> position;   // from a common origin [m]
    std::array<Real, 3> velocity;   // against a common velocity, so that a constant one stays exact [m/s]
};

template <class Real>
struct Carried {
    std::array<Wide<Real>, 3> velocity;   // against the common one [m/s]; of no meaning without a guide in reach
    Wide<Real> within;                    // guides no further than r
};

/// v = Σ w v_i / Σ w (4).
template <class Real>
Carried<Real> interpolateWeighted(std::span<const NearGuide<Real>> guides, const std::array<Wide<Real>, 3>& x, double r) {
    using W = Wide<Real>;
    const W zero(Real(0)), one(Real(1)), slope(static_cast<Real>(-0.5 / r)), top(Real(0.75)), square(static_cast<Real>(r * r));
    W weight = zero, within = zero;
    std::array<W, 3> momentum{zero, zero, zero};
    for (const NearGuide<Real>& guide : guides) {
        const W dx = x[0] - W(guide.position[0]), dy = x[1] - W(guide.position[1]), dz = x[2] - W(guide.position[2]);
        const W distance2 = mulAdd(dx, dx, mulAdd(dy, dy, dz * dz));
        const W w = max(mulAdd(slope, sqrt(distance2), top), zero);
        within += select(distance2 <= square, one, zero);
        weight += w;
        for (std::size_t a = 0; a < 3; ++a) momentum[a] = mulAdd(w, W(guide.velocity[a]), momentum[a]);
    }
    const W perWeight = one / max(weight, W(static_cast<Real>(1e-30)));
    return {{momentum[0] * perWeight, momentum[1] * perWeight, momentum[2] * perWeight}, within};
}

/// The value at x of the linear field a + B (x' − x) that fits the guides best by weight (moving least squares, [Lancaster1981]): with
/// d_i = x_i − x, d̄ and v̄ their means by weight, C = Σ w (d − d̄)(d − d̄)ᵀ, K = Σ w (v − v̄)(d − d̄)ᵀ: a = v̄ − K C⁻¹ d̄. Where guides lie near a
/// plane or a line C is singular and B unknown; between kFlat and kFull of det C/(tr C/3)³ the field goes over to the mean.
template <class Real>
Carried<Real> interpolateAffine(std::span<const NearGuide<Real>> guides, const std::array<Wide<Real>, 3>& x, double r) {
    using W = Wide<Real>;
    constexpr double kFlat = 0.01, kFull = 0.05;
    const W zero(Real(0)), one(Real(1)), top(Real(0.75)), half(Real(-0.5)), perR(static_cast<Real>(1 / r));
    W weight = zero, within = zero;
    std::array<W, 3> d1{zero, zero, zero}, v1{zero, zero, zero};
    std::array<W, 6> dd{zero, zero, zero, zero, zero, zero};   // xx yy zz xy yz xz
    std::array<W, 9> vd;
    vd.fill(zero);
    for (const NearGuide<Real>& guide : guides) {   // distances in units of r
        const std::array<W, 3> d{(W(guide.position[0]) - x[0]) * perR, (W(guide.position[1]) - x[1]) * perR, (W(guide.position[2]) - x[2]) * perR};
        const W distance2 = mulAdd(d[0], d[0], mulAdd(d[1], d[1], d[2] * d[2]));
        const W w = max(mulAdd(half, sqrt(distance2), top), zero);
        within += select(distance2 <= one, one, zero);
        weight += w;
        const std::array<W, 3> wd{w * d[0], w * d[1], w * d[2]};
        for (std::size_t a = 0; a < 3; ++a) {
            d1[a] += wd[a];
            v1[a] = mulAdd(w, W(guide.velocity[a]), v1[a]);
            dd[a] = mulAdd(wd[a], d[a], dd[a]);
            dd[3 + a] = mulAdd(wd[a == 2 ? 0 : a], d[a == 2 ? 2 : a + 1], dd[3 + a]);
            for (std::size_t b = 0; b < 3; ++b) vd[3 * a + b] = mulAdd(wd[b], W(guide.velocity[a]), vd[3 * a + b]);
        }
    }
    const W perWeight = one / max(weight, W(static_cast<Real>(1e-30)));
    std::array<W, 3> dm, vm;
    for (std::size_t a = 0; a < 3; ++a) {
        dm[a] = d1[a] * perWeight;
        vm[a] = v1[a] * perWeight;
    }
    // C and K from their moments, per weight.
    const W xx = mulAdd(dd[0], perWeight, -(dm[0] * dm[0])), yy = mulAdd(dd[1], perWeight, -(dm[1] * dm[1])), zz = mulAdd(dd[2], perWeight, -(dm[2] * dm[2]));
    const W xy = mulAdd(dd[3], perWeight, -(dm[0] * dm[1])), yz = mulAdd(dd[4], perWeight, -(dm[1] * dm[2])), xz = mulAdd(dd[5], perWeight, -(dm[0] * dm[2]));
    const std::array<W, 6> adjoint{yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy, xz * yz - xy * zz, xy * xz - xx * yz, xy * yz - xz * yy};
    const W det = xx * adjoint[0] + xy * adjoint[3] + xz * adjoint[5];
    const W third = (xx + yy + zz) * W(static_cast<Real>(1.0 / 3));
    const W fullness = det / max(third * third * third, W(static_cast<Real>(1e-30)));
    const W known = min(max((fullness - W(static_cast<Real>(kFlat))) * W(static_cast<Real>(1 / (kFull - kFlat))), zero), one);
    const W perDet = select(known > zero, known / max(det, W(static_cast<Real>(1e-30))), zero);
    const std::array<W, 3> to{(adjoint[0] * dm[0] + adjoint[3] * dm[1] + adjoint[5] * dm[2]) * perDet, (adjoint[3] * dm[0] + adjoint[1] * dm[1] + adjoint[4] * dm[2]) * perDet,
                              (adjoint[5] * dm[0] + adjoint[4] * dm[1] + adjoint[2] * dm[2]) * perDet};   // C⁻¹ d̄
    Carried<Real> carried{vm, within};
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            const W k = mulAdd(vd[3 * a + b], perWeight, -(vm[a] * dm[b]));
            carried.velocity[a] = negMulAdd(k, to[b], carried.velocity[a]);
        }
    return carried;
}

}  // namespace talus::upsampling
