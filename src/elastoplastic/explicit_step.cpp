// SPDX-License-Identifier: Apache-2.0
// One step. The numbers of sections and equations are those of [Klar2016].
#include "elastoplastic/explicit_method.h"
#include "elastoplastic/sand.h"
#include "mpm/quadratic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::elastoplastic {
namespace {

/// A node that moves further than this in a step breaks the tile of its neighbours [cells].
constexpr double kMostCells = 1.0;
/// 1 + Δt ∇v must stay far from inversion.
constexpr double kMostStretch = 0.6;
/// Points are sorted before any can have drifted by a whole cell.
constexpr double kMostDrift = 0.99;
/// Lighter nodes are round-off [kg].
constexpr double kLeastMass = 1e-30;

template <class Real>
WideSym3<Real> loadSym(const Real* from) {
    const auto entry = [from](int i) { return Wide<Real>::load(from + 8 * i); };
    return {.xx = entry(0), .yy = entry(1), .zz = entry(2), .xy = entry(3), .yz = entry(4), .xz = entry(5)};
}
template <class Real>
void storeSym(const WideSym3<Real>& a, Real* to) {
    a.xx.store(to);
    a.yy.store(to + 8);
    a.zz.store(to + 16);
    a.xy.store(to + 24);
    a.yz.store(to + 32);
    a.xz.store(to + 40);
}

/// Grains lose energy when they are pressed together and let go: a pressure −ζ ∇·v where they touch damps sound.
template <class Real>
[[gnu::always_inline]] inline void dampSound(const Wide<Real>& zetaPerStep, const std::array<Wide<Real>, 9>& stretch, SandState<Real>& state) {
    const Wide<Real> zero(Real(0)), pressure = select(state.expansion > zero, zero, zetaPerStep * (stretch[0] + stretch[4] + stretch[8]));
    state.stress.xx += pressure;
    state.stress.yy += pressure;
    state.stress.zz += pressure;
}

/// |1 + Δt ∇v|.
template <class Real>
[[gnu::always_inline]] inline Wide<Real> determinantOfStretch(const std::array<Wide<Real>, 9>& s) {
    return determinant(WideMat3<Real>{{s[0] + Real(1), s[1], s[2], s[3], s[4] + Real(1), s[5], s[6], s[7], s[8] + Real(1)}});
}

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
    /// Turns (mass, momentum, 0, impulse) of the block's nodes into (mass, v, 0, v⁰); returns by how many cells one moves at most.
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
            before.store(node + 4);
            node[0] = mass;
            node[4] = Real(0);
        }
        return static_cast<double>(maxLane(most));
    }

private:
    alignas(32) Real kick_[4] = {}, perCell_[4] = {};
};

}  // namespace

template <class Real>
void ExplicitMethod<Real>::BlockReport::note(std::uint32_t group, int points, const Wide<Real>& finite, const Wide<Real>& stretched, const WideMask<Real>& beyondSense) {
    const std::array<Real, 8> sums = finite.lanes(), determinants = stretched.lanes(), isCrushed = select(beyondSense, Wide<Real>(Real(1)), Wide<Real>(Real(0))).lanes();
    for (int p = 0; p < points; ++p) {
        const auto lane = static_cast<std::size_t>(p);
        if (!std::isfinite(sums[lane]) && badRow < 0) badRow = 8 * static_cast<std::int64_t>(group) + p;
        if (!(determinants[lane] > Real(0))) ++inverted;
        if (isCrushed[lane] != Real(0)) ++crushed;
    }
}

