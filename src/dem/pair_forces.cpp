// SPDX-License-Identifier: Apache-2.0
#include "dem/pair_forces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBatch = 64;   // pairs that act, found before they are worked on; their spheres fit into the first-level cache

/// Pairs in lists of their own: spheres and numbers of pairs, eight of which are worked on at a time.
struct Queue {
    static constexpr std::size_t kRoom = 4 * kBatch;
    alignas(64) std::array<std::int32_t, kRoom> a, b, pair;
    alignas(64) std::array<std::int32_t, kRoom> place;   // of what the pair remembers, where it does
    std::size_t count = 0;

    [[gnu::always_inline]] void add(const ChosenLanes& chosen, const WideInt& firsts, const WideInt& seconds, const WideInt& pairs) {
        chosen(firsts).storeUnaligned(a.data() + count);
        chosen(seconds).storeUnaligned(b.data() + count);
        chosen(pairs).storeUnaligned(pair.data() + count);
        count += chosen.count();
    }
    void add(std::uint32_t first, std::uint32_t second, std::size_t number, std::size_t memory) {
        a[count] = static_cast<std::int32_t>(first);
        b[count] = static_cast<std::int32_t>(second);
        place[count] = static_cast<std::int32_t>(memory);
        pair[count++] = static_cast<std::int32_t>(number);
    }
    /// The first ones are done.
    template <bool kPlaces>
    void drop(std::size_t done) {
        if constexpr (kPlaces) std::copy(place.begin() + static_cast<std::ptrdiff_t>(done), place.begin() + static_cast<std::ptrdiff_t>(count), place.begin());
        for (auto* column : {&a, &b, &pair}) std::copy(column->begin() + static_cast<std::ptrdiff_t>(done), column->begin() + static_cast<std::ptrdiff_t>(count), column->begin());
        count -= done;
    }
};

/// A pair that touches for the first time: its spheres, its number, and the place of what it will remember.
struct Begun {
    std::uint32_t a, b;
    std::size_t number, memory;
};

/// The first sphere of each pair from the first of a slab on.
class Owners {
public:
    static constexpr std::size_t kRoom = kBatch + 2 * kLanes;
    Owners(const std::vector<std::uint32_t>& first, std::uint32_t sphere, std::uint32_t last) : first_(first), sphere_(sphere), last_(last), at_(first[sphere]) {}
    /// Those of kBatch pairs or a few more, or of all that are left; `known` are there already.
    [[gnu::always_inline]] std::size_t fill(std::int32_t* to, std::size_t known) {
        for (; known < kBatch && sphere_ < last_;) {
            const std::uint32_t left = first_[sphere_ + 1] - at_, taken = std::min<std::uint32_t>(left, kLanes);
            WideInt(static_cast<std::int32_t>(sphere_)).storeUnaligned(to + known);
            known += taken;
            at_ += taken;
            sphere_ += left <= kLanes;
        }
        return known;
    }

private:
    const std::vector<std::uint32_t>& first_;
    std::uint32_t sphere_, last_, at_;
};

/// Four numbers of a contact.
template <class Real>
[[gnu::always_inline]] inline Quad<double> inDouble(const Real* from) {
    if constexpr (std::is_same_v<Real, double>) return Quad<double>::load(from);
    else return convert<double>(Quad<Real>::load(from));
}
/// The constants that all pairs share, where they do.
template <class Real>
PairConstantsOf<Wide<Real>> ofAll(const ConstantsTable<Real>& constants) {
    if (constants.by != ConstantsTable<Real>::By::all || constants.sets.empty()) return {};
    const PairConstantsOf<Real>& c = constants.sets.front();
    return {c.stiffness, c.damping, c.shear, c.shearDamping, c.friction, c.rolling, c.radius, c.perMass};
}
template <int N>
[[gnu::always_inline]] inline void add(double* to, const Pack<double, N>& what) { (Pack<double, N>::loadUnaligned(to) + what).storeUnaligned(to); }

