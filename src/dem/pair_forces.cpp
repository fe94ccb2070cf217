// SPDX-License-Identifier: Apache-2.0
#include "dem/pair_forces.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace talus::dem {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBatch = 64;   // pairs that act, found before they are worked on; their spheres fit into the first-level cache

/// Byte i is bit i of the index.
constexpr auto kBytesOf = [] {
    std::array<std::uint64_t, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned lane = 0; lane < kLanes; ++lane) table[mask] |= static_cast<std::uint64_t>(mask >> lane & 1U) << (8 * lane);
    return table;
}();

/// The bits of the index that are set, ascending, and then anything.
constexpr auto kSetBits = [] {
    std::array<std::array<std::uint8_t, kLanes>, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned lane = 0, at = 0; lane < kLanes; ++lane)
            if (mask >> lane & 1U) table[mask][at++] = static_cast<std::uint8_t>(lane);
    return table;
}();

/// Four numbers of a contact.
template <class Real>
[[gnu::always_inline]] inline Quad<double> inDouble(const Real* from) {
    if constexpr (std::is_same_v<Real, double>) return Quad<double>::load(from);
    else return convert<double>(Quad<Real>::load(from));
}
template <int N>
[[gnu::always_inline]] inline void add(double* to, const Pack<double, N>& what) { (Pack<double, N>::loadUnaligned(to) + what).storeUnaligned(to); }

}  // namespace

void Extremes::include(const Extremes& other) {
    stiffness.include(other.stiffness);
    deep += other.deep;
    if (deepSphere < 0) deepSphere = other.deepSphere;
}

template <class Real>
Extremes PairForces<Real>::Found::joined() const {
    Extremes all = rest;
    all.stiffness.include({static_cast<double>(maxLane(spring)), static_cast<double>(maxLane(dashpot))});
    return all;
}

template <class Real>
MemoryOf<Vec3> PairForces<Real>::memory(std::size_t p) const {
    const auto vector = [&](const AlignedVector<Real>& from) { return from.empty() ? Vec3{} : Vec3{from[4 * p], from[4 * p + 1], from[4 * p + 2]}; };
    return {vector(springs), vector(turns), turns.empty() ? 0 : static_cast<double>(turns[4 * p + 3])};
}

template <class Real>
void PairForces<Real>::remember(std::size_t p, const MemoryOf<Vec3>& memory) {
    const auto keep = [&](AlignedVector<Real>& to, const Vec3& v) {
        for (int axis = 0; axis < 3 && !to.empty(); ++axis) to[4 * p + static_cast<std::size_t>(axis)] = static_cast<Real>(v[axis]);
    };
    keep(springs, memory.spring);
    keep(turns, memory.turn);
    if (!turns.empty()) turns[4 * p + 3] = static_cast<Real>(memory.twist);
}

template <class Real>
void PairForces<Real>::forgetAll(std::size_t pairs, bool spring, bool turning) {
    springs.assign(spring ? 4 * pairs : 0, Real(0));
    turns.assign(spring && turning ? 4 * pairs : 0, Real(0));
}

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
[[gnu::always_inline]] inline void PairForces<Real>::Pending::addTo(std::span<Wrench> wrenches) {
    for (std::size_t lane = 0; lane < count; ++lane) {
        const Quad<double> last = inDouble(rest.data() + 4 * lane);
        add<4>(&wrenches[a[lane]].force.x, inDouble(onA.data() + 4 * lane));
        add<2>(&wrenches[a[lane]].torque.y, lower(last));
        add<4>(&wrenches[b[lane]].force.x, inDouble(onB.data() + 4 * lane));
        add<2>(&wrenches[b[lane]].torque.y, upper(last));
    }
    count = 0;
}

