// SPDX-License-Identifier: Apache-2.0
// The cubic B-spline, eight points at a time. With f the position relative to the node below in cell units, 0 ≤ f < 1, the weights of the
// four nodes −1, 0, 1, 2 along an axis are
//     (1 − f)³/6,  ⅔ − f² + f³/2,  ⅔ − (1 − f)² + (1 − f)³/2,  f³/6,
// and Σ w (x_i − x_p)(x_i − x_p)ᵀ = (h²/3) 1.
#pragma once

#include "core/wide.h"
#include "mpm/tile.h"

#include <array>
#include <cmath>

namespace talus::mpm {

/// Weights and base nodes, those below, of a group of eight points.
template <class Real>
struct CubicStencil {
    static constexpr int kNodes = 4;           // along an axis
    static constexpr double kPerMoment = 3;    // h²/D
    static constexpr double kMostDrift = 0.49; // cells that a point may drift between sorts: half of what quadratic ones may, with a node more

    alignas(64) Real weight[3][4][8];          // axis, node, point
    Wide<Real> centre = Wide<Real>(Real(1));   // weights have no common factor
    std::array<Wide<Real>, 3> fraction;        // f
    alignas(32) std::int32_t corner[8];        // tile index of node (−1, −1, −1)

    /// First node that a point reaches along an axis.
    static int first(double position) { return static_cast<int>(std::floor(position)) - 1; }

    /// `position` are the group's three components, relative to the block's first node.
    [[gnu::always_inline]] explicit CubicStencil(const Real* position) {
        std::array<Wide<Real>, 3> below;
        const Wide<Real> twoThirds(Real(2) / Real(3)), half(Real(0.5)), sixth(Real(1) / Real(6));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Wide<Real> p = Wide<Real>::load(position + 8 * axis);
            below[axis] = floor(p);
            const Wide<Real> f = p - below[axis], g = Real(1) - f;
            fraction[axis] = f;
            (g * g * g * sixth).store(weight[axis][0]);
            mulAdd(f * f, mulAdd(f, half, Wide<Real>(Real(-1))), twoThirds).store(weight[axis][1]);
            mulAdd(g * g, mulAdd(g, half, Wide<Real>(Real(-1))), twoThirds).store(weight[axis][2]);
            (f * f * f * sixth).store(weight[axis][3]);
        }
        // Tile index 0 is node −2 of the block, so the corner node is at below − 1 + 2.
        const Wide<Real> index = mulAdd(below[0] + Real(1), Wide<Real>(Real(kTileSide * kTileSide)),
                                        mulAdd(below[1] + Real(1), Wide<Real>(Real(kTileSide)), below[2] + Real(1)));
        toInt(index).store(corner);
    }
};

/// Adds the p-th point of a group to its nodes: x_i y_j z_k (value + i ax + j ay + k az) at node (i, j, k).
template <class Real>
[[gnu::always_inline]] inline void addToNodes(const CubicStencil<Real>& s, const Real (&value)[4][64], std::size_t p, Real* node) {
    using W = Wide<Real>;
    constexpr int kRow = kNodeReals * kTileSide, kPlane = kRow * kTileSide;
    std::array<W, 4> z;
    for (std::size_t k = 0; k < 4; ++k) z[k] = W(s.weight[2][k][p]);
    const W ax = W::load(value[1] + 8 * p), ay = W::load(value[2] + 8 * p), az = W::load(value[3] + 8 * p);
    W atX = W::load(value[0] + 8 * p) - ax;   // value + i ax
    for (std::size_t i = 0; i < 4; ++i, atX += ax) {
        W atY = atX - ay;
        for (std::size_t j = 0; j < 4; ++j, atY += ay) {
            Real* at = node + static_cast<int>(i) * kPlane + static_cast<int>(j) * kRow;
            const W xy(s.weight[0][i][p] * s.weight[1][j][p]), slope = az * xy, middle = atY * xy, next = middle + slope;
            const std::array<W, 4> along{middle - slope, middle, next, next + slope};
            for (std::size_t k = 0; k < 4; ++k) mulAdd(along[k], z[k], W::load(at + kNodeReals * static_cast<int>(k))).store(at + kNodeReals * static_cast<int>(k));
        }
    }
}

