// SPDX-License-Identifier: Apache-2.0
#include "contract/sphere_dem.h"

#include "contract/spheres.h"
#include "geometry/sampling.h"
#include "world/free_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace talus::contract {
namespace {

using namespace world;

/// A step may meet contacts this much stiffer than its length was chosen for; beyond that it is rejected.
constexpr double kMostStretch = 2;
/// Overlap that the step is made for where no contact is deeper, in radii.
constexpr double kLeastOverlap = 1e-3;
/// Contacts that there is room for from the start, per sphere; equal spheres have at most 12 neighbours, 6 pairs each.
constexpr std::size_t kContactsPerSphere = 6;

/// The spring of two spheres, a < b, or of a sphere and body −1 − b.
struct Contact {
    std::int64_t a = 0, b = 0;   // ids
    Vec3 spring;                 // [m], of a against b
    std::pair<std::int64_t, std::int64_t> key() const { return {a, b}; }
};

/// Sphere i and sphere `other`, a later row, or body −1 − other.
struct Pair {
    std::size_t i;
    std::int64_t other;

    bool withBody() const { return other < 0; }
    std::size_t body() const { return static_cast<std::size_t>(-1 - other); }
    std::size_t j() const { return static_cast<std::size_t>(other); }
};

/// Sphere i touching sphere or body j, at the end of a step.
struct Touch {
    double overlap = 0;       // [m]
    Vec3 normal{};            // from j to i
    Vec3 armI{}, armJ{};      // from the centres to the contact point
    Vec3 velocity{};          // of i against j, there
    Vec3 surfaceVelocity{};   // of a body, there
    double friction = 0;
    Contact contact{};
    Vec3 force{};          // on i
    double energy = 0;     // stored [J]
    double slipWork = 0;   // dissipated by sliding during the step [J]
};

/// What a step computes; the state takes it over when the step is accepted.
struct Trial {
    explicit Trial(std::size_t n) : position(n), velocity(n), spin(n), force(n), torque(n), elasticEnergy(n) {}
    std::vector<Vec3> position, velocity, spin;   // at the end of the step, velocities first predicted, then corrected
    std::vector<Vec3> force, torque;
    std::vector<double> elasticEnergy;
    std::vector<Contact> contacts;
    std::vector<BodyLoad> bodyRates;
    double deepest = 0;   // overlap [m]
};

void respond(const SphereDemSettings& law, double dt, Touch& t) {
    const double root = std::sqrt(t.overlap), approach = -dot(t.velocity, t.normal);
    const double normalForce = std::max(0.0, law.normalStiffness * t.overlap * root + law.normalDamping * root * approach);
    const Vec3 slide = t.velocity + approach * t.normal;
    // Position, normal and velocity of the same instant: see PHYSICS, Bell2005, on grains of unequal size.
    Vec3 spring = t.contact.spring - dot(t.contact.spring, t.normal) * t.normal + dt * slide;
    const double length = norm(spring), most = t.friction * normalForce / law.shearStiffness;
    if (length > most) {
        t.slipWork = 0.5 * law.shearStiffness * (length * length - most * most);   // what the spring lets go
        spring *= most / length;
    }
    t.contact.spring = spring;
    t.force = normalForce * t.normal - law.shearStiffness * spring;
    t.energy = 0.4 * law.normalStiffness * t.overlap * t.overlap * root + 0.5 * law.shearStiffness * normSquared(spring);
}

class SphereDem final : public Method {
public:
    SphereDem(const SphereDemSettings& settings, const World& world);