template <class Real>
world::StepReport ExplicitMethod<Real>::step(const Exec& exec, world::World& world, double dt) {
    refresh(world);
    pointsToGrid(exec, world, dt);                              // §5.1, with the stress forces of §6

    freeBodies_.begin(world, dt);
    const double cells = updateNodes(exec, world, dt);          // gravity, §8 collisions and friction
    if (cells > kMostCells || (2 * cells > kMostStretch && dt * largestNodeGradient(exec) > kMostStretch)) return world::Rejected{0.5 * dt};

    matchVolumes(exec, dt);                                     // before points move: now they are within reach of their tiles
    freeBodies_.move();
    moveBodies(world, dt);
    const std::int64_t bad = gridToPoints(exec, world, dt);     // §5.3–§5.5
    if (bad >= 0) return failure(bad, "the state of a point is not finite");

    contact_.addLoads(world);
    addMeetings(world);
    freeBodies_.commit(world);
    drift_ += dt * pace_.cellRate + pace_.cellsOut;
    if (drift_ > kMostDrift) sort(exec, recentre(exec, points_.rows()));
    return world::Done{};
}

// Mass and momentum of points to their block's tile, p_i += w m (v + C (x_i − x_p)), and the impulse of the step,
// −w Δt V⁰ τ D⁻¹ (x_i − x_p), D = h²/4: the force (23) with the weight gradients of the moving-least-squares form [Hu2018].
template <class Real>
void ExplicitMethod<Real>::pointsToGrid(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("points to grid");
    using W = Wide<Real>;
    const std::array<Real, 3> h{static_cast<Real>(frame_.spacing.x), static_cast<Real>(frame_.spacing.y), static_cast<Real>(frame_.spacing.z)};
    const std::array<Real, 3> force{static_cast<Real>(4 * dt / frame_.spacing.x), static_cast<Real>(4 * dt / frame_.spacing.y), static_cast<Real>(4 * dt / frame_.spacing.z)};
    const bool pushed = world.forces.any();
    mpm::makeRoom(tiles_, blocks_.points.size() * mpm::kTileNodes * mpm::kNodeReals);
    reaches_.resize(blocks_.points.size());
    exec.forTasks(blocks_.points.size(), [&](std::size_t b, int) {
        const mpm::PointBlock& block = blocks_.points[b];
        Real* tile = tiles_.data() + b * mpm::kTileNodes * mpm::kNodeReals;
        reaches_[b] = mpm::reachOf(block, points_.position);
        mpm::clearTile(reaches_[b], tile);
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
            const mpm::QuadraticStencil<Real> stencil(points_.position.group(g));
            const Real *velocity = points_.velocity.group(g), *gradient = points_.gradient.group(g), *stress = points_.stress.group(g);
            const W mass = W::load(points_.mass.group(g)) * stencil.centre, volume = W::load(points_.volume.group(g)) * stencil.centre;
            mpm::PointMomenta<Real> momenta;
            momenta.mass = mass;
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
    });
}

template <class Real>
void ExplicitMethod<Real>::push(const world::World& world, const mpm::PointBlock& block, std::uint32_t group, double dt, Real* change) const {
    for (int p = 0; p < mpm::pointsInGroup(block, group); ++p) {
        const std::size_t row = 8 * std::size_t{group} + static_cast<std::size_t>(p);
        const Vec3 dv = world.forces.velocityChange(world.materials[static_cast<std::size_t>(points_.material(row))], worldPosition(block, row),
                                                    {points_.velocity(row, 0), points_.velocity(row, 1), points_.velocity(row, 2)}, world.gravity, world.time, dt);
        for (int axis = 0; axis < 3; ++axis) change[8 * axis + p] = static_cast<Real>(dv[axis]);
    }
}

