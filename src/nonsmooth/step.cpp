// SPDX-License-Identifier: Apache-2.0
// One step. Sections and equations are those of [Daviet2016], corrected as in docs/methods/nonsmooth.md.
#include "nonsmooth/method.h"

#include "mpm/points_in_bodies.h"
#include "nonsmooth/cohesion.h"
#include "nonsmooth/frames.h"
#include "nonsmooth/orientation.h"
#include "nonsmooth/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kRowsPerTask = 1024, kSitesPerTask = 128;
/// A point that would move further than this many cells makes the step too long.
constexpr double kMostCellsMoved = 1.5;
/// Part of a node's volume that counts as free inside bodies, where points seldom are.
constexpr double kLeastRoom = 0.1;
/// Fullness beyond 1 that is left as it is, so that grains at rest stay where they are; and the most that a step looks at.
constexpr double kAsGoodAsFull = 1e-3, kMostExcess = 0.2;
/// What flow packs too tight it does in proportion to its shear: so much of it moves apart per shear, besides volume_correction.
constexpr double kCorrectionByShear = 0.5;
/// Turns that grains and other bodies take in pushing free bodies that touch, and the change at which no more is needed.
constexpr int kMostMeetings = 3;
constexpr double kMet = 1e-3;

/// Σ_j λ_j g_ji of every node and what stresses of patterns give it, as velocities of nodes of unit mass.
std::vector<Node> stressImpulses(const Exec& exec, const FrictionProblem& problem) {
    std::vector<Node> nodes(problem.nodes.size(), Node{{}, 1});
    applyStress(exec, problem, problem.stress, nodes);
    return nodes;
}

}  // namespace

world::StepReport NonsmoothMethod::step(const Exec& exec, world::World& world, double dt) {
    refresh(world);
    Transferred moving;
    LastStep now;
    {
        const auto phase = exec.phase("points to grid");
        grid_ = Grid::build(exec, frame_, points_);
        moving = toGrid(exec, frame_, grid_, points_, rheology_, world, dt);                                                      // (18)
    }
    if (moving.badRow >= 0) {
        const auto row = static_cast<std::size_t>(moving.badRow);
        return world::Failed{"the state of a point is not finite", points_.id(row), points_.positionOf(row), isFinite(points_.positionOf(row)) ? "velocity" : "position"};
    }
    {
        const auto phase = exec.phase("assembly");
        freeBodies_.begin(world, dt);
        stepLength_ = dt;
        now = measureFullness(exec, world, moving.taken, dt);
        taken_ = assemble(exec, frame_, grid_, points_, rheology_, settings_.stressBasis, fullness_, dt, problem_);   // B of (20)
        problem_.nodes.resize(grid_.nodes.size());
        for (std::size_t n = 0; n < grid_.nodes.size(); ++n) problem_.nodes[n] = {moving.velocity[n], 1 / moving.mass[n]};
        nodeMass_ = std::exchange(moving, {}).mass;   // the rest would only take up memory
        contacts_.place(exec, frame_, grid_, world, freeBodies_, grainMaterial_, dt, nodeMass_, problem_.nodes);    // §6.1
        cohesion_ = points_.bonds ? siteCohesion(exec, frame_, grid_, points_, rheology_, settings_.stressBasis) : std::vector<double>{};
        limitCompaction(exec, dt);
        problem_.law = {settings_.cone == ConeShape::box, settings_.anisotropy, points_.normals ? siteOrientation(exec, frame_, grid_, points_, rheology_, settings_.stressBasis) : std::vector<SymTensor>{}};
    }
    if (settings_.viscosity > 0) {
        const auto phase = exec.phase("viscosity");
        now.rounds = diffuse(exec, frame_, grid_, points_, rheology_, settings_.viscosity, dt, nodeMass_, problem_.nodes);
    }
    const double scale = stressScale(exec, world);
    pullTogether(exec, cohesion_, dt, problem_);                                                                         // §6.3
    const SolveReport report = solve(exec, dt, settings_.tolerance * scale);                                            // (21)
    letGo(cohesion_, dt, problem_);
    const double rate = fastest(exec);
    if (!std::isfinite(rate)) return world::Failed{"the friction problem has no finite solution", -1, {}, "stress"};
    if (rate * dt > kMostCellsMoved) return world::Rejected{std::min(0.5 * dt, settings_.cfl / rate)};
    if (const auto failed = missed(report, world, dt, settings_.tolerance * scale)) return *failed;

    contacts_.addLoads(world, problem_.nodes, contacts_.anyHeld() ? stressImpulses(exec, problem_) : std::vector<Node>{});
    contacts_.remember();
    if (settings_.rubsWithin()) patterns_.remember(grid_, dt, problem_.patterns);
    cellRate_ = rate;
    now.sweeps = report.sweeps;
    now.residual = report.residual / dt;
    now.tolerance = settings_.tolerance * scale;
    last_ = now;
    makeRoom(exec, world, dt);
    {
        const auto phase = exec.phase("grid to points");
        freeBodies_.move();
        toPoints(exec, world, dt);                                                                                      // (22), (23)
        changeWithTheFlow(exec, world, dt);
        freeBodies_.commit(world);
    }
    {
        const auto phase = exec.phase("sort");
        bringIntoOrder(exec, cellOrder(exec, frame_, points_, grid_));
    }
    if (settings_.frames == PointFrames::split) merges_ += merge(exec, frame_, wholeVolume(), static_cast<double>(settings_.pointsPerCell), points_);
    return world::Done{};
}

