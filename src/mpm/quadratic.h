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

/// What a group of points gives to the grid: node i gets w_i (mass, momentum + affine (r_i − r_p)) and the impulse of the
/// step, w_i (impulse + impulseAffine (r_i − r_p)), r in cell units.
template <class Real>
struct PointMomenta {
    Wide<Real> mass;
    std::array<Wide<Real>, 3> momentum;
    std::array<Wide<Real>, 9> affine;           // row-major
    std::array<Wide<Real>, 3> impulse;
    std::array<Wide<Real>, 9> impulseAffine;    // row-major
};

template <class Real>
[[gnu::always_inline]] inline void scatter(const QuadraticStencil<Real>& s, const PointMomenta<Real>& m, int points, Real* tile) {
    using W = Wide<Real>;
    using Q = Quad<Real>;
    // Per point, as quads of (mass, momentum) and of (0, impulse): the value at the nearest node and its change from node to
    // node along x, y, z.
    alignas(64) Real value[4][32], push[4][32];
    const auto spread = [&s](const W& first, const std::array<W, 3>& at, const std::array<W, 9>& slope, Real(&to)[4][32]) {
        const auto atNearest = [&](std::size_t row) {
            return negMulAdd(slope[3 * row], s.fraction[0], negMulAdd(slope[3 * row + 1], s.fraction[1], negMulAdd(slope[3 * row + 2], s.fraction[2], at[row])));
        };
        storeInterleaved(first, atNearest(0), atNearest(1), atNearest(2), to[0]);
        for (std::size_t axis = 0; axis < 3; ++axis) storeInterleaved(W(Real(0)), slope[axis], slope[3 + axis], slope[6 + axis], to[1 + axis]);
    };
    spread(m.mass, m.momentum, m.affine, value);
    spread(W(Real(0)), m.impulse, m.impulseAffine, push);

    for (int p = 0; p < points; ++p) {
        const auto both = [&](std::size_t i) { return combine(Q::load(value[i] + 4 * p), Q::load(push[i] + 4 * p)); };
        const W ax = both(1), ay = both(2), az = both(3);
        const W z0(s.weight[2][0][p]), z1(s.weight[2][1][p]), z2(s.weight[2][2][p]);
        W x = both(0) - ax - ay;
        Real* node = tile + kNodeReals * s.corner[p];
        for (int i = 0; i < 3; ++i) {
            W y = x;
            for (int j = 0; j < 3; ++j) {
                const W w(s.weight[0][i][p] * s.weight[1][j][p]);
                Real* at = node + kNodeReals * kTileSide * (kTileSide * i + j);
                mulAdd(y - az, w * z0, W::load(at)).store(at);
                mulAdd(y, w * z1, W::load(at + kNodeReals)).store(at + kNodeReals);
                mulAdd(y + az, w * z2, W::load(at + 2 * kNodeReals)).store(at + 2 * kNodeReals);
                y += ay;
            }
            x += ax;
        }
    }
}

/// Velocity Σ w v and its first moment Σ w v (r_i − r_p)ᵀ, r in cell units.
template <class Real>
struct PointVelocities {
    std::array<Wide<Real>, 3> velocity;
    std::array<Wide<Real>, 9> moment;       // row-major
};
/// What a group of points takes from the grid: velocities at the end of the step and at its start.
template <class Real>
struct GatheredVelocities {
    PointVelocities<Real> after, before;
};

template <class Real>
[[gnu::always_inline]] inline GatheredVelocities<Real> gather(const QuadraticStencil<Real>& s, int points, const Real* tile) {
    using W = Wide<Real>;
    // Sum-factorised, z then y then x. Moments are taken about the nearest node and shifted to the point at the end.
    alignas(64) Real after[4][32] = {}, before[4][32] = {};   // value, moments about x, y, z
    const auto keep = [&](std::size_t i, int p, const W& both) {
        lower(both).store(after[i] + 4 * p);
        upper(both).store(before[i] + 4 * p);
    };
    for (int p = 0; p < points; ++p) {
        const W z0(s.weight[2][0][p]), z1(s.weight[2][1][p]), z2(s.weight[2][2][p]);
        const Real* node = tile + kNodeReals * s.corner[p];
        std::array<W, 3> x, xy, xz;   // per i: Σ_jk w v, Σ_jk w j v, Σ_jk w k v
        for (std::size_t i = 0; i < 3; ++i) {
            std::array<W, 3> y, yz;
            for (std::size_t j = 0; j < 3; ++j) {
                const Real* at = node + static_cast<std::size_t>(kNodeReals * kTileSide) * (kTileSide * i + j);
                const W low = W::load(at) * z0, high = W::load(at + 2 * kNodeReals) * z2;
                y[j] = mulAdd(W::load(at + kNodeReals), z1, low + high);
                yz[j] = high - low;
            }
            const W w0(s.weight[1][0][p]), w1(s.weight[1][1][p]), w2(s.weight[1][2][p]);
            const W low = y[0] * w0, high = y[2] * w2;
            x[i] = mulAdd(y[1], w1, low + high);
            xy[i] = high - low;
            xz[i] = mulAdd(yz[0], w0, mulAdd(yz[1], w1, yz[2] * w2));
        }
        const W w0(s.weight[0][0][p]), w1(s.weight[0][1][p]), w2(s.weight[0][2][p]);
        const W low = x[0] * w0, high = x[2] * w2;
        keep(0, p, mulAdd(x[1], w1, low + high));
        keep(1, p, high - low);
        keep(2, p, mulAdd(xy[0], w0, mulAdd(xy[1], w1, xy[2] * w2)));
        keep(3, p, mulAdd(xz[0], w0, mulAdd(xz[1], w1, xz[2] * w2)));
    }
    const auto take = [&s](const Real(&from)[4][32]) {
        PointVelocities<Real> g;
        W first;
        loadInterleaved(from[0], first, g.velocity[0], g.velocity[1], g.velocity[2]);
        for (std::size_t axis = 0; axis < 3; ++axis) loadInterleaved(from[1 + axis], first, g.moment[axis], g.moment[3 + axis], g.moment[6 + axis]);
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t axis = 0; axis < 3; ++axis) g.moment[3 * row + axis] = negMulAdd(g.velocity[row], s.fraction[axis], g.moment[3 * row + axis]);
        return g;
    };
    return {take(after), take(before)};
}

/// One number per point to a tile of one number per node, and back.
template <class Real>
inline void scatterNumber(const QuadraticStencil<Real>& s, const Real* values, int points, Real* tile) {
    for (int p = 0; p < points; ++p)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const Real w = s.weight[0][i][p] * s.weight[1][j][p] * values[p];
                Real* at = tile + s.corner[p] + kTileSide * (kTileSide * i + j);
                for (int k = 0; k < 3; ++k) at[k] += w * s.weight[2][k][p];
            }
}
template <class Real>
inline void gatherNumber(const QuadraticStencil<Real>& s, const Real* tile, int points, Real* values) {
    for (int p = 0; p < points; ++p) {
        Real sum = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const Real* at = tile + s.corner[p] + kTileSide * (kTileSide * i + j);
                sum += s.weight[0][i][p] * s.weight[1][j][p] * (at[0] * s.weight[2][0][p] + at[1] * s.weight[2][1][p] + at[2] * s.weight[2][2][p]);
            }
        values[p] = sum;
    }
}

}  // namespace talus::mpm
