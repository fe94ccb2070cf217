// SPDX-License-Identifier: Apache-2.0
// Symmetric 3x3 tensors, and the six numbers that stand for one in the friction problem [Daviet2016, §5.3].
#pragma once

#include "core/vec.h"

#include <array>
#include <cmath>
#include <numbers>

namespace talus::nonsmooth {

struct SymTensor {
    double xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, xz = 0;

    SymTensor& operator+=(const SymTensor& b) { xx += b.xx; yy += b.yy; zz += b.zz; xy += b.xy; yz += b.yz; xz += b.xz; return *this; }
    SymTensor& operator*=(double s) { xx *= s; yy *= s; zz *= s; xy *= s; yz *= s; xz *= s; return *this; }
    friend SymTensor operator+(SymTensor a, const SymTensor& b) { return a += b; }
    friend SymTensor operator*(double s, SymTensor a) { return a *= s; }
    friend Vec3 operator*(const SymTensor& a, const Vec3& v) {
        return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z, a.xz * v.x + a.yz * v.y + a.zz * v.z};
    }
    friend bool operator==(const SymTensor&, const SymTensor&) = default;
};

inline SymTensor symmetricPart(const Mat3& m) { return {m(0, 0), m(1, 1), m(2, 2), 0.5 * (m(0, 1) + m(1, 0)), 0.5 * (m(1, 2) + m(2, 1)), 0.5 * (m(0, 2) + m(2, 0))}; }
inline double trace(const SymTensor& a) { return a.xx + a.yy + a.zz; }
/// Q S Qᵀ for a rotation Q whose columns are `axes`.
inline SymTensor fromAxes(const Mat3& axes, const SymTensor& s) {
    const Vec3 r0 = axes.row(0), r1 = axes.row(1), r2 = axes.row(2);
    const Vec3 s0 = s * r0, s1 = s * r1, s2 = s * r2;
    return {dot(r0, s0), dot(r1, s1), dot(r2, s2), dot(r0, s1), dot(r1, s2), dot(r0, s2)};
}
/// Qᵀ S Q.
inline SymTensor toAxes(const Mat3& axes, const SymTensor& s) { return fromAxes(transpose(axes), s); }

/// |ε̇| = √(½ ε̇:ε̇) of a velocity gradient, half the shear rate of simple shear.
inline double strainRate(const Mat3& c) {
    double squares = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) squares += 0.25 * (c(i, j) + c(j, i)) * (c(i, j) + c(j, i));
    return std::sqrt(0.5 * squares);
}

/// χ⁻¹: normal part a first, then deviator b, c and shears d, e, f (xy, xz, yz), with
///     χ(r) = [(√2 a − c)/√3 + b, (√2 a − c)/√3 − b, (√2 a + 2c)/√3 on the diagonal; d, e, f beside it],
/// so that tr χ(r) = √6 a and ½ χ(r):χ(u) = r·u. Corrected from the paper as in docs/methods/nonsmooth.md.
using Chi = std::array<double, 6>;

inline Chi chiOf(const SymTensor& s) {
    constexpr double kHalfRoot3 = 0.5 * std::numbers::inv_sqrt3;
    constexpr double kInvRoot6 = std::numbers::inv_sqrt3 / std::numbers::sqrt2;
    return {trace(s) * kInvRoot6, 0.5 * (s.xx - s.yy), kHalfRoot3 * (2 * s.zz - s.xx - s.yy), s.xy, s.xz, s.yz};
}
inline SymTensor tensorOf(const Chi& r) {
    constexpr double kInvRoot3 = std::numbers::inv_sqrt3;
    const double mean = std::numbers::sqrt2 * kInvRoot3 * r[0], side = mean - kInvRoot3 * r[2];
    return {side + r[1], side - r[1], mean + 2 * kInvRoot3 * r[2], r[3], r[5], r[4]};
}

/// The cone √J₂ ≤ μ̂ p in these numbers is |(b, c, d, e, f)| ≤ μ a.
inline double chiFriction(double muHat) { return std::sqrt(2.0 / 3) * muHat; }

}  // namespace talus::nonsmooth
