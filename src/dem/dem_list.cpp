// SPDX-License-Identifier: Apache-2.0
// The list of neighbours: built, kept while grains go, and what pairs remember carried over.
#include "dem/dem_method.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kBlock = 4096;   // grains or contacts of a task

}  // namespace

std::size_t BodyContacts::firstOf(std::uint32_t s) const { return static_cast<std::size_t>(std::ranges::lower_bound(sphere, s) - sphere.begin()); }

std::size_t BodyContacts::find(std::uint32_t s, std::uint32_t b) const {
    for (std::size_t c = firstOf(s); c < size() && sphere[c] == s; ++c)
        if (body[c] == b) return c;
    return size();
}

void DemMethod::takeFrom(const world::World& world) {
    revision_ = world.revision;
    laws_ = PairLaws(settings_, world);
    bodyMaterial_.clear();
    for (const world::Body& body : world.bodies) bodyMaterial_.push_back(body.material);
    densities_.clear();
    packingFractions_.clear();
    for (const world::Material& material : world.materials) {
        densities_.push_back(material.density);
        packingFractions_.push_back(material.packingFraction);
    }
}

void DemMethod::refresh(const Exec& exec, const world::World& world) {
    if (revision_ == world.revision) return;
    takeFrom(world);
    setConstants(exec);
}

MemoryKinds DemMethod::kindsOf(bool turning, bool twisting) const {
    const bool spring = settings_.shear == Shear::spring;
    return {spring, spring && turning, spring && twisting, settings_.integrator == Integrator::rkf45};
}

/// What pairs must remember by the laws as they are: a stage may have made others of them than those that memories were made for.
MemoryKinds DemMethod::wantedKinds() const { return kindsOf(laws_.manner().turns(), laws_.manner().twisting); }

/// What follows from the grains, and of the laws the longest bridge.
void DemMethod::derive() {
    std::vector<double> radii;
    for (const ClumpTemplate& shape : templates_) radii.push_back(shape.largestSphere());
    double largest = 0;
    for (std::size_t i = 0; i < grains_.rows(); ++i) largest = std::max(largest, at(grains_.diameter, i) * radii[static_cast<std::size_t>(at(grains_.shape, i))]);
    if (std::ranges::all_of(templates_, &ClumpTemplate::isSphere)) spheres_.alone = grains_.rows();
    else numberSpheres();
    wrenches_.resize(spheres_.size());
    // A bridge must be in the list for as long as it holds; one forms at contact, so no skin beyond it. The float that it is compared in may round.
    listed_ = std::max(skin_, 1.001 * laws_.longestBridge(largest));
    largestRadius_ = largest;
}

void DemMethod::numberSpheres() {
    std::vector<std::uint32_t> counts;
    for (const ClumpTemplate& shape : templates_) counts.push_back(static_cast<std::uint32_t>(shape.spheres.size()));
    spheres_.first.resize(grains_.rows() + 1);
    spheres_.first[0] = 0;
    for (std::size_t i = 0; i < grains_.rows(); ++i) spheres_.first[i + 1] = spheres_.first[i] + counts[static_cast<std::size_t>(at(grains_.shape, i))];
    spheres_.grain.resize(spheres_.first.back());
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) spheres_.grain[s] = static_cast<std::uint32_t>(i);
}

double DemMethod::radiusOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grainOf(s);
    return at(grains_.diameter, i) * shapeOf(i).spheres[s - spheres_.firstOf(i)].radius;
}
Vec3 DemMethod::centreOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grainOf(s);
    return get(grains_.position, i) + armOf(i, s, orientationOf(i).matrix());
}

/// Puts the rows `from` of the table in order, and the wrenches of their first spheres with them.
void DemMethod::reorder(const Exec& exec, std::span<const std::uint32_t> from) {
    AlignedVector<Wrench> sums(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) sums[i] = contactsOn(from[i]);
    std::visit([&](auto& forces) { grains_.reorderWith(exec, from, std::as_writable_bytes(std::span(forces.spheres))); }, forces_);   // which are placed again before they are needed
    derive();
    if (spheres_.eachAlone()) return wrenches_.swap(sums);
    std::ranges::fill(wrenches_, Wrench{});
    for (std::size_t i = 0; i < from.size(); ++i) wrenches_[spheres_.firstOf(i)] = sums[i];
}

