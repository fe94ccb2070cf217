// SPDX-License-Identifier: Apache-2.0
// The implicit update [Klar2016, §5.6]: backward Euler on the velocities of nodes,
//     m (v − v*) = Δt f(v) + J,     f_i = −Σ_p V⁰ τ_p(v) ∇w_i,     v* = v⁰ + Δt g,
// with the stress at the end of the step, return map included, and impulses J of bodies that obey contact and Coulomb's law. Bodies come in as
// what they make of a velocity, P: with r = m (v − v*) − Δt f, the laws of contact say v = P(v − r/a) for any a > 0. So
//     R(v) = a (v − P(v − r(v)/a)) = 0
// is solved by Newton's method: P and the return map are smooth but for borders, which it steps across. Friction is in the solve. Departure from the
// paper, which solves without it and rubs afterwards: at steps in which sound crosses many cells, a bed without friction on its floor gets all of
// g sin θ Δt before the floor can hold it.
// Each linear system goes to GMRES, because neither friction nor the flow rule makes symmetric matrices.
#include "elastoplastic/method.h"
#include "mpm/quadratic_vector.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::elastoplastic {
namespace {

constexpr int kReals = mpm::kVectorReals;
constexpr int kMostNewton = 20, kMostKrylov = 200;
/// Part of the imbalance that a linear solve may leave, more of it near the goal. With 0.1 instead of 0.03 a
/// column that begins to collapse takes 5.2 Newton iterations a step instead of 3.8, and as many of GMRES.
constexpr double kLinearTolerance = 0.03, kMostLinearTolerance = 0.1;
/// Grains that part and meet again change the stiffness at once. Whole Newton steps then find out which of them touch, though the imbalance
/// rises on the way: so often in a row, and to so many times the least so far. After that it has to fall, with a step that is halved so often.
constexpr int kMostRises = 3, kMostHalvings = 5;
constexpr double kMostRise = 20;
/// Steps no longer than the explicit one are taken, and counted, though they did not settle; rounding included.
constexpr double kShortStep = 1.0001;
/// Rounds in which free bodies and grains come to agree, and the change of velocity, over the fastest, at which they do.
constexpr int kMostRounds = 4;
constexpr double kAgreed = 1e-2;
/// The imbalance, over the tolerance, that iterations aim at: so many more are spent on it once the tolerance is reached. With none, a layer that
/// slides down a slope of 34 degrees speeds up by 0.4 % too much, as the imbalance gathers at its floor; it settles well where little changes
/// from step to step. In a collapse grains part and meet on, and iterations that must get there do not end.
constexpr double kGoal = 0.1;
constexpr int kMostMore = 2;
/// Velocities have so many units of rounding, which strains of a step, and stiff grains, make stresses of that no iteration gets rid of.
constexpr double kRounding = 1;
/// Part of the mass that must be free of bodies to take up what is left of the momentum.
constexpr double kLeastFree = 0.1;

}  // namespace

template <class Real>
double ElastoplasticMethod<Real>::stressScale(const world::World& world) const {
    Vec3i low{mpm::kMostBlocks, mpm::kMostBlocks, mpm::kMostBlocks}, high{-mpm::kMostBlocks, -mpm::kMostBlocks, -mpm::kMostBlocks};
    for (const mpm::PointBlock& block : blocks_.points) {
        low = min(low, block.coord);
        high = max(high, block.coord);
    }
    double weight = 0;
    for (int axis = 0; axis < 3; ++axis) weight += std::abs(world.gravity[axis]) * frame_.spacing[axis] * mpm::kBlockSide * (high[axis] - low[axis] + 1);
    double density = 0;
    for (const double rho : bulkDensity_) density = std::max(density, rho);
    if (weight > 0) return density * weight;
    const double speed = std::max(pace_.cellRate, 1e-6) * maxComponent(frame_.spacing);   // without gravity: what motion can press with
    return density * speed * (speed + 1e-3 * waveSpeed_);
}