    Inserted insert(const Exec&, World&, const Fill&) override;
    Removed erase(const Exec&, const Region&, ChunkSink* taken) override;
    std::int64_t count() const override { return static_cast<std::int64_t>(spheres_.rows()); }
    double grainSpacing() const override { return diameter_; }
    void setClockBack(double by) override {
        for (std::size_t i = 0; i < spheres_.rows(); ++i) spheres_.birthTime(i) -= by;
    }
    double stableStep(const World&) const override { return stableStepAt(deepest_); }
    StepReport step(const Exec&, World&, double dt) override;
    std::span<const FieldInfo> fields() const override { return kSphereFields; }
    void read(const Exec&, FieldNames names, ChunkSink& sink) const override { readSpheres(spheres_, names, sink); }
    void save(Archive&) const override;
    void load(const Exec&, const Archive&) override;

private:
    bool hasRoom(const World&, std::span<const BodySnapshot>, const Vec3& x, double radius) const;
    void append(World&, const Fill&, const Vec3& x, const Vec3& velocity, int material, double radius);
    double stableStepAt(double overlap) const;
    Vec3 pushed(const World&, std::size_t i, double dt) const;   // by world.forces in the step [m/s]
    Trial predict(const Exec&, const World&, double dt) const;
    std::vector<Pair> touching(const Exec&, const World&, std::span<const BodySnapshot>, const Trial&) const;
    Touch touchBody(const World&, const BodySnapshot&, const Trial&, const Pair&) const;
    Touch touchSphere(const World&, const Trial&, const Pair&) const;
    FreeBodies predictBodies(const World&, double dt) const;
    void computeForces(const Exec&, const World&, double dt, const FreeBodies&, Trial&) const;
    void correct(const Exec&, const World&, double dt, Trial&) const;
    std::optional<Failed> firstNotFinite(const Trial&) const;
    void accept(World&, double dt, Trial&&);
    void measure();

    SphereDemSettings settings_;
    double diameter_;
    Spheres spheres_;                      // in order of id
    std::vector<Contact> contacts_;        // in order of key
    std::vector<BodyLoad> bodyRates_;      // at the end of the last step, per second
    double deepest_ = 0;                   // overlap now [m]
    double lightest_ = 0, smallest_ = 0;   // mass [kg] and radius [m]
};

/// Diameter that the resolution asks for; 0 where it asks for none.
double diameterOf(const World& world) {
    if (world.resolution.size) return *world.resolution.size;
    if (world.resolution.grains) return std::cbrt(world.fillVolume() / static_cast<double>(*world.resolution.grains));
    return 0;
}

/// Centres of a cubic lattice of touching spheres that lie in the region as a whole.
std::vector<Vec3> sites(const geometry::Shape& region, double diameter) {
    const double radius = 0.5 * diameter;
    std::vector<Vec3> centres =
        geometry::lattice(region, {diameter, diameter, diameter}, region.bounds().min + Vec3{radius, radius, radius});
    std::erase_if(centres, [&](const Vec3& x) { return region.distance(x) > -(1 - 1e-9) * radius; });
    return centres;
}

SphereDem::SphereDem(const SphereDemSettings& settings, const World& world)
    : settings_(settings), diameter_(diameterOf(world)), bodyRates_(world.bodies.size()) {}

bool SphereDem::hasRoom(const World& world, std::span<const BodySnapshot> bodies, const Vec3& x, double radius) const {
    constexpr double kTouching = 1 - 1e-9;
    for (const BodySnapshot& body : bodies)
        if (body.distance(x) < kTouching * radius) return false;
    for (std::size_t i = 0; i < spheres_.rows(); ++i)
        if (norm(world.domain.nearestImage(x - get(spheres_.position, i))) < kTouching * (radius + spheres_.radius(i))) return false;
    return true;
}

void SphereDem::append(World& world, const Fill& fill, const Vec3& x, const Vec3& velocity, int materialIndex, double radius) {
    const Material& material = world.materials[static_cast<std::size_t>(materialIndex)];
    const double volume = 4 * std::numbers::pi / 3 * radius * radius * radius;
    const std::size_t i = spheres_.rows();
    spheres_.resize(i + 1);
    spheres_.id(i) = world.nextId++;
    set(spheres_.position, i, world.domain.wrap(x));
    set(spheres_.velocity, i, velocity);
    spheres_.rotation(i, 0) = 1;
    spheres_.radius(i) = radius;
    spheres_.mass(i) = material.density * volume;
    spheres_.volume(i) = volume / material.packingFraction;
    spheres_.birthTime(i) = world.time;
    spheres_.material(i) = materialIndex;
    spheres_.source(i) = fill.source;
}

Inserted SphereDem::insert(const Exec&, World& world, const Fill& fill) {
    const std::vector<BodySnapshot> bodies = world.bodiesAt(world.time);
    const ListedGrains* list = fill.listed.get();
    const std::vector<Vec3> centres = list ? list->positions : sites(*fill.region, diameter_);
    Inserted inserted;
    for (std::size_t i = 0; i < centres.size() && (!list || inserted.count < list->mostCount); ++i) {
        if (!list && world.filledBefore(fill, centres[i])) continue;
        if (list && std::ranges::any_of(bodies, [&](const BodySnapshot& body) { return body.distance(centres[i]) < 0; })) continue;
        const int m = list && !list->materials.empty() ? list->materials[i] : fill.material;
        const Material& material = world.materials[static_cast<std::size_t>(m)];
        const bool sized = list && !list->volumes.empty();   // solid volume is packing fraction x packed volume
        const double radius = sized ? std::cbrt(0.75 / std::numbers::pi * material.packingFraction * list->volumes[i]) : 0.5 * diameter_;
        const double mass = material.density * (4 * std::numbers::pi / 3 * radius * radius * radius);
        if (list && inserted.mass + mass > list->mostMass) break;
        if (list && list->onlyWhereRoom && !hasRoom(world, bodies, centres[i], radius)) continue;
        append(world, fill, centres[i], list && !list->velocities.empty() ? list->velocities[i] : fill.velocity, m, radius);
        ++inserted.count;
        inserted.mass += mass;
    }
    contacts_.reserve(kContactsPerSphere * spheres_.rows());
    measure();
    return inserted;
}

Removed SphereDem::erase(const Exec& exec, const Region& region, ChunkSink* taken) {
    Removed removed;
    std::vector<std::uint32_t> kept;
    std::vector<std::int64_t> gone;   // ascending, as the rows are
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < spheres_.rows(); ++i) {
        if (!region.contains(get(spheres_.position, i))) {
            kept.push_back(static_cast<std::uint32_t>(i));
            continue;
        }
        gone.push_back(spheres_.id(i));
        rows.push_back(i);
        ++removed.count;
        removed.mass += spheres_.mass(i);
        removed.momentum += spheres_.mass(i) * get(spheres_.velocity, i);
    }
    if (gone.empty()) return removed;
    if (taken) readSpheres(spheres_, kPromisedNames, *taken, &rows);
    spheres_.reorder(exec, kept);
    std::erase_if(contacts_, [&](const Contact& c) {
        return std::ranges::binary_search(gone, c.a) || std::ranges::binary_search(gone, c.b);
    });
    measure();
    return removed;
}

