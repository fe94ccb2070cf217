// SPDX-License-Identifier: Apache-2.0
// The two half steps of grains, eight of one isotropic template at a time. Written once, for one grain (N = double) and for eight
// (N = Wide<double>), without fused products, so that a grain moves by the same bits in either.
#include "dem/dem_method.h"
#include "dem/grain_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace talus::dem {
namespace {

using W = Wide<double>;

inline std::int64_t firstBad(const Column<double, 3>& a, const Column<double, 3>& b, std::size_t row, std::size_t count) {
    for (std::size_t i = row; i < row + count; ++i)
        if (!finite<double>(get(a, i), get(b, i))) return static_cast<std::int64_t>(i);
    return static_cast<std::int64_t>(row);
}
/// Free rotation over dt with constant angular momentum: q₁ = exp(Δt ω(q_½)) q₀ with q_½ half of that way. Momentum is exact; the rule is
/// symmetric, so energy does not drift. Returns Δt ω(q_½). (For equal moments ω is constant.)
Vec3 tumble(const ClumpTemplate& shape, double mass, double diameter, const Quat& start, const Vec3& momentum, double dt) {
    constexpr int kRounds = 4;
    const auto rate = [&](const Quat& q) { return angularVelocity(shape, mass, diameter, q, momentum); };
    Vec3 now = rate(start);
    for (int round = 0; round < kRounds; ++round) {
        const QuatOf<double> half = rotationBy(0.5 * dt * now);
        now = rate(Quat{half.w, half.x, half.y, half.z} * start);
    }
    return dt * now;
}

}  // namespace

/// Calls one(row) or eight(row), where eight are of one isotropic template and one material, for all of [begin, end).
template <class One, class Eight>
void DemMethod::forRows(std::size_t begin, std::size_t end, const One& one, const Eight& eight) const {
    const auto alike = [](const SharedColumn<std::int8_t>& column, std::size_t row) {
        if (column.shared()) return true;
        std::uint64_t all;
        std::memcpy(&all, column.from(row), sizeof all);
        return all == static_cast<std::uint8_t>(column(row)) * 0x0101010101010101U;
    };
    for (std::size_t i = begin; i < end;) {
        if (i + 8 <= end && shapeOf(i).isotropic() && alike(grains_.shape, i) && alike(grains_.material, i)) {
            eight(i);
            i += 8;
        } else {
            one(i++);
        }
    }
}

/// By the same steps as massOf.
template <class N>
[[gnu::always_inline]] inline N DemMethod::massesOf(std::size_t i) const {
    const N diameter = numbers<N>(grains_.diameter, i);
    return N(densities_[static_cast<std::size_t>(at(grains_.material, i))]) * (N(std::numbers::pi / 6) * diameter * diameter * diameter);
}

/// Grains that are alike need not divide by their mass one by one.
DemMethod::Drift DemMethod::driftOf(const world::World& world, double dt, double ahead, bool pushed) const {
    Drift how{world.gravity, dt, ahead, pushed, 0, 0};
    if (grains_.rows() == 0 || !grains_.diameter.shared() || !grains_.material.shared() || !grains_.shape.shared()) return how;
    const double mass = massesOf<double>(0), diameter = at(grains_.diameter, 0);
    how.perMass = 1 / mass;
    how.perMoment = 1 / (mass * diameter * diameter * shapeOf(0).inertia.x);
    return how;
}