/// Calls take(first spheres, second spheres, number of the first pair, which lanes) for eight pairs of a slab after the other, and full() whenever some have come.
template <class Take, class Full>
[[gnu::always_inline]] inline void inEights(const PairContacts& contacts, std::size_t slab, const Take& take, const Full& full) {
    Owners owners(contacts.first, contacts.firstSphere[slab], contacts.firstSphere[slab + 1]);
    alignas(64) std::array<std::int32_t, Owners::kRoom> owner;
    const std::size_t first = contacts.firstPair(slab), end = contacts.firstPair(slab + 1);
    std::size_t known = 0;
    for (std::size_t p = first; p + kLanes <= end;) {
        known = owners.fill(owner.data(), known);
        std::size_t k = 0;
        for (; k + kLanes <= known; k += kLanes, p += kLanes) take(owner.data() + k, contacts.second.data() + p, p, 0xffU);
        WideInt::loadUnaligned(owner.data() + k).storeUnaligned(owner.data());
        known -= k;
        full();
    }
    if (const std::size_t left = (end - first) % kLanes; left > 0) {
        owners.fill(owner.data(), known);
        std::array<std::uint32_t, kLanes> seconds{};   // beyond the slab others may be at work
        std::copy_n(contacts.second.data() + end - left, left, seconds.data());
        take(owner.data(), seconds.data(), end - left, (1U << left) - 1U);
    }
}

}  // namespace

void Extremes::include(const Extremes& other) {
    stiffness.include(other.stiffness);
    deep += other.deep;
    if (deepSphere < 0) deepSphere = other.deepSphere;
}

/// Eight pairs; where there are fewer, the rest repeat the first and count for nothing.
template <class Real>
struct PairForces<Real>::Eight {
    const std::int32_t *firsts, *seconds, *numbers, *places;
    std::size_t count;

    [[gnu::always_inline]] Eight(Queue& queue, std::size_t from)
        : firsts(queue.a.data() + from), seconds(queue.b.data() + from), numbers(queue.pair.data() + from), places(queue.place.data() + from), count(std::min(kLanes, queue.count - from)) {
        if (count == kLanes) return;
        for (auto* column : {&queue.a, &queue.b, &queue.pair, &queue.place}) std::fill_n(column->begin() + static_cast<std::ptrdiff_t>(from + count), kLanes - count, (*column)[from]);
    }
    std::uint32_t a(std::size_t lane) const { return static_cast<std::uint32_t>(firsts[lane]); }
    std::uint32_t b(std::size_t lane) const { return static_cast<std::uint32_t>(seconds[lane]); }
    std::size_t pair(std::size_t lane) const { return static_cast<std::uint32_t>(numbers[lane]); }
    std::size_t place(std::size_t lane) const { return static_cast<std::uint32_t>(places[lane]); }
    unsigned lanes() const { return (1U << count) - 1U; }
};

/// Wrenches of eight pairs that wait to be added, so that this is done while the next eight wait for square roots.
template <class Real>
struct PairForces<Real>::Pending {
    alignas(64) std::array<Real, 32> onA, onB, rest;   // (force, x of the torque) on both spheres; y and z of both torques
    std::array<std::int32_t, kLanes> a, b;
    std::size_t count = 0;

    [[gnu::always_inline]] void take(const WideVec3<Real>& force, const WideVec3<Real>& torqueA, const WideVec3<Real>& torqueB, std::size_t pairs) {
        WideRows<Real>{force.x, force.y, force.z, torqueA.x}.store(onA.data(), 4);
        WideRows<Real>{-force.x, -force.y, -force.z, torqueB.x}.store(onB.data(), 4);
        WideRows<Real>{torqueA.y, torqueA.z, torqueB.y, torqueB.z}.store(rest.data(), 4);
        count = pairs;
    }
    [[gnu::always_inline]] void addTo(std::span<Wrench> wrenches) {
        const auto addLane = [&](std::size_t lane) {
            const Quad<double> last = inDouble(rest.data() + 4 * lane);
            Wrench &first = wrenches[static_cast<std::uint32_t>(a[lane])], &second = wrenches[static_cast<std::uint32_t>(b[lane])];
            add<4>(&first.force.x, inDouble(onA.data() + 4 * lane));
            add<2>(&first.torque.y, lower(last));
            add<4>(&second.force.x, inDouble(onB.data() + 4 * lane));
            add<2>(&second.torque.y, upper(last));
        };
        if (count == kLanes) [[likely]] {
#pragma GCC unroll 8
            for (std::size_t lane = 0; lane < kLanes; ++lane) addLane(lane);
        } else {
            for (std::size_t lane = 0; lane < count; ++lane) addLane(lane);
        }
        count = 0;
    }
};

/// Of the lanes of eight pairs.
template <class Real>
struct PairForces<Real>::Found {
    Wide<Real> spring = Real(0), dashpot = Real(0);
    Extremes rest;

