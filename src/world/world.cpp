// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include "core/rng.h"
#include "geometry/primitives.h"
#include "world/body_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace talus::world {

double World::pressureBelow(const Fill& fill) const {
    const double g = norm(gravity);
    if (!fill.region || !(g > 0)) return 0;
    const Aabb box = fill.region->bounds();
    const Vec3 size = min(box.max, domain.max) - max(box.min, domain.min);
    double height = 0;
    for (int axis = 0; axis < 3; ++axis) height += std::abs(gravity[axis]) / g * size[axis];
    return materials[static_cast<std::size_t>(fill.material)].bulkDensity() * g * height;
}

double World::fillVolume() const {
    double volume = 0;
    for (const Fill& fill : fills) {
        if (fill.region) volume += fill.region->volume();
        if (fill.listed) volume = std::accumulate(fill.listed->volumes.begin(), fill.listed->volumes.end(), volume);
    }
    return volume;
}

// Grains per second have no volume before a method gives them one; they count as nothing here.
double World::emittedVolume() const {
    if (emitted) return *emitted;
    double volume = 0;
    for (const Emitter& e : emitters) {
        if (e.byCount) continue;
        for (const EmitterPart& part : e.parts) volume += part.massFraction * e.due(end) / materials[static_cast<std::size_t>(part.material)].bulkDensity();
    }
    return volume;
}

bool World::filledBefore(const Fill& fill, const Vec3& x) const {
    return std::ranges::any_of(fills, [&](const Fill& other) { return other.source < fill.source && other.region && other.region->distance(x) < 0; });
}

std::vector<int> World::grainMaterials() const {
    std::vector<bool> used(materials.size());
    const auto use = [&](int material) {
        if (const auto m = static_cast<std::size_t>(material); m < used.size()) used[m] = true;
        else used.resize(m), used.push_back(true);
    };
    for (const Fill& fill : fills) {
        if (!fill.listed || fill.listed->materials.empty()) use(fill.material);
        else std::ranges::for_each(fill.listed->materials, use);
    }
    for (const Emitter& e : emitters)
        for (const EmitterPart& part : e.parts) use(part.material);
    std::vector<int> found;
    for (std::size_t m = 0; m < used.size(); ++m)
        if (used[m]) found.push_back(static_cast<int>(m));
    return found;
}

std::vector<BodySnapshot> World::bodiesAt(double t) const {
    std::vector<BodySnapshot> snapshots;
    snapshots.reserve(bodies.size());
    for (const Body& body : bodies) snapshots.emplace_back(body, t);
    return snapshots;
}

namespace {

/// A stage may have begun a motion where a free body was, which is nowhere else.
void saveStarts(const World& world, Archive& archive) {
    std::vector<double> starts;
    for (const Body& body : world.bodies)
        if (const Motion* motion = std::get_if<Motion>(&body.motion)) {
            const Vec3& x = motion->startPosition();
            const Quat& q = motion->startRotation();
            starts.insert(starts.end(), {x.x, x.y, x.z, q.w, q.x, q.y, q.z});
        }
    archive.put("motion_starts", starts);
}

void loadStarts(const Archive& archive, World& world) {
    constexpr std::size_t kPerBody = 7;
    const auto starts = archive.get<double>("motion_starts");
    std::vector<Motion*> motions;
    for (Body& body : world.bodies)
        if (auto* motion = std::get_if<Motion>(&body.motion)) motions.push_back(motion);
    if (starts.size() != kPerBody * motions.size()) throw ArchiveError("the archive has another number of scripted bodies than the scene");
    for (std::size_t k = 0; k < motions.size(); ++k) {
        const double* s = &starts[kPerBody * k];
        motions[k]->startAt({s[0], s[1], s[2]}, {s[3], s[4], s[5], s[6]});
    }
}

void saveFreeBodies(const World& world, Archive& archive) {
    std::vector<double> states, forces;
    std::vector<std::uint32_t> keys;
    for (const Body& body : world.bodies)
        if (const FreeBody* free = body.free()) {
            const auto& [x, q, v, w] = free->pose;
            states.insert(states.end(), {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z});
        }
    for (const BodyContact& c : world.bodyContacts) {
        keys.insert(keys.end(), {c.a, c.b, c.feature});
        forces.insert(forces.end(), {c.force.x, c.force.y, c.force.z});
    }
    archive.put("free_bodies", states);
    archive.put("body_contacts", keys);
    archive.put("body_contact_forces", forces);
}

void loadFreeBodies(const Archive& archive, World& world) {
    constexpr std::size_t kPerBody = 13;
    const auto states = archive.get<double>("free_bodies"), forces = archive.get<double>("body_contact_forces");
    const auto keys = archive.get<std::uint32_t>("body_contacts");
    std::vector<FreeBody*> free;
    for (Body& body : world.bodies)
        if (auto* state = std::get_if<FreeBody>(&body.motion)) free.push_back(state);
    if (states.size() != kPerBody * free.size()) throw ArchiveError("the archive has another number of free bodies than the scene");
    if (keys.size() != forces.size() || keys.size() % 3 != 0) throw ArchiveError("body_contacts and body_contact_forces do not fit together");
    for (std::size_t k = 0; k < free.size(); ++k) {
        const double* s = &states[kPerBody * k];
        free[k]->pose = {{s[0], s[1], s[2]}, {s[3], s[4], s[5], s[6]}, {s[7], s[8], s[9]}, {s[10], s[11], s[12]}};
    }
    world.bodyContacts.clear();
    for (std::size_t i = 0; i < keys.size(); i += 3)
        world.bodyContacts.push_back({keys[i], keys[i + 1], keys[i + 2], {forces[i], forces[i + 1], forces[i + 2]}});
}

}  // namespace