// Room, orientation (24), ellipsoids and cohesion of points, and their number (§5.3).
void NonsmoothMethod::changeWithTheFlow(const Exec& exec, world::World& world, double dt) {
    if (settings_.stressBasis == StressBasis::constant && !counted_.empty()) changeRoom(exec, frame_, grid_, problem_, counted_, taken_, dt, points_);
    if (points_.normals) turnNormals(exec, jefferyCoefficient(settings_.grainAspect), dt, points_);
    if (points_.frames) stretchFrames(exec, dt, points_);
    if (points_.bonds) loosen(exec, frame_, grid_, problem_, settings_.stressBasis, cohesion_, settings_.cohesionDecay, dt, points_);
    if (settings_.frames == PointFrames::split) splits_ += split(exec, wholeVolume(), mpm::bodiesAfter(world, freeBodies_, dt), domain_, world.nextId, points_);
}

// k of (19), with fullness f = φ/φ_max at the nodes as in the paper, of what bodies leave free. Grains that take up V when packed
// fill V/f now and (V/f)(1 + Δt ∇·u) after the step: so V ∇·u + V (1 − f)/Δt ≥ 0, where the paper's φ (1 − Δt ∇·u) ≤ φ_max has
// V (1 − f)/(f Δt) and lets loose grains that collide become too full. Never less than 0: what is too full is not pushed apart.
// With the room e that points remember f is 1/(1 + e).
void NonsmoothMethod::limitCompaction(const Exec& exec, double dt) {
    counted_.clear();
    if (settings_.constraint == Constraint::divergence) return;
    const bool constant = settings_.stressBasis == StressBasis::constant;
    counted_.resize(problem_.sites());
    exec.forBlocks(problem_.sites(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            counted_[j] = std::max(0.0, 1 / fullnessOf(j) - 1);
            if (!cohesion_.empty() && cohesion_[j] > 0) continue;   // its grains touch
            const double room = constant ? rememberedRoom(grid_, points_, j, counted_[j]) : counted_[j];
            problem_.slack[j] = taken_[j] * room / (1 + room) / dt;
        }
    });
}

// A cell is as full as the fullest of its nodes: grains in half a cell on top of others are then carried, and the chance number of points in a
// cell counts little.
double NonsmoothMethod::fullnessOf(std::size_t site) const {
    if (settings_.stressBasis == StressBasis::trilinear) return fullness_[site];
    double full = 0;
    for (const std::uint32_t n : grid_.cellNodes[site]) full = std::max(full, fullness_[n]);
    return full;
}

NonsmoothMethod::LastStep NonsmoothMethod::measureFullness(const Exec& exec, const world::World& world, std::span<const double> taken, double dt) {
    LastStep now{.cells = static_cast<double>(grid_.cells.size()), .nodes = static_cast<double>(grid_.nodes.size())};
    fullness_ = freeFractions(exec, frame_, grid_, world, freeBodies_, dt);
    nearBody_.resize(fullness_.size());
    for (std::size_t n = 0; n < fullness_.size(); ++n) {
        nearBody_[n] = fullness_[n] < 1;
        const double room = fullness_[n] * frame_.cellVolume();
        now.overfullVolume += std::max(0.0, taken[n] - room);
        if (taken[n] > 0.5 * room) now.packedVolume += room;
        fullness_[n] = taken[n] / std::max(room, kLeastRoom * frame_.cellVolume());
    }
    return now;
}