/// Sorts the grains and lists their neighbours as they are now, at `time`. By cell, within a cell by id: the order depends on where grains are,
/// not on how they came there.
void DemMethod::rebuild(const Exec& exec, const world::World& world, double time) {
    const auto phase = exec.phase("neighbours");
    std::optional<SearchTable> search = searchTable(exec);
    const CellFrame frame(domain_, search->centres, 2 * search->farthest + listed_);
    CellRows cells = rowsByCell(exec, frame, search->centres, ids());
    search.reset();
    const std::vector<std::uint32_t> order = std::exchange(cells.row, {});
    std::vector<std::uint32_t> rowOf(order.size());   // new row of an old one
    for (std::size_t i = 0; i < order.size(); ++i) rowOf[order[i]] = static_cast<std::uint32_t>(i);
    KeptPairs kept = actingPairs(exec);
    std::visit([](auto& forces) { forces.memories.clear(); }, forces_);
    std::exchange(pairs_.first, {0});   // the old list is not needed any more
    std::exchange(pairs_.second, {});
    const std::vector<std::uint32_t> firstBefore = spheres_.first, grainBefore = spheres_.grain;
    const BodyContacts bodiesBefore = std::exchange(bodies_, {});

    reorder(exec, order);
    search = searchTable(exec);
    exec.forBlocks(grains_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) set(grains_.position, i, search->centres[i]);
    });
    pairs_.slabs = cutSlabs(frame, cells);
    const auto moved = [&](std::uint32_t sphere) { return spheres_.eachAlone() ? rowOf[sphere] : spheres_.first[rowOf[grainBefore[sphere]]] + (sphere - firstBefore[grainBefore[sphere]]); };
    exec.forBlocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            kept.a[c] = moved(kept.a[c]);
            kept.b[c] = moved(kept.b[c]);
            if (kept.a[c] < kept.b[c]) continue;
            std::swap(kept.a[c], kept.b[c]);   // seen from the other side
            const MemoryOf<Vec3> memory = kept.memory(c);
            kept.remember(c, {-memory.spring, -memory.turn, memory.twist});
        }
    });
    placeForSearch(exec, *search);
    PairList list = findPairs(exec, domain_, frame, cells, {search->centres, search->reach}, spheres_, listed_);
    search.reset();
    takeList(exec, std::move(list), kept, wantedKinds());
    bodies_ = nearBodies(exec, world, time);
    setConstants(exec);
    for (std::size_t c = 0; c < bodiesBefore.size(); ++c) {
        if (bodiesBefore.state[c].idle()) continue;
        const std::size_t found = bodies_.find(moved(bodiesBefore.sphere[c]), bodiesBefore.body[c]);
        if (found < bodies_.size()) bodies_.state[found] = bodiesBefore.state[c];
    }
    stale_ = bodiesUnlisted_ = false;
    bodyDrift_ = moved_ = 0;
    ++builds_;
}

/// Grains as the search sees them.
DemMethod::SearchTable DemMethod::searchTable(const Exec& exec) const {
    SearchTable table{std::vector<Vec3>(grains_.rows()), std::vector<double>(grains_.rows()), 0};
    table.farthest = exec.reduce(
        grains_.rows(), kBlock, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double farthest = 0;
            for (std::size_t i = begin; i < end; ++i) {
                table.centres[i] = wrapped(i);
                table.reach[i] = reachOf(i);
                farthest = std::max(farthest, table.reach[i]);
            }
            return farthest;
        },
        [](double a, double b) { return std::max(a, b); });
    return table;
}

void DemMethod::placeForSearch(const Exec& exec, const SearchTable& search) {
    if (spheres_.eachAlone()) return;
    spheres_.radius.resize(spheres_.size());
    spheres_.centre.resize(spheres_.size());
    exec.forBlocks(grains_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const ClumpTemplate& shape = shapeOf(i);
            const std::uint32_t first = spheres_.first[i];
            placeSpheres(shape, at(grains_.diameter, i), search.centres[i], orientationOf(i), spheres_.centre.data() + first);
            for (std::uint32_t s = first; s < spheres_.first[i + 1]; ++s) spheres_.radius[s] = at(grains_.diameter, i) * shape.spheres[s - first].radius;
        }
    });
}

KeptPairs DemMethod::actingPairs(const Exec& exec) const {
    const std::size_t slabs = pairs_.slabs.size();
    std::vector<std::size_t> start{0};
    for (std::size_t slab = 0; slab < slabs; ++slab) start.push_back(start.back() + pairs_.acting(pairs_.firstPair(slab), pairs_.firstPair(slab + 1)));
    KeptPairs kept(memoryKinds().numbers());
    kept.resize(start.back());
    exec.forTasks(slabs, [&](std::size_t slab, int) {
        std::size_t to = start[slab];
        forActingPairs(slab, [&](std::uint32_t a, std::size_t p, const MemoryOf<Vec3>& memory) { kept.put(to++, a, pairs_.sphere(p), pairs_.state(p), memory); });
    });
    return kept;
}

/// Of the grains as they are now, without sorting them. Of a list that is made again before its time, pairs of slabs that do not meet are left
/// out: they were not near when the slabs were cut, and slabs hold until they could touch.
void DemMethod::listPairs(const Exec& exec, const KeptPairs& kept, const MemoryKinds& kinds) {
    const SearchTable search = searchTable(exec);
    placeForSearch(exec, search);
    PairList list = findPairs(exec, domain_, {search.centres, search.reach}, spheres_, listed_);
    std::uint32_t to = 0, from = 0;
    for (std::uint32_t a = 0; a < spheres_.size(); ++a) {
        const std::uint32_t end = list.firstOfSphere[a + 1];
        for (; from < end; ++from)
            if (pairs_.slabs.neighbours(spheres_.grainOf(a), spheres_.grainOf(list.b[from]))) list.b[to++] = list.b[from];
        list.firstOfSphere[a + 1] = to;
    }
    list.b.resize(to);
    takeList(exec, std::move(list), kept, kinds);
}

