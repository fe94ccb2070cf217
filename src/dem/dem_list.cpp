// SPDX-License-Identifier: Apache-2.0
// The list of neighbours: built, kept while grains go, and what pairs remember carried over.
#include "dem/dem_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus::dem {

void BodyContacts::index(const Spheres& spheres) {
    firstOfGrain.assign(spheres.grains() + 1, 0);
    for (const std::uint32_t s : sphere) ++firstOfGrain[spheres.grain[s] + 1];
    for (std::size_t g = 1; g < firstOfGrain.size(); ++g) firstOfGrain[g] += firstOfGrain[g - 1];
}

std::size_t BodyContacts::find(const Spheres& spheres, std::uint32_t s, std::uint32_t b) const {
    for (std::size_t c = firstOfGrain[spheres.grain[s]]; c < firstOfGrain[spheres.grain[s] + 1]; ++c)
        if (sphere[c] == s && body[c] == b) return c;
    return size();
}

void DemMethod::takeFrom(const world::World& world) {
    revision_ = world.revision;
    laws_ = PairLaws(settings_, world);
    bodyMaterial_.clear();
    for (const world::Body& body : world.bodies) bodyMaterial_.push_back(body.material);
}

void DemMethod::refresh(const world::World& world) {
    if (revision_ == world.revision) return;
    takeFrom(world);
    setConstants();
}

/// What follows from the table alone.
void DemMethod::derive() {
    listSpheres(grains_, templates_, spheres_);
    placeAll(spheres_.centre, false);
    reach_.resize(grains_.rows());
    perNormalMass_.resize(grains_.rows());
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        const ClumpTemplate& shape = shapeOf(i);
        reach_[i] = reachOf(i);
        // A contact acts through the centre of a sphere: 1/m + (arm × n)·I⁻¹(arm × n), with the longest arm.
        perNormalMass_[i] = (1 + shape.sphereReach * shape.sphereReach / shape.smallestInertia()) / grains_.mass(i);
    }
}

void DemMethod::placeAll(std::span<Vec3> centres, bool built) const {
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        placeSpheres(shapeOf(i), grains_.diameter(i), get(built ? grains_.builtPosition : grains_.position, i), get(built ? grains_.builtOrientation : grains_.orientation, i),
                     centres.data() + spheres_.first[i]);
}

/// By cell, within a cell by id: the order depends on where grains are, not on how they came there.
std::vector<std::uint32_t> DemMethod::sortOrder(const Exec& exec) const {
    const std::size_t count = grains_.rows();
    std::vector<Vec3> centres(count);
    double farthest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        centres[i] = wrapped(i);
        farthest = std::max(farthest, reachOf(i));
    }
    const CellFrame frame(domain_, centres, 2 * farthest + skin_);
    std::vector<std::uint64_t> keys(count);
    std::vector<std::uint32_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = static_cast<std::uint64_t>(grains_.id(i));
        order[i] = static_cast<std::uint32_t>(i);
    }
    exec.sortByKey(keys, order);
    for (std::size_t i = 0; i < count; ++i) keys[i] = frame.cell(centres[order[i]]);
    exec.sortByKey(keys, order);
    return order;
}

