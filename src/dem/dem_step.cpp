// SPDX-License-Identifier: Apache-2.0
// One step of velocity Verlet: x₁ = x₀ + Δt v₀ + ½ Δt² a₀; contact forces at x₁ with the velocity v₀ + Δt a₀; v₁ = v₀ + ½ Δt (a₀ + a₁).
#include "dem/dem_method.h"
#include "dem/response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::dem {
namespace {

/// A step this much longer than the stable one is rejected.
constexpr double kMostStretch = 2;
/// The list is built again when the next step, were it this much longer, could outrun it.
constexpr double kForesight = 1.5;
constexpr std::size_t kGrainBlock = 512, kPairBlock = 2048;
constexpr double kDeep = 0.5;   // overlap over radius that means that something is wrong

/// Free rotation over dt with constant angular momentum: q₁ = exp(Δt ω(q_½)) q₀ with q_½ half of that way. Momentum is exact; the rule is
/// symmetric, so energy does not drift. For equal moments ω is constant and one round is exact.
Quat turned(const ClumpTemplate& shape, double mass, double diameter, const Quat& start, const Vec3& momentum, double dt) {
    constexpr int kRounds = 4;
    if (shape.isSphere() && momentum == Vec3{}) return start;
    Vec3 rate = angularVelocity(shape, mass, diameter, start, momentum);
    for (int round = 0; !shape.isotropic() && round < kRounds; ++round)
        rate = angularVelocity(shape, mass, diameter, Quat::fromRotationVector(0.5 * dt * rate) * start, momentum);
    return (Quat::fromRotationVector(dt * rate) * start).normalizedQuat();
}

}  // namespace

void DemMethod::Extremes::include(const Extremes& other) {
    stiffness.include(other.stiffness);
    deep += other.deep;
    if (deepGrain < 0) deepGrain = other.deepGrain;
}

double DemMethod::stableStep(const world::World& world) const {
    const double bodies = bodySpeed(world, world.time);
    double dt = world::longestBodyStep(world);
    const double way = 0.5 * skin_ / kForesight;   // that a sphere or a body may move in a step
    if (fastest_ > 0) dt = std::min(dt, 0.5 * way / fastest_);
    if (bodies > 0) dt = std::min(dt, 0.5 * way / bodies);
    if (grains_.rows() == 0) return settings_.dt ? std::min(dt, *settings_.dt) : dt;
    if (settings_.dt) return std::min(dt, *settings_.dt);
    Stiffness stiffest = atRest_;
    stiffest.include(now_);
    return std::min(dt, stiffest.step(settings_.stepFraction));
}