template <class Real>
template <class NormalKind, class ShearKind>
Extremes PairForces<Real>::ofSlab(const Manner& manner, double dt, PairContacts& contacts, std::span<Wrench> wrenches, std::size_t slab) {
    Found found;
    PairConstantsOf<Wide<Real>> common;
    if (constants.by == ConstantsTable<Real>::By::all && !constants.sets.empty()) {
        const PairConstantsOf<Real>& c = constants.sets.front();
        common = {c.stiffness, c.damping, c.shear, c.shearDamping, c.friction, c.rolling, c.radius, c.perMass};
    }
    std::array<std::uint32_t, kBatch + kLanes> waiting;   // pairs that act
    std::size_t filled = 0;
    std::array<Pending, 2> pending;
    std::size_t last = 0;
    const auto respondTo = [&](std::size_t from, std::size_t count) {
        ofEight<NormalKind, ShearKind>(manner, dt, contacts, wrenches, waiting.data() + from, count, common, found, pending[last], pending[1 - last]);
        last = 1 - last;
    };
    // Which of eight pairs overlap or are bridged: bit i for pair first + i. What pairs that part remember is forgotten.
    const auto actingOf = [&](std::size_t first, std::size_t count) {
        const unsigned touch = touching(contacts, first, count);
        unsigned acting = touch;
        std::uint64_t was = 0, is = kBytesOf[touch];
        if (manner.bridges) {
            acting |= bridged(contacts, first, count, touch);
            is |= kBytesOf[acting] * kBridged;
        }
        std::memcpy(&was, contacts.state.data() + first, count);
        if (is != was) {
            std::memcpy(contacts.state.data() + first, &is, count);
            for (std::size_t lane = 0; lane < count; ++lane)
                if ((was & ~is) >> (8 * lane) & kTouching) remember(first + lane, {});
        }
        return acting;
    };
    const std::size_t end = contacts.firstPair[slab + 1];
    for (std::size_t p = contacts.firstPair[slab]; p < end;) {
        for (; p < end && filled < kBatch; p += kLanes) {
            const unsigned acting = actingOf(p, std::min(kLanes, end - p));
            for (std::size_t k = 0; k < kLanes; ++k) waiting[filled + k] = static_cast<std::uint32_t>(p) + kSetBits[acting][k];
            filled += static_cast<std::size_t>(std::popcount(acting));
        }
        std::size_t from = 0;
        for (; from + kLanes <= filled; from += kLanes) respondTo(from, kLanes);
        std::copy(waiting.begin() + static_cast<std::ptrdiff_t>(from), waiting.begin() + static_cast<std::ptrdiff_t>(filled), waiting.begin());
        filled -= from;
    }
    if (filled > 0) respondTo(0, filled);
    pending[last].addTo(wrenches);
    return found.joined();
}

/// Which of these pairs overlap: bit i for pair first + i.
template <class Real>
[[gnu::always_inline]] inline unsigned PairForces<Real>::touching(const PairContacts& contacts, std::size_t first, std::size_t count) const {
    std::array<const Real*, kLanes> a, b;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t p = first + std::min(lane, count - 1);
        a[lane] = &spheres[contacts.list.a[p]].x;
        b[lane] = &spheres[contacts.list.b[p]].x;
    }
    const auto rowsA = WideRows<Real>::load(a), rowsB = WideRows<Real>::load(b);
    const WideVec3<Real> d = lattice.apart(rowsA, rowsB);
    const Wide<Real> reach = rowsA.w + rowsB.w;
    return bits(dot(d, d) < reach * reach) & ((1U << count) - 1U);
}

/// Which of these pairs, of those that do not overlap, are held by a bridge that is not too long.
template <class Real>
unsigned PairForces<Real>::bridged(const PairContacts& contacts, std::size_t first, std::size_t count, unsigned touching) const {
    unsigned held = 0;
    for (std::size_t lane = 0; lane < count; ++lane)
        if (contacts.state[first + lane] & kBridged) held |= 1U << lane;
    held &= ~touching;
    if (held == 0) return 0;
    std::array<std::uint32_t, kLanes> pairs;
    std::array<const Real*, kLanes> a, b;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        pairs[lane] = static_cast<std::uint32_t>(first + std::min(lane, count - 1));
        a[lane] = &spheres[contacts.list.a[pairs[lane]]].x;
        b[lane] = &spheres[contacts.list.b[pairs[lane]]].x;
    }
    const auto rowsA = WideRows<Real>::load(a), rowsB = WideRows<Real>::load(b);
    const HoldConstantsOf<Wide<Real>> hold = holdOf(contacts.list, pairs);
    const WideVec3<Real> d = lattice.apart(rowsA, rowsB);
    return bits(norm(d) - (rowsA.w + rowsB.w) < hold.rupture) & held;
}

template <class Real>
HoldConstantsOf<Wide<Real>> PairForces<Real>::holdOf(const PairList& list, const std::array<std::uint32_t, 8>& pairs) const {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = &constants.holds[constants.of(pairs[lane], list.a[pairs[lane]], list.b[pairs[lane]])].pull;
    const auto rows = WideRows<Real>::load(at);
    return {rows.x, rows.y, rows.z, rows.w};
}

