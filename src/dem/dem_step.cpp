// SPDX-License-Identifier: Apache-2.0
// One step of velocity Verlet: v½ = v₀ + ½ Δt a₀, x₁ = x₀ + Δt v½; contact forces at x₁ with the velocity v½ + ½ Δt a₀; v₁ = v½ + ½ Δt a₁.
#include "dem/dem_method.h"
#include "dem/response.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::dem {
namespace {

/// A step this much longer than the stable one is rejected.
constexpr double kMostStretch = 2;
/// The list is built again when the next step, were it this much longer, could outrun it.
constexpr double kForesight = 1.5;

}  // namespace

void DemMethod::Furthest::include(const Furthest& other) {
    moved = std::max(moved, other.moved);
    speed = std::max(speed, other.speed);
    acceleration = std::max(acceleration, other.acceleration);
    if (bad < 0) bad = other.bad;
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
    return std::min(dt, stiffest.step(settings_.integrator == Integrator::rkf45 ? 1 : settings_.stepFraction));   // RKF45 divides its step itself
}

world::StepReport DemMethod::step(const Exec& exec, world::World& world, double dt) {
    refresh(exec, world);
    if (stale_ || memoryKinds() != wantedKinds()) rebuild(exec, world, world.time);
    if (bodiesUnlisted_) relistBodies(exec, world);
    if (const double stable = stableStep(world); dt > kMostStretch * stable) return world::Rejected{stable};
    if (settings_.integrator == Integrator::rkf45) return adaptiveStep(exec, world, dt);
    const double way = dt * (fastest_ + dt * acceleration_ + feelForces(exec, world, dt)), bodyWay = dt * bodySpeed(world, world.time);
    if (const double most = std::max(way, bodyWay); most > 0.5 * skin_) return world::Rejected{0.5 * dt * std::min(1.0, 0.5 * skin_ / most)};
    if (moved_ + way > 0.5 * skin_) {
        rebuild(exec, world, world.time);
        feelForces(exec, world, dt);
    } else if (bodyDrift_ + bodyWay > 0.5 * skin_) {   // a body that grains lie still beside: theirs are still the neighbours that they were
        relistBodies(exec, world);
        bodyDrift_ = 0;
    }
    if (touched_) {   // forces of contacts that grains came with: without them the first half of a step would not feel what the second does
        evaluate(exec, world, world.bodiesAt(world.time));
        bodyRates_ = bodyRates();
        touched_ = false;
    }

    world::FreeBodies free = predictBodies(world, dt);
    std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time + dt);
    for (std::size_t k = 0; k < free.size(); ++k) bodies[free.body(k)] = free.snapshot(free.body(k), world.time + dt);

    felt_.clear();
    const Drifted drifted = driftAndMeetBodies(exec, world, dt, bodies);
    const Furthest& moved = drifted.grains;
    if (moved.bad >= 0) return failure(static_cast<std::size_t>(moved.bad), "the velocity of a grain is not finite", "velocity");
    Extremes found = pairForces(exec, dt);
    found.include(drifted.bodies);
    const std::vector<world::BodyLoad> rates = bodyRates();
    const Furthest kicked = kick(exec, world, dt);
    if (kicked.bad >= 0) return failure(static_cast<std::size_t>(kicked.bad), "the force on a grain is not finite", "force");
    if (found.deep > 0 && settings_.deepOverlap == DeepOverlap::stop)
        return failure(spheres_.grainOf(static_cast<std::size_t>(found.deepSphere)), "a grain overlaps another, or a body, by more than half a radius", "position");

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
    countDeep(found.deep, world.time + dt);
    now_ = found.stiffness;
    moved_ += moved.moved;
    fastest_ = kicked.speed;
    acceleration_ = kicked.acceleration;
    bodyDrift_ += bodyWay;
    if (moved_ + kForesight * dt * (fastest_ + dt * acceleration_) > 0.5 * skin_) rebuild(exec, world, world.time + dt);
    return world::Done{};
}

