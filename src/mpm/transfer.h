// SPDX-License-Identifier: Apache-2.0
// APIC transfers [Jiang2015] with any kernel, eight points at a time. A stencil (mpm/quadratic.h, mpm/cubic.h) has the weights of a group of
// points: a base node each, with f the place of the point relative to it in cell units, a factor `centre` that all weights share, and
//     addToNodes   a point gives its values and slopes to its nodes,
//     sumNodes     a point takes the sum of its nodes' values and their first moments about the base node.
// Both run through the nodes sum-factorised: z, then y, then x.
#pragma once

#include "mpm/cubic.h"
#include "mpm/kernel.h"
#include "mpm/quadratic.h"

#include <array>

namespace talus::mpm {

/// Calls `f` with the kernel's stencil as its template argument: [&]<template <class> class Stencil>() { … }.
template <class F>
decltype(auto) withStencil(Kernel kernel, const F& f) {
    return kernel == Kernel::cubic ? f.template operator()<CubicStencil>() : f.template operator()<QuadraticStencil>();
}

/// What says how much points keep of what they have beyond the grid (see Keeping): one part for all, or every node a part of its own.
enum class Memory { even, ofNodes };

/// What a group of points gives to the grid: node i gets w_i (mass, momentum + affine (r_i − r_p)), w_i `remembered`, and the impulse of the
/// step, w_i (impulse + impulseAffine (r_i − r_p)), r in cell units. All of it is handed over times the stencil's `centre`.
template <class Real>
struct PointMomenta {
    Wide<Real> mass;
    Wide<Real> remembered;   // mass times the part that the point would keep of what it has beyond the grid; 0 where all keep the same
    std::array<Wide<Real>, 3> momentum, impulse;
};
/// A column of the two affine matrices: the change from node to node along an axis.
template <class Real>
struct MomentaSlope {
    std::array<Wide<Real>, 3> momentum, impulse;
};

/// `along(axis)` gives the slopes.
template <template <class> class Stencil, class Real, class Along>
[[gnu::always_inline]] inline void scatter(const Stencil<Real>& s, PointMomenta<Real> m, const Along& along, int points, Real* tile) {
    using W = Wide<Real>;
    alignas(64) Real value[4][64];   // (mass, momentum, remembered, impulse) at the base node, then their slopes along x, y, z
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
    storeTransposed<Real>({m.mass, m.momentum[0], m.momentum[1], m.momentum[2], m.remembered, m.impulse[0], m.impulse[1], m.impulse[2]}, value[0]);
    for (std::size_t p = 0, count = static_cast<std::size_t>(points); p < count; ++p) addToNodes(s, value, p, tile + kNodeReals * s.corner[p]);
}

/// Velocity Σ w v and its first moment Σ w v (r_i − r_p)ᵀ, r in cell units.
template <class Real>
struct PointVelocities {
    std::array<Wide<Real>, 3> velocity;
    std::array<Wide<Real>, 9> moment;       // row-major
};
/// What a group of points takes from the grid: velocities at the end of the step and at its start; where nodes have memories a, the latter times a, and a itself.
template <class Real>
struct GatheredVelocities {
    PointVelocities<Real> after, before;
    Wide<Real> memory;                         // Σ w a, and below Σ w a (r_i − r_p): with Memory::ofNodes alone
    std::array<Wide<Real>, 3> memoryMoment;
};

template <Memory kMemory, template <class> class Stencil, class Real>
[[gnu::always_inline]] inline GatheredVelocities<Real> gather(const Stencil<Real>& s, int points, const Real* tile) {
    using W = Wide<Real>;
    // Moments are taken about the base node and shifted to the point at the end, where the common weight comes in too.
    alignas(64) Real sums[4][64];   // value, moments about x, y, z
    for (int p = 0; p < points; ++p) {
        const NodeSums<Real> sum = sumNodes(s, p, tile + kNodeReals * s.corner[p]);
        sum.value.store(sums[0] + 8 * p);
        sum.x.store(sums[1] + 8 * p);
        sum.y.store(sums[2] + 8 * p);
        sum.z.store(sums[3] + 8 * p);
    }
    for (int p = points; p < 8; ++p)
        for (auto& sum : sums) W(Real(0)).store(sum + 8 * p);

    GatheredVelocities<Real> g;
    const std::array<W, 8> value = loadTransposed(sums[0]);
    for (std::size_t row = 0; row < 3; ++row) {
        g.after.velocity[row] = value[1 + row] * s.centre;
        g.before.velocity[row] = value[5 + row] * s.centre;
    }
    if constexpr (kMemory == Memory::ofNodes) g.memory = value[4] * s.centre;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::array<W, 8> moment = loadTransposed(sums[1 + axis]);
        if constexpr (kMemory == Memory::ofNodes) g.memoryMoment[axis] = s.centre * negMulAdd(value[4], s.fraction[axis], moment[4]);
        for (std::size_t row = 0; row < 3; ++row) {
            g.after.moment[3 * row + axis] = s.centre * negMulAdd(value[1 + row], s.fraction[axis], moment[1 + row]);
            g.before.moment[3 * row + axis] = s.centre * negMulAdd(value[5 + row], s.fraction[axis], moment[5 + row]);
        }
    }
    return g;
}

