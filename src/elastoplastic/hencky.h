// SPDX-License-Identifier: Apache-2.0
// Hencky strain of eight points at a time. The state of a point is E = b − 1 with b the elastic left Cauchy–Green tensor:
// six numbers that keep their digits at strains of 1e-5, where a deformation gradient in float has lost two or three.
//     H = ½ ln(1 + E),   E = exp(2H) − 1.
// Small arguments go through polynomials that Cayley–Hamilton reduces to a₀ 1 + a₁ X + a₂ X², large ones through
// eigenvalues.
#pragma once

#include "core/svd.h"
#include "core/wide.h"
#include "core/wide_mat.h"

#include <array>
#include <type_traits>

namespace talus::elastoplastic {

template <class Real>
[[gnu::always_inline]] inline Wide<Real> frobeniusSquared(const WideSym3<Real>& a) {
    return mulAdd(a.xx, a.xx, mulAdd(a.yy, a.yy, a.zz * a.zz)) + Real(2) * mulAdd(a.xy, a.xy, mulAdd(a.yz, a.yz, a.xz * a.xz));
}

/// Largest |E|_F for which the series below are as good as the numbers: what they leave out of ½ ln(1 + E) is E⁷/8 of it, 4e-8 at 0.12 and 1e-15 at 0.01.
template <class Real>
inline constexpr Real kSmallStrain = std::is_same_v<Real, float> ? Real(0.12) : Real(0.01);

/// Σ c_k X^k, Horner in the basis 1, X, X² with X³ = I₁ X² − I₂ X + I₃ 1.
template <class Real, std::size_t N>
[[gnu::always_inline]] inline WideSym3<Real> matrixPolynomial(const std::array<Real, N>& c, const WideSym3<Real>& x) {
    using W = Wide<Real>;
    const WideSym3<Real> square{
        mulAdd(x.xx, x.xx, mulAdd(x.xy, x.xy, x.xz * x.xz)), mulAdd(x.xy, x.xy, mulAdd(x.yy, x.yy, x.yz * x.yz)),
        mulAdd(x.xz, x.xz, mulAdd(x.yz, x.yz, x.zz * x.zz)), mulAdd(x.xx, x.xy, mulAdd(x.xy, x.yy, x.xz * x.yz)),
        mulAdd(x.xy, x.xz, mulAdd(x.yy, x.yz, x.yz * x.zz)), mulAdd(x.xx, x.xz, mulAdd(x.xy, x.yz, x.xz * x.zz))};
    const W minorX = negMulAdd(x.yz, x.yz, x.yy * x.zz), minorY = negMulAdd(x.xz, x.xz, x.xx * x.zz), minorZ = negMulAdd(x.xy, x.xy, x.xx * x.yy);
    const W i1 = x.xx + x.yy + x.zz, i2 = minorX + minorY + minorZ;
    const W i3 = mulAdd(x.xx, minorX, mulAdd(x.xy, negMulAdd(x.xy, x.zz, x.xz * x.yz), x.xz * negMulAdd(x.xz, x.yy, x.xy * x.yz)));
    W a0(c[N - 1]), a1(Real(0)), a2(Real(0));
    for (std::size_t k = N - 1; k-- > 0;) {
        const W b0 = mulAdd(a2, i3, W(c[k]));
        const W b1 = negMulAdd(a2, i2, a0);
        a2 = mulAdd(a2, i1, a1);
        a0 = b0;
        a1 = b1;
    }
    const auto entry = [&](const W& e, const W& s) { return mulAdd(a1, e, a2 * s); };
    return {a0 + entry(x.xx, square.xx), a0 + entry(x.yy, square.yy), a0 + entry(x.zz, square.zz),
            entry(x.xy, square.xy), entry(x.yz, square.yz), entry(x.xz, square.xz)};
}

/// Q diag(values) Qᵀ.
template <class Real>
inline WideSym3<Real> fromEigen(const std::array<Wide<Real>, 3>& values, const WideMat3<Real>& q) {
    const auto entry = [&](int i, int j) {
        return mulAdd(values[0] * q(i, 0), q(j, 0), mulAdd(values[1] * q(i, 1), q(j, 1), values[2] * q(i, 2) * q(j, 2)));
    };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)};
}

/// b below this would be a point crushed to nothing; its strain is held there (and NaN stays NaN).
inline constexpr double kLeastStretchSquared = 1e-4;

template <class Real>
inline WideSym3<Real> halfLogByEigen(const WideSym3<Real>& e) {
    WideVec3<Real> values;
    WideMat3<Real> q;
    symmetricEigen(e, values, q);
    const auto halfLog = [](const Wide<Real>& x) { return Real(0.5) * log1p(max(Wide<Real>(Real(kLeastStretchSquared - 1)), x)); };
    return fromEigen<Real>({halfLog(values.x), halfLog(values.y), halfLog(values.z)}, q);
}
template <class Real>
inline WideSym3<Real> expOfTwiceByEigen(const WideSym3<Real>& h) {
    WideVec3<Real> values;
    WideMat3<Real> q;
    symmetricEigen(h, values, q);
    return fromEigen<Real>({expm1(Real(2) * values.x), expm1(Real(2) * values.y), expm1(Real(2) * values.z)}, q);
}

/// ½ ln(1 + E).
template <class Real>
[[gnu::always_inline]] inline WideSym3<Real> henckyStrain(const WideSym3<Real>& e) {
    constexpr Real small = kSmallStrain<Real>;
    if (!all(frobeniusSquared(e) <= Wide<Real>(small * small))) return halfLogByEigen(e);
    constexpr std::array<Real, 8> c{0, Real(1) / 2, Real(-1) / 4, Real(1) / 6, Real(-1) / 8, Real(1) / 10, Real(-1) / 12, Real(1) / 14};
    return matrixPolynomial(c, e);
}

/// exp(2H) − 1.
template <class Real>
[[gnu::always_inline]] inline WideSym3<Real> strainFromHencky(const WideSym3<Real>& h) {
    constexpr Real small = Real(0.5) * kSmallStrain<Real>;
    if (!all(frobeniusSquared(h) <= Wide<Real>(small * small))) return expOfTwiceByEigen(h);
    constexpr std::array<Real, 7> c{0, 2, 2, Real(4) / 3, Real(2) / 3, Real(4) / 15, Real(4) / 45};
    return matrixPolynomial(c, h);
}

}  // namespace talus::elastoplastic