/// What force fields do to velocities in the step; returns the most of it [m/s].
double DemMethod::feelForces(const Exec& exec, const world::World& world, double dt) {
    if (!world.forces.any()) return 0;
    pushes_.resize(grains_.rows());
    return exec.reduce(
        grains_.rows(), kGrainBlock, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double most = 0;
            for (std::size_t i = begin; i < end; ++i) {
                pushes_[i] = world.forces.velocityChange(world.materials[static_cast<std::size_t>(at(grains_.material, i))], wrapped(i), get(grains_.velocity, i), world.gravity, world.time, dt);
                most = std::max(most, norm(pushes_[i]));
            }
            return most;
        },
        [](double a, double b) { return std::max(a, b); });
}

/// Forces of the grains and bodies as they are, of velocities of the same instant; memories do not grow.
DemMethod::Evaluated DemMethod::evaluate(const Exec& exec, const world::World& world, std::span<const world::BodySnapshot> bodies) {
    std::visit([&](auto& forces) { exec.forBlocks(grains_.rows(), kGrainBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) place(i, get(grains_.position, i), orientationOf(i), seenMotion(world, i, 0, {}), forces);
    }); }, forces_);
    const Extremes found = computeForces(exec, world, 0, bodies);
    return {found, kick(exec, world, 0)};
}

/// When contacts look at velocities: after the half step that they have made, before the end of the step by this [s].
double DemMethod::lead(double dt) const { return settings_.contactVelocity == ContactVelocity::endOfStep ? 0.5 * dt : 0; }

