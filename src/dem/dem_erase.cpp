// SPDX-License-Identifier: Apache-2.0
// How grains go: the others keep their neighbours, and what contacts remember.
#include "dem/dem_method.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kBirthsToSpare = 1024;   // of grains that are gone
constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();   // in place of the number of a sphere

}  // namespace

world::Removed DemMethod::erase(const Exec& exec, const world::Region& region, world::ChunkSink* taken) {
    const auto phase = exec.phase("erase");
    const Aabb box = region.inside ? region.shape->bounds() : Aabb{};
    std::vector<char> goes(grains_.rows());
    const std::size_t leaving = exec.reduce(
        grains_.rows(), 4096, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::size_t count = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3 x = wrapped(i);
                goes[i] = (!region.inside || box.contains(x)) && region.contains(x);
                count += goes[i] != 0;
            }
            return count;
        },
        std::plus<>());
    world::Removed removed;
    if (leaving == 0) return removed;
    std::vector<std::size_t> stay, gone;
    stay.reserve(goes.size() - leaving);
    for (std::size_t i = 0; i < goes.size(); ++i) {
        (goes[i] ? gone : stay).push_back(i);
        if (!goes[i]) continue;
        ++removed.count;
        removed.mass += massOf(i);
        removed.momentum += massOf(i) * get(grains_.velocity, i);
    }
    if (taken) readRows(world::kPromisedNames, *taken, &gone);
    noteFelt(exec, goes);
    keep(exec, stay);
    return removed;
}

/// Grains that touch one that goes felt it in the step before, and that still counts: what they felt is kept, whole, so that not a bit of it changes.
void DemMethod::noteFelt(const Exec& exec, std::span<const char> goes) {
    std::vector<std::vector<std::uint32_t>> losers(pairs_.slabs.size());
    exec.forTasks(losers.size(), [&](std::size_t slab, int) {
        forActingPairs(slab, [&](std::uint32_t a, std::size_t p, const MemoryOf<Vec3>&) {
            const std::uint32_t i = spheres_.grainOf(a), j = spheres_.grainOf(pairs_.sphere(p));
            if (goes[i] != goes[j]) losers[slab].push_back(goes[i] ? j : i);
        });
    });
    std::vector<char> loses(grains_.rows());
    for (const auto& part : losers)
        for (const std::uint32_t row : part) loses[row] = !felt_.contains(grains_.id(row));
    std::vector<std::vector<std::pair<std::uint32_t, ContactSum>>> parts(pairs_.slabs.size());
    exec.forTasks(parts.size(), [&](std::size_t slab, int) {
        forActingPairs(slab, [&](std::uint32_t a, std::size_t p, const MemoryOf<Vec3>& memory) {
            const std::uint32_t i = spheres_.grainOf(a), j = spheres_.grainOf(pairs_.sphere(p));
            if (!loses[i] && !loses[j]) return;
            const PairTouch touch = pairTouch(a, p, memory);
            if (loses[i]) touch.addToA(parts[slab].emplace_back(i, ContactSum{}).second);
            if (loses[j]) touch.addToB(parts[slab].emplace_back(j, ContactSum{}).second);
        });
    });
    for (const auto& part : parts)
        for (const auto& [row, sum] : part) felt_[grains_.id(row)] += sum;
    for (std::size_t c = 0; c < bodies_.size(); ++c)
        if (const std::uint32_t row = spheres_.grainOf(bodies_.sphere[c]); loses[row]) addBodyContact(c, felt_[grains_.id(row)]);
    for (std::size_t i = 0; i < goes.size(); ++i)
        if (goes[i]) felt_.erase(grains_.id(i));
}

/// Keeps these rows of the table, what their spheres remember, and the list of their neighbours: it holds as long as it would have.
void DemMethod::keep(const Exec& exec, std::span<const std::size_t> rows) {
    std::vector<std::uint32_t> order(rows.size()), sphereAt(spheres_.size(), kGone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(rows[i]);
        for (std::uint32_t s = spheres_.firstOf(rows[i]); s < spheres_.firstOf(rows[i] + 1); ++s) sphereAt[s] = next++;
    }
    keepPairs(exec, sphereAt);
    keepBodyContacts(sphereAt);
    for (std::uint32_t& first : pairs_.slabs.firstGrain) first = static_cast<std::uint32_t>(std::ranges::lower_bound(rows, std::size_t{first}) - rows.begin());
    reorder(exec, order);
    for (std::size_t k = 0; k < pairs_.firstSphere.size(); ++k) pairs_.firstSphere[k] = spheres_.firstOf(pairs_.slabs.firstGrain[k]);
    std::visit([&](auto& forces) { placeRoom(forces); }, forces_);
    if (births_.size() > rows.size() + kBirthsToSpare) births_.keep(ids());
}