/// Half a step of velocities and a step of positions, in place; spheres as contacts will see them. Contacts with bodies, which need no other
/// grain, are met while the grains are at hand.
DemMethod::Drifted DemMethod::driftAndMeetBodies(const Exec& exec, const world::World& world, double dt, std::span<const world::BodySnapshot> bodies) {
    const auto phase = exec.phase("move grains");
    const Drift how = driftOf(world, dt, lead(dt), world.forces.any());
    makeRoomForBodies();
    return std::visit([&](auto& forces) { return exec.reduce(
        grains_.rows(), kGrainBlock, Drifted{},
        [&](std::size_t begin, std::size_t end) {
            Drifted here;
            const ContactRange contacts = contactsWithBodies(begin, end);
            std::vector<Wrench> before;
            for (std::size_t k = contacts.begin; how.ahead > 0 && k < contacts.end; ++k) before.push_back(contactsOn(spheres_.grainOf(bodies_.sphere[k])));
            forRows(begin, end, [&](std::size_t i) { driftRows<double>(i, how, forces, here.grains); }, [&](std::size_t i) { driftRows<W>(i, how, forces, here.grains); });
            here.bodies = bodyForces(world, dt, how.ahead, bodies, contacts, before, bodyShares_[begin / kGrainBlock]);
            return here;
        },
        [](Drifted a, const Drifted& b) {
            a.grains.include(b.grains);
            a.bodies.include(b.bodies);
            return a;
        }); }, forces_);
}

template <class N, class Real>
[[gnu::always_inline]] inline void DemMethod::driftRows(std::size_t i, const Drift& how, PairForces<Real>& forces, Furthest& here) {
    using V = VectorOf<N>;
    constexpr std::size_t kCount = LanesOf<N>::kCount;
    const ClumpTemplate& shape = shapeOf(i);
    const N diameter = numbers<N>(grains_.diameter, i), dt = how.dt, half = 0.5 * how.dt, ahead = how.ahead;
    const bool alike = how.perMass > 0;
    const std::size_t sphere = spheres_.firstOf(i), stride = shape.spheres.size();
    V force, torque;
    wrenchesOf<N>(sphere, stride, force, torque);
    for (std::size_t k = 0; k < kCount; ++k) wrenches_[sphere + k * stride] = {};
    const V spin = vectors<N>(grains_.spin, i) + half * torque;
    const V a = spread<N>(how.gravity) + (alike ? N(how.perMass) : N(1) / massesOf<N>(i)) * force;
    V v = vectors<N>(grains_.velocity, i) + half * a, push{};
    if (how.pushed) {
        push = N(0.5) * vectors<N>(&pushes_[i].x);
        v = v + push;
    }
    const V way = dt * v, x = vectors<N>(grains_.position, i) + way;
    const N scale = alike ? N(how.perMoment) : N(1) / (massesOf<N>(i) * diameter * diameter * N(shape.inertia.x));
    V angle = dt * (scale * spin);
    QuatOf<N> orientation{};
    if (!shape.isSphere()) {   // a sphere looks the same however it is turned
        const QuatOf<N> start = quaternions<N>(grains_.orientation.values(), i);
        if constexpr (kCount == 1)
            if (!shape.isotropic()) angle = tumble(shape, massOf(i), diameter, {start.w, start.x, start.y, start.z}, spin, dt);
        orientation = after(rotationBy(angle), start);
        store(grains_.orientation.values(), i, orientation);
    }
    store(grains_.velocity, i, v);
    store(grains_.spin, i, spin);
    store(grains_.position, i, x);
    V seen = v + ahead * a, turning = scale * (spin + ahead * torque);
    if (how.pushed && how.ahead > 0) seen = seen + push;
    if constexpr (kCount == 1)
        if (!shape.isotropic()) turning = angularVelocity(shape, massOf(i), diameter, {orientation.w, orientation.x, orientation.y, orientation.z}, spin + ahead * torque);
    placeRows<N>(i, x, orientation, seen, turning, forces);
    if (here.bad < 0 && !finite<N>(way, spin)) here.bad = firstBad(grains_.velocity, grains_.spin, i, kCount);
    here.moved = std::max(here.moved, movedBy<N>(i, shape, way, angle));
}

/// The longest way of any of their spheres in the step [m].
template <class N, class V>
[[gnu::always_inline]] inline double DemMethod::movedBy(std::size_t i, const ClumpTemplate& shape, const V& way, const V& angle) const {
    if (shape.isSphere()) return std::sqrt(largest(squareOf<N>(way)));
    return largest(sqrt(squareOf<N>(way)) + sqrt(squareOf<N>(angle)) * (numbers<N>(grains_.diameter, i) * N(shape.sphereReach)));
}