void SphereDem::measure() {
    lightest_ = smallest_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < spheres_.rows(); ++i) {
        lightest_ = std::min(lightest_, spheres_.mass(i));
        smallest_ = std::min(smallest_, spheres_.radius(i));
    }
}

/// A fraction of π √(m/k) for the stiffness of a contact of that overlap, k = 3/2 k_r √x across and 7/2 k_s along the
/// surface (a rolling sphere resists with 2/7 of its mass), and of 2m/c for its damping; m is half the lightest mass.
double SphereDem::stableStepAt(double overlap) const {
    if (spheres_.rows() == 0) return std::numeric_limits<double>::infinity();
    const double root = std::sqrt(std::max(overlap, kLeastOverlap * smallest_)), mass = 0.5 * lightest_;
    const double stiffness = std::max(1.5 * settings_.normalStiffness * root, 3.5 * settings_.shearStiffness);
    const double halfPeriod = std::numbers::pi * std::sqrt(mass / stiffness), decay = 2 * mass / (settings_.normalDamping * root);
    return settings_.stepFraction * std::min(halfPeriod, decay);
}

/// Velocity Verlet: x₁ = x₀ + Δt v₀ + ½ Δt² a₀, contact forces at x₁ with the predicted velocity v₀ + Δt a₀, then
/// v₁ = v₀ + ½ Δt (a₀ + a₁).
StepReport SphereDem::step(const Exec& exec, World& world, double dt) {
    Trial trial = predict(exec, world, dt);
    if (const auto failed = firstNotFinite(trial)) return *failed;
    FreeBodies bodies = predictBodies(world, dt);
    computeForces(exec, world, dt, bodies, trial);
    if (dt > kMostStretch * stableStepAt(trial.deepest)) return Rejected{stableStepAt(trial.deepest)};
    correct(exec, world, dt, trial);
    if (const auto failed = firstNotFinite(trial)) return *failed;
    for (std::size_t k = 0; k < bodies.size(); ++k) {   // from F₀ Δt to ½ (F₀ + F₁) Δt, as for the spheres
        const BodyLoad &now = trial.bodyRates[bodies.body(k)], &before = bodyRates_[bodies.body(k)];
        bodies.push(k, 0.5 * dt * (Vec6{now.impulse, now.angularImpulse} - Vec6{before.impulse, before.angularImpulse}));
    }
    bodies.commit(world);
    accept(world, dt, std::move(trial));
    return Done{};
}