void World::save(Archive& archive) const {
    archive.put("time", time);
    archive.put("next_id", nextId);
    archive.put("gravity", std::vector<double>{gravity.x, gravity.y, gravity.z});   // of the last step, by which the next is chosen
    std::vector<double> loads;
    for (const Body& body : bodies) {
        const BodyLoad& l = body.load;
        loads.insert(loads.end(), {l.impulse.x, l.impulse.y, l.impulse.z, l.angularImpulse.x, l.angularImpulse.y,
                                   l.angularImpulse.z, l.work, l.slipWork});
    }
    archive.put("body_loads", loads);
    saveStarts(*this, archive);
    saveFreeBodies(*this, archive);
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        const auto group = archive.group("emitter_" + std::to_string(i));
        emitters[i].save(archive);
    }
    for (std::size_t i = 0; i < sinks.size(); ++i) {
        const auto group = archive.group("sink_" + std::to_string(i));
        sinks[i].account.save(archive);
    }
    const auto group = archive.group("open_faces");
    openFaces.save(archive);
}

void World::load(const Archive& archive) {
    constexpr std::size_t kPerBody = 8;
    const std::vector<double> loads = archive.get<double>("body_loads"), g = archive.get<double>("gravity");
    if (g.size() != 3) throw ArchiveError("gravity is not a vector");
    if (loads.size() != kPerBody * bodies.size()) throw ArchiveError("the archive has another number of bodies than the scene");
    time = archive.value<double>("time");
    nextId = archive.value<std::int64_t>("next_id");
    gravity = {g[0], g[1], g[2]};
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const double* l = &loads[kPerBody * b];
        bodies[b].load = {{l[0], l[1], l[2]}, {l[3], l[4], l[5]}, l[6], l[7]};
    }
    loadStarts(archive, *this);
    loadFreeBodies(archive, *this);
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        const auto group = archive.group("emitter_" + std::to_string(i));
        emitters[i].load(archive);
    }
    for (std::size_t i = 0; i < sinks.size(); ++i) {
        const auto group = archive.group("sink_" + std::to_string(i));
        sinks[i].account = SinkAccount::load(archive);
    }
    const auto group = archive.group("open_faces");
    openFaces = SinkAccount::load(archive);
}

Aabb worldBounds(const BodySnapshot& body) {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    if (!body.body().shape->bounded()) return {{-kEndless, -kEndless, -kEndless}, {kEndless, kEndless, kEndless}};
    const Aabb local = body.body().shape->bounds();
    Aabb box;
    for (int corner = 0; corner < 8; ++corner)
        box.extend(body.pose().position + body.pose().rotation.rotate({corner & 1 ? local.max.x : local.min.x, corner & 2 ? local.max.y : local.min.y,
                                                                       corner & 4 ? local.max.z : local.min.z}));
    return box;
}

namespace {

/// Part of the region that bodies cover, judged on a lattice; 0 where the lattice misses the region.
double coveredPart(const geometry::Shape& region, const std::vector<BodySnapshot>& bodies) {
    constexpr int kPerAxis = 24;
    const Aabb box = region.bounds();
    int inside = 0, covered = 0;
    for (int n = 0; n < kPerAxis * kPerAxis * kPerAxis; ++n) {
        const Vec3 part{n % kPerAxis + 0.5, n / kPerAxis % kPerAxis + 0.5, n / (kPerAxis * kPerAxis) + 0.5};
        const Vec3 x = box.min + componentProduct(box.size(), part) / kPerAxis;
        if (region.distance(x) > 0) continue;
        ++inside;
        covered += std::ranges::any_of(bodies, [&](const BodySnapshot& body) { return body.distance(x) < 0; });
    }
    return inside == 0 ? 0 : static_cast<double>(covered) / inside;
}

void checkListed(const Fill& fill, const std::vector<BodySnapshot>& bodies, Problems& problems) {
    const std::string path = "grains[" + std::to_string(fill.source) + "].table";
    const std::vector<Vec3>& all = fill.listed->positions;
    const auto covered = std::ranges::count_if(all, [&](const Vec3& x) { return std::ranges::any_of(bodies, [&](const BodySnapshot& body) { return body.distance(x) < 0; }); });
    if (covered == static_cast<std::ptrdiff_t>(all.size())) problems.error(path, "all its grains lie inside bodies; move the table or the bodies");
    else if (covered > 0) problems.warn(path, std::to_string(covered) + " of its " + std::to_string(all.size()) + " grains lie inside bodies and are left out");
}

void checkFills(const World& world, Problems& problems) {
    const std::vector<BodySnapshot> bodies = world.bodiesAt(world.time);
    for (const Fill& fill : world.fills) {
        if (fill.listed && !fill.listed->standIn) checkListed(fill, bodies, problems);
        if (!fill.region || !fill.region->bounded()) continue;
        const std::string path = "grains[" + std::to_string(fill.source) + "].region";
        const double covered = coveredPart(*fill.region, bodies);
        if (covered == 1) problems.error(path, "the region lies inside bodies, so it stays empty; move the region or the bodies");
        else if (covered > 0.05)
            problems.warn(path, "about " + std::to_string(std::lround(100 * covered)) + " % of the region lies inside bodies and stays empty");
    }
}

}  // namespace

