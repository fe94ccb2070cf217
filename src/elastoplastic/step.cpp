// SPDX-License-Identifier: Apache-2.0
// One step; its second half, from grid to points, is in update_points.cpp. The numbers of sections and equations are those of [Klar2016].
#include "elastoplastic/method.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::elastoplastic {
namespace {

/// A node that moves further than this in a step breaks the tile of its neighbours [cells].
constexpr double kMostCells = 1.0;
/// 1 + Δt ∇v must stay far from inversion.
constexpr double kMostStretch = 0.6;
/// Points are sorted before any can have drifted beyond its tile [cells].
double mostDrift(mpm::Kernel kernel) {
    return mpm::withStencil(kernel, []<template <class> class Stencil>() { return Stencil<float>::kMostDrift; });
}
/// Times in which sound crosses a cell for which solids, where there is no sand, keep velocities finer than the grid: they have no shear
/// flow that these could make noisy, and lose less of their energy. A block of 16 cells keeps 0.89 of it in a bounce with 1, 0.92 with 10 and with 200.
constexpr double kSolidMemory = 10;
/// Lighter nodes are round-off [kg].
constexpr double kLeastMass = 1e-30;

/// Momentum to velocity: v⁰ = p/m, v = v⁰ + impulse/m + Δt g.
template <class Real>
class NodeUpdate {
public:
    NodeUpdate(const Vec3& spacing, const Vec3& gravity, double dt) {
        for (int axis = 0; axis < 3; ++axis) {
            kick_[1 + axis] = static_cast<Real>(dt * gravity[axis]);
            perCell_[1 + axis] = static_cast<Real>(dt / spacing[axis]);
        }
    }
    /// Turns (mass, momentum, 0, impulse) of the block's nodes into (mass, v, 0, v⁰), or with memories of nodes (mass, momentum, m a, impulse) into
    /// (mass, v, a, a v⁰); returns by how many cells one moves at most.
    template <mpm::Memory kMemory>
    double block(Real* values) const {
        using Q = Quad<Real>;
        const Q kick = Q::load(kick_), perCell = Q::load(perCell_);
        Q most(Real(0));
        for (int n = 0; n < mpm::kBlockNodes; ++n) {
            Real* node = values + mpm::kNodeReals * n;
            const Real mass = node[0];
            if (!(mass > Real(kLeastMass))) {
                std::fill_n(node, mpm::kNodeReals, Real(0));
                continue;
            }
            const Q perMass(Real(1) / mass);
            const Q before = Q::load(node) * perMass, after = before + Q::load(node + 4) * perMass + kick;
            most = max(most, abs(after) * perCell);
            after.store(node);
            const Real memory = kMemory == mpm::Memory::ofNodes ? node[4] / mass : Real(0);
            (kMemory == mpm::Memory::ofNodes ? before * Q(memory) : before).store(node + 4);
            node[0] = mass;
            node[4] = memory;
        }
        return static_cast<double>(maxLane(most));
    }

private:
    alignas(32) Real kick_[4] = {}, perCell_[4] = {};
};

}  // namespace

template <class Real>
world::StepReport ElastoplasticMethod<Real>::step(const Exec& exec, world::World& world, double dt) {
    refresh(world);
    pointsToGrid(exec, world, dt);                              // §5.1, with the stress forces of §6

    freeBodies_.begin(world, dt);
    const std::optional<double> solved = implicit() ? solveNodes(exec, world, dt) : updateNodes(exec, world, dt);   // gravity, §8 collisions and friction; §5.6
    if (!solved) return world::Rejected{0.5 * dt};
    const double cells = *solved;
    if (cells > kMostCells || (2 * cells > kMostStretch && dt * largestNodeGradient(exec) > kMostStretch)) return world::Rejected{0.5 * dt};

    matchVolumes(exec, dt);                                     // before points move: now they are within reach of their tiles
    freeBodies_.move();
    moveBodies(exec, world, dt);
    const std::int64_t bad = gridToPoints(exec, world, dt, cells);   // §5.3–§5.5
    if (bad >= 0) return failure(bad, "the state of a point is not finite");

    if (implicit()) system_.accept();
    contact_.addLoads(world);
    mpm::addLoads(world, freeBodies_, met_);
    freeBodies_.commit(world);
    drift_ += dt * pace_.cellRate + pace_.cellsOut;
    if (drift_ > mostDrift(settings_.kernel)) {
        sort(exec, recentre(exec, points_.rows()));
        if (settings_.reseed) reseed(exec, world);
    }
    return world::Done{};
}