template <class Real>
std::optional<double> ElastoplasticMethod<Real>::solveNodes(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("solve");
    sumNodes(exec, world, dt, false);
    const std::size_t nodes = blocks_.nodes.size() * mpm::kBlockNodes;
    for (auto* vector : {&system_.free, &system_.velocity, &system_.impulse, &system_.imbalance, &system_.change, &system_.trial}) mpm::makeRoom(*vector, kReals * nodes);
    mpm::makeRoom(system_.weight, nodes);
    mpm::makeRoom(system_.diagonal, mpm::kNodeReals * nodes);
    mpm::makeRoom(system_.inverse, 12 * nodes);
    system_.slopes.assign(blocks_.nodes.size(), {});
    for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t axis = 0; axis < 4; ++axis) {
            const Real* values = nodes_.data() + mpm::kNodeReals * node;
            system_.free[kReals * node + axis] = axis < 3 ? values[1 + axis] : Real(0);
            system_.velocity[kReals * node + axis] = axis < 3 ? values[5 + axis] : Real(0);
        }
    const double face = std::cbrt(frame_.cellVolume());
    double stiffest = 0;
    for (const Matter& matter : matter_) stiffest = std::max(stiffest, matter.elasticity.lambda + 2 * matter.elasticity.mu);
    const double rounding = kRounding * static_cast<double>(std::numeric_limits<Real>::epsilon()) * stiffest * pace_.cellRate * dt;
    system_.scale = (settings_.implicitTolerance * stressScale(world) + rounding) * dt * face * face;
    system_.now = {};

    std::vector<Vec6> unloaded, guess;
    for (std::size_t k = 0; k < freeBodies_.size(); ++k) unloaded.push_back(freeBodies_.velocity(k));
    guess = unloaded;
    for (int round = 0;; ++round) {
        if (!newton(exec, world, dt)) return std::nullopt;
        const double cells = contactStep(exec, dt);
        if (unloaded.empty()) return cells + keepMomentum(exec, dt);
        double change = 0, speed = 0;
        for (std::size_t k = 0; k < unloaded.size(); ++k) {
            change = std::max(change, norm(freeBodies_.velocity(k).linear - guess[k].linear));
            speed = std::max({speed, norm(guess[k].linear), norm(freeBodies_.velocity(k).linear)});
        }
        if (change <= kAgreed * speed || round + 1 == kMostRounds) return cells + keepMomentum(exec, dt);
        for (std::size_t k = 0; k < unloaded.size(); ++k) guess[k] = freeBodies_.velocity(k);
        contact_.beginStep(exec, world, freeBodies_);   // bodies move as was found; loads begin anew
        for (std::size_t k = 0; k < unloaded.size(); ++k) freeBodies_.setVelocity(k, unloaded[k]);
    }
}

template <class Real>
bool ElastoplasticMethod<Real>::newton(const Exec& exec, const world::World& world, double dt) {
    workerTiles_.resize(static_cast<std::size_t>(exec.threads()));
    for (auto& tile : workerTiles_) tile.resize(mpm::kTileNodes * mpm::kNodeReals);
    buildTangents(exec, dt);
    buildDiagonal(exec, true);
    double size = evaluate(exec, dt);
    if (!std::isfinite(size)) return true;   // gridToPoints will say where
    double least = size;
    int risen = 0, more = 0;
    for (int round = 0; size > 1 || (size > kGoal && more++ < kMostMore); ++round) {
        if (round > 0) {
            buildTangents(exec, dt);
            buildDiagonal(exec, false);
        }
        invertDiagonal(exec);
        const auto report = system_.gmres.solve(
            exec, system_.imbalance, system_.change, std::max(kLinearTolerance, std::min(kMostLinearTolerance, 0.3 * kGoal / size)), kMostKrylov,
            [&](const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y) { applyTangent(exec, dt, x, y); },
            [&](const mpm::NodeValues<Real>& x, mpm::NodeValues<Real>& y) { precondition(exec, x, y); });
        ++system_.now.newton;
        system_.now.krylov += report.iterations;
        const double most = size > 1 && risen < kMostRises ? kMostRise * least : size;
        const double after = searchAlong(exec, dt, most);
        risen = after < least ? 0 : risen + 1;
        least = std::min(least, after);
        size = after;
        if (!(after < most) || round + 1 == kMostNewton) break;   // below the tolerance it may be as good as rounding allows
    }
    system_.now.residual = size * settings_.implicitTolerance;
    if (size <= 1) return true;
    const bool isShort = dt <= kShortStep * explicitStep(world);
    system_.now.unsettled += isShort;
    return isShort && std::isfinite(size);
}

/// v ← v − s change with the first s = 1, ½, … whose imbalance is below `most`, or v as it is; the imbalance there.
template <class Real>
double ElastoplasticMethod<Real>::searchAlong(const Exec& exec, double dt, double most) {
    std::ranges::copy(system_.velocity, system_.trial.begin());
    double s = 1;
    for (int halving = 0; halving <= kMostHalvings; ++halving, s *= 0.5) {
        std::ranges::copy(system_.trial, system_.velocity.begin());
        Gmres<Real>::add(exec, static_cast<Real>(-s), system_.change, system_.velocity);
        const double after = evaluate(exec, dt);
        if (after < most) return after;
    }
    std::ranges::copy(system_.trial, system_.velocity.begin());   // nothing helps
    return evaluate(exec, dt);
}

