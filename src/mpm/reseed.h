// SPDX-License-Identifier: Apache-2.0
// Points that are halved where they have thinned out, and put together where they crowd: what both MPMs share of it.
#pragma once

#include "core/exec.h"
#include "core/vec.h"

#include <array>
#include <cstddef>
#include <vector>

namespace talus::mpm {

/// What `look(i, found)` appends for i in [0, count), in the order of i; `perTask` of them are looked at by one thread.
template <class Found, class Look>
std::vector<Found> findEach(const Exec& exec, std::size_t count, std::size_t perTask, const Look& look) {
    std::vector<std::vector<Found>> parts((count + perTask - 1) / perTask);
    exec.forBlocks(count, perTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) look(i, parts[begin / perTask]);
    });
    std::vector<Found> found;
    for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
    return found;
}

/// Puts pairs of rows of [begin, end) together that are each other's nearest of those that fit. `squareApart(a, b)`: square of their distance; `fits(a, b)`;
/// `join(a, b)` adds row b to row a, a < b, or returns that it does not. Appends the rows that went to `gone`, ascending.
template <class SquareApart, class Fits, class Join>
void joinNearest(std::size_t begin, std::size_t end, const SquareApart& squareApart, const Fits& fits, const Join& join, std::vector<std::size_t>& gone) {
    std::vector<bool> isGone(end - begin);
    const auto nearest = [&](std::size_t a) {
        std::size_t best = a;
        double least = 0;
        for (std::size_t b = begin; b < end; ++b) {
            if (b == a || isGone[b - begin] || !fits(a, b)) continue;
            const double square = squareApart(a, b);
            if (best == a || square < least) {
                best = b;
                least = square;
            }
        }
        return best;
    };
    for (std::size_t a = begin; a < end; ++a) {
        if (isGone[a - begin]) continue;
        const std::size_t b = nearest(a);
        if (b > a && nearest(b) == a && join(a, b)) isGone[b - begin] = true;
    }
    for (std::size_t b = begin; b < end; ++b)
        if (isGone[b - begin]) gone.push_back(b);
}

/// How a point moves: mass, place, velocity and affine matrix C [Jiang2015].
struct Motion {
    double mass = 0;   // [kg]
    Vec3 position, velocity;
    Mat3 affine;       // [1/s]
};

/// Halves at x ± δ of a point, with the velocities of its affine field there. `perMoment` is 1/D of every axis, D the second moment of the kernel [1/m²]:
/// C (1 − δ δᵀ/D) keeps the affine momentum m (v xᵀ + C D).
inline std::array<Motion, 2> halves(const Motion& m, const Vec3& delta, const Vec3& perMoment) {
    const Vec3 shear = m.affine * delta, weighted = componentProduct(perMoment, delta);
    const Mat3 affine = m.affine - Mat3::outer(shear, weighted);
    return {Motion{0.5 * m.mass, m.position + delta, m.velocity + shear, affine}, Motion{0.5 * m.mass, m.position - delta, m.velocity - shear, affine}};
}

/// Two points as one, with their momentum and affine momentum.
inline Motion joined(const Motion& a, const Motion& b, const Vec3& perMoment) {
    const double mass = a.mass + b.mass, wa = a.mass / mass, wb = b.mass / mass;
    const Vec3 apart = b.position - a.position, faster = b.velocity - a.velocity;
    return {mass, wa * a.position + wb * b.position, wa * a.velocity + wb * b.velocity, wa * a.affine + wb * b.affine + (wa * wb) * Mat3::outer(faster, componentProduct(perMoment, apart))};
}

}  // namespace talus::mpm