world::StepReport DemMethod::step(const Exec& exec, world::World& world, double dt) {
    refresh(world);
    if (stale_) rebuild(exec, world, world.time);
    if (bodiesUnlisted_) relistBodies(exec, world);
    if (const double stable = stableStep(world); dt > kMostStretch * stable) return world::Rejected{stable};

    if (touched_) startForces(exec, world);
    predict(exec, world, dt);
    if (trial_.bad >= 0) return failure(static_cast<std::size_t>(trial_.bad), "the velocity of a grain is not finite", "velocity");
    const double way = std::max(trial_.moved, bodyDrift_ + dt * bodySpeed(world, world.time));
    if (way > 0.5 * skin_) return world::Rejected{0.5 * dt * std::min(1.0, 0.5 * skin_ / way)};
    world::FreeBodies free = predictBodies(world, dt);
    const double bodyWay = dt * bodySpeed(world, world.time);
    std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time + dt);
    for (std::size_t k = 0; k < free.size(); ++k) bodies[free.body(k)] = free.snapshot(free.body(k), world.time + dt);

    keptSums_.reset();
    const Extremes found = computeForces(exec, dt, bodies);
    const std::vector<world::BodyLoad> rates = bodyRates(bodies);
    const std::int64_t bad = correct(exec, world, dt);
    if (bad >= 0) return failure(static_cast<std::size_t>(bad), "the force on a grain is not finite", "force");
    if (found.deep > 0 && settings_.deepOverlap == DeepOverlap::stop)
        return failure(static_cast<std::size_t>(found.deepGrain), "a grain overlaps another, or a body, by more than half a radius", "position");

    for (std::size_t k = 0; k < free.size(); ++k) {   // from F₀ Δt to ½ (F₀ + F₁) Δt, as for the grains
        const world::BodyLoad &now = rates[free.body(k)], &before = bodyRates_[free.body(k)];
        free.push(k, 0.5 * dt * (Vec6{now.impulse, now.angularImpulse} - Vec6{before.impulse, before.angularImpulse}));
    }
    free.commit(world);
    for (std::size_t b = 0; b < rates.size(); ++b)
        for (const world::BodyLoad& rate : {bodyRates_[b], rates[b]})
            world.bodies[b].load += {0.5 * dt * rate.impulse, 0.5 * dt * rate.angularImpulse, 0.5 * dt * rate.work, 0.5 * dt * rate.slipWork};
    bodyRates_ = rates;
    for (world::BodyLoad& rate : bodyRates_) rate.slipWork = 0;
    deepOverlaps_ += found.deep;
    now_ = found.stiffness;
    bodyDrift_ += bodyWay;
    if (std::max(trial_.moved + kForesight * dt * fastest_, bodyDrift_ + kForesight * bodyWay) > 0.5 * skin_) rebuild(exec, world, world.time + dt);
    return world::Done{};
}

/// Forces of contacts that grains came with: without them the first half of a step would not feel what the second does.
void DemMethod::startForces(const Exec& exec, const world::World& world) {
    predict(exec, world, 0);
    computeForces(exec, 0, world.bodiesAt(world.time));
    correct(exec, world, 0);
    touched_ = false;
}

void DemMethod::predict(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("move grains");
    const std::size_t count = grains_.rows();
    Trial& t = trial_;
    for (std::vector<Vec3>* column : {&t.position, &t.velocity, &t.spin, &t.angularVelocity}) column->resize(count);
    t.orientation.resize(count);
    t.centre.resize(spheres_.size());
    t.push.resize(world.forces.any() && dt > 0 ? count : 0);
    const double seen = settings_.contactVelocity == ContactVelocity::endOfStep ? dt : 0.5 * dt;   // when in the step contacts take velocities
    struct Furthest {
        double moved = 0;
        std::int64_t bad = -1;
    };
    const Furthest all = exec.reduce(
        count, kGrainBlock, Furthest{},
        [&](std::size_t begin, std::size_t end) {
            Furthest here;
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3 x = get(grains_.position, i), v = get(grains_.velocity, i);
                Vec3 a = world.gravity + get(grains_.force, i) / grains_.mass(i);
                if (!t.push.empty()) {
                    t.push[i] = world.forces.velocityChange(world.materials[static_cast<std::size_t>(grains_.material(i))], domain_.wrap(x), v, world.gravity, world.time, dt);
                    a += t.push[i] / dt;
                }
                const Vec3 momentum = get(grains_.spin, i), torque = get(grains_.torque, i);
                const ClumpTemplate& shape = shapeOf(i);
                const double mass = grains_.mass(i), diameter = grains_.diameter(i);
                t.position[i] = x + dt * v + (0.5 * dt * dt) * a;
                t.velocity[i] = v + seen * a;
                t.spin[i] = momentum + seen * torque;
                t.orientation[i] = turned(shape, mass, diameter, get(grains_.orientation, i), momentum + (0.5 * dt) * torque, dt);
                t.angularVelocity[i] = angularVelocity(shape, mass, diameter, t.orientation[i], t.spin[i]);
                placeSpheres(shape, diameter, t.position[i], t.orientation[i], t.centre.data() + spheres_.first[i]);
                if (here.bad < 0 && !(isFinite(t.position[i]) && isFinite(t.velocity[i]) && isFinite(t.angularVelocity[i]))) here.bad = static_cast<std::int64_t>(i);
                for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) here.moved = std::max(here.moved, normSquared(t.centre[s] - built_[s]));
            }
            return here;
        },
        [](const Furthest& a, const Furthest& b) { return Furthest{std::max(a.moved, b.moved), a.bad >= 0 ? a.bad : b.bad}; });
    t.moved = std::sqrt(all.moved);
    t.bad = all.bad;
}