// What points have beyond what the grid gave back at the start of the step is kept in part. Where all points keep the same part a,
//     v ← v¹ + a (v − v⁰),    C ← C¹ + a (C − C⁰).
// Or every node i has a part a_i of its own, and
//     v ← v¹ + Σ w_i a_i (v + C (x_i − x) − v_i⁰),
// which sums up to nothing over all points, because Σ_p m w_i (v + C (x_i − x)) = m_i v_i⁰: momentum is kept whatever the a_i are. C keeps the first
// moment of the same sum, from which its symmetric part, shear, fades as fast as anywhere, while its spin stays: linear and angular momentum of what is
// kept belong together. Second moments of the sum are taken as those of equal a_i: angular momentum is kept to rounding where a is uniform.

/// Constants of a step. `of` takes v and C (row-major, [1/s]) of a group from before it, columns of eight; what it returns has velocity(row) and
/// gradient(entry) of after it, and each column may be overwritten as soon as its own was asked for. Without C `gradient` says nothing.
template <class Real, Memory>
struct Keeping;

template <class Real>
struct Keeping<Real, Memory::even> {
    /// `h`: spacing along each axis; `perMoment`: from moments of velocities in cell units to their gradient, times h.
    Keeping(const Vec3& h, double perMoment, double a) : memory(static_cast<Real>(a)) {
        for (std::size_t axis = 0; axis < 3; ++axis) toGradient[axis] = static_cast<Real>(perMoment / h[static_cast<int>(axis)]);
    }
    std::array<Real, 3> toGradient;
    Wide<Real> memory;

    struct Kept {
        const Keeping& keep;
        const GatheredVelocities<Real>& grid;
        const Real *oldVelocity, *oldGradient;

        [[gnu::always_inline]] Wide<Real> velocity(std::size_t row) const {
            return mulAdd(keep.memory, Wide<Real>::load(oldVelocity + 8 * row) - grid.before.velocity[row], grid.after.velocity[row]);
        }
        [[gnu::always_inline]] Wide<Real> gradient(std::size_t i) const {
            const Real toGradient = keep.toGradient[i % 3];
            return mulAdd(keep.memory, negMulAdd(grid.before.moment[i], toGradient, Wide<Real>::load(oldGradient + 8 * i)), grid.after.moment[i] * toGradient);
        }
    };
    [[gnu::always_inline]] Kept of(const GatheredVelocities<Real>& grid, const Real* velocity, const Real* gradient) const { return {*this, grid, velocity, gradient}; }
};

template <class Real>
struct Keeping<Real, Memory::ofNodes> {
    /// `least` a of all nodes.
    Keeping(const Vec3& h, double perMoment, double least) : leastMemory(static_cast<Real>(least)) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            spacing[axis] = static_cast<Real>(h[static_cast<int>(axis)]);
            toGradient[axis] = static_cast<Real>(perMoment / h[static_cast<int>(axis)]);
        }
        for (std::size_t i = 0; i < 9; ++i) aspect[i] = (spacing[i / 3] / spacing[i % 3]) * (spacing[i / 3] / spacing[i % 3]);
    }
    std::array<Real, 3> spacing, toGradient;
    std::array<Real, 9> aspect;                // C D is symmetric where C is, D = h² 1/perMoment, if the cells are cubes
    Real leastMemory;

    struct Kept {
        std::array<Wide<Real>, 3> newVelocity;
        std::array<Wide<Real>, 9> newGradient;

        [[gnu::always_inline]] const Wide<Real>& velocity(std::size_t row) const { return newVelocity[row]; }
        [[gnu::always_inline]] const Wide<Real>& gradient(std::size_t i) const { return newGradient[i]; }
    };
    [[gnu::always_inline]] Kept of(const GatheredVelocities<Real>& grid, const Real* velocity, const Real* gradient) const {
        using W = Wide<Real>;
        const auto v = [&](std::size_t row) __attribute__((always_inline)) { return W::load(velocity + 8 * row); };
        const auto c = [&](std::size_t i) __attribute__((always_inline)) { return W::load(gradient + 8 * i); };
        Kept now;
        for (std::size_t row = 0; row < 3; ++row) {
            W sum = mulAdd(grid.memory, v(row), grid.after.velocity[row] - grid.before.velocity[row]);
            for (std::size_t axis = 0; axis < 3; ++axis) sum = mulAdd(c(3 * row + axis), grid.memoryMoment[axis] * spacing[axis], sum);
            now.newVelocity[row] = sum;
        }
        std::array<W, 9> kept;
        for (std::size_t i = 0; i < 9; ++i) kept[i] = mulAdd(mulAdd(v(i / 3), grid.memoryMoment[i % 3], -grid.before.moment[i]), W(toGradient[i % 3]), grid.memory * c(i));
        // The symmetric part of C D is cut down from a to the least.
        const W part = W(leastMemory) / max(grid.memory, W(Real(1e-6))), half(Real(0.5)), same = mulAdd(half, part, half), turned = mulAdd(half, part, -half);
        for (std::size_t i = 0; i < 9; ++i) {
            const std::size_t row = i / 3, axis = i % 3;
            const W spin = row == axis ? turned : turned * aspect[i];
            now.newGradient[i] = mulAdd(same, kept[i], mulAdd(spin, kept[3 * axis + row], grid.after.moment[i] * toGradient[axis]));
        }
        return now;
    }
};

}  // namespace talus::mpm
