// SPDX-License-Identifier: Apache-2.0
// One grain (N = double) or eight side by side (N = Wide<double>): loads, stores and rotations that are written once for both, without fused
// products, so that a grain has the same bits in either.
#pragma once

#include "core/wide_columns.h"
#include "dem/grains.h"

#include <array>

namespace talus::dem {

template <class N>
struct LanesOf;
template <>
struct LanesOf<double> {
    using Vector = Vec3;
    static constexpr std::size_t kCount = 1;
};
template <>
struct LanesOf<Wide<double>> {
    using Vector = WideVec3<double>;
    static constexpr std::size_t kCount = 8;
};
template <class N>
using VectorOf = typename LanesOf<N>::Vector;
template <class N>
struct QuatOf {
    N w, x, y, z;
};

// Rows from `row` on, as many as N has lanes.
template <class N>
[[gnu::always_inline]] inline N numbers(const SharedColumn<double>& column, std::size_t row) {
    if constexpr (LanesOf<N>::kCount == 1) return column(row);
    else return column.shared() ? Wide<double>(column(row)) : Wide<double>::loadUnaligned(column.from(row));
}
template <class N>
[[gnu::always_inline]] inline VectorOf<N> vectors(const double* from) {
    if constexpr (LanesOf<N>::kCount == 1) return {from[0], from[1], from[2]};
    else return loadTriples(from);
}
template <class N>
[[gnu::always_inline]] inline VectorOf<N> vectors(const Column<double, 3>& column, std::size_t row) { return vectors<N>(column.group(row)); }
[[gnu::always_inline]] inline void store(Column<double, 3>& column, std::size_t row, const Vec3& v) { set(column, row, v); }
[[gnu::always_inline]] inline void store(Column<double, 3>& column, std::size_t row, const WideVec3<double>& v) { storeTriples(v, column.group(row)); }
template <class N>
[[gnu::always_inline]] inline QuatOf<N> quaternions(const Column<double, 4>& column, std::size_t row) {
    QuatOf<N> q;
    const double* from = column.group(row);
    if constexpr (LanesOf<N>::kCount == 1) q = {from[0], from[1], from[2], from[3]};
    else loadInterleaved(from, q.w, q.x, q.y, q.z);
    return q;
}
[[gnu::always_inline]] inline void store(Column<double, 4>& column, std::size_t row, const QuatOf<double>& q) { set(column, row, Quat{q.w, q.x, q.y, q.z}); }
[[gnu::always_inline]] inline void store(Column<double, 4>& column, std::size_t row, const QuatOf<Wide<double>>& q) { storeInterleaved(q.w, q.x, q.y, q.z, column.group(row)); }

template <class N, class V>
[[gnu::always_inline]] inline N squareOf(const V& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }
template <class V>
[[gnu::always_inline]] inline V crossed(const V& a, const V& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
template <class N>
[[gnu::always_inline]] inline VectorOf<N> spread(const Vec3& v) { return {N(v.x), N(v.y), N(v.z)}; }

/// The rotation by |angle| about it, by series where it is small.
[[gnu::always_inline]] inline QuatOf<double> rotationBy(const Vec3& angle) {
    const double squared = squareOf<double>(angle);
    if (squared > 1e-4) {
        const Quat q = Quat::fromRotationVector(angle);
        return {q.w, q.x, q.y, q.z};
    }
    const double s = 0.5 - squared * (1.0 / 48 - squared / 3840);
    return {1 - squared * (0.125 - squared / 384), s * angle.x, s * angle.y, s * angle.z};
}
[[gnu::always_inline]] inline QuatOf<Wide<double>> rotationBy(const WideVec3<double>& angle) {
    const Wide<double> squared = squareOf<Wide<double>>(angle);
    if (any(squared > Wide<double>(1e-4))) [[unlikely]] {
        alignas(64) std::array<double, 8> part[4];
        for (int lane = 0; lane < 8; ++lane) {
            const QuatOf<double> q = rotationBy(extractLane(angle, lane));
            const double all[4] = {q.w, q.x, q.y, q.z};
            for (std::size_t k = 0; k < 4; ++k) part[k][static_cast<std::size_t>(lane)] = all[k];
        }
        return {Wide<double>::load(part[0].data()), Wide<double>::load(part[1].data()), Wide<double>::load(part[2].data()), Wide<double>::load(part[3].data())};
    }
    const Wide<double> s = Wide<double>(0.5) - squared * (Wide<double>(1.0 / 48) - squared / Wide<double>(3840));
    return {Wide<double>(1) - squared * (Wide<double>(0.125) - squared / Wide<double>(384)), s * angle.x, s * angle.y, s * angle.z};
}
/// The product of two rotations, trimmed by one step of Newton's towards length 1: enough for a product of two that have it.
template <class N>
[[gnu::always_inline]] inline QuatOf<N> after(const QuatOf<N>& a, const QuatOf<N>& b) {
    const QuatOf<N> q{a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    const N s = N(1.5) - N(0.5) * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Rows of the rotation matrix.
template <class N>
struct Turned {
    VectorOf<N> row[3];
    [[gnu::always_inline]] explicit Turned(const QuatOf<N>& q) {
        const N x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
        const N xx = q.x * x, yy = q.y * y, zz = q.z * z, xy = q.x * y, xz = q.x * z, yz = q.y * z, wx = q.w * x, wy = q.w * y, wz = q.w * z;
        row[0] = {N(1) - (yy + zz), xy - wz, xz + wy};
        row[1] = {xy + wz, N(1) - (xx + zz), yz - wx};
        row[2] = {xz - wy, yz + wx, N(1) - (xx + yy)};
    }
    [[gnu::always_inline]] VectorOf<N> arm(const Vec3& centre, const N& diameter) const {
        const auto along = [&](const VectorOf<N>& r) { return diameter * (r.x * N(centre.x) + r.y * N(centre.y) + r.z * N(centre.z)); };
        return {along(row[0]), along(row[1]), along(row[2])};
    }
};

template <class N>
[[gnu::always_inline]] inline bool finite(const VectorOf<N>& a, const VectorOf<N>& b) {
    const N sum = a.x + a.y + a.z + b.x + b.y + b.z, none = sum - sum;
    if constexpr (LanesOf<N>::kCount == 1) return none == 0;
    else return all(none == N(0));
}
[[gnu::always_inline]] inline double largest(double a) { return a; }
[[gnu::always_inline]] inline double largest(const Wide<double>& a) { return maxLane(a); }

}  // namespace talus::dem