/// `before`: of the contacts at the start of the step.
DemMethod::Motion DemMethod::seenMotion(const world::World& world, std::size_t i, double ahead, const Wrench& before) const {
    Vec3 v = get(grains_.velocity, i), spin = get(grains_.spin, i);
    if (ahead > 0) {
        v += ahead * (world.gravity + before.force / massOf(i));
        if (world.forces.any()) v += 0.5 * pushes_[i];
        spin += ahead * before.torque;
    }
    return {v, angularVelocity(shapeOf(i), massOf(i), at(grains_.diameter, i), orientationOf(i), spin)};
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

/// Of all contacts of the spheres as they are placed.
Extremes DemMethod::computeForces(const Exec& exec, const world::World& world, double dt, std::span<const world::BodySnapshot> bodies) {
    Extremes all = pairForces(exec, dt);
    const auto phase = exec.phase("contacts");
    makeRoomForBodies();
    all.include(exec.reduce(
        grains_.rows(), kGrainBlock, Extremes{}, [&](std::size_t begin, std::size_t end) { return bodyForces(world, dt, 0, bodies, contactsWithBodies(begin, end), {}, bodyShares_[begin / kGrainBlock]); },
        [](Extremes a, const Extremes& b) {
            a.include(b);
            return a;
        }));
    return all;
}

Extremes DemMethod::pairForces(const Exec& exec, double dt) {
    const auto phase = exec.phase("contacts");
    return std::visit([&](auto& forces) { return forces.compute(exec, settings_, laws_.manner(), dt, pairs_, wrenches_); }, forces_);
}

void DemMethod::makeRoomForBodies() {
    bodyShares_.resize((grains_.rows() + kGrainBlock - 1) / kGrainBlock);
    if (settings_.integrator == Integrator::rkf45) bodyMemoryRates_.resize(bodies_.size());
}

/// Those of these rows.
DemMethod::ContactRange DemMethod::contactsWithBodies(std::size_t firstRow, std::size_t lastRow) const { return {bodies_.firstOf(spheres_.firstOf(firstRow)), bodies_.firstOf(spheres_.firstOf(lastRow))}; }

/// `before`: what contacts did to the grain of each of these contacts at the start of the step, where velocities look ahead.
Extremes DemMethod::bodyForces(const world::World& world, double dt, double ahead, std::span<const world::BodySnapshot> bodies, const ContactRange& range, std::span<const Wrench> before,
                               std::vector<BodyShare>& shares) {
    Extremes found;
    shares.clear();
    if (range.begin == range.end) return found;
    const auto shareOf = [&](std::uint32_t body) -> BodyShare& {
        const auto known = std::ranges::find(shares, body, &BodyShare::body);
        return known != shares.end() ? *known : shares.emplace_back(BodyShare{body, {}, 0});
    };
    std::visit([&](auto normal, auto shear) {
        for (std::size_t k = range.begin; k < range.end; ++k) {
            const std::uint32_t b = covers_.bodyOf(bodies_.body[k]);
            bodyForce<decltype(normal), decltype(shear)>(world, dt, ahead, bodies[b], k, before.empty() ? Wrench{} : before[k - range.begin], shareOf(b), found);
        }
    }, settings_.normalLaw(), settings_.shearLaw());
    return found;
}

template <class NormalKind, class ShearKind>
void DemMethod::bodyForce(const world::World& world, double dt, double ahead, const world::BodySnapshot& body, std::size_t k, const Wrench& before, BodyShare& share, Extremes& found) {
    const std::uint32_t s = bodies_.sphere[k], i = spheres_.grainOf(s);
    const Vec3 x = get(grains_.position, i), offset = shapeOf(i).isSphere() ? Vec3{} : armOf(i, s, orientationOf(i).matrix()), centre = domain_.wrap(x) + offset;
    const std::uint32_t partner = bodies_.body[k];
    const geometry::Surface surface = surfaceOf(body, partner, centre);
    const double radius = radiusOf(s);
    ContactState& state = bodies_.state[k];
    const world::ContactMode mode = body.body().contact;
    if (mode == world::ContactMode::separate || !body.active()) state.bonded = false;
    const HoldConstants hold = laws_.manner().holds() ? bodies_.holds[bodies_.kind[k]] : HoldConstants{};
    const bool touches = surface.distance < radius;
    if (!touches && !state.bonded && !(state.bridged && surface.distance - radius < hold.rupture)) {
        if (!state.idle()) state = {};
        return;
    }
    const Motion motion = seenMotion(world, i, ahead, before);
    state.bonded = mode != world::ContactMode::separate;
    state.arm = -surface.distance * surface.normal;
    const Vec3 point = centre + state.arm;
    // A belt runs along the body, not up and down its bumps.
    const Vec3 along = covers_.isSphere(partner) && body.body().belt ? body.surface(point).normal : surface.normal;
    const Vec3 surfaceVelocity = body.body().fixed() ? Vec3{} : body.velocity(point, along);
    const Touch t{.overlap = radius - surface.distance, .normal = surface.normal, .velocity = motion.velocity + cross(motion.angularVelocity, offset + state.arm) - surfaceVelocity,
                  .spin = motion.angularVelocity - body.pose().angularVelocity, .bonded = state.bonded, .stuck = mode == world::ContactMode::sticky};
    const PairConstants& c = bodies_.constants[bodies_.kind[k]];
    const Response response = respond<NormalKind, ShearKind>(c, hold, laws_.manner(), t, dt, state.memory);
    state.force = response.force;
    wrenches_[s].force += response.force;
    wrenches_[s].torque += cross(state.arm, response.force) + response.moment;
    state.touching = touches || state.bonded;
    state.bridged = laws_.manner().bridges && !state.bonded;
    share.rate += {-response.force, cross(point - body.pose().position, -response.force) - response.moment,
                   dot(response.force, surfaceVelocity) + dot(response.moment, body.pose().angularVelocity), dt > 0 ? 2 * response.slipWork / dt : 0};
    share.slipWork += response.slipWork;
    if (!bodyMemoryRates_.empty()) bodyMemoryRates_[k] = memoryRate(t);
    const double depth = state.touching ? std::abs(t.overlap) : 0;
    found.stiffness.include({c.stiffness * NormalKind::tangent(depth) * c.perMass, c.damping * NormalKind::viscous(depth) * c.perMass});
    if (t.overlap > kDeep * radius) found.include({{}, 1, s});
}

/// Of a body, or of a sphere that covers it, near x.
geometry::Surface DemMethod::surfaceOf(const world::BodySnapshot& body, std::uint32_t partner, const Vec3& x) const {
    if (covers_.isSphere(partner) && body.active()) return covers_.surface(partner, body.pose(), domain_, x);
    const world::SurfacePoint point = body.surface(x);
    return {point.distance, point.normal};
}

/// What bodies get per second from the contacts that were met last, in the order of the blocks.
std::vector<world::BodyLoad> DemMethod::bodyRates() const {
    std::vector<world::BodyLoad> rates(bodyRates_.size());
    for (const std::vector<BodyShare>& shares : bodyShares_)
        for (const BodyShare& share : shares) rates[share.body] += share.rate;
    return rates;
}

world::Failed DemMethod::failure(std::size_t row, std::string_view what, std::string_view field) const {
    return {std::string(what), at(grains_.id, row), wrapped(row), std::string(field)};
}

}  // namespace talus::dem