/// Σ w v over the nodes of the p-th point, and its first moments about the node below.
template <class Real>
[[gnu::always_inline]] inline NodeSums<Real> sumNodes(const CubicStencil<Real>& s, int p, const Real* node) {
    using W = Wide<Real>;
    constexpr int kRow = kNodeReals * kTileSide, kPlane = kRow * kTileSide;
    const std::array<W, 4> z{W(s.weight[2][0][p]), W(s.weight[2][1][p]), W(s.weight[2][2][p]), W(s.weight[2][3][p])};
    const W two(Real(2));
    std::array<NodeSums<Real>, 4> planes;   // of value, y and z
    for (int i = 0; i < 4; ++i) {
        std::array<W, 4> v;
        W moment(Real(0));
        for (int j = 0; j < 4; ++j) {
            const Real* at = node + i * kPlane + j * kRow;
            const W y(s.weight[1][j][p]), low = W::load(at) * z[0], above = W::load(at + 2 * kNodeReals) * z[2], high = W::load(at + 3 * kNodeReals) * z[3];
            v[static_cast<std::size_t>(j)] = y * mulAdd(W::load(at + kNodeReals), z[1], low + (above + high));
            moment = mulAdd(y, mulAdd(two, high, above - low), moment);
        }
        planes[static_cast<std::size_t>(i)].value = (v[0] + v[1]) + (v[2] + v[3]);
        planes[static_cast<std::size_t>(i)].y = mulAdd(two, v[3], v[2] - v[0]);
        planes[static_cast<std::size_t>(i)].z = moment;
    }
    NodeSums<Real> sum{W(Real(0)), W(Real(0)), W(Real(0)), W(Real(0))};
    for (int i = 0; i < 4; ++i) {
        const NodeSums<Real>& plane = planes[static_cast<std::size_t>(i)];
        const W x(s.weight[0][i][p]), value = x * plane.value;
        sum.value += value;
        sum.x = mulAdd(W(static_cast<Real>(i - 1)), value, sum.x);
        sum.y = mulAdd(x, plane.y, sum.y);
        sum.z = mulAdd(x, plane.z, sum.z);
    }
    return sum;
}

/// One number per point to a tile of one number per node, and back.
template <class Real>
[[gnu::always_inline]] inline Quad<Real> zWeights(const CubicStencil<Real>& s, int p) {
    alignas(32) const Real z[4] = {s.weight[2][0][p], s.weight[2][1][p], s.weight[2][2][p], s.weight[2][3][p]};
    return Quad<Real>::load(z);
}
template <class Real>
[[gnu::always_inline]] inline void scatterNumber(const CubicStencil<Real>& s, const Wide<Real>& values, int points, Real* tile) {
    using Q = Quad<Real>;
    alignas(64) Real value[8];
    values.store(value);
    for (int p = 0; p < points; ++p) {
        const Q row = zWeights(s, p);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                Real* at = tile + s.corner[p] + kTileSide * (kTileSide * i + j);
                mulAdd(Q(s.weight[0][i][p] * s.weight[1][j][p] * value[p]), row, Q::loadUnaligned(at)).storeUnaligned(at);
            }
    }
}
template <class Real>
[[gnu::always_inline]] inline Wide<Real> gatherNumber(const CubicStencil<Real>& s, const Real* tile, int points) {
    using Q = Quad<Real>;
    alignas(64) Real sums[8] = {};
    for (int p = 0; p < points; ++p) {
        Q total(Real(0));
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) total = mulAdd(Q(s.weight[0][i][p] * s.weight[1][j][p]), Q::loadUnaligned(tile + s.corner[p] + kTileSide * (kTileSide * i + j)), total);
        sums[p] = sum(zWeights(s, p) * total);
    }
    return Wide<Real>::load(sums);
}

}  // namespace talus::mpm
