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
    spheres_.first.assign(1, 0);
    spheres_.grain.clear();
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        spheres_.grain.insert(spheres_.grain.end(), shapeOf(i).spheres.size(), static_cast<std::uint32_t>(i));
        spheres_.first.push_back(static_cast<std::uint32_t>(spheres_.grain.size()));
    }
    wrenches_.resize(spheres_.size());
    double largest = 0;
    for (std::size_t i = 0; i < grains_.rows(); ++i) largest = std::max(largest, at(grains_.diameter, i) * shapeOf(i).largestSphere());
    // A bridge must be in the list for as long as it holds; one forms at contact, so no skin beyond it. The float that it is compared in may round.
    listed_ = std::max(skin_, 1.001 * laws_.longestBridge(largest));
}

double DemMethod::radiusOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grain[s];
    return at(grains_.diameter, i) * shapeOf(i).spheres[s - spheres_.first[i]].radius;
}
Vec3 DemMethod::centreOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grain[s];
    return get(grains_.position, i) + armOf(i, s, get(grains_.orientation, i).matrix());
}

/// By cell, within a cell by id: the order depends on where grains are, not on how they came there.
std::vector<std::uint32_t> DemMethod::sortOrder(const Exec& exec, const CellFrame& frame, std::span<const Vec3> centres) const {
    const std::size_t count = grains_.rows();
    std::vector<std::uint64_t> keys(count);
    std::vector<std::uint32_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = static_cast<std::uint64_t>(at(grains_.id, i));
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
    std::vector<Vec3> centres(grains_.rows());
    double farthest = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        centres[i] = wrapped(i);
        farthest = std::max(farthest, reachOf(i));
    }
    const CellFrame frame(domain_, centres, 2 * farthest + listed_);
    const std::vector<std::uint32_t> order = sortOrder(exec, frame, centres);
    std::vector<std::uint32_t> rowOf(order.size());   // new row of an old one
    for (std::size_t i = 0; i < order.size(); ++i) rowOf[order[i]] = static_cast<std::uint32_t>(i);
    std::vector<KeptContact> kept = actingPairs();
    const std::vector<std::uint32_t> firstBefore = spheres_.first, grainBefore = spheres_.grain;
    const BodyContacts bodiesBefore = std::exchange(bodies_, {});

    grains_.reorder(exec, order);
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        centres[i] = wrapped(i);
        set(grains_.position, i, centres[i]);
        set(grains_.way, i, Vec3f{});
        at(grains_.turned, i) = 0;
    }
    derive();
    pairs_.slabs = cutSlabs(frame, centres);
    const auto moved = [&](std::uint32_t sphere) { return spheres_.first[rowOf[grainBefore[sphere]]] + (sphere - firstBefore[grainBefore[sphere]]); };
    for (KeptContact& contact : kept) {
        contact.a = moved(contact.a);
        contact.b = moved(contact.b);
        if (spheres_.grain[contact.a] < spheres_.grain[contact.b]) continue;
        std::swap(contact.a, contact.b);   // seen from the other side
        contact.memory = {-contact.memory.spring, -contact.memory.turn, contact.memory.twist};
    }
    listPairs(exec, kept);
    bodies_ = nearBodies(exec, world, time);
    setConstants();
    for (std::size_t c = 0; c < bodiesBefore.size(); ++c) {
        if (bodiesBefore.state[c].idle()) continue;
        const std::size_t found = bodies_.find(spheres_, moved(bodiesBefore.sphere[c]), bodiesBefore.body[c]);
        if (found < bodies_.size()) bodies_.state[found] = bodiesBefore.state[c];
    }
    keptSums_.reset();
    stale_ = bodiesUnlisted_ = false;
    bodyDrift_ = moved_ = 0;
    ++builds_;
}

std::vector<KeptContact> DemMethod::actingPairs() const {
    std::vector<KeptContact> kept;
    std::visit([&](const auto& forces) {
        for (std::size_t p = 0; p < pairs_.state.size(); ++p)
            if (pairs_.state[p]) kept.push_back({pairs_.list.a[p], pairs_.list.b[p], forces.memory(p), pairs_.state[p]});
    }, forces_);
    return kept;
}

