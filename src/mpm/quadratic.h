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

/// Weights and nearest nodes of a group of eight points. Weights are kept as that of the nearest node and, along each axis, those of its
/// two neighbours over it, which saves the transfers a third of their multiplications. The nearest node's is at least ½ along an axis.
template <class Real>
struct QuadraticStencil {
    alignas(64) Real outer[3][2][8];        // axis, node −1 or 1, point
    Wide<Real> centre;                      // weight of the nearest node
    std::array<Wide<Real>, 3> fraction;     // f
    alignas(32) std::int32_t corner[8];     // tile index of node (−1, −1, −1)

    /// `position` are the group's three components, relative to the block's first node, drifted by at most one cell.
    [[gnu::always_inline]] explicit QuadraticStencil(const Real* position) : centre(Real(1)) {
        std::array<Wide<Real>, 3> nearest;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Wide<Real> p = Wide<Real>::load(position + 8 * axis);
            nearest[axis] = floor(p + Real(0.5));
            const Wide<Real> f = p - nearest[axis];
            fraction[axis] = f;
            const Wide<Real> below = Real(0.5) - f, above = Real(0.5) + f, middle = negMulAdd(f, f, Wide<Real>(Real(0.75)));
            const Wide<Real> half = Real(0.5) / middle;
            (below * below * half).store(outer[axis][0]);
            (above * above * half).store(outer[axis][1]);
            centre *= middle;
        }
        // Tile index 0 is node −2 of the block, so the corner node is at nearest − 1 + 2.
        const Wide<Real> index = mulAdd(nearest[0] + Real(1), Wide<Real>(Real(kTileSide * kTileSide)),
                                        mulAdd(nearest[1] + Real(1), Wide<Real>(Real(kTileSide)), nearest[2] + Real(1)));
        toInt(index).store(corner);
    }
};

/// What a group of points gives to the grid: node i gets w_i (mass, momentum + affine (r_i − r_p)) and the impulse of the
/// step, w_i (impulse + impulseAffine (r_i − r_p)), r in cell units. All of it is handed over times the weight of the nearest node.
template <class Real>
struct PointMomenta {
    Wide<Real> mass;
    std::array<Wide<Real>, 3> momentum, impulse;
};
/// A column of the two affine matrices: the change from node to node along an axis.
template <class Real>
struct MomentaSlope {
    std::array<Wide<Real>, 3> momentum, impulse;
};

/// Adds Count points of a group that have the same nodes, from the p-th on, to those: x_i y_j z_k (value + i ax + j ay + k az) at
/// node (i, j, k), where x₀ = y₀ = z₀ = 1.
template <std::size_t Count, class Real>
[[gnu::always_inline]] inline void addToNodes(const QuadraticStencil<Real>& s, const Real (&value)[4][64], std::size_t p, Real* node) {
    using W = Wide<Real>;
    constexpr int kRow = kNodeReals * kTileSide, kPlane = kRow * kTileSide;
    std::array<W, Count> z0, z2;
    for (std::size_t n = 0; n < Count; ++n) {
        z0[n] = W(s.outer[2][0][p + n]);
        z2[n] = W(s.outer[2][1][p + n]);
    }
    const auto row = [&](const std::array<W, Count>& v, const std::array<W, Count>& az, Real* at) {
        W below = W::load(at), middle = W::load(at + kNodeReals), above = W::load(at + 2 * kNodeReals);
        for (std::size_t n = 0; n < Count; ++n) {
            below = mulAdd(v[n] - az[n], z0[n], below);
            middle += v[n];
            above = mulAdd(v[n] + az[n], z2[n], above);
        }
        below.store(at);
        middle.store(at + kNodeReals);
        above.store(at + 2 * kNodeReals);
    };
    const auto plane = [&](const std::array<W, Count>& v, const std::array<W, Count>& ay, const std::array<W, Count>& az, Real* at) {
        std::array<W, Count> low, lowZ, high, highZ;
        for (std::size_t n = 0; n < Count; ++n) {
            const W y0(s.outer[1][0][p + n]), y2(s.outer[1][1][p + n]);
            low[n] = (v[n] - ay[n]) * y0;
            lowZ[n] = az[n] * y0;
            high[n] = (v[n] + ay[n]) * y2;
            highZ[n] = az[n] * y2;
        }
        row(low, lowZ, at);
        row(v, az, at + kRow);
        row(high, highZ, at + 2 * kRow);
    };
    std::array<W, Count> v, ay, az, lowV, lowY, lowZ, highV, highY, highZ;
    for (std::size_t n = 0; n < Count; ++n) {
        const std::size_t first = 8 * (p + n);
        const W ax = W::load(value[1] + first), x0(s.outer[0][0][p + n]), x2(s.outer[0][1][p + n]);
        v[n] = W::load(value[0] + first);
        ay[n] = W::load(value[2] + first);
        az[n] = W::load(value[3] + first);
        lowV[n] = (v[n] - ax) * x0;
        lowY[n] = ay[n] * x0;
        lowZ[n] = az[n] * x0;
        highV[n] = (v[n] + ax) * x2;
        highY[n] = ay[n] * x2;
        highZ[n] = az[n] * x2;
    }
    plane(lowV, lowY, lowZ, node);
    plane(v, ay, az, node + kPlane);
    plane(highV, highY, highZ, node + 2 * kPlane);
}