/// Free bodies at the end of the step, moved by the forces at its beginning.
world::FreeBodies DemMethod::predictBodies(const world::World& world, double dt) const {
    world::FreeBodies bodies;
    bodies.begin(world, dt);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const world::BodyLoad& rate = bodyRates_[bodies.body(k)];
        bodies.push(k, dt * Vec6{rate.impulse, rate.angularImpulse});
    }
    bodies.meet();
    bodies.move();
    return bodies;
}

DemMethod::Extremes DemMethod::computeForces(const Exec& exec, double dt, std::span<const world::BodySnapshot> bodies) {
    const auto phase = exec.phase("contacts");
    return std::visit(
        [&](auto normal, auto shear) {
            Extremes all = pairForces<decltype(normal), decltype(shear)>(exec, dt);
            all.include(bodyForces<decltype(normal), decltype(shear)>(exec, dt, bodies));
            return all;
        },
        settings_.normalLaw(), settings_.shearLaw());
}

template <class NormalKind, class ShearKind>
DemMethod::Extremes DemMethod::pairForces(const Exec& exec, double dt) {
    pairMoment_.resize(laws_.rolling() ? pairs_.list.size() : 0);
    return exec.reduce(
        pairs_.list.size(), kPairBlock, Extremes{},
        [&](std::size_t begin, std::size_t end) {
            Extremes found;
            for (std::size_t p = begin; p < end; ++p) {
                const std::uint32_t a = pairs_.list.a[p], b = pairs_.list.b[p];
                const double radiusA = spheres_.radius[a], radiusB = spheres_.radius[b], reach = radiusA + radiusB;
                const Vec3 apart = domain_.nearestImage(trial_.centre[a] - trial_.centre[b]);
                const double squared = normSquared(apart);
                ContactState& state = pairs_.state[p];
                if (squared >= reach * reach) {
                    if (state.touching) state = {};
                    continue;
                }
                const std::uint32_t i = spheres_.grain[a], j = spheres_.grain[b];
                const double distance = std::sqrt(squared);
                Touch t{.overlap = reach - distance, .normal = distance > 0 ? apart / distance : Vec3{0, 0, 1}};
                const Vec3 armI = trial_.centre[a] - trial_.position[i] + (0.5 * t.overlap - radiusA) * t.normal;
                const Vec3 armJ = trial_.centre[b] - trial_.position[j] + (radiusB - 0.5 * t.overlap) * t.normal;
                t.velocity = trial_.velocity[i] - trial_.velocity[j] + cross(trial_.angularVelocity[i], armI) - cross(trial_.angularVelocity[j], armJ);
                t.spin = trial_.angularVelocity[i] - trial_.angularVelocity[j];
                t.radius = radiusA * radiusB / reach;
                t.growing = laws_.growingShear();
                const PairConstants& c = pairs_.constants[p];
                const Response response = respond<NormalKind, ShearKind>(c, laws_.betweenGrains(grains_.material(i), grains_.material(j)), t, dt, settings_.attraction, state);
                if (laws_.rolling()) pairMoment_[p] = response.moment;
                const double perMass = perNormalMass_[i] + perNormalMass_[j];
                found.stiffness.include({c.stiffness * NormalKind::tangent(t.overlap) * perMass, c.damping * NormalKind::viscous(t.overlap) * perMass});
                if (t.overlap > kDeep * std::min(radiusA, radiusB)) found.include({{}, 1, i});
            }
            return found;
        },
        [](Extremes a, const Extremes& b) {
            a.include(b);
            return a;
        });
}