/// ρ g L with L the height of the grains along gravity; without gravity the dynamic pressure of the fastest [Pa]. At least a part of c: λ̃ is
/// rounded in its own size.
double NonsmoothMethod::stressScale(const Exec& exec, const world::World& world) const {
    struct Extent {
        double low = 1e300, high = -1e300, mass = 0, volume = 0, speed = 0;
    };
    const double g = norm(world.gravity);
    const Vec3 up = g > 0 ? world.gravity / -g : Vec3{0, 0, 1};
    const Extent all = exec.reduce(
        points_.rows(), kRowsPerTask, Extent{},
        [&](std::size_t begin, std::size_t end) {
            Extent e;
            for (std::size_t row = begin; row < end; ++row) {
                const double height = dot(points_.positionOf(row), up);
                e.low = std::min(e.low, height);
                e.high = std::max(e.high, height);
                e.mass += points_.mass(row);
                e.volume += points_.volume(row);
                e.speed = std::max(e.speed, norm(points_.velocityOf(row)));
            }
            return e;
        },
        [](const Extent& a, const Extent& b) { return Extent{std::min(a.low, b.low), std::max(a.high, b.high), a.mass + b.mass, a.volume + b.volume, std::max(a.speed, b.speed)}; });
    if (points_.rows() == 0) return 0;
    const double density = all.mass / all.volume, held = cohesion_.empty() ? 0 : kPartOfCohesion * std::ranges::max(cohesion_);
    return std::max(held, g > 0 ? density * g * std::max(all.high - all.low, frame_.smallestSpacing()) : density * all.speed * all.speed);
}

SolveReport NonsmoothMethod::solve(const Exec& exec, double dt, double tolerance) {
    const auto phase = exec.phase("friction");
    const SolveLimits limits{.tolerance = tolerance * dt, .mostSweeps = static_cast<int>(settings_.mostSweeps), .single = single_};
    const std::vector<Node> start = freeBodies_.touching() ? problem_.nodes : std::vector<Node>{};
    if (watch_) watch_(problem_, contacts_, limits.tolerance);
    if (settings_.rubsWithin()) patterns_.recall(exec, frame_, grid_, taken_, dt, problem_.patterns);
    const auto solveOnce = [&] { return problem_.law.general() ? generalSolver_.solve(exec, problem_, &contacts_, limits) : solver_->solve(exec, problem_, &contacts_, limits); };
    SolveReport report = solveOnce();
    if (freeBodies_.size() > 0) {
        for (int round = 0; round < kMostMeetings && freeBodies_.touching(); ++round) {
            const std::vector<Vec6> velocity = contacts_.freeVelocities();
            for (std::size_t k = 0; k < velocity.size(); ++k) freeBodies_.setVelocity(k, velocity[k]);
            freeBodies_.meet();
            double change = 0, speed = 0;
            for (std::size_t k = 0; k < velocity.size(); ++k) {
                const Vec6 given = freeBodies_.velocity(k) - velocity[k];
                contacts_.shiftUnloaded(k, given);
                change = std::max(change, norm(given.linear));
                speed = std::max(speed, norm(velocity[k].linear));
            }
            problem_.nodes = start;
            const int before = report.sweeps;
            report = solveOnce();
            report.sweeps += before;
            if (change <= kMet * (speed + 1e-6) || !contacts_.touchesFreeBodies()) break;
        }
        const std::vector<Vec6> velocity = contacts_.freeVelocities();
        for (std::size_t k = 0; k < velocity.size(); ++k) freeBodies_.setVelocity(k, velocity[k]);
    }
    return report;
}

std::optional<world::Failed> NonsmoothMethod::missed(const SolveReport& report, const world::World& world, double dt, double tolerance) {
    sweeps_ += report.sweeps;
    if (report.converged) return std::nullopt;
    if (!std::isfinite(report.residual)) return world::Failed{"the friction problem has no finite solution", -1, {}, "stress"};
    const std::string what = fmt::format("the friction problem missed its tolerance: residual {:.3g} Pa against {:.3g} Pa after {} sweeps", report.residual / dt, tolerance, report.sweeps);
    if (settings_.strict) return world::Failed{what + "; raise nonsmooth.most_sweeps or nonsmooth.tolerance, or leave out nonsmooth.strict", -1, {}, "stress"};
    ++missed_;
    if (!warned_) warnings_.push_back(fmt::format("{} at {:.6g} s (later ones are counted in run.json only); raise nonsmooth.most_sweeps or nonsmooth.tolerance", what, world.time));
    warned_ = true;
    return std::nullopt;
}

double NonsmoothMethod::fastest(const Exec& exec) const {
    const auto phase = exec.phase("grid to points");
    return exec.reduce(
        grid_.cells.size(), 64, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double rate = 0;
            for (std::size_t c = begin; c < end; ++c)
                for (std::size_t row = grid_.firstRow[c]; row < grid_.firstRow[c + 1]; ++row) {
                    const Trilinear t(placeOf(frame_, points_.positionOf(row)).fraction, frame_.spacing);
                    Vec3 v;
                    for (std::size_t corner = 0; corner < kCorners; ++corner) v += t.weight[corner] * problem_.nodes[grid_.cellNodes[c][corner]].velocity;
                    for (int axis = 0; axis < 3; ++axis) rate = std::isfinite(v[axis]) ? std::max(rate, std::abs(v[axis]) / frame_.spacing[axis]) : v[axis];
                    if (!std::isfinite(rate)) return std::numeric_limits<double>::infinity();
                }
            return rate;
        },
        [](double a, double b) { return std::max(a, b); });
}

