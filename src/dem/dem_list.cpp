// SPDX-License-Identifier: Apache-2.0
// The list of neighbours: built, kept while grains go, and what pairs remember carried over.
#include "dem/dem_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kBlock = 4096;   // grains or contacts of a task

}  // namespace

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
    std::vector<std::uint32_t> counts;
    std::vector<double> radii;
    for (const ClumpTemplate& shape : templates_) {
        counts.push_back(static_cast<std::uint32_t>(shape.spheres.size()));
        radii.push_back(shape.largestSphere());
    }
    double largest = 0;
    spheres_.first.resize(grains_.rows() + 1);
    spheres_.first[0] = 0;
    for (std::size_t i = 0; i < grains_.rows(); ++i) {
        const auto shape = static_cast<std::size_t>(at(grains_.shape, i));
        spheres_.first[i + 1] = spheres_.first[i] + counts[shape];
        largest = std::max(largest, at(grains_.diameter, i) * radii[shape]);
    }
    spheres_.grain.resize(spheres_.first.back());
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) spheres_.grain[s] = static_cast<std::uint32_t>(i);
    wrenches_.resize(spheres_.size());
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

/// Sorts the grains and lists their neighbours as they are now, at `time`. By cell, within a cell by id: the order depends on where grains are,
/// not on how they came there.
void DemMethod::rebuild(const Exec& exec, const world::World& world, double time) {
    const auto phase = exec.phase("neighbours");
    SearchTable search = searchTable(exec);
    const CellFrame frame(domain_, search.centres, 2 * search.farthest + listed_);
    CellRows cells = rowsByCell(exec, frame, search.centres, {grains_.id.group(0), grains_.rows()});
    const std::vector<std::uint32_t> order = std::exchange(cells.row, {});
    std::vector<std::uint32_t> rowOf(order.size());   // new row of an old one
    for (std::size_t i = 0; i < order.size(); ++i) rowOf[order[i]] = static_cast<std::uint32_t>(i);
    std::vector<KeptContact> kept = actingPairs(exec);
    const std::vector<std::uint32_t> firstBefore = spheres_.first, grainBefore = spheres_.grain;
    const BodyContacts bodiesBefore = std::exchange(bodies_, {});

    grains_.reorder(exec, order);
    search = searchTable(exec);
    exec.forBlocks(grains_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            set(grains_.position, i, search.centres[i]);
            set(grains_.way, i, Vec3f{});
            at(grains_.turned, i) = 0;
        }
    });
    derive();
    pairs_.slabs = cutSlabs(frame, cells);
    const auto moved = [&](std::uint32_t sphere) { return spheres_.first[rowOf[grainBefore[sphere]]] + (sphere - firstBefore[grainBefore[sphere]]); };
    exec.forBlocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            KeptContact& contact = kept[c];
            contact.a = moved(contact.a);
            contact.b = moved(contact.b);
            if (contact.a < contact.b) continue;
            std::swap(contact.a, contact.b);   // seen from the other side
            contact.memory = {-contact.memory.spring, -contact.memory.turn, contact.memory.twist};
        }
    });
    placeForSearch(exec, search);
    pairs_.list = findPairs(exec, domain_, frame, cells, {search.centres, search.reach}, spheres_, listed_);
    rememberPairs(exec, kept);
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
    spheres_.radius.resize(spheres_.size());
    spheres_.centre.resize(spheres_.size());
    exec.forBlocks(grains_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const ClumpTemplate& shape = shapeOf(i);
            const std::uint32_t first = spheres_.first[i];
            placeSpheres(shape, at(grains_.diameter, i), search.centres[i], get(grains_.orientation, i), spheres_.centre.data() + first);
            for (std::uint32_t s = first; s < spheres_.first[i + 1]; ++s) spheres_.radius[s] = at(grains_.diameter, i) * shape.spheres[s - first].radius;
        }
    });
}

std::vector<KeptContact> DemMethod::actingPairs(const Exec& exec) const {
    return std::visit([&](const auto& forces) {
        std::vector<std::size_t> start{0};
        for (std::size_t begin = 0; begin < pairs_.state.size(); begin += kBlock) {
            const auto from = pairs_.state.begin() + static_cast<std::ptrdiff_t>(begin), to = pairs_.state.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kBlock, pairs_.state.size()));
            start.push_back(start.back() + static_cast<std::size_t>(std::count_if(from, to, [](std::uint8_t state) { return state != 0; })));
        }
        std::vector<KeptContact> kept(start.back());
        exec.forBlocks(pairs_.state.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            std::size_t to = start[begin / kBlock];
            for (std::size_t p = begin; p < end; ++p)
                if (pairs_.state[p]) kept[to++] = {pairs_.list.a[p], pairs_.list.b[p], forces.memory(p), pairs_.state[p]};
        });
        return kept;
    }, forces_);
}

/// Of the grains as they are now, without sorting them. Of a list that is made again before its time, pairs of slabs that do not meet are left
/// out: they were not near when the slabs were cut, and slabs hold until they could touch.
void DemMethod::listPairs(const Exec& exec, std::span<const KeptContact> kept) {
    const SearchTable search = searchTable(exec);
    placeForSearch(exec, search);
    PairList& list = pairs_.list;
    list = findPairs(exec, domain_, {search.centres, search.reach}, spheres_, listed_);
    std::size_t to = 0;
    for (std::size_t p = 0; p < list.size(); ++p)
        if (pairs_.slabs.neighbours(spheres_.grain[list.a[p]], spheres_.grain[list.b[p]])) {
            list.a[to] = list.a[p];
            list.b[to++] = list.b[p];
        }
    list.a.resize(to);
    list.b.resize(to);
    list.index(spheres_.size());
    rememberPairs(exec, kept);
}

/// Makes room for what the pairs of the list remember, and puts in what is known of them.
void DemMethod::rememberPairs(const Exec& exec, std::span<const KeptContact> kept) {
    const double farthest = spheres_.radius.empty() ? 0 : *std::ranges::max_element(spheres_.radius);
    std::exchange(spheres_.radius, std::vector<double>());   // gives the memory back, as = {} would not
    std::exchange(spheres_.centre, std::vector<Vec3>());
    pairs_.firstPair.clear();
    for (const std::uint32_t grain : pairs_.slabs.firstGrain) pairs_.firstPair.push_back(pairs_.list.firstOfSphere[spheres_.first[grain]]);
    pairs_.state.assign(pairs_.list.size(), 0);
    std::visit([&](auto& forces) {
        using Real = std::remove_reference_t<decltype(forces.springs[0])>;
        forces.lattice = Lattice<Real>(domain_, 2 * farthest + listed_);
        forces.spheres.resize(spheres_.size());
        forces.forgetAll(pairs_.list.size(), settings_.shear == Shear::spring, laws_.manner().turns());
        exec.forBlocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            for (const KeptContact& contact : kept.subspan(begin, end - begin)) {
                const std::size_t p = pairs_.list.find(contact.a, contact.b);
                if (p == pairs_.list.size()) continue;
                pairs_.state[p] = contact.state;
                forces.remember(p, contact.memory);
            }
        });
    }, forces_);
    std::exchange(pairs_.list.firstOfSphere, std::vector<std::uint32_t>());
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
    constexpr std::size_t kRows = 256;
    std::vector<BodyContacts> parts((grains_.rows() + kRows - 1) / kRows);
    exec.forBlocks(grains_.rows(), kRows, [&](std::size_t begin, std::size_t end) {
        BodyContacts& found = parts[begin / kRows];
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
    for (const KeptContact& c : actingPairs(exec))
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
