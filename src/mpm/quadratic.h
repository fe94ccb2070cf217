// SPDX-License-Identifier: Apache-2.0
// APIC transfers [Jiang2015] with the quadratic B-spline, eight points at a time. With f the position relative to the
// nearest node in cell units, |f| ≤ ½, the weights of the three nodes −1, 0, 1 along an axis are
//     ½(½ − f)²,  ¾ − f²,  ½(½ + f)²,
// and Σ w (x_i − x_p)(x_i − x_p)ᵀ = (h²/4) 1.
#pragma once

#include "core/wide.h"
#include "mpm/tile.h"

#include <array>

namespace talus::mpm {

/// Weights and nearest nodes of a group of eight points.
template <class Real>
struct QuadraticStencil {
    alignas(64) Real weight[3][3][8];       // axis, node −1 0 1, point
    std::array<Wide<Real>, 3> fraction;     // f
    alignas(32) std::int32_t corner[8];     // tile index of node (−1, −1, −1)

    /// `position` are the group's three components, relative to the block's first node, drifted by at most one cell.
    [[gnu::always_inline]] explicit QuadraticStencil(const Real* position) {
        std::array<Wide<Real>, 3> nearest;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Wide<Real> p = Wide<Real>::load(position + 8 * axis);
            nearest[axis] = floor(p + Real(0.5));
            const Wide<Real> f = p - nearest[axis];
            fraction[axis] = f;
            const Wide<Real> below = Real(0.5) - f, above = Real(0.5) + f;
            (below * below * Real(0.5)).store(weight[axis][0]);
            negMulAdd(f, f, Wide<Real>(Real(0.75))).store(weight[axis][1]);
            (above * above * Real(0.5)).store(weight[axis][2]);
        }
        // Tile index 0 is node −2 of the block, so the corner node is at nearest − 1 + 2.
        const Wide<Real> index = mulAdd(nearest[0] + Real(1), Wide<Real>(Real(kTileSide * kTileSide)),
                                        mulAdd(nearest[1] + Real(1), Wide<Real>(Real(kTileSide)), nearest[2] + Real(1)));
        toInt(index).store(corner);
    }
};

/// What a group of points gives to the grid: node i gets w_i (mass, momentum + affine (r_i − r_p)), r in cell units.
template <class Real>
struct PointMomenta {
    Wide<Real> mass;
    std::array<Wide<Real>, 3> momentum;
    std::array<Wide<Real>, 9> affine;       // row-major
};

template <class Real>
[[gnu::always_inline]] inline void scatter(const QuadraticStencil<Real>& s, const PointMomenta<Real>& m, int points, Real* tile) {
    using W = Wide<Real>;
    using Q = Quad<Real>;
    // Per point, as (mass, momentum) quads: the value at the nearest node and its change from node to node along x, y, z.
    alignas(64) Real centre[32], alongX[32], alongY[32], alongZ[32];
    const auto atNearest = [&](std::size_t row) {
        return negMulAdd(m.affine[3 * row], s.fraction[0], negMulAdd(m.affine[3 * row + 1], s.fraction[1], negMulAdd(m.affine[3 * row + 2], s.fraction[2], m.momentum[row])));
    };
    storeInterleaved(m.mass, atNearest(0), atNearest(1), atNearest(2), centre);
    storeInterleaved(W(Real(0)), m.affine[0], m.affine[3], m.affine[6], alongX);
    storeInterleaved(W(Real(0)), m.affine[1], m.affine[4], m.affine[7], alongY);
    storeInterleaved(W(Real(0)), m.affine[2], m.affine[5], m.affine[8], alongZ);

    for (int p = 0; p < points; ++p) {
        const Q c = Q::load(centre + 4 * p), ax = Q::load(alongX + 4 * p), ay = Q::load(alongY + 4 * p), az = Q::load(alongZ + 4 * p);
        const W ax2 = combine(ax, ax), ay2 = combine(ay, ay);
        const Q z0(s.weight[2][0][p]), z1(s.weight[2][1][p]), z2(s.weight[2][2][p]);
        const W w01 = combine(z0, z1);   // nodes −1 and 0 along z together, node 1 by itself
        W x01 = combine(c - az, c) - ax2 - ay2;
        Q x2 = c + az - ax - ay;
        Real* node = tile + kNodeReals * s.corner[p];
        for (int i = 0; i < 3; ++i) {
            W y01 = x01;
            Q y2 = x2;
            for (int j = 0; j < 3; ++j) {
                const Real w = s.weight[0][i][p] * s.weight[1][j][p];
                Real* at = node + kNodeReals * kTileSide * (kTileSide * i + j);
                mulAdd(y01, w01 * W(w), W::loadUnaligned(at)).storeUnaligned(at);
                mulAdd(y2, z2 * Q(w), Q::load(at + 8)).store(at + 8);
                y01 += ay2;
                y2 += ay;
            }
            x01 += ax2;
            x2 += ax;
        }
    }
}