/// Writes the spheres of grains for the forces of pairs.
template <class N, class Real, class V, class Q>
[[gnu::always_inline]] inline void DemMethod::placeRows(std::size_t i, const V& x, const Q& orientation, const V& velocity, const V& turning, PairForces<Real>& forces) {
    const ClumpTemplate& shape = shapeOf(i);
    const std::size_t first = spheres_.firstOf(i), stride = shape.spheres.size();
    const N diameter = numbers<N>(grains_.diameter, i);
    const auto write = [&](std::size_t k, const V& centre, const V& v) {
        const N radius = diameter * N(shape.spheres[k].radius);
        const auto held = forces.lattice.hold(centre);
        if constexpr (LanesOf<N>::kCount == 1) {
            forces.spheres[first + k] = {held.x, held.y, held.z, static_cast<Real>(radius), static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z),
                                         static_cast<Real>(turning.x), static_cast<Real>(turning.y), static_cast<Real>(turning.z)};
        } else {
            constexpr std::size_t kNumbers = sizeof(SphereRecord<Real>) / sizeof(Real);
            Real* to = &forces.spheres[first + k].x;
            const auto real = [](const W& a) {
                if constexpr (std::is_same_v<Real, double>) return a;
                else return convert<Real>(a);
            };
            WideRows<Real>{held.x, held.y, held.z, real(radius)}.store(to, kNumbers * stride);
            WideRows<Real>{real(v.x), real(v.y), real(v.z), real(turning.x)}.store(to + 4, kNumbers * stride);
            alignas(64) std::array<Real, 32> rest;
            storeInterleaved(real(turning.y), real(turning.z), Wide<Real>(Real(0)), Wide<Real>(Real(0)), rest.data());
            for (std::size_t lane = 0; lane < 8; ++lane) std::copy_n(rest.data() + 4 * lane, 2, to + 8 + lane * kNumbers * stride);
        }
    };
    if (shape.isSphere()) return write(0, x, velocity);
    const Turned<N> turn(orientation);
    for (std::size_t k = 0; k < stride; ++k) {
        const V arm = turn.arm(shape.spheres[k].centre, diameter);
        write(k, x + arm, velocity + crossed(turning, arm));
    }
}

template <class Real>
void DemMethod::place(std::size_t i, const Vec3& x, const Quat& q, const Motion& seen, PairForces<Real>& forces) {
    placeRows<double>(i, x, QuatOf<double>{q.w, q.x, q.y, q.z}, seen.velocity, seen.angularVelocity, forces);
    std::fill_n(wrenches_.begin() + spheres_.firstOf(i), shapeOf(i).spheres.size(), Wrench{});
}
template void DemMethod::place(std::size_t, const Vec3&, const Quat&, const Motion&, PairForces<float>&);
template void DemMethod::place(std::size_t, const Vec3&, const Quat&, const Motion&, PairForces<double>&);

/// Of one sphere, or of eight so many apart.
template <class N, class V>
[[gnu::always_inline]] inline void DemMethod::wrenchesOf(std::size_t sphere, std::size_t stride, V& force, V& torque) const {
    if constexpr (LanesOf<N>::kCount == 1) {
        force = wrenches_[sphere].force;
        torque = wrenches_[sphere].torque;
    } else {
        std::array<const double*, 8> at;
        for (std::size_t lane = 0; lane < 8; ++lane) at[lane] = &wrenches_[sphere + lane * stride].force.x;
        const auto head = WideRows<double>::load(at), tail = WideRows<double>::load(at, 2);
        force = {head.x, head.y, head.z};
        torque = {head.w, tail.z, tail.w};
    }
}

