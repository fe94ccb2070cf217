// SPDX-License-Identifier: Apache-2.0
// Transfers of one vector per node, as an implicit solve needs them over and over: the gradient of a velocity at points and the force of
// a stress on nodes, adjoint to each other. Weights are those of quadratic.h; a node has x, y, z and a zero.
#pragma once

#include "core/wide_mat.h"
#include "mpm/quadratic.h"

#include <array>

namespace talus::mpm {

inline constexpr int kVectorReals = 4;

/// First moments Σ w v (r_i − r_p)ᵀ of eight points, r in cell units, row-major: the gradient is 4/h times that.
template <class Real>
[[gnu::always_inline]] inline std::array<Wide<Real>, 9> gatherMoments(const QuadraticStencil<Real>& s, int points, const Real* tile) {
    using Q = Quad<Real>;
    alignas(64) Real sums[4][32] = {};   // value, moments about x, y, z at the nearest node
    for (int p = 0; p < points; ++p) {
        const Real* node = tile + kVectorReals * s.corner[p];
        const Q y0(s.outer[1][0][p]), y2(s.outer[1][1][p]), z0(s.outer[2][0][p]), z2(s.outer[2][1][p]);
        struct Row {
            Q v, vz;
        };
        const auto row = [&](const Real* at) __attribute__((always_inline)) {
            const Q low = Q::load(at) * z0, high = Q::load(at + 2 * kVectorReals) * z2;
            return Row{Q::load(at + kVectorReals) + (low + high), high - low};
        };
        struct Plane {
            Q v, vy, vz;
        };
        const auto plane = [&](const Real* at) __attribute__((always_inline)) {
            constexpr int kRow = kVectorReals * kTileSide;
            const Row below = row(at), middle = row(at + kRow), above = row(at + 2 * kRow);
            const Q low = below.v * y0, high = above.v * y2;
            return Plane{middle.v + (low + high), high - low, mulAdd(below.vz, y0, mulAdd(above.vz, y2, middle.vz))};
        };
        constexpr int kPlane = kVectorReals * kTileSide * kTileSide;
        const Plane below = plane(node), middle = plane(node + kPlane), above = plane(node + 2 * kPlane);
        const Q x0(s.outer[0][0][p]), x2(s.outer[0][1][p]);
        const Q low = below.v * x0, high = above.v * x2;
        (middle.v + (low + high)).store(sums[0] + 4 * p);
        (high - low).store(sums[1] + 4 * p);
        mulAdd(below.vy, x0, mulAdd(above.vy, x2, middle.vy)).store(sums[2] + 4 * p);
        mulAdd(below.vz, x0, mulAdd(above.vz, x2, middle.vz)).store(sums[3] + 4 * p);
    }
    std::array<Wide<Real>, 9> moments;
    std::array<Wide<Real>, 4> value;
    loadInterleaved(sums[0], value[0], value[1], value[2], value[3]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<Wide<Real>, 4> moment;
        loadInterleaved(sums[1 + axis], moment[0], moment[1], moment[2], moment[3]);
        for (std::size_t row = 0; row < 3; ++row) moments[3 * row + axis] = s.centre * negMulAdd(value[row], s.fraction[axis], moment[row]);
    }
    return moments;
}

/// Node i gets w_i M (r_i − r_p) of eight points, M row-major.
template <class Real>
[[gnu::always_inline]] inline void scatterMoments(const QuadraticStencil<Real>& s, const std::array<Wide<Real>, 9>& moments, int points, Real* tile) {
    using W = Wide<Real>;
    using Q = Quad<Real>;
    alignas(64) Real value[4][32];   // at the nearest node, then its slopes along x, y, z
    std::array<W, 3> nearest{W(Real(0)), W(Real(0)), W(Real(0))};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<W, 3> slope;
        for (std::size_t row = 0; row < 3; ++row) {
            slope[row] = moments[3 * row + axis] * s.centre;
            nearest[row] = negMulAdd(slope[row], s.fraction[axis], nearest[row]);
        }
        storeInterleaved(slope[0], slope[1], slope[2], W(Real(0)), value[1 + axis]);
    }
    storeInterleaved(nearest[0], nearest[1], nearest[2], W(Real(0)), value[0]);
    constexpr int kRow = kVectorReals * kTileSide, kPlane = kRow * kTileSide;
    for (int p = 0; p < points; ++p) {
        const Q y0(s.outer[1][0][p]), y2(s.outer[1][1][p]), z0(s.outer[2][0][p]), z2(s.outer[2][1][p]);
        const auto row = [&](const Q& v, const Q& az, Real* at) __attribute__((always_inline)) {
            mulAdd(v - az, z0, Q::load(at)).store(at);
            (Q::load(at + kVectorReals) + v).store(at + kVectorReals);
            mulAdd(v + az, z2, Q::load(at + 2 * kVectorReals)).store(at + 2 * kVectorReals);
        };
        const auto plane = [&](const Q& v, const Q& ay, const Q& az, Real* at) __attribute__((always_inline)) {
            row((v - ay) * y0, az * y0, at);
            row(v, az, at + kRow);
            row((v + ay) * y2, az * y2, at + 2 * kRow);
        };
        const Q v = Q::load(value[0] + 4 * p), ax = Q::load(value[1] + 4 * p), ay = Q::load(value[2] + 4 * p), az = Q::load(value[3] + 4 * p);
        const Q x0(s.outer[0][0][p]), x2(s.outer[0][1][p]);
        Real* node = tile + kVectorReals * s.corner[p];
        plane((v - ax) * x0, ay * x0, az * x0, node);
        plane(v, ay, az, node + kPlane);
        plane((v + ax) * x2, ay * x2, az * x2, node + 2 * kPlane);
    }
}

/// Calls node(offset from the corner in tile nodes, g) for the 27 nodes of eight points, g = w (r_i − r_p): row i of the gradient.
template <class Real, class Node>
[[gnu::always_inline]] inline void forWeightSlopes(const QuadraticStencil<Real>& s, const Node& node) {
    using W = Wide<Real>;
    const auto outer = [&](int axis, int i) { return i == 1 ? W(Real(1)) : W::load(s.outer[axis][i / 2]); };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const W xy = s.centre * outer(0, i) * outer(1, j);
            for (int k = 0; k < 3; ++k) {
                const W weight = xy * outer(2, k);
                node((i * kTileSide + j) * kTileSide + k, WideVec3<Real>{weight * (static_cast<Real>(i - 1) - s.fraction[0]), weight * (static_cast<Real>(j - 1) - s.fraction[1]), weight * (static_cast<Real>(k - 1) - s.fraction[2])});
            }
        }
}

}  // namespace talus::mpm