/// Of the grains as they are now, without sorting them. Of a list that is made again before its time, pairs of slabs that do not meet are left
/// out: they were not near when the slabs were cut, and slabs hold until they could touch.
void DemMethod::listPairs(const Exec& exec, std::span<const KeptContact> kept) {
    Spheres now = spheres_;
    now.radius.resize(now.size());
    now.centre.resize(now.size());
    std::vector<Vec3> centres(grains_.rows());
    std::vector<double> reach(grains_.rows());
    double farthest = 0;
    exec.forBlocks(grains_.rows(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            centres[i] = wrapped(i);
            reach[i] = reachOf(i);
            placeSpheres(shapeOf(i), at(grains_.diameter, i), centres[i], get(grains_.orientation, i), now.centre.data() + now.first[i]);
            for (std::uint32_t s = now.first[i]; s < now.first[i + 1]; ++s) now.radius[s] = at(grains_.diameter, i) * shapeOf(i).spheres[s - now.first[i]].radius;
        }
    });
    for (const double radius : now.radius) farthest = std::max(farthest, radius);
    pairs_.list = findPairs(exec, domain_, {centres, reach}, now, listed_);
    keepPairs([&](std::size_t p) { return pairs_.slabs.neighbours(spheres_.grain[pairs_.list.a[p]], spheres_.grain[pairs_.list.b[p]]); });
    pairs_.state.assign(pairs_.list.size(), 0);
    std::visit([&](auto& forces) {
        using Real = std::remove_reference_t<decltype(forces.springs[0])>;
        forces.lattice = Lattice<Real>(domain_, 2 * farthest + listed_);
        forces.spheres.resize(now.size());
        for (std::size_t s = 0; s < now.size(); ++s) forces.spheres[s].radius = static_cast<Real>(now.radius[s]);
        forces.forgetAll(pairs_.list.size(), settings_.shear == Shear::spring, laws_.manner().turns());
        for (const KeptContact& contact : kept) {
            const std::size_t p = pairs_.list.find(contact.a, contact.b);
            if (p == pairs_.list.size()) continue;
            pairs_.state[p] = contact.state;
            forces.remember(p, contact.memory);
        }
    }, forces_);
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
        std::vector<std::uint32_t> partners;
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 x = wrapped(i);
            near.clear();
            for (const Placed& body : placed)
                if (body.shape->distance(body.back.rotate(x - body.position)) < reachOf(i) + listed_) near.push_back(&body);
            if (near.empty()) continue;
            const Mat3 turn = get(grains_.orientation, i).matrix();
            for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) {
                const Vec3 centre = x + armOf(i, s, turn);
                const double reach = radiusOf(s) + listed_;
                partners.clear();
                for (const Placed* body : near)
                    if (body->shape->distance(body->back.rotate(centre - body->position)) < reach) {
                        if (covers_.covers(body->index)) covers_.near(body->index, {body->position, body->back.conjugate(), {}, {}}, domain_, centre, reach, partners);
                        else partners.push_back(body->index);
                    }
                found.sphere.insert(found.sphere.end(), partners.size(), s);
                found.body.insert(found.body.end(), partners.begin(), partners.end());
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

/// A contact acts through the centre of a sphere: 1/m + (arm × n)·I⁻¹(arm × n), with the longest arm.
Side DemMethod::sideOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grain[s];
    const ClumpTemplate& shape = shapeOf(i);
    const double mass = at(grains_.mass, i);
    return {.radius = radiusOf(s), .mass = mass, .perMass = (1 + shape.sphereReach * shape.sphereReach / shape.smallestInertia()) / mass};
}

namespace {

constexpr std::size_t kMostKinds = 32;

/// Kinds of spheres: their side of a contact and their material.
struct Kinds {
    std::vector<std::pair<Side, int>> known;
    std::size_t last = 0;
    std::size_t of(const Side& side, int material) {
        const std::pair kind{side, material};
        if (last < known.size() && known[last] == kind) return last;
        last = static_cast<std::size_t>(std::ranges::find(known, kind) - known.begin());
        if (last == known.size()) known.push_back(kind);
        return last;
    }
};

template <class Real>
PairConstantsOf<Real> inPrecision(const PairConstants& c) {
    return {static_cast<Real>(c.stiffness), static_cast<Real>(c.damping), static_cast<Real>(c.shear), static_cast<Real>(c.shearDamping),
            static_cast<Real>(c.friction), static_cast<Real>(c.rolling), static_cast<Real>(c.radius), static_cast<Real>(c.perMass)};
}
template <class Real>
HoldConstantsOf<Real> inPrecision(const HoldConstants& c) {
    return {static_cast<Real>(c.pull), static_cast<Real>(c.perGap), static_cast<Real>(c.rupture), static_cast<Real>(c.twisting)};
}

}  // namespace

