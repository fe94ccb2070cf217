// SPDX-License-Identifier: Apache-2.0
#include "world/stage.h"

#include <optional>
#include <string>

namespace talus::world {

double Until::longest() const {
    const AfterTime* time = std::get_if<AfterTime>(&condition);
    return time ? time->seconds : atMost;
}

namespace {

void exchangeLoads(FreeBody& body, const Body& next, const Stage& stage, const std::string& path, double time) {
    if (stage.gives(path + "force")) body.force = next.free()->force.later(time);
    if (stage.gives(path + "torque")) body.torque = next.free()->torque.later(time);
}

/// A body that becomes free goes on as it moved, but for what is locked; one that is held stays where it is.
std::variant<Motion, FreeBody> takenOver(const Body& body, const Body& next, double time) {
    const Pose now = body.pose(time);
    if (const Motion* motion = std::get_if<Motion>(&next.motion)) return motion->startedFrom(now, time);
    FreeBody free = *next.free();
    free.pose = now;
    for (int axis = 0; axis < 3; ++axis) {
        if (free.locked[static_cast<std::size_t>(axis)]) free.pose.velocity[axis] = 0;
        if (free.locked[static_cast<std::size_t>(3 + axis)]) free.pose.angularVelocity[axis] = 0;
    }
    free.force = free.force.later(time);
    free.torque = free.torque.later(time);
    return free;
}

void exchangeBodies(World& world, const Stage& stage, double time) {
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        Body& body = world.bodies[b];
        const Body& next = stage.world.bodies[b];
        const std::string path = "bodies." + body.name + ".";
        body.material = next.material;
        body.contact = next.contact;
        if (stage.gives(path + "active")) body.active = next.active.later(time);
        if (stage.gives(path + "surface_velocity")) body.belt = next.belt ? std::optional(next.belt->later(time)) : std::nullopt;
        if (stage.gives(path + "motion")) {
            if (body.free() || next.free())   // contacts of the last step push no longer
                std::erase_if(world.bodyContacts, [b](const BodyContact& contact) { return contact.a == b || contact.b == b; });
            body.motion = takenOver(body, next, time);
        } else if (FreeBody* free = std::get_if<FreeBody>(&body.motion)) {
            exchangeLoads(*free, next, stage, path, time);
        }
    }
}

void exchangeEmitters(World& world, const Stage& stage, double time) {
    for (std::size_t i = 0; i < world.emitters.size(); ++i) {
        Emitter& e = world.emitters[i];
        const Emitter& next = stage.world.emitters[i];
        const std::string path = "emitters." + e.name + ".";
        const bool rate = stage.gives(path + "rate"), velocity = stage.gives(path + "velocity"), window = stage.gives(path + "window");
        if (!rate && !velocity && !window) continue;
        e.settle(time);
        if (rate) e.rate = next.rate.later(time);
        if (velocity) e.velocity = next.velocity.later(time);
        if (window) {
            e.begin = time + next.begin;
            e.end = time + next.end;
        }
        e.state.warned = false;
    }
}

void exchangeSinks(World& world, const Stage& stage, double time) {
    for (std::size_t i = 0; i < world.sinks.size(); ++i) {
        Sink& sink = world.sinks[i];
        if (!stage.gives("sinks." + sink.name + ".window")) continue;
        sink.begin = time + stage.world.sinks[i].begin;
        sink.end = time + stage.world.sinks[i].end;
    }
}

/// Its schedule, `by` later.
void moveField(Force& force, double by) {
    if (auto* wind = std::get_if<Wind>(&force.field)) wind->velocity = wind->velocity.later(by);
    if (auto* vortex = std::get_if<Vortex>(&force.field)) vortex->circulation = vortex->circulation.later(by);
    if (auto* lattice = std::get_if<LatticeField>(&force.field)) lattice->scale = lattice->scale.later(by);
}

void exchangeForces(World& world, const Stage& stage, double time) {
    world.forces.air = stage.world.forces.air;
    for (std::size_t i = 0; i < world.forces.forces.size(); ++i) {
        Force& force = world.forces.forces[i];
        const Force& next = stage.world.forces.forces[i];
        const std::string path = "forces[" + std::to_string(i) + "].";
        if (stage.gives(path + "field")) {
            force.field = next.field;
            moveField(force, time);
        }
        if (!stage.gives(path + "window")) continue;
        force.begin = time + next.begin;
        force.end = time + next.end;
    }
}

void exchangeGravity(World& world, const Stage& stage, double time) {
    if (!stage.gives("gravity")) return;
    world.gravity = stage.world.gravity;
    world.gravityOverTime = stage.world.gravityOverTime;
    if (world.gravityOverTime) world.gravityOverTime = world.gravityOverTime->later(time);
}

void setClockBack(World& world, double by) {
    for (Body& body : world.bodies) {
        body.active = body.active.later(-by);
        if (body.belt) body.belt = body.belt->later(-by);
        if (Motion* motion = std::get_if<Motion>(&body.motion)) {
            *motion = motion->earlier(by);
        } else {
            FreeBody& free = std::get<FreeBody>(body.motion);
            free.force = free.force.later(-by);
            free.torque = free.torque.later(-by);
        }
    }
    for (Emitter& e : world.emitters) e.setClockBack(by);
    for (Sink& sink : world.sinks) {
        sink.begin -= by;
        sink.end -= by;
    }
    for (Force& force : world.forces.forces) {
        moveField(force, -by);
        force.begin -= by;
        force.end -= by;
    }
    if (world.gravityOverTime) world.gravityOverTime = world.gravityOverTime->later(-by);
    world.time = 0;
}

}  // namespace

void enter(World& world, const Stage& stage, double time) {
    world.materials = stage.world.materials;
    world.contacts = stage.world.contacts;
    exchangeBodies(world, stage, time);
    exchangeEmitters(world, stage, time);
    exchangeSinks(world, stage, time);
    exchangeForces(world, stage, time);
    exchangeGravity(world, stage, time);
    if (stage.resetTime) setClockBack(world, time);
    ++world.revision;
}

}  // namespace talus::world