/// Makes room for what the pairs of the list remember, and puts in what is known of them.
void DemMethod::takeList(const Exec& exec, PairList list, const KeptPairs& kept, const MemoryKinds& kinds) {
    std::exchange(spheres_.radius, std::vector<double>());   // gives the memory back, as = {} would not
    std::exchange(spheres_.centre, std::vector<Vec3>());
    pairs_.firstSphere.clear();
    for (const std::uint32_t grain : pairs_.slabs.firstGrain) pairs_.firstSphere.push_back(spheres_.firstOf(grain));
    std::vector<std::uint32_t> found(kept.size());
    exec.forBlocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) found[c] = static_cast<std::uint32_t>(kept.a[c] < pairs_.firstSphere.back() ? list.find(kept.a[c], kept.b[c]) : list.size());
    });
    pairs_.first = std::move(list.firstOfSphere);
    pairs_.second = std::move(list.b);
    for (std::size_t c = 0; c < kept.size(); ++c)
        if (found[c] < pairs_.size()) pairs_.set(found[c], kept.state[c]);
    std::visit([&](auto& forces) {
        placeRoom(forces);
        forces.memories.reset(pairs_, kinds);
        if (!kinds.spring) return;
        // Pairs that act, before those of each sphere: places of memories in their slab.
        std::vector<std::uint32_t> before(pairs_.first.size());
        exec.forTasks(pairs_.slabs.size(), [&](std::size_t slab, int) {
            std::uint32_t count = 0;
            for (std::uint32_t a = pairs_.firstSphere[slab]; a < pairs_.firstSphere[slab + 1]; ++a) count = (before[a] = count) + static_cast<std::uint32_t>(pairs_.acting(pairs_.first[a], pairs_.first[a + 1]));
        });
        exec.forBlocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) {
                if (found[c] >= pairs_.size()) continue;
                const std::uint32_t a = kept.a[c];
                const std::size_t slab = pairs_.slabs.of(spheres_.grainOf(a));
                auto& memories = forces.memories.of(slab);
                memories.put(memories.everyPair() ? found[c] - pairs_.firstPair(slab) : before[a] + pairs_.acting(pairs_.first[a], found[c]), kept.memory(c));
            }
        });
    }, forces_);
}

/// Whether a body is active does not matter: it may become so while the list holds.
BodyContacts DemMethod::nearBodies(const Exec& exec, const world::World& world, double time) const {
    struct Placed {
        const geometry::Shape* shape;
        Vec3 position;
        Quat back;
        std::uint32_t index;
        double distance(const Vec3& x) const { return shape->distance(back.rotate(x - position)); }
    };
    std::vector<Placed> placed;
    for (std::uint32_t b = 0; b < world.bodies.size(); ++b) {
        const world::Pose pose = world.bodies[b].pose(time);
        placed.push_back({world.bodies[b].shape.get(), pose.position, pose.rotation.conjugate(), b});
    }
    constexpr std::size_t kRows = 32;   // of a block: the rows are sorted, so they lie together
    std::vector<BodyContacts> parts((grains_.rows() + kRows - 1) / kRows);
    exec.forBlocks(grains_.rows(), kRows, [&](std::size_t begin, std::size_t end) {
        BodyContacts& found = parts[begin / kRows];
        std::vector<const Placed*> about, near;   // all grains of the block, and one of them
        std::vector<std::uint32_t> partners;
        Aabb box;
        double farthest = 0;
        for (std::size_t i = begin; i < end; ++i) {
            box.extend(wrapped(i));
            farthest = std::max(farthest, reachOf(i));
        }
        for (const Placed& body : placed)
            if (body.distance(box.centre()) < 0.5 * norm(box.size()) + farthest + listed_) about.push_back(&body);
        for (std::size_t i = begin; i < end && !about.empty(); ++i) {
            const Vec3 x = wrapped(i);
            near.clear();
            for (const Placed* body : about)
                if (body->distance(x) < reachOf(i) + listed_) near.push_back(body);
            if (near.empty()) continue;
            const Mat3 turn = orientationOf(i).matrix();
            for (std::uint32_t s = spheres_.firstOf(i); s < spheres_.firstOf(i + 1); ++s) {
                const Vec3 centre = x + armOf(i, s, turn);
                const double reach = radiusOf(s) + listed_;
                partners.clear();
                for (const Placed* body : near)
                    if (body->distance(centre) < reach) {
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
    return all;
}

void DemMethod::relistBodies(const Exec& exec, const world::World& world) {
    const auto phase = exec.phase("neighbours");
    const BodyContacts before = std::exchange(bodies_, nearBodies(exec, world, world.time));
    for (std::size_t c = 0; c < before.size(); ++c)
        if (const std::size_t found = bodies_.find(before.sphere[c], before.body[c]); found < bodies_.size()) bodies_.state[found] = before.state[c];
    setBodyConstants();
    bodiesUnlisted_ = false;
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
