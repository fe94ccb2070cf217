// SPDX-License-Identifier: Apache-2.0
#include "world/free_bodies.h"

#include "world/bounces.h"

#include <algorithm>
#include <cmath>

namespace talus::world {
namespace {

constexpr double kLongestStep = 2e-3;   // [s]
/// Slower impacts do not bounce: 1 cm/s, and what gravity gives within two steps.
constexpr double kRestSpeed = 0.01;     // [m/s]

}  // namespace

double longestBodyStep(const World& world) {
    const bool any = std::ranges::any_of(world.bodies, [](const Body& body) { return body.free() != nullptr; });
    return any ? kLongestStep : std::numeric_limits<double>::infinity();
}

void FreeBodies::begin(const World& world, double dt) {
    dt_ = dt;
    time_ = world.time;
    bodies_.clear();
    free_.clear();
    touches_.clear();
    const bool any = std::ranges::any_of(world.bodies, [](const Body& body) { return body.free() != nullptr; });
    if (!any) return;
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
        const Body& body = world.bodies[i];
        ContactBody state{.body = &body, .pose = body.pose(time_)};
        state.bounds = worldBounds(BodySnapshot(body, state.pose, time_));
        if (const FreeBody* free = body.free(); free && body.activeAt(time_)) {
            state.free = true;
            state.mobility = world::mobility(*free, state.pose.rotation);
            free_.push_back(i);
        }
        bodies_.push_back(state);
    }
    touches_ = findTouches(bodies_, world.contacts, time_, dt, kRestSpeed + 2 * dt * norm(world.gravity));
    for (std::size_t k = 0; k < size(); ++k) push(k, appliedImpulse(constants(k), world.gravity, time_, time_ + dt));
    timeBounces(touches_, bodies_, dt);
    startFrom(world.bodyContacts);
}

// A resting contact then needs nothing new: the solver starts where it ended.
void FreeBodies::startFrom(const std::vector<BodyContact>& contacts) {
    auto before = contacts.begin();   // both lists ascend
    std::ranges::sort(touches_, {}, [](const BodyTouch& t) { return t.memory.key(); });
    for (BodyTouch& t : touches_) {
        while (before != contacts.end() && before->key() < t.memory.key()) ++before;
        if (before == contacts.end() || before->key() != t.memory.key()) continue;
        t.impulse = dt_ * std::max(0.0, dot(before->force, t.normal)) * t.normal;
        const Vec3 friction = dt_ * (before->force - dot(before->force, t.normal) * t.normal);
        const double most = t.friction * norm(t.impulse), size = norm(friction);
        t.impulse += size > most && size > 0 ? (most / size) * friction : friction;
        world::push(bodies_[t.memory.a], t.point, t.impulse);
        world::push(bodies_[t.memory.b], t.point, -t.impulse);
    }
}

void FreeBodies::setVelocity(std::size_t k, const Vec6& velocity) {
    Pose& pose = bodies_[free_[k]].pose;
    pose.velocity = velocity.linear;
    pose.angularVelocity = velocity.angular;
}

void FreeBodies::meet() { solveTouches(touches_, bodies_, dt_); }

void FreeBodies::move() {
    for (std::size_t k = 0; k < size(); ++k) bodies_[free_[k]].pose = drifted(constants(k), pose(k), dt_);
    endStep();
}

void FreeBodies::moveTo(std::span<const Pose> poses) {
    for (std::size_t k = 0; k < size(); ++k) bodies_[free_[k]].pose = poses[k];
    endStep();
}

void FreeBodies::endStep() {
    for (std::size_t k = 0; k < size(); ++k) bodies_[free_[k]].mobility = world::mobility(constants(k), pose(k).rotation);
    for (ContactBody& state : bodies_)
        if (!state.free) state.pose = state.body->pose(time_ + dt_);
    placeBounces(touches_, bodies_);
    separate(touches_, bodies_);
}

void FreeBodies::commit(World& world) const {
    for (std::size_t k = 0; k < size(); ++k) std::get<FreeBody>(world.bodies[free_[k]].motion).pose = pose(k);
    world.bodyContacts.clear();
    for (const BodyTouch& t : touches_) {
        if (t.impulse == Vec3{}) continue;
        BodyContact memory = t.memory;
        memory.force = t.impulse / dt_;
        world.bodyContacts.push_back(memory);
    }
}

}  // namespace talus::world
