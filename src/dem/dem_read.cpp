// SPDX-License-Identifier: Apache-2.0
// Grains and contacts as fields.
#include "dem/dem_method.h"
#include "world/chunk_writer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::dem {
namespace {

/// One grain in SI units and world coordinates.
struct GrainValues {
    std::int64_t id, material, source, shape;
    Vec3 position, velocity, angularVelocity, spin;
    Quat orientation;
    double radius, mass, volume, birthTime;
    std::int64_t coordination;
    double contactForce, elasticEnergy;
    std::array<double, 6> stress;
};

using world::putVector;

const world::FieldWriter<GrainValues> kWriters[] = {
    {"id", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.id); }},
    {"position", [](const GrainValues& g, auto& out, auto&) { putVector(g.position, out); }},
    {"velocity", [](const GrainValues& g, auto& out, auto&) { putVector(g.velocity, out); }},
    {"radius", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.radius); }},
    {"mass", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.mass); }},
    {"volume", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.volume); }},
    {"material", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.material); }},
    {"source", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.source); }},
    {"birth_time", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.birthTime); }},
    {"stress", [](const GrainValues& g, auto& out, auto&) { out.insert(out.end(), g.stress.begin(), g.stress.end()); }},
    {"elastic_energy", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.elasticEnergy); }},
    {"rotational_energy", [](const GrainValues& g, auto& out, auto&) { out.push_back(0.5 * dot(g.spin, g.angularVelocity)); }},
    {"orientation", [](const GrainValues& g, auto& out, auto&) { putVector({g.orientation.x, g.orientation.y, g.orientation.z}, out); }},
    {"orientation_w", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.orientation.w); }},
    {"angular_velocity", [](const GrainValues& g, auto& out, auto&) { putVector(g.angularVelocity, out); }},
    {"template", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.shape); }},
    {"coordination", [](const GrainValues& g, auto&, auto& out) { out.push_back(g.coordination); }},
    {"contact_force", [](const GrainValues& g, auto& out, auto&) { out.push_back(g.contactForce); }},
};

/// A force between two grains, or of a body on a grain.
struct ContactLine {
    Vec3 from, to;               // centres, or a centre and a point of the body [m]
    Vec3 force;                  // on the grain at `from` [N]
    Vec3 normal;                 // in which a positive force pushes

    double push() const { return dot(force, normal); }
    double shear() const { return norm(force - push() * normal); }
};

const world::FieldWriter<ContactLine> kContactWriters[] = {
    {"from", [](const ContactLine& c, auto& out, auto&) { putVector(c.from, out); }},
    {"to", [](const ContactLine& c, auto& out, auto&) { putVector(c.to, out); }},
    {"force", [](const ContactLine& c, auto& out, auto&) { putVector(c.force, out); }},
    {"normal_force", [](const ContactLine& c, auto& out, auto&) { out.push_back(c.push()); }},
    {"shear_force", [](const ContactLine& c, auto& out, auto&) { out.push_back(c.shear()); }},
};

/// Those that need a pass over all contacts.
bool ofContacts(std::string_view name) { return name == "stress" || name == "elastic_energy" || name == "coordination" || name == "contact_force"; }

}  // namespace

void ContactSum::add(const Vec3& arm, const Vec3& f, double stored, bool touching) {
    coordination += touching;
    force += norm(f);
    energy += stored;
    const double parts[6] = {f.x * arm.x, f.y * arm.y, f.z * arm.z, 0.5 * (f.x * arm.y + f.y * arm.x), 0.5 * (f.y * arm.z + f.z * arm.y), 0.5 * (f.x * arm.z + f.z * arm.x)};
    for (std::size_t k = 0; k < 6; ++k) stress[k] += parts[k];
}

ContactSum& ContactSum::operator+=(const ContactSum& other) {
    coordination += other.coordination;
    force += other.force;
    energy += other.energy;
    for (std::size_t k = 0; k < 6; ++k) stress[k] += other.stress[k];
    return *this;
}

DemMethod::PairMeeting DemMethod::meeting(std::uint32_t a, std::size_t p) const {
    const std::uint32_t b = pairs_.sphere(p), i = spheres_.grainOf(a), j = spheres_.grainOf(b);
    const double radiusA = radiusOf(a), radiusB = radiusOf(b);
    const Vec3 centreA = centreOf(a), centreB = centreOf(b), apart = domain_.nearestImage(centreA - centreB), offsetA = centreA - get(grains_.position, i), offsetB = centreB - get(grains_.position, j);
    const double distance = norm(apart), overlap = radiusA + radiusB - distance;
    PairMeeting met{.grainA = i, .grainB = j, .armA = {}, .armB = {}, .touch = {}, .normalRate = {}, .bridge = pairs_.state(p) == PairState::bridged};
    Touch& t = met.touch;
    t.overlap = met.bridge ? std::min(0.0, overlap) : std::max(0.0, overlap);
    t.normal = normalized(apart);
    met.armA = offsetA + (0.5 * t.overlap - radiusA) * t.normal;
    met.armB = offsetB + (radiusB - 0.5 * t.overlap) * t.normal;
    const Vec3 spinA = angularVelocityOf(i), spinB = angularVelocityOf(j), v = get(grains_.velocity, i) - get(grains_.velocity, j);
    t.velocity = v + cross(spinA, met.armA) - cross(spinB, met.armB);
    t.spin = spinA - spinB;
    const Vec3 centres = v + cross(spinA, offsetA) - cross(spinB, offsetB);
    if (distance > 0) met.normalRate = (centres - dot(centres, t.normal) * t.normal) / distance;
    return met;
}