template <class Real>
PairConstantsOf<Wide<Real>> PairForces<Real>::constantsOf(const PairList& list, const std::array<std::uint32_t, 8>& pairs) const {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = &constants.sets[constants.of(pairs[lane], list.a[pairs[lane]], list.b[pairs[lane]])].stiffness;
    const auto first = WideRows<Real>::load(at), second = WideRows<Real>::load(at, 4);
    return {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
}

template <class Real>
WideRows<Real> PairForces<Real>::load(const AlignedVector<Real>& memories, const std::array<std::uint32_t, 8>& pairs) const {
    std::array<const Real*, kLanes> at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = &memories[4 * std::size_t{pairs[lane]}];
    return WideRows<Real>::load(at);
}

template <class Real>
template <class NormalKind, class ShearKind>
void PairForces<Real>::ofEight(const Manner& manner, double step, const PairContacts& contacts, std::span<Wrench> wrenches, const std::uint32_t* given, std::size_t count,
                               const PairConstantsOf<Wide<Real>>& common, Found& found, Pending& before, Pending& now) {
    using W = Wide<Real>;
    std::array<std::uint32_t, kLanes> pairs;
    std::array<std::uint32_t, kLanes>&a = now.a, &b = now.b;
    std::array<const Real*, kLanes> atA, atB;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        pairs[lane] = given[lane < count ? lane : 0];   // lanes without a pair repeat the first and are not added
        a[lane] = contacts.list.a[pairs[lane]];
        b[lane] = contacts.list.b[pairs[lane]];
        atA[lane] = &spheres[a[lane]].x;
        atB[lane] = &spheres[b[lane]].x;
    }
    const auto placeA = WideRows<Real>::load(atA), placeB = WideRows<Real>::load(atB);
    const auto motionA = WideRows<Real>::load(atA, 4), motionB = WideRows<Real>::load(atB, 4);
    const auto turningA = WideRows<Real>::load(atA, 8), turningB = WideRows<Real>::load(atB, 8);
    const PairConstantsOf<W> c = constants.by == ConstantsTable<Real>::By::all ? common : constantsOf(contacts.list, pairs);
    HoldConstantsOf<W> hold;
    if (manner.holds()) hold = holdOf(contacts.list, pairs);

    const WideVec3<Real> d = lattice.apart(placeA, placeB);
    const W squared = dot(d, d), distance = sqrt(squared);
    const auto separate = squared > W(0);
    const W inverse = select(separate, distance * (W(1) / squared), W(0));   // does not wait for the root
    before.addTo(wrenches);
    TouchOf<W, WideVec3<Real>> t;
    const W depth = max(placeA.w + placeB.w - distance, W(0));
    t.overlap = manner.bridges ? placeA.w + placeB.w - distance : depth;
    t.normal = {d.x * inverse, d.y * inverse, select(separate, d.z * inverse, W(1))};
    // Both meet in the middle of the overlap.
    const W armA = mulAdd(t.overlap, W(Real(0.5)), -placeA.w), armB = mulAdd(t.overlap, W(Real(0.5)), -placeB.w);
    const WideVec3<Real> spinA{turningA.x, turningA.y, turningA.z}, spinB{turningB.x, turningB.y, turningB.z};
    t.velocity = WideVec3<Real>{motionA.x - motionB.x, motionA.y - motionB.y, motionA.z - motionB.z} + cross(armA * spinA + armB * spinB, t.normal);
    t.spin = spinA - spinB;

    MemoryOf<WideVec3<Real>> memory;
    if constexpr (ShearKind::kSpring) {
        const WideRows<Real> spring = load(springs, pairs);
        memory.spring = {spring.x, spring.y, spring.z};
        if (manner.turns()) {
            const WideRows<Real> turn = load(turns, pairs);
            memory.turn = {turn.x, turn.y, turn.z};
            memory.twist = turn.w;
        }
    }
    const ResponseOf<W, WideVec3<Real>> response = respond<NormalKind, ShearKind>(c, hold, manner, t, W(static_cast<Real>(step)), memory);
    const WideVec3<Real> couple = cross(t.normal, response.force);
    WideVec3<Real> torqueA = armA * couple, torqueB = armB * couple;
    if (manner.turns()) {
        torqueA = torqueA + response.moment;
        torqueB = torqueB - response.moment;
    }
    const WideVec3<Real>& force = response.force;
    WideRows<Real>{force.x, force.y, force.z, torqueA.x}.store(now.onA.data(), 4);
    WideRows<Real>{-force.x, -force.y, -force.z, torqueB.x}.store(now.onB.data(), 4);
    WideRows<Real>{torqueA.y, torqueA.z, torqueB.y, torqueB.z}.store(now.rest.data(), 4);
    now.count = count;
    if constexpr (ShearKind::kSpring) {
        alignas(64) Real kept[4 * kLanes];
        const auto keep = [&](const WideVec3<Real>& v, const W& fourth, AlignedVector<Real>& to) {
            storeInterleaved(v.x, v.y, v.z, fourth, kept);
            for (std::size_t lane = 0; lane < count; ++lane) Quad<Real>::load(kept + 4 * lane).store(&to[4 * std::size_t{pairs[lane]}]);
        };
        keep(memory.spring, W(Real(0)), springs);
        if (manner.turns()) keep(memory.turn, memory.twist, turns);
    }
    found.spring = max(found.spring, c.stiffness * NormalKind::tangent(depth) * c.perMass);
    found.dashpot = max(found.dashpot, c.damping * NormalKind::viscous(depth) * c.perMass);
    if (const unsigned deep = bits(t.overlap > W(static_cast<Real>(kDeep)) * min(placeA.w, placeB.w)) & ((1U << count) - 1U); deep != 0) {
        found.rest.deep += std::popcount(deep);
        if (found.rest.deepSphere < 0) found.rest.deepSphere = a[static_cast<std::size_t>(std::countr_zero(deep))];
    }
}

template class PairForces<float>;
template class PairForces<double>;

}  // namespace talus::dem