    void addDeep(unsigned lanes, const Eight& eight) {
        rest.deep += std::popcount(lanes);
        if (rest.deepSphere < 0) rest.deepSphere = eight.a(static_cast<std::size_t>(std::countr_zero(lanes)));
    }
    Extremes joined() const {
        Extremes all = rest;
        all.stiffness.include({static_cast<double>(maxLane(spring)), static_cast<double>(maxLane(dashpot))});
        return all;
    }
};

template <class Real>
Extremes PairForces<Real>::compute(const Exec& exec, const Settings& settings, const Manner& manner, double dt, PairContacts& contacts, std::span<Wrench> wrenches) {
    const std::size_t slabs = contacts.slabs.size();
    found_.assign(slabs, {});
    const auto work = [&](std::size_t first, std::size_t stride, bool backwards = false) {
        if (first >= slabs) return;
        const std::size_t tasks = (slabs - first + stride - 1) / stride;
        exec.forTasks(tasks, [&](std::size_t task, int) {
            const std::size_t slab = first + (backwards ? tasks - 1 - task : task) * stride;
            found_[slab] = std::visit([&](auto normal, auto shear) { return ofSlab<decltype(normal), decltype(shear)>(manner, dt, contacts, wrenches, slab); }, settings.normalLaw(), settings.shearLaw());
        });
    };
    if (contacts.slabs.wraps) work(0, slabs);
    work(contacts.slabs.wraps ? 2 : 0, 2, true);   // grains were moved from the first to the last: the last are still at hand
    work(1, 2);
    Extremes all;
    for (const Extremes& found : found_) all.include(found);
    return all;
}

template <class Real>
template <class NormalKind, class ShearKind>
Extremes PairForces<Real>::ofSlab(const Manner& manner, double dt, PairContacts& contacts, std::span<Wrench> wrenches, std::size_t slab) {
    Found found;
    const PairConstantsOf<Wide<Real>> common = ofAll(constants);
    constexpr bool kRemembers = ShearKind::kSpring;
    SlabMemory* const kept = kRemembers ? &memories.of(slab) : nullptr;
    const std::size_t firstPair = contacts.firstPair(slab);
    std::size_t recalled = 0;   // pairs that acted, so far
    // Pairs that acted at the end of the last step most probably do so now: they are not looked at before the laws are evaluated. Of the
    // others it is asked whether they touch now; those that do come last, so that the order of the sums does not depend on which pairs apart are listed.
    Queue acting, others;
    std::vector<Begun> begun;
    std::array<Pending, 2> pending;
    std::size_t last = 0;
    const auto findTouching = [&](std::size_t least) {
        std::size_t done = 0;
        for (; others.count >= done + least; done = std::min(others.count, done + kLanes)) {
            const Eight eight(others, done);
            for (unsigned mask = touching(eight); mask != 0; mask &= mask - 1) {
                const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
                const std::size_t pair = eight.pair(lane);
                begun.push_back({eight.a(lane), eight.b(lane), pair, !kRemembers ? 0 : kept->everyPair() ? pair - firstPair : kept->begin(pair)});
                contacts.set(pair, PairState::touching);
            }
        }
        others.template drop<false>(done);
    };
    const auto respond = [&](std::size_t least) {
        std::size_t done = 0;
        for (; acting.count >= done + least; done = std::min(acting.count, done + kLanes), last = 1 - last)
            ofEight<NormalKind, ShearKind>(manner, dt, contacts, wrenches, Eight(acting, done), common, kept, found, pending[last], pending[1 - last]);
        acting.template drop<kRemembers>(done);
    };
    const auto sortOut = [&](const std::int32_t* owners, const std::uint32_t* seconds, std::size_t p, unsigned which) {
        const WideInt b = WideInt::loadUnaligned(reinterpret_cast<const std::int32_t*>(seconds)), a = WideInt::loadUnaligned(owners), pair = WideInt(static_cast<std::int32_t>(p)) + ascendingLanes();
        const unsigned acts = bits(b < WideInt(0));
        const WideInt sphere = b & WideInt(static_cast<std::int32_t>(PairContacts::kSphere));
        const ChosenLanes chosen(acts & which);
        if constexpr (kRemembers) {
            const WideInt places = kept->everyPair() ? chosen(pair - WideInt(static_cast<std::int32_t>(firstPair))) : WideInt(static_cast<std::int32_t>(recalled)) + ascendingLanes();
            places.storeUnaligned(acting.place.data() + acting.count);
            recalled += chosen.count();
        }
        acting.add(chosen, a, sphere, pair);
        others.add(ChosenLanes(~acts & which), a, sphere, pair);
    };
    inEights(contacts, slab, sortOut, [&] {
        findTouching(kLanes);
        respond(kLanes);
    });
    findTouching(1);
    for (const Begun& pair : begun) {
        if (acting.count >= kBatch) respond(kLanes);
        acting.add(pair.a, pair.b, pair.number, pair.memory);
    }
    respond(1);
    pending[last].addTo(wrenches);
    if constexpr (kRemembers) kept->settle(contacts, firstPair);
    return found.joined();
}