/// From the grains as they are at the end of the step. Damping then differs from what moved them by as much as velocities changed since contacts
/// looked at them, which is less than the error of a step.
DemMethod::PairTouch DemMethod::pairTouch(std::uint32_t a, std::size_t p, MemoryOf<Vec3> memory) const {
    const std::uint32_t b = pairs_.sphere(p);
    const PairMeeting met = meeting(a, p);
    PairTouch touch{.grainA = met.grainA, .grainB = met.grainB, .armA = met.armA, .armB = met.armB, .force = {}, .normal = met.touch.normal, .energy = 0, .bridge = met.bridge};
    const int materialA = grains_.material(met.grainA), materialB = grains_.material(met.grainB);
    const PairConstants c = laws_.grainPair(materialA, sideOf(a), materialB, sideOf(b));
    const HoldConstants hold = laws_.grainHold(materialA, radiusOf(a), materialB, radiusOf(b));
    touch.energy = stored(c, hold, memory, met.touch.overlap);
    touch.force = std::visit([&](auto normal, auto shear) { return respond<decltype(normal), decltype(shear)>(c, hold, laws_.manner(), met.touch, 0, memory).force; }, settings_.normalLaw(), settings_.shearLaw());
    return touch;
}

/// Elastic energy of a contact [J].
double DemMethod::stored(const PairConstants& c, const HoldConstants& hold, const MemoryOf<Vec3>& memory, double overlap) const {
    double energy = laws_.manner().cohesive ? heldEnergy(hold, overlap) : 0;
    if (hold.rupture > 0 && overlap < 0) return energy;
    energy += std::visit([&](auto law) { return c.stiffness * law.energy(std::abs(overlap)); }, settings_.normalLaw());
    const double growth = laws_.manner().growing ? std::sqrt(std::abs(overlap)) : 1;
    if (settings_.shear == Shear::spring) energy += 0.5 * growth * c.shear * (normSquared(memory.spring) + c.radius * c.radius * (normSquared(memory.turn) + memory.twist * memory.twist));
    return energy;
}

void DemMethod::addBodyContact(std::size_t c, ContactSum& sum) const {
    const ContactState& state = bodies_.state[c];
    if (!state.acts()) return;
    const std::uint32_t s = bodies_.sphere[c], i = spheres_.grainOf(s);
    const HoldConstants hold = laws_.manner().holds() && !state.bonded ? bodies_.holds[bodies_.kind[c]] : HoldConstants{};
    sum.add(centreOf(s) - get(grains_.position, i) + state.arm, state.force, stored(bodies_.constants[bodies_.kind[c]], hold, state.memory, radiusOf(s) - norm(state.arm)), state.touching);
}

std::vector<ContactSum> DemMethod::sumContacts() const {
    std::vector<ContactSum> sums(grains_.rows());
    forActingPairs([&](std::uint32_t a, std::size_t p, const MemoryOf<Vec3>& memory) {
        const PairTouch touch = pairTouch(a, p, memory);
        touch.addToA(sums[touch.grainA]);
        touch.addToB(sums[touch.grainB]);
    });
    for (std::size_t c = 0; c < bodies_.size(); ++c) addBodyContact(c, sums[spheres_.grainOf(bodies_.sphere[c])]);
    if (!felt_.empty())
        for (std::size_t i = 0; i < grains_.rows(); ++i)
            if (const auto felt = felt_.find(grains_.id(i)); felt != felt_.end()) sums[i] = felt->second;
    return sums;
}

void DemMethod::read(const Exec&, world::FieldNames names, world::ChunkSink& sink) const { readRows(names, sink, nullptr); }

void DemMethod::readRows(world::FieldNames names, world::ChunkSink& sink, const std::vector<std::size_t>* listed) const {
    world::ChunkWriter<GrainValues> writer(kWriters, fields(), names, sink);
    const bool contacts = std::ranges::any_of(names, ofContacts);
    std::vector<ContactSum> sums;
    if (contacts) sums = sumContacts();

    const std::size_t count = listed ? listed->size() : grains_.rows();
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t i = listed ? (*listed)[n] : n;
        const Births::Birth& birth = births_.of(grains_.id(i));
        GrainValues g{grains_.id(i), grains_.material(i), birth.source, grains_.shape(i), wrapped(i), get(grains_.velocity, i), angularVelocityOf(i), get(grains_.spin, i),
                      orientationOf(i), reachOf(i), massOf(i), volumeOf(i), birth.time, 0, 0, 0, {}};
        if (contacts) {
            g.coordination = sums[i].coordination;
            g.contactForce = sums[i].force;
            g.elasticEnergy = sums[i].energy;
            for (std::size_t k = 0; k < 6; ++k) g.stress[k] = sums[i].stress[k] / g.volume;
        }
        writer.add(g);
    }
    writer.flush();
}

void DemMethod::readSecond(const world::SecondOutput& output, world::ChunkSink& sink) const {
    world::ChunkWriter<ContactLine> lines(kContactWriters, output.fields, sink);
    forActingPairs([&](std::uint32_t a, std::size_t p, const MemoryOf<Vec3>& memory) {
        const PairTouch touch = pairTouch(a, p, memory);
        const Vec3 from = wrapped(touch.grainA);
        lines.add({from, from - domain_.nearestImage(from - wrapped(touch.grainB)), touch.force, touch.normal});
    });
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const ContactState& state = bodies_.state[c];
        if (!state.acts()) continue;
        const std::uint32_t s = bodies_.sphere[c], i = spheres_.grainOf(s);
        const Vec3 from = wrapped(i);
        lines.add({from, from + (centreOf(s) - get(grains_.position, i)) + state.arm, state.force, normalized(-state.arm)});
    }
    lines.flush();
}

}  // namespace talus::dem