template <class Real>
void ElastoplasticMethod<Real>::pointsToGrid(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("points to grid");
    reaches_.resize(blocks_.points.size());
    const FlowMemory<Real> memories(memory(dt), matter_, frame_.smallestSpacing());
    withKernels([&]<template <class> class Stencil, mpm::Memory kMemory>() {
        mpm::scatterBlocks(exec, blocks_, nodes_, [&](std::size_t b) { return reaches_[b] = mpm::reachOf<Stencil<Real>>(blocks_.points[b], points_.position); },
                           [&](std::size_t b, int, Real* tile) { scatterBlock<Stencil, kMemory>(world, blocks_.points[b], memories, dt, tile); });
    });
}

template <class Real>
VelocityMemory ElastoplasticMethod<Real>::memory(double dt) const {
    const double h = frame_.smallestSpacing();
    return velocityMemory(settings_, sandSpeed_ > 0 ? h / sandSpeed_ : kSolidMemory * h / waveSpeed_, dt);
}

template <class Real>
[[gnu::always_inline]] inline Wide<Real> ElastoplasticMethod<Real>::memoryOf(const FlowMemory<Real>& memories, std::uint32_t g) const {
    using W = Wide<Real>;
    const Real *gradient = points_.gradient.group(g), *stress = points_.stress.group(g);
    const W gain = several_ ? talus::gather(memories.gain.data(), WideInt::load(points_.material.group(g))) : W(memories.gain.front());
    std::array<W, 9> entries;
    for (std::size_t i = 0; i < 9; ++i) entries[i] = W::load(gradient + 8 * i);
    return memories(gain, shearOf(entries), W::load(points_.mass.group(g)), W::load(stress) + W::load(stress + 8) + W::load(stress + 16), W::load(points_.volume.group(g)));
}

// Mass and momentum of points to their block's tile, p_i += w m (v + C (x_i − x_p)), and the impulse of the step,
// −w Δt V⁰ τ D⁻¹ (x_i − x_p): the force (23) with the weight gradients of the moving-least-squares form [Hu2018].
template <class Real>
template <template <class> class Stencil, mpm::Memory kMemory>
void ElastoplasticMethod<Real>::scatterBlock(const world::World& world, const mpm::PointBlock& block, const FlowMemory<Real>& memories, double dt, Real* tile) const {
    using W = Wide<Real>;
    const std::array<Real, 3> h{static_cast<Real>(frame_.spacing.x), static_cast<Real>(frame_.spacing.y), static_cast<Real>(frame_.spacing.z)};
    const std::array<Real, 3> force = perAxis(implicit() ? 0 : Stencil<Real>::kPerMoment * dt);   // an implicit update finds the stress with the velocities
    const bool pushed = world.forces.any();
    for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
        const Stencil<Real> stencil(points_.position.group(g));
        const Real *velocity = points_.velocity.group(g), *gradient = points_.gradient.group(g), *stress = points_.stress.group(g);
        const W mass = W::load(points_.mass.group(g)) * stencil.centre, volume = W::load(points_.volume.group(g)) * stencil.centre;
        mpm::PointMomenta<Real> momenta;
        momenta.mass = mass;
        momenta.remembered = W(Real(0));
        if constexpr (kMemory == mpm::Memory::ofNodes) momenta.remembered = mass * memoryOf(memories, g);
        for (std::size_t row = 0; row < 3; ++row) {
            momenta.momentum[row] = mass * W::load(velocity + 8 * row);
            momenta.impulse[row] = W(Real(0));
        }
        if (pushed) {
            alignas(64) Real change[24] = {};
            push(world, block, g, dt, change);
            for (std::size_t row = 0; row < 3; ++row) momenta.impulse[row] = mass * W::load(change + 8 * row);
        }
        const auto along = [&](std::size_t axis) __attribute__((always_inline)) {
            constexpr std::size_t kEntry[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};   // of a symmetric tensor
            const W massStep = mass * h[axis], volumeStep = volume * force[axis];
            mpm::MomentaSlope<Real> slope;
            for (std::size_t row = 0; row < 3; ++row) {
                slope.momentum[row] = massStep * W::load(gradient + 8 * (3 * row + axis));
                slope.impulse[row] = -volumeStep * W::load(stress + 8 * kEntry[row][axis]);
            }
            return slope;
        };
        mpm::scatter(stencil, momenta, along, mpm::pointsInGroup(block, g), tile);
    }
}