constexpr std::size_t kBlock = 64;

Vec3 SphereDem::pushed(const World& world, std::size_t i, double dt) const {
    if (!world.forces.any()) return {};
    const Material& material = world.materials[static_cast<std::size_t>(spheres_.material(i))];
    return world.forces.velocityChange(material, get(spheres_.position, i), get(spheres_.velocity, i), world.gravity, world.time, dt);
}

Trial SphereDem::predict(const Exec& exec, const World& world, double dt) const {
    Trial trial(spheres_.rows());
    exec.forBlocks(spheres_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 v = get(spheres_.velocity, i), a = world.gravity + pushed(world, i, dt) / dt + get(spheres_.force, i) / spheres_.mass(i);
            const Vec3 spinUp = get(spheres_.torque, i) / inertia(spheres_, i);
            trial.position[i] = world.domain.wrap(get(spheres_.position, i) + dt * v + (0.5 * dt * dt) * a);
            trial.velocity[i] = v + dt * a;
            trial.spin[i] = get(spheres_.spin, i) + dt * spinUp;
        }
    });
    return trial;
}

/// Free bodies at the end of the step, moved by the forces at its beginning.
FreeBodies SphereDem::predictBodies(const World& world, double dt) const {
    FreeBodies bodies;
    bodies.begin(world, dt);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const BodyLoad& rate = bodyRates_[bodies.body(k)];
        bodies.push(k, dt * Vec6{rate.impulse, rate.angularImpulse});
    }
    bodies.meet();
    bodies.move();
    return bodies;
}