/// What a group of points takes from the grid: velocity Σ w v and its first moment Σ w v (r_i − r_p)ᵀ, r in cell units.
template <class Real>
struct PointVelocities {
    std::array<Wide<Real>, 3> velocity;
    std::array<Wide<Real>, 9> moment;       // row-major
};

template <class Real>
[[gnu::always_inline]] inline PointVelocities<Real> gather(const QuadraticStencil<Real>& s, int points, const Real* tile) {
    using Q = Quad<Real>;
    // Sum-factorised, z then y then x. Moments are taken about the nearest node and shifted to the point at the end.
    alignas(64) Real value[32] = {}, momentX[32] = {}, momentY[32] = {}, momentZ[32] = {};
    for (int p = 0; p < points; ++p) {
        const Q z0(s.weight[2][0][p]), z1(s.weight[2][1][p]), z2(s.weight[2][2][p]);
        const Real* node = tile + kNodeReals * s.corner[p];
        std::array<Q, 3> x, xy, xz;   // per i: Σ_jk w v, Σ_jk w j v, Σ_jk w k v
        for (std::size_t i = 0; i < 3; ++i) {
            std::array<Q, 3> y, yz;
            for (std::size_t j = 0; j < 3; ++j) {
                const Real* at = node + static_cast<std::size_t>(kNodeReals * kTileSide) * (kTileSide * i + j);
                const Q low = Q::load(at) * z0, high = Q::load(at + 8) * z2;
                y[j] = mulAdd(Q::load(at + 4), z1, low + high);
                yz[j] = high - low;
            }
            const Q w0(s.weight[1][0][p]), w1(s.weight[1][1][p]), w2(s.weight[1][2][p]);
            const Q low = y[0] * w0, high = y[2] * w2;
            x[i] = mulAdd(y[1], w1, low + high);
            xy[i] = high - low;
            xz[i] = mulAdd(yz[0], w0, mulAdd(yz[1], w1, yz[2] * w2));
        }
        const Q w0(s.weight[0][0][p]), w1(s.weight[0][1][p]), w2(s.weight[0][2][p]);
        const Q low = x[0] * w0, high = x[2] * w2;
        mulAdd(x[1], w1, low + high).store(value + 4 * p);
        (high - low).store(momentX + 4 * p);
        mulAdd(xy[0], w0, mulAdd(xy[1], w1, xy[2] * w2)).store(momentY + 4 * p);
        mulAdd(xz[0], w0, mulAdd(xz[1], w1, xz[2] * w2)).store(momentZ + 4 * p);
    }
    PointVelocities<Real> g;
    Wide<Real> mass;
    std::array<Wide<Real>, 3>& v = g.velocity;
    loadInterleaved(value, mass, v[0], v[1], v[2]);
    loadInterleaved(momentX, mass, g.moment[0], g.moment[3], g.moment[6]);
    loadInterleaved(momentY, mass, g.moment[1], g.moment[4], g.moment[7]);
    loadInterleaved(momentZ, mass, g.moment[2], g.moment[5], g.moment[8]);
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis) g.moment[3 * row + axis] = negMulAdd(v[row], s.fraction[axis], g.moment[3 * row + axis]);
    return g;
}

}  // namespace talus::mpm