// What is left of the imbalance would change the momentum. Nodes that no body holds are moved by the same velocity, so that grains and bodies
// together keep it; the imbalance grows by less than what was allowed. Returns that velocity in cells per step.
template <class Real>
double ElastoplasticMethod<Real>::keepMomentum(const Exec& exec, double dt) {
    const auto held = [&](std::size_t node, Vec3& impulse) {   // and what bodies gave
        const std::size_t b = node / mpm::kBlockNodes;
        if (!contact_.near(b)) return false;
        const auto a = static_cast<double>(system_.weight[node]);
        bool changed = false;
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t at = kReals * node + static_cast<std::size_t>(axis);
            const double before = static_cast<double>(system_.velocity[at]) - static_cast<double>(system_.impulse[at]) / a;
            const Real after = nodes_[mpm::kNodeReals * node + 1 + static_cast<std::size_t>(axis)];
            changed |= static_cast<Real>(before) != after;
            impulse[axis] = a * (static_cast<double>(after) - before);
        }
        return changed && (freeBodies_.size() > 0 || system_.slopes[b][node % mpm::kBlockNodes] != Mat3::identity());
    };
    struct Sum {
        Vec3 momentum;
        double mass = 0, free = 0;
    };
    const Sum sum = exec.reduce(
        blocks_.nodes.size(), 8, Sum{},
        [&](std::size_t begin, std::size_t end) {
            Sum part;
            for (std::size_t node = begin * mpm::kBlockNodes; node < end * mpm::kBlockNodes; ++node) {
                const Real* values = nodes_.data() + mpm::kNodeReals * node;
                const auto mass = static_cast<double>(values[0]);
                if (mass == 0) continue;
                Vec3 impulse;
                const bool isHeld = held(node, impulse);
                part.mass += mass;
                if (!isHeld) part.free += mass;
                for (int axis = 0; axis < 3; ++axis) part.momentum[axis] += mass * static_cast<double>(values[1 + axis] - system_.free[kReals * node + static_cast<std::size_t>(axis)]) - (isHeld ? impulse[axis] : 0);
            }
            return part;
        },
        [](const Sum& p, const Sum& q) { return Sum{p.momentum + q.momentum, p.mass + q.mass, p.free + q.free}; });
    if (sum.free < kLeastFree * sum.mass) return 0;
    const Vec3 shift = sum.momentum / -sum.free;
    exec.forBlocks(blocks_.nodes.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin * mpm::kBlockNodes; node < end * mpm::kBlockNodes; ++node) {
            Real* values = nodes_.data() + mpm::kNodeReals * node;
            Vec3 impulse;
            if (values[0] == Real(0) || held(node, impulse)) continue;
            for (int axis = 0; axis < 3; ++axis) values[1 + axis] += static_cast<Real>(shift[axis]);
        }
    });
    return dt * std::max({std::abs(shift.x) / frame_.spacing.x, std::abs(shift.y) / frame_.spacing.y, std::abs(shift.z) / frame_.spacing.z});
}

template <class Real>
double ElastoplasticMethod<Real>::contactStep(const Exec& exec, double dt) {
    const Vec3 perCell{dt / frame_.spacing.x, dt / frame_.spacing.y, dt / frame_.spacing.z};
    const double most = exec.reduce(
        blocks_.nodes.size(), 8, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double cells = 0;
            for (std::size_t node = begin * mpm::kBlockNodes; node < end * mpm::kBlockNodes; ++node) {
                Real* values = nodes_.data() + mpm::kNodeReals * node;
                if (values[0] == Real(0)) continue;
                const std::size_t b = node / mpm::kBlockNodes;
                const int n = static_cast<int>(node % mpm::kBlockNodes);
                const Real *v = system_.velocity.data() + kReals * node, *r = system_.impulse.data() + kReals * node;
                Vec3 velocity{v[0], v[1], v[2]};
                if (contact_.near(b)) {
                    const auto a = static_cast<double>(system_.weight[node]);
                    const Vec3 before = velocity - Vec3{r[0], r[1], r[2]} / a;
                    if (system_.slopes[b][static_cast<std::size_t>(n)] != Mat3::identity() || freeBodies_.size() > 0) contact_.apply(b, n, dt, {frame_.nodePosition(blocks_.nodes[b].coord, n), a, before}, velocity);
                }
                for (int axis = 0; axis < 3; ++axis) {
                    values[1 + axis] = static_cast<Real>(velocity[axis]);
                    cells = std::max(cells, std::abs(velocity[axis]) * perCell[axis]);
                }
            }
            return cells;
        },
        [](double a, double b) { return std::max(a, b); });
    return std::max(most, coupleBodies(exec, dt));
}

template std::optional<double> ElastoplasticMethod<float>::solveNodes(const Exec&, const world::World&, double);
template std::optional<double> ElastoplasticMethod<double>::solveNodes(const Exec&, const world::World&, double);

}  // namespace talus::elastoplastic
