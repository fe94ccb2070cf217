// SPDX-License-Identifier: Apache-2.0
// Spheres as the forces of pairs see them, in the precision of the run, and what these forces add up to.
#pragma once

#include "core/table.h"
#include "core/wide_columns.h"
#include "core/wide_mat.h"
#include "core/wide_rows.h"
#include "world/domain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace talus::dem {

/// Where a sphere is and how it moves, ten numbers. Eight spheres are loaded by transposing three rows of four, the last of which reads two
/// numbers of the next record.
template <class Real>
struct SphereRecord {
    Real x = 0, y = 0, z = 0, radius = 0;                  // centre as a Lattice holds it; [m]
    Real vx = 0, vy = 0, vz = 0;                           // velocity of the centre [m/s]
    Real wx = 0, wy = 0, wz = 0;                           // angular velocity [rad/s]
};

/// Force on a sphere and torque about its centre: added to as four numbers and two.
struct alignas(16) Wrench {
    Vec3 force;       // [N]
    Vec3 torque;      // [N m]
};

/// How centres are held so that differences are exact to the rounding of their own size, wherever in the world they are. Double: as they are.
template <class Real>
class Lattice {
public:
    Lattice() = default;
    Lattice(const world::Domain& domain, double) {
        for (int axis = 0; axis < 3; ++axis)
            if (domain.periodic(axis)) period_[axis] = domain.max[axis] - domain.min[axis];
    }
    template <class V>
    [[gnu::always_inline]] V hold(const V& x) const { return x; }
    /// The nearest image of a − b.
    [[gnu::always_inline]] WideVec3<Real> apart(const WideRows<Real>& a, const WideRows<Real>& b) const {
        WideVec3<Real> d{a.x - b.x, a.y - b.y, a.z - b.z};
        for (int axis = 0; axis < 3; ++axis)
            if (period_[axis] > 0) d[axis] = negMulAdd(Wide<Real>(period_[axis]), round(d[axis] * Wide<Real>(1 / period_[axis])), d[axis]);
        return d;
    }

private:
    Vec3 period_;     // 0 where there is none
};

/// Float: as whole numbers of a unit, modulo 2³². Neighbours are much nearer than that, so their difference comes out right, and across a periodic
/// face too, where 2³² units, or a multiple, are the period.
template <>
class Lattice<float> {
public:
    /// 2³² units, over the reach; and of these the most that a domain may measure: half of what a sum with kWhole holds.
    static constexpr double kReaches = 16, kMostSpans = 262144;

    Lattice() = default;
    /// `reach`: no two spheres further apart are ever compared [m].
    Lattice(const world::Domain& domain, double reach) {
        constexpr double kRange = 4294967296.0;
        const double span = kReaches * reach;
        for (int axis = 0; axis < 3; ++axis) {
            const double period = domain.max[axis] - domain.min[axis];
            unit_[axis] = (domain.periodic(axis) ? period / std::max(1.0, std::floor(period / span)) : span) / kRange;
            origin_[axis] = domain.min[axis];
            perUnit_[axis] = 1 / unit_[axis];
            unitFloat_[axis] = static_cast<float>(unit_[axis]);
        }
    }
    [[gnu::always_inline]] Vec3f hold(const Vec3& x) const {
        Vec3f held;
        for (int axis = 0; axis < 3; ++axis) held[axis] = std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>((x[axis] - origin_[axis]) * perUnit_[axis] + kWhole)));
        return held;
    }
    [[gnu::always_inline]] WideVec3<float> hold(const WideVec3<double>& x) const {
        WideVec3<float> held;
        for (int axis = 0; axis < 3; ++axis) held[axis] = lowerHalves((x[axis] - Wide<double>(origin_[axis])) * Wide<double>(perUnit_[axis]) + Wide<double>(kWhole));
        return held;
    }
    [[gnu::always_inline]] WideVec3<float> apart(const WideRows<float>& a, const WideRows<float>& b) const {
        return {convert<float>(bitsOf(a.x) - bitsOf(b.x)) * Wide<float>(unitFloat_.x), convert<float>(bitsOf(a.y) - bitsOf(b.y)) * Wide<float>(unitFloat_.y),
                convert<float>(bitsOf(a.z) - bitsOf(b.z)) * Wide<float>(unitFloat_.z)};
    }

private:
    static constexpr double kWhole = 6755399441055744.0;   // 1.5 · 2⁵²: the lower half of a sum with it is the nearest whole number, modulo 2³²
    Vec3 unit_{1, 1, 1}, perUnit_{1, 1, 1}, origin_;
    Vec3f unitFloat_;
};

}  // namespace talus::dem
