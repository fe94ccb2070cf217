// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include "core/rng.h"
#include "geometry/primitives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace talus::world {

double World::fillVolume() const {
    double volume = 0;
    for (const Fill& fill : fills) volume += fill.region->volume();
    return volume;
}

std::vector<BodySnapshot> World::bodiesAt(double t) const {
    std::vector<BodySnapshot> snapshots;
    snapshots.reserve(bodies.size());
    for (const Body& body : bodies) snapshots.emplace_back(body, t);
    return snapshots;
}

void World::save(Archive& archive) const {
    archive.put("time", time);
    archive.put("next_id", nextId);
    std::vector<double> loads;
    for (const Body& body : bodies) {
        const BodyLoad& l = body.load;
        loads.insert(loads.end(), {l.impulse.x, l.impulse.y, l.impulse.z, l.angularImpulse.x, l.angularImpulse.y,
                                   l.angularImpulse.z, l.work, l.slipWork});
    }
    archive.put("body_loads", loads);
}

void World::load(const Archive& archive) {
    constexpr std::size_t kPerBody = 8;
    const std::vector<double> loads = archive.get<double>("body_loads");
    if (loads.size() != kPerBody * bodies.size()) throw ArchiveError("the archive has another number of bodies than the scene");
    time = archive.value<double>("time");
    nextId = archive.value<std::int64_t>("next_id");
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const double* l = &loads[kPerBody * b];
        bodies[b].load = {{l[0], l[1], l[2]}, {l[3], l[4], l[5]}, l[6], l[7]};
    }
}

namespace {

/// Whether the body's distance is the same all along an axis, judged at pairs of points inside the domain.
bool invariantAlong(const Domain& domain, const BodySnapshot& body, int axis) {
    constexpr std::uint64_t kPairs = 64;
    constexpr double kSame = 1e-9;   // of the domain's size
    const Vec3 size = domain.size();
    for (std::uint64_t i = 0; i < kPairs; ++i) {
        Rng rng(0, 0, i);
        Vec3 a = domain.min + componentProduct(size, {rng.uniform(), rng.uniform(), rng.uniform()}), b = a;
        b[axis] = domain.min[axis] + size[axis] * rng.uniform();
        if (std::abs(body.distance(a) - body.distance(b)) > kSame * norm(size)) return false;
    }
    return true;
}

/// The box around the body in world coordinates.
Aabb worldBounds(const BodySnapshot& body) {
    const Aabb local = body.body().shape->bounds();
    Aabb box;
    for (int corner = 0; corner < 8; ++corner)
        box.extend(body.pose().position + body.pose().rotation.rotate({corner & 1 ? local.max.x : local.min.x, corner & 2 ? local.max.y : local.min.y,
                                                                       corner & 4 ? local.max.z : local.min.z}));
    return box;
}

}  // namespace

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

void checkFills(const World& world, Problems& problems) {
    const std::vector<BodySnapshot> bodies = world.bodiesAt(world.time);
    for (const Fill& fill : world.fills) {
        if (!fill.region->bounded()) continue;
        const std::string path = "grains[" + std::to_string(fill.source) + "].region";
        const double covered = coveredPart(*fill.region, bodies);
        if (covered == 1) problems.error(path, "the region lies inside bodies, so it stays empty; move the region or the bodies");
        else if (covered > 0.05)
            problems.warn(path, "about " + std::to_string(std::lround(100 * covered)) + " % of the region lies inside bodies and stays empty");
    }
}

}  // namespace

void check(const World& world, Problems& problems) {
    checkFills(world, problems);
    std::size_t index = 0;   // in the scene's list, which does not have the faces of the domain
    World whole = world;     // with the bodies that a stage brings in
    for (Body& body : whole.bodies) body.active = true;
    for (const BodySnapshot& body : whole.bodiesAt(world.time)) {
        if (body.body().name.starts_with("domain.")) continue;
        const std::string path = "bodies[" + std::to_string(index++) + "].shape";
        for (int axis = 0; axis < 3; ++axis) {
            if (!world.domain.periodic(axis)) continue;
            const Aabb box = body.body().shape->bounded() ? worldBounds(body) : Aabb{{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};
            const bool crosses = box.min[axis] <= world.domain.min[axis] || box.max[axis] >= world.domain.max[axis];
            if (crosses && !invariantAlong(world.domain, body, axis)) {
                const std::string name(1, "xyz"[axis]);
                problems.error(path, "body '" + body.body().name + "' crosses the periodic face " + name + " and is not the same all along " + name +
                                         "; keep it inside the domain, or let it reach through the whole length");
            }
        }
    }
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