/// Which of these pairs overlap: bit i for lane i.
template <class Real>
[[gnu::always_inline]] inline unsigned PairForces<Real>::touching(const Eight& eight) const {
    std::array<const Real*, kLanes> a, b;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        a[lane] = &spheres[eight.a(lane)].x;
        b[lane] = &spheres[eight.b(lane)].x;
    }
    const auto rowsA = WideRows<Real>::load(a), rowsB = WideRows<Real>::load(b);
    const WideVec3<Real> d = lattice.apart(rowsA, rowsB);
    const Wide<Real> reach = rowsA.w + rowsB.w;
    return bits(dot(d, d) < reach * reach) & eight.lanes();
}

template <class Real>
HoldConstantsOf<Wide<Real>> PairForces<Real>::holdOf(const Eight& eight) const {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = &constants.holds[constants.of(eight.pair(lane), eight.a(lane), eight.b(lane))].pull;
    const auto rows = WideRows<Real>::load(at);
    return {rows.x, rows.y, rows.z, rows.w};
}

template <class Real>
PairConstantsOf<Wide<Real>> PairForces<Real>::constantsOf(const Eight& eight) const {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = &constants.sets[constants.of(eight.pair(lane), eight.a(lane), eight.b(lane))].stiffness;
    const auto first = WideRows<Real>::load(at), second = WideRows<Real>::load(at, 4);
    return {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
}

template <class Real>
[[gnu::always_inline]] inline MemoryOf<WideVec3<Real>> PairForces<Real>::recall(const Manner& manner, const Eight& eight, const SlabMemory& kept) {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = kept.spring(eight.place(lane));
    const auto spring = WideRows<Real>::load(at);
    MemoryOf<WideVec3<Real>> memory;
    memory.spring = {spring.x, spring.y, spring.z};
    if (manner.turns()) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = kept.turn(eight.place(lane));
        const auto turn = WideRows<Real>::load(at);
        memory.turn = {turn.x, turn.y, turn.z};
        memory.twist = turn.w;   // means something where twisting is resisted
    }
    return memory;
}

template <class Real>
[[gnu::always_inline]] inline void PairForces<Real>::remember(const Manner& manner, const Eight& eight, const MemoryOf<WideVec3<Real>>& memory, SlabMemory& kept) {
    alignas(64) Real numbers[4 * kLanes];
    storeInterleaved(memory.spring.x, memory.spring.y, memory.spring.z, Wide<Real>(Real(0)), numbers);
    for (std::size_t lane = 0; lane < eight.count; ++lane) std::copy_n(numbers + 4 * lane, SlabMemory::kSpring, kept.spring(eight.place(lane)));
    if (!manner.turns()) return;
    storeInterleaved(memory.turn.x, memory.turn.y, memory.turn.z, memory.twist, numbers);
    if (kept.twists())
        for (std::size_t lane = 0; lane < eight.count; ++lane) std::copy_n(numbers + 4 * lane, SlabMemory::kTwist, kept.turn(eight.place(lane)));
    else
        for (std::size_t lane = 0; lane < eight.count; ++lane) std::copy_n(numbers + 4 * lane, SlabMemory::kTurn, kept.turn(eight.place(lane)));
}