namespace {

void checkSizes(const World& world, Problems& problems) {
    constexpr double kFactor = 100;
    const double domain = maxComponent(world.domain.size());
    for (const Body& body : world.bodies) {
        if (body.source < 0 || !body.shape->bounded()) continue;
        const double extent = maxComponent(body.shape->bounds().size());
        const bool large = extent > kFactor * domain, small = extent < domain / kFactor, mesh = body.shape->ownMesh() != nullptr;
        if (!large && !small) continue;
        const std::string_view remedy = mesh && large ? "; if its file is in millimetres, write scale = \"mm\""
                                        : mesh        ? "; scale may be wrong: \"mm\" is for files in millimetres, 1 for files in metres"
                                                      : "; is a unit missing?";
        problems.warn(pathOf(body) + ".shape", fmt::format("body '{}' measures {:.3g} m, {} of the domain, {:.3g} m{}", body.name, extent,
                                        large ? "over 100 times the length" : "less than 1/100 of the length", domain, remedy));
    }
}

/// How thick the common space of two bodies is, judged on a lattice over it.
double overlapOf(const BodySnapshot& a, const BodySnapshot& b) {
    constexpr int kPerAxis = 12;
    const Aabb boxA = worldBounds(a), boxB = worldBounds(b), box{max(boxA.min, boxB.min), min(boxA.max, boxB.max)};
    if (box.empty()) return 0;
    double deepest = 0;
    for (int n = 0; n < kPerAxis * kPerAxis * kPerAxis; ++n) {
        const Vec3 part{n % kPerAxis + 0.5, n / kPerAxis % kPerAxis + 0.5, n / (kPerAxis * kPerAxis) + 0.5};
        const Vec3 x = box.min + componentProduct(box.size(), part) / kPerAxis;
        deepest = std::max(deepest, 2 * std::min(-a.distance(x), -b.distance(x)));
    }
    return deepest;
}

void warnOfOverlaps(const World& world, Problems& problems) {
    const std::vector<BodySnapshot> bodies = world.bodiesAt(world.time);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
            const BodySnapshot &a = bodies[i], &b = bodies[j];
            if ((!a.body().free() && !b.body().free()) || !a.active() || !b.active()) continue;
            const double depth = overlapOf(a, b);
            const double thin = std::min(minComponent(a.body().shape->bounds().size()), minComponent(b.body().shape->bounds().size()));
            if (depth <= 1e-3 * thin) continue;
            const Body& later = b.body().free() ? b.body() : a.body();
            const Body& other = b.body().free() ? a.body() : b.body();
            problems.warn(pathOf(later), fmt::format("bodies '{}' and '{}' overlap by about {:.2g} m at the start; they will move apart", other.name, later.name, depth));
        }
}

}  // namespace

void check(const World& world, double end, const Vec3& reach, Problems& problems) {
    checkFills(world, problems);
    checkEmitters(world, problems);
    checkSizes(world, problems);
    checkPeriodic(world, end, reach, problems);
    warnOfOverlaps(world, problems);
}

std::vector<Body> domainFaces(const Domain& domain) {
    std::vector<Body> walls;
    for (std::size_t face = 0; face < domain.faces.size(); ++face) {
        if (domain.faces[face] != FaceType::wall) continue;
        const int axis = static_cast<int>(face / 2);
        const bool low = face % 2 == 0;
        Vec3 inward, centre = 0.5 * (domain.min + domain.max);
        inward[axis] = low ? 1 : -1;
        centre[axis] = low ? domain.min[axis] : domain.max[axis];
        Body wall;
        wall.name = "domain." + std::string(kFaceNames[face]);
        wall.shape = std::make_shared<geometry::Plane>(inward, Vec3{});
        wall.motion = Motion(centre, Quat{});
        walls.push_back(std::move(wall));
    }
    return walls;
}

}  // namespace talus::world