// A site is too full where its nodes are on average: one node alone may be by the chance of where points lie, and with the fullest
// of them, which says how much room there is, a stirred bed swells by 8 % in 2 s.
void NonsmoothMethod::makeRoom(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("volume");
    excess_.assign(problem_.sites(), 0.0);
    if (settings_.volumeCorrection > 0 && settings_.constraint == Constraint::volumeFraction)
        exec.forBlocks(problem_.sites(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t j = begin; j < end; ++j) {
                double full = 0;
                if (settings_.stressBasis == StressBasis::trilinear) full = fullness_[j];
                else
                    for (const std::uint32_t n : grid_.cellNodes[j]) full += fullness_[n] / kCorners;
                if (full < 1 + kAsGoodAsFull) continue;
                const double rate = settings_.volumeCorrection + kCorrectionByShear * shearRate(problem_, j, taken_[j]);
                excess_[j] = -std::expm1(-rate * dt) * taken_[j] * std::min(full - 1, kMostExcess);
            }
        });
    last_.excessVolume = std::accumulate(excess_.begin(), excess_.end(), 0.0);
    correction_.solve(exec, problem_, excess_, contacts_.surfaces());
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n)
        if (problem_.nodes[n].inverseMass > 0) correctionEnergy_ -= dot(world.gravity, correction_.displacement()[n]) / problem_.nodes[n].inverseMass;
}

// Points that would come into a body are put on its surface and lose the velocity with which they came: nodes are stopped where surfaces go through
// cells as if these were flat, so that beside an edge a point falls with its nodes, ever faster if it kept that.
void NonsmoothMethod::toPoints(const Exec& exec, world::World& world, double dt) {
    const std::vector<world::BodySnapshot> bodies = mpm::bodiesAfter(world, freeBodies_, dt);
    std::vector<const world::BodySnapshot*> all;
    for (const world::BodySnapshot& body : bodies) all.push_back(&body);
    const double narrowest = mpm::kNarrowestGap * frame_.smallestSpacing();
    const bool constant = settings_.stressBasis == StressBasis::constant;
    constexpr std::size_t kCellsPerTask = 64;
    std::vector<std::vector<mpm::PointLoad>> met((grid_.cells.size() + kCellsPerTask - 1) / kCellsPerTask);
    exec.forBlocks(grid_.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const bool nearBody = std::ranges::any_of(grid_.cellNodes[c], [&](std::uint32_t n) { return nearBody_[n] != 0; });
            for (std::size_t row = grid_.firstRow[c]; row < grid_.firstRow[c + 1]; ++row) {
                const Vec3 x = points_.positionOf(row);
                const Trilinear t(placeOf(frame_, x).fraction, frame_.spacing);
                Vec3 v, moved;
                Mat3 gradient;
                SymTensor stress = constant ? problem_.stress[c] : SymTensor{};
                double full = 0;
                for (std::size_t corner = 0; corner < kCorners; ++corner) {
                    const std::uint32_t n = grid_.cellNodes[c][corner];
                    const Vec3& u = problem_.nodes[n].velocity;
                    v += t.weight[corner] * u;
                    moved += t.weight[corner] * correction_.displacement()[n];
                    gradient += Mat3::outer(u, t.gradient[corner]);
                    full += t.weight[corner] * fullness_[n];
                    if (!constant) stress += t.weight[corner] * problem_.stress[n];
                }
                const auto material = static_cast<std::size_t>(points_.material(row));
                const Vec3 to = x + dt * v + moved;
                Vec3 y = to;
                if (nearBody)
                    mpm::leave(all, narrowest, x, y, [&](const mpm::Meeting& meeting) {
                        const double friction = world.contacts.between(points_.material(row), meeting.body.body().material).friction;
                        met[begin / kCellsPerTask].push_back(mpm::stop(meeting, friction, to, points_.mass(row), dt, v));
                    });
                points_.setVelocity(row, v);
                points_.setGradient(row, gradient);
                points_.setPosition(row, domain_.wrap(y));
                points_.setStress(row, (1 / dt) * stress);
                points_.fraction(row) = static_cast<float>(full * materials_[material].packingFraction / rheology_[material].crowding);
            }
        }
    });
    for (const auto& loads : met) mpm::addLoads(world, freeBodies_, loads);
}

}  // namespace talus::nonsmooth
