// SPDX-License-Identifier: Apache-2.0
// The quadratic B-spline, eight points at a time. With f the position relative to the
// nearest node in cell units, |f| ≤ ½, the weights of the three nodes −1, 0, 1 along an axis are
//     ½(½ − f)²,  ¾ − f²,  ½(½ + f)²,
// and Σ w (x_i − x_p)(x_i − x_p)ᵀ = (h²/4) 1.
#pragma once

#include "core/wide.h"
#include "mpm/tile.h"

#include <array>
#include <cmath>

namespace talus::mpm {

/// Weights and nearest nodes of a group of eight points. Weights are kept as that of the nearest node and, along each axis, those of its
/// two neighbours over it, which saves the transfers a third of their multiplications. The nearest node's is at least ½ along an axis.
template <class Real>
struct QuadraticStencil {
    static constexpr int kNodes = 3;           // along an axis
    static constexpr double kPerMoment = 4;    // h²/D
    static constexpr double kMostDrift = 0.99; // cells that a point may drift between sorts: no further than a tile reaches

    alignas(64) Real outer[3][2][8];        // axis, node −1 or 1, point
    Wide<Real> centre;                      // weight of the nearest node
    std::array<Wide<Real>, 3> fraction;     // f
    alignas(32) std::int32_t corner[8];     // tile index of node (−1, −1, −1)

    /// First node that a point reaches along an axis.
    static int first(double position) { return static_cast<int>(std::floor(position + 0.5)) - 1; }

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

/// Adds the p-th point of a group to its nodes: x_i y_j z_k (value + i ax + j ay + k az) at node (i, j, k), where x₀ = y₀ = z₀ = 1.
template <class Real>
[[gnu::always_inline]] inline void addToNodes(const QuadraticStencil<Real>& s, const Real (&value)[4][64], std::size_t p, Real* node) {
    using W = Wide<Real>;
    constexpr int kRow = kNodeReals * kTileSide, kPlane = kRow * kTileSide;
    const W y0(s.outer[1][0][p]), y2(s.outer[1][1][p]), z0(s.outer[2][0][p]), z2(s.outer[2][1][p]);
    const auto row = [&](const W& v, const W& az, Real* at) {
        mulAdd(v - az, z0, W::load(at)).store(at);
        (W::load(at + kNodeReals) + v).store(at + kNodeReals);
        mulAdd(v + az, z2, W::load(at + 2 * kNodeReals)).store(at + 2 * kNodeReals);
    };
    const auto plane = [&](const W& v, const W& ay, const W& az, Real* at) {
        row((v - ay) * y0, az * y0, at);
        row(v, az, at + kRow);
        row((v + ay) * y2, az * y2, at + 2 * kRow);
    };
    const W v = W::load(value[0] + 8 * p), ax = W::load(value[1] + 8 * p), ay = W::load(value[2] + 8 * p), az = W::load(value[3] + 8 * p);
    const W x0(s.outer[0][0][p]), x2(s.outer[0][1][p]);
    plane((v - ax) * x0, ay * x0, az * x0, node);
    plane(v, ay, az, node + kPlane);
    plane((v + ax) * x2, ay * x2, az * x2, node + 2 * kPlane);
}

/// Σ w v over the nodes of the p-th point, and its first moments about the nearest node; without the weight of that node.
template <class Real>
[[gnu::always_inline]] inline NodeSums<Real> sumNodes(const QuadraticStencil<Real>& s, int p, const Real* node) {
    using W = Wide<Real>;
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
    return {middle.v + (low + high), high - low, mulAdd(below.vy, x0, mulAdd(above.vy, x2, middle.vy)), mulAdd(below.vz, x0, mulAdd(above.vz, x2, middle.vz))};
}

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