// Tiles to nodes, momentum to velocity, gravity, bodies.
template <class Real>
double ExplicitMethod<Real>::updateNodes(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("grid");
    if (blocksChanged_ || placedRevision_ != world.revision) contact_.place(exec, frame_, blocks_.nodes, world, grainMaterial_);
    blocksChanged_ = false;
    placedRevision_ = world.revision;
    contact_.beginStep(exec, world, freeBodies_);
    mpm::makeRoom(nodes_, blocks_.nodes.size() * mpm::kBlockNodes * mpm::kNodeReals);
    const NodeUpdate<Real> update(frame_.spacing, world.gravity, dt);
    double most = exec.reduce(
        blocks_.nodes.size(), 8, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double cells = 0;
            for (std::size_t b = begin; b < end; ++b) {
                Real* values = nodes_.data() + b * mpm::kBlockNodes * mpm::kNodeReals;
                mpm::sumTiles(blocks_.nodes[b], tiles_.data(), reaches_, values);
                const double free = update.block(values);
                cells = std::max(cells, contact_.near(b) ? meetBodies(b, dt) : free);
            }
            return cells;
        },
        [](double a, double b) { return std::max(a, b); });
    const Vec3 perCell{dt / frame_.spacing.x, dt / frame_.spacing.y, dt / frame_.spacing.z};
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
double ExplicitMethod<Real>::meetBodies(std::size_t block, double dt) {
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
double ExplicitMethod<Real>::largestNodeGradient(const Exec& exec) const {
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

template <class Real>
std::int64_t ExplicitMethod<Real>::gridToPoints(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("grid to points");
    workerTiles_.resize(static_cast<std::size_t>(exec.threads()));
    for (auto& tile : workerTiles_) tile.resize(mpm::kTileNodes * mpm::kNodeReals);
    std::vector<BlockReport> reports(blocks_.points.size());
    exec.forTasks(blocks_.points.size(), [&](std::size_t task, int worker) {
        const std::size_t b = blocks_.points.size() - 1 - task;   // last to first: what pointsToGrid read last is still in the cache
        const mpm::PointBlock& block = blocks_.points[b];
        Real* tile = workerTiles_[static_cast<std::size_t>(worker)].data();
        mpm::loadTile(block, reaches_[b], nodes_.data(), tile);
        const Real* positions = points_.position.group(block.firstGroup);
        const std::vector<Real> before(positions, positions + (movedBodies_.empty() ? 0 : 24 * std::size_t{block.groups}));
        reports[b] = updateBlock(block, tile, dt);
        if (!movedBodies_.empty()) leaveBodies(world, block, before, dt, reports[b]);
    });
    pace_ = {};
    met_.clear();
    std::int64_t bad = -1;
    for (const BlockReport& report : reports) {
        pace_.cellRate = std::max(pace_.cellRate, report.pace.cellRate);
        pace_.gradient = std::max(pace_.gradient, report.pace.gradient);
        pace_.cellsOut = std::max(pace_.cellsOut, report.pace.cellsOut);
        inverted_ += report.inverted;
        crushed_ += report.crushed;
        if (bad < 0) bad = report.badRow;
        for (const auto& [body, load] : report.met) met_.emplace_back(body, load);
    }
    return bad;
}

// (11)–(13), (16)–(18) for the points of one block. What a point's velocity and affine matrix have beyond what the grid gave
// back at the start of the step is kept, and forgotten over the relaxation time: w ← Σ w_i v_i + e^(−Δt/T) (w − Σ w_i v_i⁰).
// Positions and strain move with the grid alone. Departure from §5.4: positions and strain move with the velocity after
// friction, as velocities do; with the velocity before it, a bed that friction holds on a slope creeps.
template <class Real>
typename ExplicitMethod<Real>::BlockReport ExplicitMethod<Real>::updateBlock(const mpm::PointBlock& block, const Real* tile, double dt) {
    using W = Wide<Real>;
    const std::array<Real, 3> toCells{static_cast<Real>(dt / frame_.spacing.x), static_cast<Real>(dt / frame_.spacing.y), static_cast<Real>(dt / frame_.spacing.z)};
    const std::array<Real, 3> toGradient{static_cast<Real>(4 / frame_.spacing.x), static_cast<Real>(4 / frame_.spacing.y), static_cast<Real>(4 / frame_.spacing.z)};
    const W step(static_cast<Real>(dt)), memory(static_cast<Real>(velocityMemory(settings_, frame_.smallestSpacing() / waveSpeed_, dt)));
    // ζ = β ρ c h, with ρ c = (λ + 2μ)/c; divided by Δt because it meets Δt ∇v.
    const W bulkViscosity(static_cast<Real>(settings_.bulkViscosity * frame_.smallestSpacing() * (elasticity_.lambda + 2 * elasticity_.mu) / (waveSpeed_ * dt)));
    const bool keepsAffine = settings_.affine();
    const Elasticity elasticity = elasticity_;
    W fastest(Real(0)), steepest(Real(0));
    BlockReport report;
    for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
        // Stores of packs may alias anything: pointers are taken before the first one.
        Real *const position = points_.position.group(g), *const velocity = points_.velocity.group(g), *const affine = points_.gradient.group(g);
        Real *const strain = points_.strain.group(g), *const expansion = points_.expansion.group(g), *const stress = points_.stress.group(g);
        Real* const plasticStrain = points_.plasticStrain.group(g);
        const Cone<Real> cone = cones(g, W::load(plasticStrain));
        const mpm::QuadraticStencil<Real> stencil(position);
        const int points = mpm::pointsInGroup(block, g);
        const auto [v, before] = mpm::gather(stencil, points, tile);

        W finite(Real(0));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mulAdd(memory, W::load(velocity + 8 * axis) - before.velocity[axis], v.velocity[axis]).store(velocity + 8 * axis);
            const W moved = v.velocity[axis] * toCells[axis];
            fastest = max(fastest, abs(moved));
            const W p = W::load(position + 8 * axis) + moved;
            p.store(position + 8 * axis);
            finite += p;
        }
        std::array<W, 9> stretch;   // Δt ∇v
        for (std::size_t i = 0; i < 9; ++i) {
            const W gradient = v.moment[i] * toGradient[i % 3];
            if (keepsAffine) mulAdd(memory, negMulAdd(before.moment[i], toGradient[i % 3], W::load(affine + 8 * i)), gradient).store(affine + 8 * i);
            steepest = max(steepest, abs(gradient));
            stretch[i] = gradient * step;
        }
        SandState<Real> state;   // not braces: those would write zeros first
        state.strain = advanceStrain(loadSym(strain), stretch);
        state.expansion = W::load(expansion);
        state.plasticStrain = W::load(plasticStrain);
        const auto crushed = projectToCone(elasticity, cone, state);
        dampSound(bulkViscosity, stretch, state);
        storeSym(state.strain, strain);
        state.expansion.store(expansion);
        state.plasticStrain.store(plasticStrain);
        storeSym(state.stress, stress);

        finite += state.stress.xx + state.stress.yy + state.stress.zz + state.stress.xy + state.stress.yz + state.stress.xz;
        const W stretched = determinantOfStretch(stretch);
        if (!all((abs(finite) < W(std::numeric_limits<Real>::max())) & (stretched > W(Real(0))) & !crushed)) report.note(g, points, finite, stretched, crushed);
    }
    report.pace = {static_cast<double>(maxLane(fastest)) / dt, static_cast<double>(maxLane(steepest))};
    return report;
}

template <class Real>
Cone<Real> ExplicitMethod<Real>::cones(std::size_t group, const Wide<Real>& q) const {
    const auto ofMaterial = [&](const std::vector<Real>& values) {
        return values.size() == 1 ? Wide<Real>(values.front()) : talus::gather(values.data(), WideInt::load(points_.material.group(group)));
    };
    if (!settings_.hardening.present) return {ofMaterial(kappa_), ofMaterial(tip_)};
    return {settings_.hardening.muHat(q) * static_cast<Real>(elasticity_.kappa(1)), ofMaterial(tip_)};
}

template world::StepReport ExplicitMethod<float>::step(const Exec&, world::World&, double);
template world::StepReport ExplicitMethod<double>::step(const Exec&, world::World&, double);

}  // namespace talus::elastoplastic