/// `along(axis)` gives the slopes.
template <class Real, class Along>
[[gnu::always_inline]] inline void scatter(const QuadraticStencil<Real>& s, PointMomenta<Real> m, const Along& along, int points, Real* tile) {
    using W = Wide<Real>;
    alignas(64) Real value[4][64];   // (mass, momentum, 0, impulse) at the nearest node, then their slopes along x, y, z
    const W none(Real(0));
    const auto take = [&](std::size_t axis) __attribute__((always_inline)) {
        const MomentaSlope<Real> slope = along(axis);
        for (std::size_t row = 0; row < 3; ++row) {
            m.momentum[row] = negMulAdd(slope.momentum[row], s.fraction[axis], m.momentum[row]);
            m.impulse[row] = negMulAdd(slope.impulse[row], s.fraction[axis], m.impulse[row]);
        }
        storeTransposed<Real>({none, slope.momentum[0], slope.momentum[1], slope.momentum[2], none, slope.impulse[0], slope.impulse[1], slope.impulse[2]}, value[1 + axis]);
    };
    take(0);   // not a loop: GCC 12 leaves one rolled up, with its packs in memory
    take(1);
    take(2);
    storeTransposed<Real>({m.mass, m.momentum[0], m.momentum[1], m.momentum[2], none, m.impulse[0], m.impulse[1], m.impulse[2]}, value[0]);
    for (std::size_t p = 0, count = static_cast<std::size_t>(points); p < count;) {
        const bool pair = p + 1 < count && s.corner[p] == s.corner[p + 1];
        Real* node = tile + kNodeReals * s.corner[p];
        if (pair) addToNodes<2>(s, value, p, node);
        else addToNodes<1>(s, value, p, node);
        p += pair ? 2 : 1;
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
    // Sum-factorised, z then y then x. Moments are taken about the nearest node and shifted to the point at the end, where the weight
    // of the nearest node comes in too.
    alignas(64) Real sums[4][64];   // value, moments about x, y, z
    for (int p = 0; p < points; ++p) {
        const Real* node = tile + kNodeReals * s.corner[p];
        const W y0(s.outer[1][0][p]), y2(s.outer[1][1][p]), z0(s.outer[2][0][p]), z2(s.outer[2][1][p]);
        struct Row {
            W v, vz;   // Σ w v, Σ w k v
        };
        const auto row = [&](const Real* at) {
            const W low = W::load(at) * z0, high = W::load(at + 2 * kNodeReals) * z2;
            return Row{W::load(at + kNodeReals) + (low + high), high - low};
        };
        struct Plane {
            W v, vy, vz;
        };
        const auto plane = [&](const Real* at) {
            constexpr int kRow = kNodeReals * kTileSide;
            const Row below = row(at), middle = row(at + kRow), above = row(at + 2 * kRow);
            const W low = below.v * y0, high = above.v * y2;
            return Plane{middle.v + (low + high), high - low, mulAdd(below.vz, y0, mulAdd(above.vz, y2, middle.vz))};
        };
        constexpr int kPlane = kNodeReals * kTileSide * kTileSide;
        const Plane below = plane(node), middle = plane(node + kPlane), above = plane(node + 2 * kPlane);
        const W x0(s.outer[0][0][p]), x2(s.outer[0][1][p]);
        const W low = below.v * x0, high = above.v * x2;
        (middle.v + (low + high)).store(sums[0] + 8 * p);
        (high - low).store(sums[1] + 8 * p);
        mulAdd(below.vy, x0, mulAdd(above.vy, x2, middle.vy)).store(sums[2] + 8 * p);
        mulAdd(below.vz, x0, mulAdd(above.vz, x2, middle.vz)).store(sums[3] + 8 * p);
    }
    for (int p = points; p < 8; ++p)
        for (auto& sum : sums) W(Real(0)).store(sum + 8 * p);

    GatheredVelocities<Real> g;
    const std::array<W, 8> value = loadTransposed(sums[0]);
    for (std::size_t row = 0; row < 3; ++row) {
        g.after.velocity[row] = value[1 + row] * s.centre;
        g.before.velocity[row] = value[5 + row] * s.centre;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::array<W, 8> moment = loadTransposed(sums[1 + axis]);
        for (std::size_t row = 0; row < 3; ++row) {
            g.after.moment[3 * row + axis] = s.centre * negMulAdd(value[1 + row], s.fraction[axis], moment[1 + row]);
            g.before.moment[3 * row + axis] = s.centre * negMulAdd(value[5 + row], s.fraction[axis], moment[5 + row]);
        }
    }
    return g;
}

/// Numbers that a tile of one number per node needs: rows are worked on four nodes at a time, and the last one reaches beyond.
inline constexpr std::size_t kNumberTile = kTileNodes + 4;

/// One number per point to a tile of one number per node, and back.
template <class Real>
[[gnu::always_inline]] inline void scatterNumber(const QuadraticStencil<Real>& s, const Wide<Real>& values, int points, Real* tile) {
    using Q = Quad<Real>;
    alignas(64) Real atNearest[8];
    (values * s.centre).store(atNearest);
    for (int p = 0; p < points; ++p) {
        alignas(32) const Real z[4] = {s.outer[2][0][p], Real(1), s.outer[2][1][p], Real(0)};
        const Q row = Q::load(z);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const Real x = i == 1 ? Real(1) : s.outer[0][i / 2][p], y = j == 1 ? Real(1) : s.outer[1][j / 2][p];
                Real* at = tile + s.corner[p] + kTileSide * (kTileSide * i + j);
                mulAdd(Q(x * y * atNearest[p]), row, Q::loadUnaligned(at)).storeUnaligned(at);
            }
    }
}
template <class Real>
[[gnu::always_inline]] inline Wide<Real> gatherNumber(const QuadraticStencil<Real>& s, const Real* tile, int points) {
    using Q = Quad<Real>;
    alignas(64) Real sums[8] = {};
    for (int p = 0; p < points; ++p) {
        alignas(32) const Real z[4] = {s.outer[2][0][p], Real(1), s.outer[2][1][p], Real(0)};
        const Q y0(s.outer[1][0][p]), y2(s.outer[1][1][p]);
        const auto plane = [&](const Real* at) {
            return mulAdd(Q::loadUnaligned(at), y0, mulAdd(Q::loadUnaligned(at + 2 * kTileSide), y2, Q::loadUnaligned(at + kTileSide)));
        };
        constexpr int kPlane = kTileSide * kTileSide;
        const Real* at = tile + s.corner[p];
        sums[p] = sum(Q::load(z) * mulAdd(plane(at), Q(s.outer[0][0][p]), mulAdd(plane(at + 2 * kPlane), Q(s.outer[0][1][p]), plane(at + kPlane))));
    }
    return Wide<Real>::load(sums) * s.centre;
}

}  // namespace talus::mpm