template <class NormalKind, class ShearKind>
DemMethod::Extremes DemMethod::bodyForces(const Exec& exec, double dt, std::span<const world::BodySnapshot> bodies) {
    bodyMoment_.resize(bodies_.size());
    bodyTouch_.resize(bodies_.size());
    return exec.reduce(
        bodies_.size(), kPairBlock / 8, Extremes{},
        [&](std::size_t begin, std::size_t end) {
            Extremes found;
            for (std::size_t k = begin; k < end; ++k) {
                const std::uint32_t s = bodies_.sphere[k], i = spheres_.grain[s];
                const world::BodySnapshot& body = bodies[bodies_.body[k]];
                const Vec3 centre = domain_.wrap(trial_.position[i]) + (trial_.centre[s] - trial_.position[i]);
                ContactState& state = bodies_.state[k];
                const world::ContactMode mode = body.body().contact;
                const double distance = body.active() ? body.distance(centre) : std::numeric_limits<double>::infinity();
                if (mode == world::ContactMode::separate || !body.active()) state.bonded = false;
                if (!(distance < spheres_.radius[s]) && !state.bonded) {
                    if (state.touching) state = {};
                    continue;
                }
                const world::SurfacePoint surface = body.surface(centre);
                state.bonded = mode != world::ContactMode::separate;
                Touch t{.overlap = spheres_.radius[s] - surface.distance, .normal = surface.normal, .velocity = {}, .spin = trial_.angularVelocity[i] - body.pose().angularVelocity,
                        .radius = spheres_.radius[s], .growing = laws_.growingShear(), .bonded = state.bonded, .stuck = mode == world::ContactMode::sticky};
                const Vec3 point = centre - surface.distance * surface.normal;
                bodyTouch_[k].point = point;
                state.arm = -surface.distance * surface.normal;
                bodyTouch_[k].surfaceVelocity = body.velocity(point, surface.normal);
                const Vec3 arm = trial_.centre[s] - trial_.position[i] - surface.distance * surface.normal;
                t.velocity = trial_.velocity[i] + cross(trial_.angularVelocity[i], arm) - bodyTouch_[k].surfaceVelocity;
                const PairConstants& c = bodies_.constants[k];
                const Response response = respond<NormalKind, ShearKind>(c, laws_.withBody(grains_.material(i), bodyMaterial_[bodies_.body[k]]), t, dt, settings_.attraction, state);
                bodyMoment_[k] = response.moment;
                bodyTouch_[k].slipPower = dt > 0 ? response.slipWork / dt : 0;
                const double depth = std::abs(t.overlap);
                found.stiffness.include({c.stiffness * NormalKind::tangent(depth) * perNormalMass_[i], c.damping * NormalKind::viscous(depth) * perNormalMass_[i]});
                if (t.overlap > kDeep * spheres_.radius[s]) found.include({{}, 1, i});
            }
            return found;
        },
        [](Extremes a, const Extremes& b) {
            a.include(b);
            return a;
        });
}

/// What bodies get per second, in the order of the list. A rate counts for half a step, but the slip is that of the whole one.
std::vector<world::BodyLoad> DemMethod::bodyRates(std::span<const world::BodySnapshot> bodies) const {
    std::vector<world::BodyLoad> rates(bodies.size());
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const ContactState& state = bodies_.state[k];
        if (!state.touching) continue;
        const BodyTouch& touch = bodyTouch_[k];
        const world::Pose& pose = bodies[bodies_.body[k]].pose();
        rates[bodies_.body[k]] += {-state.force, cross(touch.point - pose.position, -state.force) - bodyMoment_[k],
                                   dot(state.force, touch.surfaceVelocity) + dot(bodyMoment_[k], pose.angularVelocity), 2 * touch.slipPower};
    }
    return rates;
}

/// Where two spheres of the list touch at the end of the step, and along which normal.
DemMethod::Meeting DemMethod::meeting(std::uint32_t a, std::uint32_t b) const {
    const Vec3 apart = domain_.nearestImage(trial_.centre[a] - trial_.centre[b]);
    const double distance = norm(apart);
    return {distance > 0 ? apart / distance : Vec3{0, 0, 1}, spheres_.radius[a] + spheres_.radius[b] - distance};
}