/// All pairs that overlap, in the order of the keys of their contacts.
std::vector<Pair> SphereDem::touching(const Exec& exec, const World& world, std::span<const BodySnapshot> bodies,
                                      const Trial& trial) const {
    std::vector<std::vector<Pair>> parts((spheres_.rows() + kBlock - 1) / kBlock);
    exec.forBlocks(spheres_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        std::vector<Pair>& found = parts[begin / kBlock];
        for (std::size_t i = begin; i < end; ++i) {
            const double radius = spheres_.radius(i);
            for (auto b = static_cast<std::int64_t>(bodies.size()) - 1; b >= 0; --b)
                if (bodies[static_cast<std::size_t>(b)].distance(trial.position[i]) < radius) found.push_back({i, -1 - b});
            for (std::size_t j = i + 1; j < spheres_.rows(); ++j) {
                const double reach = radius + spheres_.radius(j);
                if (normSquared(world.domain.nearestImage(trial.position[i] - trial.position[j])) < reach * reach)
                    found.push_back({i, static_cast<std::int64_t>(j)});
            }
        }
    });
    std::vector<Pair> all;
    for (const std::vector<Pair>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Touch SphereDem::touchBody(const World& world, const BodySnapshot& body, const Trial& trial, const Pair& p) const {
    const Vec3& centre = trial.position[p.i];
    const SurfacePoint surface = body.surface(centre);
    Touch t{.overlap = spheres_.radius(p.i) - surface.distance, .normal = surface.normal};
    t.armI = -surface.distance * surface.normal;
    t.armJ = centre + t.armI - body.pose().position;
    t.surfaceVelocity = body.velocity(centre + t.armI, surface.normal);
    t.velocity = trial.velocity[p.i] + cross(trial.spin[p.i], t.armI) - t.surfaceVelocity;
    t.friction = world.contacts.between(spheres_.material(p.i), body.body().material).friction;
    t.contact = {spheres_.id(p.i), p.other, {}};
    return t;
}

Touch SphereDem::touchSphere(const World& world, const Trial& trial, const Pair& p) const {
    const std::size_t i = p.i, j = p.j();
    const Vec3 apart = world.domain.nearestImage(trial.position[i] - trial.position[j]);
    Touch t{.overlap = spheres_.radius(i) + spheres_.radius(j) - norm(apart), .normal = normalized(apart)};
    t.armI = (0.5 * t.overlap - spheres_.radius(i)) * t.normal;
    t.armJ = (spheres_.radius(j) - 0.5 * t.overlap) * t.normal;
    t.velocity = trial.velocity[i] - trial.velocity[j] + cross(trial.spin[i], t.armI) - cross(trial.spin[j], t.armJ);
    t.friction = world.contacts.between(spheres_.material(i), spheres_.material(j)).friction;
    t.contact = {spheres_.id(i), spheres_.id(j), {}};
    return t;
}

void SphereDem::computeForces(const Exec& exec, const World& world, double dt, const FreeBodies& free, Trial& trial) const {
    std::vector<BodySnapshot> bodies = world.bodiesAt(world.time + dt);
    for (std::size_t k = 0; k < free.size(); ++k) bodies[free.body(k)] = free.snapshot(free.body(k), world.time + dt);
    trial.bodyRates.resize(bodies.size());
    trial.contacts.reserve(kContactsPerSphere * spheres_.rows());
    auto before = contacts_.begin();
    for (const Pair& p : touching(exec, world, bodies, trial)) {
        Touch t = p.withBody() ? touchBody(world, bodies[p.body()], trial, p) : touchSphere(world, trial, p);
        while (before != contacts_.end() && before->key() < t.contact.key()) ++before;
        if (before != contacts_.end() && before->key() == t.contact.key()) t.contact.spring = before->spring;
        respond(settings_, dt, t);
        trial.contacts.push_back(t.contact);
        trial.deepest = std::max(trial.deepest, t.overlap);
        trial.force[p.i] += t.force;
        trial.torque[p.i] += cross(t.armI, t.force);
        if (p.withBody()) {
            // A rate counts for half a step, but the slip is that of the whole one.
            trial.bodyRates[p.body()] +=
                {-t.force, cross(t.armJ, -t.force), dot(t.force, t.surfaceVelocity), 2 * t.slipWork / dt};
            trial.elasticEnergy[p.i] += t.energy;
        } else {
            trial.force[p.j()] -= t.force;
            trial.torque[p.j()] -= cross(t.armJ, t.force);
            trial.elasticEnergy[p.i] += 0.5 * t.energy;
            trial.elasticEnergy[p.j()] += 0.5 * t.energy;
        }
    }
}

void SphereDem::correct(const Exec& exec, const World& world, double dt, Trial& trial) const {
    exec.forBlocks(spheres_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 force = get(spheres_.force, i) + trial.force[i], torque = get(spheres_.torque, i) + trial.torque[i];
            trial.velocity[i] = get(spheres_.velocity, i) + dt * world.gravity + pushed(world, i, dt) + 0.5 * dt / spheres_.mass(i) * force;
            trial.spin[i] = get(spheres_.spin, i) + 0.5 * dt / inertia(spheres_, i) * torque;
        }
    });
}

std::optional<Failed> SphereDem::firstNotFinite(const Trial& trial) const {
    for (std::size_t i = 0; i < spheres_.rows(); ++i) {
        const std::pair<const char*, const Vec3*> states[] = {
            {"velocity", &trial.velocity[i]}, {"position", &trial.position[i]}, {"spin", &trial.spin[i]}};
        for (const auto& [name, value] : states)
            if (!isFinite(*value))
                return Failed{std::string(name) + " is not finite", spheres_.id(i), get(spheres_.position, i), name};
    }
    return std::nullopt;
}

void SphereDem::accept(World& world, double dt, Trial&& trial) {
    for (std::size_t i = 0; i < spheres_.rows(); ++i) {
        // The mean spin turns the sphere.
        const Quat turned =
            (Quat::fromRotationVector(0.5 * dt * (get(spheres_.spin, i) + trial.spin[i])) * rotationOf(spheres_, i))
                .normalizedQuat();
        const double components[] = {turned.w, turned.x, turned.y, turned.z};
        for (int c = 0; c < 4; ++c) spheres_.rotation(i, c) = components[c];
        set(spheres_.position, i, trial.position[i]);
        set(spheres_.velocity, i, trial.velocity[i]);
        set(spheres_.spin, i, trial.spin[i]);
        set(spheres_.force, i, trial.force[i]);
        set(spheres_.torque, i, trial.torque[i]);
        spheres_.elasticEnergy(i) = trial.elasticEnergy[i];
    }
    const double half = 0.5 * dt;
    for (std::size_t b = 0; b < world.bodies.size(); ++b)
        for (const BodyLoad& rate : {bodyRates_[b], trial.bodyRates[b]})
            world.bodies[b].load += {half * rate.impulse, half * rate.angularImpulse, half * rate.work, half * rate.slipWork};
    bodyRates_ = std::move(trial.bodyRates);
    for (BodyLoad& rate : bodyRates_) rate.slipWork = 0;
    contacts_ = std::move(trial.contacts);
    deepest_ = trial.deepest;
}