/// `sphereAt`: the new number of each sphere, or kGone. Slabs stay what they are.
void DemMethod::keepPairs(const Exec& exec, std::span<const std::uint32_t> sphereAt) {
    const std::size_t slabs = pairs_.slabs.size();
    const std::uint32_t listed = pairs_.firstSphere.back();   // later spheres came since
    std::vector<std::uint32_t> start(slabs + 1), first(static_cast<std::size_t>(listed - std::ranges::count(sphereAt.first(listed), kGone)) + 1), second;
    std::visit([&](auto& forces) {
        using Real = std::remove_reference_t<decltype(forces.spheres[0].x)>;
        exec.forTasks(slabs, [&](std::size_t slab, int) {
            std::vector<std::size_t> gone;   // places of memories
            std::size_t place = 0;
            for (std::uint32_t a = pairs_.firstSphere[slab]; a < pairs_.firstSphere[slab + 1]; ++a)
                for (std::size_t p = pairs_.first[a]; p < pairs_.first[a + 1]; ++p) {
                    const bool stays = sphereAt[a] != kGone && sphereAt[pairs_.sphere(p)] != kGone, remembers = forces.memories.kinds().everyPair || pairs_.acts(p);
                    start[slab + 1] += stays;
                    if (!stays && remembers) gone.push_back(place);
                    place += remembers;
                }
            if (forces.memories.kinds().spring) forces.memories.of(slab).drop(gone);
        });
        for (std::size_t slab = 0; slab < slabs; ++slab) start[slab + 1] += start[slab];
        second.resize(start.back());
        ConstantsTable<Real>& table = forces.constants;
        const bool ofPairs = table.by == ConstantsTable<Real>::By::pair;
        auto sets = ofPairs ? decltype(table.sets)(second.size()) : std::move(table.sets);
        auto holds = ofPairs && !table.holds.empty() ? decltype(table.holds)(second.size()) : std::move(table.holds);
        exec.forTasks(slabs, [&](std::size_t slab, int) {
            std::uint32_t to = start[slab];
            for (std::uint32_t a = pairs_.firstSphere[slab]; a < pairs_.firstSphere[slab + 1]; ++a) {
                if (sphereAt[a] == kGone) continue;
                first[sphereAt[a]] = to;
                for (std::size_t p = pairs_.first[a]; p < pairs_.first[a + 1]; ++p) {
                    const std::uint32_t b = sphereAt[pairs_.sphere(p)];
                    if (b == kGone) continue;
                    if (ofPairs) sets[to] = table.sets[p];
                    if (ofPairs && !holds.empty()) holds[to] = table.holds[p];
                    second[to++] = b | (pairs_.second[p] & ~PairContacts::kSphere);
                }
            }
        });
        first.back() = start.back();
        table.sets = std::move(sets);
        table.holds = std::move(holds);
        std::size_t to = 0;
        for (std::size_t s = 0; s < table.kind.size(); ++s)
            if (sphereAt[s] != kGone) table.kind[to++] = table.kind[s];
        table.kind.resize(to);
    }, forces_);
    pairs_.first = std::move(first);
    pairs_.second = std::move(second);
}

void DemMethod::keepBodyContacts(std::span<const std::uint32_t> sphereAt) {
    std::size_t to = 0;
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const std::uint32_t s = sphereAt[bodies_.sphere[c]];
        if (s == kGone) continue;
        bodies_.sphere[to] = s;
        bodies_.body[to] = bodies_.body[c];
        bodies_.kind[to] = bodies_.kind[c];
        bodies_.state[to++] = bodies_.state[c];
    }
    for (std::vector<std::uint32_t>* column : {&bodies_.sphere, &bodies_.body, &bodies_.kind}) column->resize(to);
    bodies_.state.resize(to);
}

}  // namespace talus::dem