template <class Real>
template <class NormalKind, class ShearKind>
void PairForces<Real>::ofEight(const Manner& manner, double step, PairContacts& contacts, std::span<Wrench> wrenches, const Eight& eight, const PairConstantsOf<Wide<Real>>& common,
                               SlabMemory* kept, Found& found, Pending& before, Pending& now) {
    using W = Wide<Real>;
    std::array<const Real*, kLanes> atA, atB;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        atA[lane] = &spheres[eight.a(lane)].x;
        atB[lane] = &spheres[eight.b(lane)].x;
        __builtin_prefetch(&wrenches[eight.b(lane)], 1);
    }
    WideInt::loadUnaligned(eight.firsts).storeUnaligned(now.a.data());
    WideInt::loadUnaligned(eight.seconds).storeUnaligned(now.b.data());
    const auto placeA = WideRows<Real>::load(atA), placeB = WideRows<Real>::load(atB);
    const WideVec3<Real> d = lattice.apart(placeA, placeB);
    const W squared = dot(d, d), distance = sqrt(squared), reach = placeA.w + placeB.w;
    const auto separate = squared > W(0);
    const W inverse = select(separate, distance * (W(1) / squared), W(0));   // does not wait for the root
    before.addTo(wrenches);
    const auto motionA = WideRows<Real>::load(atA, 4), motionB = WideRows<Real>::load(atB, 4);
    const WideVec3<Real> motion{motionA.x - motionB.x, motionA.y - motionB.y, motionA.z - motionB.z};
    const auto turningA = WideRows<Real>::load(atA, 8), turningB = WideRows<Real>::load(atB, 8);
    PairConstantsOf<W> c = constants.by == ConstantsTable<Real>::By::all ? common : constantsOf(eight);
    HoldConstantsOf<W> hold;
    if (manner.holds()) hold = holdOf(eight);
    TouchOf<W, WideVec3<Real>> t;
    const W depth = max(reach - distance, W(0));
    t.overlap = manner.bridges ? reach - distance : depth;
    t.normal = {d.x * inverse, d.y * inverse, select(separate, d.z * inverse, W(1))};
    // Both meet in the middle of the overlap.
    const W armA = mulAdd(t.overlap, W(Real(0.5)), -placeA.w), armB = mulAdd(t.overlap, W(Real(0.5)), -placeB.w);
    const WideVec3<Real> spinA{motionA.w, turningA.x, turningA.y}, spinB{motionB.w, turningB.x, turningB.y};
    t.velocity = motion + cross(armA * spinA + armB * spinB, t.normal);
    t.spin = spinA - spinB;

    const auto touch = squared < reach * reach;
    auto acts = touch;
    if (manner.bridges) acts = touch | (distance - reach < hold.rupture);
    MemoryOf<WideVec3<Real>> memory;
    if constexpr (ShearKind::kSpring) memory = recall(manner, eight, *kept);
    ResponseOf<W, WideVec3<Real>> response = respond<NormalKind, ShearKind>(c, hold, manner, t, W(static_cast<Real>(step)), memory);
    if (manner.bridges || !all(acts)) [[unlikely]] {   // pairs that part feel and remember nothing
        response.force = select(acts, response.force, WideVec3<Real>{});
        response.moment = select(acts, response.moment, WideVec3<Real>{});
        memory = {select(acts, memory.spring, WideVec3<Real>{}), select(acts, memory.turn, WideVec3<Real>{}), select(acts, memory.twist, W(0))};
        c.perMass = select(acts, c.perMass, W(0));
        const unsigned touches = bits(touch), held = bits(acts);
        for (std::size_t lane = 0; lane < eight.count; ++lane) {
            const bool stays = (held >> lane & 1U) != 0;
            contacts.set(eight.pair(lane), (touches >> lane & 1U) != 0 ? PairState::touching : stays ? PairState::bridged : PairState::apart);
            if constexpr (ShearKind::kSpring)
                if (!stays && !kept->everyPair()) kept->end(eight.place(lane));
        }
    }
    const WideVec3<Real> couple = cross(t.normal, response.force);
    WideVec3<Real> torqueA = armA * couple, torqueB = armB * couple;
    if (manner.turns()) {
        torqueA = torqueA + response.moment;
        torqueB = torqueB - response.moment;
    }
    now.take(response.force, torqueA, torqueB, eight.count);
    if constexpr (ShearKind::kSpring) remember(manner, eight, memory, *kept);
    const W pressed = manner.bridges ? depth : abs(t.overlap);   // as respond() has it, so that one root does for both
    found.spring = max(found.spring, c.stiffness * NormalKind::tangent(pressed) * c.perMass);
    found.dashpot = max(found.dashpot, c.damping * NormalKind::viscous(pressed) * c.perMass);
    if (const unsigned deep = bits(t.overlap > W(static_cast<Real>(kDeep)) * min(placeA.w, placeB.w)) & eight.lanes(); deep != 0) [[unlikely]] found.addDeep(deep, eight);
}

template class PairForces<float>;
template class PairForces<double>;

}  // namespace talus::dem