template <class Real>
void DemMethod::setPairConstants(PairForces<Real>& forces) {
    using By = typename ConstantsTable<Real>::By;
    const auto material = [&](std::uint32_t sphere) { return at(grains_.material, spheres_.grain[sphere]); };
    Kinds kinds;
    for (std::uint32_t s = 0; s < spheres_.size() && kinds.known.size() <= kMostKinds; ++s) forces.spheres[s].kind = static_cast<Real>(kinds.of(sideOf(s), material(s)));
    ConstantsTable<Real>& table = forces.constants;
    const bool holds = laws_.manner().holds();
    table.sets.clear();
    table.holds.clear();
    table.kinds = static_cast<std::int32_t>(kinds.known.size());
    table.by = kinds.known.size() == 1 ? By::all : kinds.known.size() <= kMostKinds ? By::kinds : By::pair;
    if (table.by == By::pair) {
        table.sets.resize(pairs_.list.size());
        if (holds) table.holds.resize(pairs_.list.size());
        for (std::size_t p = 0; p < pairs_.list.size(); ++p) {
            const std::uint32_t a = pairs_.list.a[p], b = pairs_.list.b[p];
            table.sets[p] = inPrecision<Real>(laws_.grainPair(material(a), sideOf(a), material(b), sideOf(b)));
            if (holds) table.holds[p] = inPrecision<Real>(laws_.grainHold(material(a), radiusOf(a), material(b), radiusOf(b)));
        }
        return;
    }
    for (const auto& [a, materialA] : kinds.known)
        for (const auto& [b, materialB] : kinds.known) {
            table.sets.push_back(inPrecision<Real>(laws_.grainPair(materialA, a, materialB, b)));
            if (holds) table.holds.push_back(inPrecision<Real>(laws_.grainHold(materialA, a.radius, materialB, b.radius)));
        }
}

void DemMethod::setConstants() {
    std::visit([&](auto& forces) { setPairConstants(forces); }, forces_);
    bodies_.constants.resize(bodies_.size());
    const bool holds = laws_.manner().holds();
    bodies_.holds.resize(holds ? bodies_.size() : 0);
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const int grain = grains_.material(spheres_.grain[bodies_.sphere[c]]), body = bodyMaterial_[covers_.bodyOf(bodies_.body[c])];
        const double covering = covers_.radiusOf(bodies_.body[c]);   // 0: the surface itself
        bodies_.constants[c] = laws_.bodyPair(grain, sideOf(bodies_.sphere[c]), body, covering);
        if (holds) bodies_.holds[c] = laws_.bodyHold(grain, radiusOf(bodies_.sphere[c]), body, covering);
    }
}

/// Pairs that `stays` says yes to; what is remembered of them is not touched.
template <class Stays>
void DemMethod::keepPairs(const Stays& stays) {
    PairList& list = pairs_.list;
    std::size_t to = 0;
    for (std::size_t p = 0; p < list.size(); ++p)
        if (stays(p)) {
            list.a[to] = list.a[p];
            list.b[to++] = list.b[p];
        }
    list.a.resize(to);
    list.b.resize(to);
    list.index(spheres_.size());
    pairs_.firstPair.clear();
    for (const std::uint32_t grain : pairs_.slabs.firstGrain) pairs_.firstPair.push_back(list.firstOfSphere[spheres_.first[grain]]);
}

/// Keeps these rows of the table and what their spheres remember.
void DemMethod::keep(const Exec& exec, std::span<const std::size_t> rows) {
    constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> order(rows.size()), sphereAt(spheres_.size(), kGone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(rows[i]);
        for (std::uint32_t s = spheres_.first[rows[i]]; s < spheres_.first[rows[i] + 1]; ++s) sphereAt[s] = next++;
    }
    std::vector<KeptContact> kept;
    for (const KeptContact& c : actingPairs())
        if (sphereAt[c.a] != kGone && sphereAt[c.b] != kGone) kept.push_back({sphereAt[c.a], sphereAt[c.b], c.memory, c.state});
    for (std::uint32_t& first : pairs_.slabs.firstGrain) first = static_cast<std::uint32_t>(std::ranges::lower_bound(rows, std::size_t{first}) - rows.begin());
    std::size_t to = 0;
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
    grains_.reorder(exec, order);
    derive();
    listPairs(exec, kept);
    bodies_.index(spheres_);
    setConstants();
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