template <class Real>
void ElastoplasticMethod<Real>::push(const world::World& world, const mpm::PointBlock& block, std::uint32_t group, double dt, Real* change) const {
    for (int p = 0; p < mpm::pointsInGroup(block, group); ++p) {
        const std::size_t row = 8 * std::size_t{group} + static_cast<std::size_t>(p);
        const Vec3 dv = world.forces.velocityChange(world.materials[static_cast<std::size_t>(points_.material(row))], worldPosition(block, row),
                                                    {points_.velocity(row, 0), points_.velocity(row, 1), points_.velocity(row, 2)}, world.gravity, world.time, dt);
        for (int axis = 0; axis < 3; ++axis) change[8 * axis + p] = static_cast<Real>(dv[axis]);
    }
}

template <class Real>
double ElastoplasticMethod<Real>::mostFriction(const world::World& world) const {
    std::vector<int> materials = usedMaterials_;
    materials.push_back(grainMaterial_);
    std::erase_if(materials, [&](int m) { return matter_[static_cast<std::size_t>(m)].solid(); });
    double most = materials.empty() ? std::numeric_limits<double>::max() : 0;
    for (const int m : materials) {
        const double own = steepest_.empty() ? 1 : std::max(1.0, steepest_[static_cast<std::size_t>(m)]);
        most = std::max(most, own * world.materials[static_cast<std::size_t>(m)].muHat);
    }
    return materials.empty() ? most : std::max(most, settings_.fastMuHat.value_or(0));
}

// Momentum to velocity, gravity, bodies.
template <class Real>
double ElastoplasticMethod<Real>::updateNodes(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("grid");
    const double most = sumNodes(exec, world, dt, true);
    return std::max(most, coupleBodies(exec, dt));
}

template <class Real>
double ElastoplasticMethod<Real>::sumNodes(const Exec& exec, const world::World& world, double dt, bool withBodies) {
    if (blocksChanged_ || placedRevision_ != world.revision) contact_.place(exec, frame_, blocks_.nodes, world, grainMaterial_, mostFriction(world));
    blocksChanged_ = false;
    placedRevision_ = world.revision;
    contact_.beginStep(exec, world, freeBodies_);
    const NodeUpdate<Real> update(frame_.spacing, world.gravity, dt);
    return withMemory([&]<mpm::Memory kMemory>() {
        return exec.reduce(
            blocks_.nodes.size(), 8, 0.0,
            [&](std::size_t begin, std::size_t end) {
                double cells = 0;
                for (std::size_t b = begin; b < end; ++b) {
                    Real* values = nodes_.data() + b * mpm::kBlockNodes * mpm::kNodeReals;
                    const double free = update.template block<kMemory>(values);
                    cells = std::max(cells, withBodies && contact_.near(b) ? meetBodies(b, dt) : free);
                }
                return cells;
            },
            [](double a, double b) { return std::max(a, b); });
    });
}