/// Force and torque of all contacts of a grain: of the pairs in which it comes first, then of the others, then of bodies, always in the
/// same order.
Vec6 DemMethod::contactWrench(std::size_t i) const {
    const Vec3 x = trial_.position[i];
    const bool rolling = laws_.rolling();
    Vec6 sum;
    for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s)
        for (std::size_t p = pairs_.list.firstOfSphere[s]; p < pairs_.list.firstOfSphere[s + 1]; ++p) {
            const ContactState& state = pairs_.state[p];
            if (!state.touching) continue;
            const Meeting m = meeting(s, pairs_.list.b[p]);
            sum += {state.force, cross(trial_.centre[s] - x + (0.5 * m.overlap - spheres_.radius[s]) * m.normal, state.force)};
            if (rolling) sum.angular += pairMoment_[p];
        }
    for (std::size_t k = pairs_.list.firstOfB[i]; k < pairs_.list.firstOfB[i + 1]; ++k) {
        const std::size_t p = pairs_.list.byB[k];
        const ContactState& state = pairs_.state[p];
        if (!state.touching) continue;
        const std::uint32_t b = pairs_.list.b[p];
        const Meeting m = meeting(pairs_.list.a[p], b);
        sum += {-state.force, cross(trial_.centre[b] - x + (spheres_.radius[b] - 0.5 * m.overlap) * m.normal, -state.force)};
        if (rolling) sum.angular -= pairMoment_[p];
    }
    for (std::size_t k = bodies_.firstOfGrain[i]; k < bodies_.firstOfGrain[i + 1]; ++k) {
        const ContactState& state = bodies_.state[k];
        if (state.touching) sum += {state.force, cross(bodyTouch_[k].point - domain_.wrap(x), state.force) + bodyMoment_[k]};
    }
    return sum;
}

/// Velocities at the end of the step from the forces at both ends. Returns a row that is not finite, or −1.
std::int64_t DemMethod::correct(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("move grains");
    struct Furthest {
        double speed = 0;
        std::int64_t bad = -1;
    };
    const Furthest all = exec.reduce(
        grains_.rows(), kGrainBlock, Furthest{},
        [&](std::size_t begin, std::size_t end) {
            Furthest here;
            for (std::size_t i = begin; i < end; ++i) {
                const Vec6 wrench = contactWrench(i);
                const double mass = grains_.mass(i), half = 0.5 * dt;
                Vec3 v = get(grains_.velocity, i) + dt * world.gravity + half / mass * (get(grains_.force, i) + wrench.linear);
                if (!trial_.push.empty()) v += trial_.push[i];
                const Vec3 spin = get(grains_.spin, i) + half * (get(grains_.torque, i) + wrench.angular);
                if (here.bad < 0 && !(isFinite(v) && isFinite(spin))) here.bad = static_cast<std::int64_t>(i);
                set(grains_.position, i, trial_.position[i]);
                set(grains_.orientation, i, trial_.orientation[i]);
                set(grains_.velocity, i, v);
                set(grains_.spin, i, spin);
                set(grains_.force, i, wrench.linear);
                set(grains_.torque, i, wrench.angular);
                const double turning = norm(angularVelocity(shapeOf(i), mass, grains_.diameter(i), trial_.orientation[i], spin));
                here.speed = std::max(here.speed, norm(v) + turning * grains_.diameter(i) * shapeOf(i).sphereReach);
            }
            return here;
        },
        [](const Furthest& a, const Furthest& b) { return Furthest{std::max(a.speed, b.speed), a.bad >= 0 ? a.bad : b.bad}; });
    std::swap(spheres_.centre, trial_.centre);
    fastest_ = all.speed;
    return all.bad;
}

world::Failed DemMethod::failure(std::size_t row, std::string_view what, std::string_view field) const {
    return {std::string(what), grains_.id(row), wrapped(row), std::string(field)};
}

}  // namespace talus::dem