/// Sorts the grains and lists their neighbours as they are now, at `time`.
void DemMethod::rebuild(const Exec& exec, const world::World& world, double time) {
    const auto phase = exec.phase("neighbours");
    const std::vector<std::uint32_t> order = sortOrder(exec);
    std::vector<std::uint32_t> rowOf(order.size());   // new row of an old one
    for (std::size_t i = 0; i < order.size(); ++i) rowOf[order[i]] = static_cast<std::uint32_t>(i);
    const std::vector<std::uint32_t> firstBefore = spheres_.first, grainBefore = spheres_.grain;
    const PairContacts pairsBefore = std::exchange(pairs_, {});
    const BodyContacts bodiesBefore = std::exchange(bodies_, {});

    grains_.reorder(exec, order);
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        set(grains_.position, i, wrapped(i));
        set(grains_.builtPosition, i, get(grains_.position, i));
        set(grains_.builtOrientation, i, get(grains_.orientation, i));
    }
    derive();
    listPairs(exec);
    bodies_ = nearBodies(exec, world, time);
    setConstants();

    const auto moved = [&](std::uint32_t sphere) { return spheres_.first[rowOf[grainBefore[sphere]]] + (sphere - firstBefore[grainBefore[sphere]]); };
    for (std::size_t p = 0; p < pairsBefore.state.size(); ++p) {
        if (pairsBefore.state[p].idle()) continue;
        ContactState state = pairsBefore.state[p];
        std::uint32_t a = moved(pairsBefore.list.a[p]), b = moved(pairsBefore.list.b[p]);
        if (spheres_.grain[a] > spheres_.grain[b]) {   // seen from the other side
            std::swap(a, b);
            state.spring = -state.spring;
            state.turn = -state.turn;
            state.force = -state.force;
        }
        if (const std::size_t found = pairs_.list.find(a, b); found < pairs_.list.size()) pairs_.state[found] = state;
    }
    for (std::size_t c = 0; c < bodiesBefore.size(); ++c) {
        if (bodiesBefore.state[c].idle()) continue;
        const std::size_t found = bodies_.find(spheres_, moved(bodiesBefore.sphere[c]), bodiesBefore.body[c]);
        if (found < bodies_.size()) bodies_.state[found] = bodiesBefore.state[c];
    }
    keptSums_.reset();
    stale_ = bodiesUnlisted_ = false;
    bodyDrift_ = 0;
    ++builds_;
}

/// From the grains where they were when they were last sorted.
void DemMethod::listPairs(const Exec& exec) {
    built_.resize(spheres_.size());
    placeAll(built_, true);
    Spheres then = spheres_;
    then.centre = built_;
    std::vector<Vec3> centres(grains_.rows());
    for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = get(grains_.builtPosition, i);
    pairs_.list = findPairs(exec, domain_, {centres, reach_}, then, skin_);
    pairs_.state.assign(pairs_.list.size(), {});
}

/// Whether a body is active does not matter: it may become so while the list holds.
BodyContacts DemMethod::nearBodies(const Exec& exec, const world::World& world, double time) const {
    struct Placed {
        const geometry::Shape* shape;
        Vec3 position;
        Quat back;
        std::uint32_t index;
    };
    std::vector<Placed> placed;
    for (std::uint32_t b = 0; b < world.bodies.size(); ++b) {
        const world::Pose pose = world.bodies[b].pose(time);
        placed.push_back({world.bodies[b].shape.get(), pose.position, pose.rotation.conjugate(), b});
    }
    constexpr std::size_t kBlock = 256;
    std::vector<BodyContacts> parts((grains_.rows() + kBlock - 1) / kBlock);
    exec.forBlocks(grains_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        BodyContacts& found = parts[begin / kBlock];
        std::vector<const Placed*> near;
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 x = wrapped(i), shift = x - get(grains_.position, i);
            near.clear();
            for (const Placed& body : placed)
                if (body.shape->distance(body.back.rotate(x - body.position)) < reach_[i] + skin_) near.push_back(&body);
            if (near.empty()) continue;
            for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s)
                for (const Placed* body : near)
                    if (body->shape->distance(body->back.rotate(spheres_.centre[s] + shift - body->position)) < spheres_.radius[s] + skin_) {
                        found.sphere.push_back(s);
                        found.body.push_back(body->index);
                    }
        }
    });
    BodyContacts all;
    for (const BodyContacts& part : parts) {
        all.sphere.insert(all.sphere.end(), part.sphere.begin(), part.sphere.end());
        all.body.insert(all.body.end(), part.body.begin(), part.body.end());
    }
    all.state.assign(all.size(), {});
    all.index(spheres_);
    return all;
}

void DemMethod::relistBodies(const Exec& exec, const world::World& world) {
    const BodyContacts before = std::exchange(bodies_, nearBodies(exec, world, world.time));
    for (std::size_t c = 0; c < before.size(); ++c)
        if (const std::size_t found = bodies_.find(spheres_, before.sphere[c], before.body[c]); found < bodies_.size()) bodies_.state[found] = before.state[c];
    setConstants();
    bodiesUnlisted_ = false;
}

