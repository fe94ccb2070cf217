// SPDX-License-Identifier: Apache-2.0
// Emitters, sinks and forces of a world from what a scene says of them.
#include "scene/build.h"

#include <algorithm>
#include <limits>
#include <numbers>

namespace talus::scene {
namespace {

constexpr double kDegree = std::numbers::pi / 180;   // [rad]

template <class List>
int indexOf(const List& list, const std::string& name) {
    return static_cast<int>(std::ranges::find_if(list, [&](const auto& item) { return item.name == name; }) - list.begin());
}

/// The schedule times a vector.
Schedule<Vec3> along(const Vec3& direction, const Schedule<double>& schedule) {
    if (const double* value = std::get_if<double>(&schedule.form())) return *value * direction;
    if (const auto* table = std::get_if<TimeTable<double>>(&schedule.form())) {
        TimeTable<Vec3> vectors{table->times, {}};
        for (const double value : table->values) vectors.values.push_back(value * direction);
        return vectors;
    }
    const auto& sine = std::get<Sine<double>>(schedule.form());
    return Sine<Vec3>{sine.mean * direction, sine.amplitude * direction, sine.frequency, sine.phaseDeg};
}

double endOf(const TimeWindow& window) { return window.end.value_or(std::numeric_limits<double>::infinity()); }

/// What a stage may change of an emitter.
void changeEmitter(const EmitterDescription& d, const world::Domain& domain, world::Emitter& e) {
    e.byCount = !isZero(d.grainsPerSecond);
    e.rate = e.byCount ? d.grainsPerSecond : isZero(d.ratePerMetre) ? d.rate : d.ratePerMetre.times(domain.slabWidth());
    e.velocity = isZero(d.speed) ? d.velocity : along(normalized(d.disc.normal), d.speed);
    e.begin = d.window.begin;
    e.end = endOf(d.window);
}

world::Emitter buildEmitter(const SceneDescription& scene, const world::World& world, const EmitterDescription& d) {
    world::Emitter e;
    e.name = d.name;
    e.source = static_cast<int>(world.fills.size() + world.emitters.size());
    if (d.hasDisc) e.from = world::Outlet{d.disc.centre, normalized(d.disc.normal), d.disc.radius};
    else e.from = d.body ? geometry::build(d.region) : insideSlab(geometry::build(d.region), scene.domain);
    if (d.body) e.body = indexOf(world.bodies, *d.body);
    changeEmitter(d, world.domain, e);
    e.spread = kDegree * d.spreadDeg;
    e.speedSpread = d.speedSpread;
    e.mostMass = d.massLimit.value_or(std::numeric_limits<double>::infinity());
    if (d.material) e.parts.push_back({indexOf(scene.materials, *d.material), 1});
    for (const MixturePart& part : d.mixture) e.parts.push_back({indexOf(scene.materials, part.material), part.fraction});
    e.state.counts.assign(e.parts.size(), 0);
    e.state.masses.assign(e.parts.size(), 0);
    return e;
}

struct ForceBuilder {
    world::Force& force;
    void operator()(const WindDescription& d) const { force.field = world::Wind{d.velocity}; }
    void operator()(const FieldDescription& d) const {
        world::LatticeField lattice = d.lattice;
        lattice.scale = d.scale;
        force.field = std::move(lattice);
    }
    void operator()(const VortexDescription& d) const { force.field = world::Vortex{d.centre, normalized(d.axis), d.circulation, d.coreRadius}; }
};

}  // namespace

void changeFlows(const SceneDescription& scene, world::World& world) {
    for (std::size_t i = 0; i < scene.emitters.size(); ++i) changeEmitter(scene.emitters[i], world.domain, world.emitters[i]);
    for (std::size_t i = 0; i < scene.sinks.size(); ++i) {
        world.sinks[i].begin = scene.sinks[i].window.begin;
        world.sinks[i].end = endOf(scene.sinks[i].window);
    }
    world.forces.air = scene.air.air;
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
        world::Force& force = world.forces.forces[i];
        const ForceDescription& d = scene.forces[i];
        if (const auto* field = std::get_if<FieldDescription>(&d.kind)) std::get<world::LatticeField>(force.field).scale = field->scale;   // its file was read once
        else std::visit(ForceBuilder{force}, d.kind);
        force.begin = d.window.begin;
        force.end = endOf(d.window);
    }
}

void buildFlows(const SceneDescription& scene, world::World& world) {
    for (const EmitterDescription& d : scene.emitters) world.emitters.push_back(buildEmitter(scene, world, d));
    for (const SinkDescription& d : scene.sinks) world.sinks.push_back({d.name, acrossFaces(geometry::build(d.region), scene.domain), d.window.begin, endOf(d.window), {}});
    world.forces.air = scene.air.air;
    for (const ForceDescription& d : scene.forces) {
        world::Force& force = world.forces.forces.emplace_back();
        std::visit(ForceBuilder{force}, d.kind);
        if (d.hasRegion) force.region = acrossFaces(geometry::build(d.region), scene.domain);
        force.begin = d.window.begin;
        force.end = endOf(d.window);
    }
    world.end = scene.time.end;
}

}  // namespace talus::scene