void SphereDem::save(Archive& archive) const {
    spheres_.save(archive);
    std::vector<std::int64_t> keys;
    std::vector<double> springs, rates;
    for (const Contact& c : contacts_) {
        keys.insert(keys.end(), {c.a, c.b});
        springs.insert(springs.end(), {c.spring.x, c.spring.y, c.spring.z});
    }
    for (const BodyLoad& r : bodyRates_)
        rates.insert(rates.end(),
                     {r.impulse.x, r.impulse.y, r.impulse.z, r.angularImpulse.x, r.angularImpulse.y, r.angularImpulse.z, r.work});
    archive.put("contact_keys", keys);
    archive.put("contact_springs", springs);
    archive.put("body_rates", rates);
    archive.put("deepest_overlap", deepest_);
}

void SphereDem::load(const Exec&, const Archive& archive) {
    spheres_.load(archive);
    const auto keys = archive.get<std::int64_t>("contact_keys");
    const auto springs = archive.get<double>("contact_springs"), rates = archive.get<double>("body_rates");
    contacts_.clear();
    for (std::size_t c = 0; c < keys.size() / 2; ++c)
        contacts_.push_back({keys[2 * c], keys[2 * c + 1], {springs[3 * c], springs[3 * c + 1], springs[3 * c + 2]}});
    for (std::size_t b = 0; b < bodyRates_.size(); ++b) {
        const double* r = &rates[7 * b];
        bodyRates_[b] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, r[6], 0};
    }
    deepest_ = archive.value<double>("deepest_overlap");
    measure();
}

void check(const MethodSettings&, const World& world, Problems& problems) {
    const double diameter = diameterOf(world);
    if (!world.resolution.size && !world.resolution.grains) problems.error("resolution", "needs 'grains' or 'size'");
    for (int axis = 0; axis < 3; ++axis)
        if (world.domain.periodic(axis) && world.domain.size()[axis] < 2 * diameter)
            problems.error("domain", "a periodic axis must be at least two diameters long");
    for (const Body& body : world.bodies)
        if (body.contact != ContactMode::separate)
            problems.error("bodies", "'" + body.name + "': only contact = \"separate\" is known");
}

Estimate estimate(const MethodSettings&, const World& world, Precision) {
    const double diameter = diameterOf(world), count = world.fillVolume() / (diameter * diameter * diameter);
    constexpr std::size_t kTrialBytes = 5 * sizeof(Vec3) + sizeof(double);
    constexpr std::size_t kPairBytes = 2 * 3 * sizeof(Pair);   // in two lists, three each in a cubic packing
    const std::size_t perSphere = Spheres().bytesPerRow() + kTrialBytes + 2 * kContactsPerSphere * sizeof(Contact) + kPairBytes;
    return {std::llround(count), count * static_cast<double>(perSphere), diameter};
}

}  // namespace

void SphereDemSettings::keys(KeyVisitor& v) {
    v.number({"normal_stiffness", "k_r [N/m^1.5]", Dimension::none, positive()}, normalStiffness);
    v.number({"normal_damping", "k_d [N s/m^1.5]", Dimension::none, nonNegative()}, normalDamping);
    v.number({"shear_stiffness", "of the spring along the surface", Dimension::stiffness, positive()}, shearStiffness);
    v.number({"step_fraction", "step over half a period of the stiffest contact", Dimension::none, positive()}, stepFraction);
}

const MethodInfo sphereDemInfo{
    .name = "sphere_dem",
    .summary = "spheres with Hertz contacts, all pairs",
    .citation = "Bell2005",
    .fields = kSphereFields,
    .settings = []() -> std::unique_ptr<MethodSettings> { return std::make_unique<SphereDemSettings>(); },
    .check = check,
    .estimate = estimate,
    .create = [](const MethodSettings& settings, const World& world, Precision) -> std::unique_ptr<Method> {
        return std::make_unique<SphereDem>(dynamic_cast<const SphereDemSettings&>(settings), world);
    },
};

}  // namespace talus::contract