void DemMethod::setConstants() {
    const auto side = [&](std::uint32_t sphere) { return Side{spheres_.radius[sphere], grains_.mass(spheres_.grain[sphere])}; };
    const auto material = [&](std::uint32_t sphere) { return grains_.material(spheres_.grain[sphere]); };
    pairs_.constants.resize(pairs_.list.size());
    // Grains of one size have few different pairs: what the last one had is often right again.
    struct Last {
        int materialA = -2, materialB = -2;
        Side a, b;
        PairConstants constants;
    } last;
    const auto same = [](const Side& p, const Side& q) { return p.radius == q.radius && p.mass == q.mass; };
    for (std::size_t p = 0; p < pairs_.list.size(); ++p) {
        const std::uint32_t a = pairs_.list.a[p], b = pairs_.list.b[p];
        if (material(a) != last.materialA || material(b) != last.materialB || !same(side(a), last.a) || !same(side(b), last.b))
            last = {material(a), material(b), side(a), side(b), laws_.grainPair(material(a), side(a), material(b), side(b))};
        pairs_.constants[p] = last.constants;
    }
    bodies_.constants.resize(bodies_.size());
    for (std::size_t c = 0; c < bodies_.size(); ++c)
        bodies_.constants[c] = laws_.bodyPair(material(bodies_.sphere[c]), side(bodies_.sphere[c]), bodyMaterial_[bodies_.body[c]]);
}

/// Keeps these rows of the table and what their spheres remember.
void DemMethod::keep(std::span<const std::size_t> rows) {
    constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> order(rows.size()), sphereAt(spheres_.size(), kGone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(rows[i]);
        for (std::uint32_t s = spheres_.first[rows[i]]; s < spheres_.first[rows[i] + 1]; ++s) sphereAt[s] = next++;
    }
    std::size_t to = 0;
    const std::size_t listed = pairs_.state.size();   // of a stale list: the grains that were there when it was built
    for (std::size_t p = 0; p < listed; ++p) {
        const std::uint32_t a = sphereAt[pairs_.list.a[p]], b = sphereAt[pairs_.list.b[p]];
        if (a == kGone || b == kGone) continue;
        pairs_.list.a[to] = a;
        pairs_.list.b[to] = b;
        pairs_.state[to] = pairs_.state[p];
        pairs_.constants[to++] = pairs_.constants[p];
    }
    pairs_.list.a.resize(to);
    pairs_.list.b.resize(to);
    pairs_.state.resize(to);
    pairs_.constants.resize(to);
    to = 0;
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const std::uint32_t s = sphereAt[bodies_.sphere[c]];
        if (s == kGone) continue;
        bodies_.sphere[to] = s;
        bodies_.body[to] = bodies_.body[c];
        bodies_.state[to] = bodies_.state[c];
        bodies_.constants[to++] = bodies_.constants[c];
    }
    bodies_.sphere.resize(to);
    bodies_.body.resize(to);
    bodies_.state.resize(to);
    bodies_.constants.resize(to);
    grains_.reorder(Exec(1), order);
    derive();
    built_.resize(spheres_.size());
    placeAll(built_, true);
    pairs_.list.index(spheres_);
    bodies_.index(spheres_);
}

/// Bound on how fast a point of any body's surface moves where grains are. Belts run while the surface stays.
double DemMethod::bodySpeed(const world::World& world, double time) const {
    double fastest = 0;
    for (const world::Body& body : world.bodies) {
        if (body.fixed()) continue;
        const world::Pose pose = body.pose(time);
        const double spin = norm(pose.angularVelocity);
        double arm = 0;
        if (spin > 0) {
            const auto farthest = [](const Aabb& box) { return norm(talus::max(talus::max(box.min, -box.min), talus::max(box.max, -box.max))); };
            arm = std::min(farthest(body.shape->bounds()), farthest({domain_.min - pose.position, domain_.max - pose.position}));
        }
        fastest = std::max(fastest, norm(pose.velocity) + spin * arm);
    }
    return fastest;
}

}  // namespace talus::dem