/// Force and torque of all contacts of a grain, which its first sphere keeps.
template <class N, class V>
[[gnu::always_inline]] inline void DemMethod::sumWrenches(std::size_t i, V& force, V& torque) {
    const ClumpTemplate& shape = shapeOf(i);
    const std::size_t first = spheres_.firstOf(i), stride = shape.spheres.size();
    if (shape.isSphere()) return wrenchesOf<N>(first, 1, force, torque);
    force = torque = spread<N>({});
    const Turned<N> turn(quaternions<N>(grains_.orientation.values(), i));
    const N diameter = numbers<N>(grains_.diameter, i);
    for (std::size_t k = 0; k < stride; ++k) {
        V f, t;
        wrenchesOf<N>(first + k, stride, f, t);
        force = force + f;
        torque = torque + (t + crossed(turn.arm(shape.spheres[k].centre, diameter), f));
    }
    std::fill_n(wrenches_.begin() + static_cast<std::ptrdiff_t>(first), stride * LanesOf<N>::kCount, Wrench{});
    if constexpr (LanesOf<N>::kCount == 1) wrenches_[first] = {force, torque};
    else {
        constexpr std::size_t kNumbers = sizeof(Wrench) / sizeof(double);
        double* to = &wrenches_[first].force.x;
        WideRows<double>{force.x, force.y, force.z, torque.x}.store(to, kNumbers * stride);
        WideRows<double>{force.z, torque.x, torque.y, torque.z}.store(to + 2, kNumbers * stride);
    }
}

/// Velocities at the end of the step from the forces there. From the last grains to the first: those that contacts met last are still at hand.
DemMethod::Furthest DemMethod::kick(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("move grains");
    const Drift how = driftOf(world, dt, 0, world.forces.any() && dt > 0);
    const std::size_t rows = grains_.rows(), blocks = (rows + kGrainBlock - 1) / kGrainBlock;
    std::vector<Furthest> found(blocks);
    exec.forTasks(blocks, [&](std::size_t task, int) {
        const std::size_t block = blocks - 1 - task, begin = block * kGrainBlock, end = std::min(rows, begin + kGrainBlock);
        forRows(begin, end, [&](std::size_t i) { kickRows<double>(i, how, found[block]); }, [&](std::size_t i) { kickRows<W>(i, how, found[block]); });
    });
    Furthest all;
    for (const Furthest& here : found) all.include(here);
    return all;
}

template <class N>
[[gnu::always_inline]] inline void DemMethod::kickRows(std::size_t i, const Drift& how, Furthest& here) {
    using V = VectorOf<N>;
    constexpr std::size_t kCount = LanesOf<N>::kCount;
    const ClumpTemplate& shape = shapeOf(i);
    const N half = 0.5 * how.dt;
    V force, torque;
    sumWrenches<N>(i, force, torque);
    const V a = spread<N>(how.gravity) + (how.perMass > 0 ? N(how.perMass) : N(1) / massesOf<N>(i)) * force;
    V v = vectors<N>(grains_.velocity, i) + half * a;
    if (how.pushed) v = v + N(0.5) * vectors<N>(&pushes_[i].x);
    const V spin = vectors<N>(grains_.spin, i) + half * torque;
    store(grains_.velocity, i, v);
    store(grains_.spin, i, spin);
    if (here.bad < 0 && !finite<N>(v, spin)) here.bad = firstBad(grains_.velocity, grains_.spin, i, kCount);
    const auto length = [](const V& vector) { return sqrt(squareOf<N>(vector)); };
    if (shape.isSphere()) {
        here.include({0, std::sqrt(largest(squareOf<N>(v))), std::sqrt(largest(squareOf<N>(a))), -1});
    } else {   // |ω| ≤ |L| over the smallest moment
        const N reach = N(shape.sphereReach) / (massesOf<N>(i) * numbers<N>(grains_.diameter, i) * N(shape.smallestInertia()));
        here.include({0, largest(length(v) + length(spin) * reach), largest(length(a) + length(torque) * reach), -1});
    }
}

}  // namespace talus::dem