template <class Real>
double ElastoplasticMethod<Real>::coupleBodies(const Exec& exec, double dt) {
    const Vec3 perCell{dt / frame_.spacing.x, dt / frame_.spacing.y, dt / frame_.spacing.z};
    double most = 0;
    contact_.couple(exec, dt, freeBodies_, [&](std::size_t b, int n, const Vec3& velocity) {
        Real* node = nodes_.data() + (b * mpm::kBlockNodes + static_cast<std::size_t>(n)) * mpm::kNodeReals;
        for (int axis = 0; axis < 3; ++axis) {
            node[1 + axis] = static_cast<Real>(velocity[axis]);
            most = std::max(most, std::abs(velocity[axis]) * perCell[axis]);
        }
    });
    return most;
}

template <class Real>
double ElastoplasticMethod<Real>::meetBodies(std::size_t block, double dt) {
    const Vec3 perCell{dt / frame_.spacing.x, dt / frame_.spacing.y, dt / frame_.spacing.z};
    double cells = 0;
    for (int n = 0; n < mpm::kBlockNodes; ++n) {
        Real* node = nodes_.data() + (block * mpm::kBlockNodes + static_cast<std::size_t>(n)) * mpm::kNodeReals;
        if (node[0] == Real(0)) continue;
        const mpm::MovingNode moving{frame_.nodePosition(blocks_.nodes[block].coord, n), static_cast<double>(node[0]), {node[1], node[2], node[3]}};
        Vec3 velocity;
        if (!contact_.apply(block, n, dt, moving, velocity)) continue;   // couple() will
        for (int axis = 0; axis < 3; ++axis) {
            node[1 + axis] = static_cast<Real>(velocity[axis]);
            cells = std::max(cells, std::abs(static_cast<double>(node[1 + axis])) * perCell[axis]);
        }
    }
    return cells;
}

// Differences of neighbouring node velocities bound the gradient of their B-spline.
template <class Real>
double ElastoplasticMethod<Real>::largestNodeGradient(const Exec& exec) const {
    constexpr std::array<int, 3> stride{mpm::kTileSide * mpm::kTileSide, mpm::kTileSide, 1};
    return exec.reduce(
        blocks_.points.size(), 4, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double largest = 0;
            mpm::NodeValues<Real> tile(mpm::kTileNodes * mpm::kNodeReals);
            for (std::size_t b = begin; b < end; ++b) {
                mpm::loadTile(blocks_.points[b], {}, nodes_.data(), tile.data());
                for (int n = 0; n < mpm::kTileNodes; ++n)
                    for (int axis = 0; axis < 3; ++axis) {
                        const bool last = n / stride[static_cast<std::size_t>(axis)] % mpm::kTileSide == mpm::kTileSide - 1;
                        const Real* here = tile.data() + mpm::kNodeReals * n;
                        if (last || here[0] == Real(0)) continue;
                        const Real* next = here + mpm::kNodeReals * stride[static_cast<std::size_t>(axis)];
                        if (next[0] == Real(0)) continue;
                        for (int c = 1; c < 4; ++c) largest = std::max(largest, std::abs(static_cast<double>(next[c] - here[c])) / frame_.spacing[axis]);
                    }
            }
            return largest;
        },
        [](double a, double b) { return std::max(a, b); });
}

template world::StepReport ElastoplasticMethod<float>::step(const Exec&, world::World&, double);
template world::StepReport ElastoplasticMethod<double>::step(const Exec&, world::World&, double);
template VelocityMemory ElastoplasticMethod<float>::memory(double) const;
template VelocityMemory ElastoplasticMethod<double>::memory(double) const;
template double ElastoplasticMethod<float>::sumNodes(const Exec&, const world::World&, double, bool);
template double ElastoplasticMethod<double>::sumNodes(const Exec&, const world::World&, double, bool);
template double ElastoplasticMethod<float>::coupleBodies(const Exec&, double);
template double ElastoplasticMethod<double>::coupleBodies(const Exec&, double);

}  // namespace talus::elastoplastic
