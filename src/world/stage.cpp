// SPDX-License-Identifier: Apache-2.0
#include "world/stage.h"

#include <algorithm>

namespace talus::world {

double Until::longest() const {
    const AfterTime* time = std::get_if<AfterTime>(&condition);
    return time ? time->seconds : atMost;
}

namespace {

template <class Item>
const Item* named(const std::vector<Item>& items, const std::string& name) {
    const auto found = std::ranges::find(items, name, &Item::name);
    return found == items.end() ? nullptr : &*found;
}

void exchangeBodies(World& world, const Stage& stage, double time) {
    for (Body& body : world.bodies) {
        const Body* next = named(stage.world.bodies, body.name);
        if (!next) continue;
        body.material = next->material;
        body.contact = next->contact;
        body.active = next->active;
        if (std::ranges::find(stage.motionsAnew, body.name) != stage.motionsAnew.end())
            body.motion = next->motion.startedFrom(body.motion.at(time), time);
    }
}

void exchangeGravity(World& world, const Stage& stage, double time) {
    if (!stage.gravityAnew) return;
    world.gravity = stage.world.gravity;
    world.gravityOverTime = stage.world.gravityOverTime;
    if (world.gravityOverTime) world.gravityOverTime = world.gravityOverTime->later(time);
}

void setClockBack(World& world, double by) {
    for (Body& body : world.bodies) body.motion = body.motion.earlier(by);
    if (world.gravityOverTime) world.gravityOverTime = world.gravityOverTime->later(-by);
    world.time = 0;
}

}  // namespace

void enter(World& world, const Stage& stage, double time) {
    world.materials = stage.world.materials;
    world.contacts = stage.world.contacts;
    exchangeBodies(world, stage, time);
    exchangeGravity(world, stage, time);
    if (stage.resetTime) setClockBack(world, time);
    ++world.revision;
}

}  // namespace talus::world
