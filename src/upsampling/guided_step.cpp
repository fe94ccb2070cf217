// SPDX-License-Identifier: Apache-2.0
// One step. Sections and equations are those of [Alduan2009].
#include "upsampling/guided_method.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::upsampling {
namespace {

/// A way longer than this is walked in parts where bodies are near, so that thin ones stop a grain [spacings of guides].
constexpr double kLongWay = 0.25;
constexpr double kMostParts = 32;
/// Distance beyond which a body is just far away [m].
constexpr double kFarAway = 1e6;

}  // namespace

// Departure from §4.3.2, where external forces act on all grains in every step: a carried grain keeps the velocity of its guides,
// which feel gravity and wind themselves, until the next interpolation. Otherwise a pile at rest sinks with g n Δt / 2.
template <class Real>
world::StepReport GuidedMethod<Real>::step(const Exec& exec, world::World& world, double dt) {
    const world::StepReport report = stepGuides(exec, world, dt);         // §3: internal forces
    if (!std::holds_alternative<world::Done>(report)) return report;
    std::int64_t bad = -1;
    if (interpolationDue()) bad = interpolate(exec, world, dt);           // §4.3.1
    if (bad < 0) bad = move(exec, world, dt);                             // §4.3.2: external forces, bodies
    if (bad < 0 && settings_.confined) confine(exec);
    ++sinceInterpolation_;
    if (bad >= 0) return failure(bad);
    return world::Done{};
}

template <class Real>
bool GuidedMethod<Real>::interpolationDue() const {
    return due_ || sinceInterpolation_ >= settings_.interpolateEvery || carriedTravel_ > settings_.mostTravel * spacing_;
}

// A step of the fine grains is several of the guides'. A first one that is too long rejects the whole; later ones, which a stable
// step made at the start does not foresee, are cut.
template <class Real>
world::StepReport GuidedMethod<Real>::stepGuides(const Exec& exec, world::World& world, double dt) {
    const double begin = world.time;
    double part = dt / static_cast<double>(settings_.guideSteps), left = dt;
    world::StepReport report = world::Done{};
    for (bool first = true; left > 0; first = false) {
        const double now = left < 1.5 * part ? left : part;
        report = guides_->step(exec, world, now);
        if (const auto* rejected = std::get_if<world::Rejected>(&report)) {
            if (first) {
                report = world::Rejected{static_cast<double>(settings_.guideSteps) * rejected->dt};
                break;
            }
            part = std::min(rejected->dt, 0.5 * now);
            if (part < 1e-12) report = world::Failed{.what = "the step of the guides fell below 1e-12 s", .field = "velocity"};
            else continue;
        }
        if (std::holds_alternative<world::Failed>(report)) break;
        left = now == left ? 0 : left - now;
        world.time = begin + (dt - left);
    }
    world.time = begin;
    return report;
}

template <class Real>
std::int64_t GuidedMethod<Real>::move(const Exec& exec, const world::World& world, double dt) {
    const auto phase = exec.phase("fine grains");
    if (revision_ != world.revision)
        for (FineChunk& chunk : grains_.chunks) chunk.clearance = {};
    revision_ = world.revision;
    bodies_.begin(world, world.time + dt, 2 * dt * norm(world.gravity));
    const Moving moving{world, dt};
    const Report all = exec.reduce(
        grains_.chunks.size(), kTaskChunks, Report{},
        [&](std::size_t begin, std::size_t end) {
            Scratch scratch;
            Report sum;
            for (std::size_t c = begin; c < end; ++c) {
                const Report one = moveChunk(moving, c, scratch);
                sum = {std::max(sum.fastest, one.fastest), std::max(sum.fastestCarried, one.fastestCarried), firstBad(sum.badRow, one.badRow), sum.squeezed + one.squeezed};
            }
            return sum;
        },
        [](const Report& a, const Report& b) {
            return Report{std::max(a.fastest, b.fastest), std::max(a.fastestCarried, b.fastestCarried), firstBad(a.badRow, b.badRow), a.squeezed + b.squeezed};
        });
    squeezed_ += all.squeezed;
    heldTime_ += dt;
    carriedTravel_ += dt * all.fastestCarried;
    drift_ += dt * all.fastest;
    return all.badRow;
}

// x₁ = x₀ + Δt (v₀ + v₁)/2: a parabola where gravity acts alone.
template <class Real>
typename GuidedMethod<Real>::Report GuidedMethod<Real>::moveChunk(const Moving& moving, std::size_t chunk, Scratch& scratch) {
    using W = Wide<Real>;
    const FineChunk& own = grains_.chunks[chunk];
    if (own.alive == 0) return {};
    const std::size_t firstGroup = chunk * kChunkGroups, groups = std::min(kChunkGroups, grains_.columns.groups() - firstGroup);
    alignas(64) std::array<Real, 3 * kChunkRows> before;
    std::copy_n(grains_.columns.position.group(firstGroup), 24 * groups, before.data());
    const W step(static_cast<Real>(moving.dt)), half(static_cast<Real>(0.5 * moving.dt));
    W fastest(Real(0)), carried(Real(0)), finite(Real(0));
    for (std::size_t g = 0; g < groups; ++g) {
        Real* position = grains_.columns.position.group(firstGroup + g);
        Real* velocity = grains_.columns.velocity.group(firstGroup + g);
        const std::uint64_t free = own.free >> (8 * g) & 0xff;
        std::array<W, 3> v{W::load(velocity), W::load(velocity + 8), W::load(velocity + 16)}, x;
        alignas(64) std::array<Real, 24> change{};
        if (free != 0) fall(moving, 8 * (firstGroup + g), free, change.data());
        for (std::size_t a = 0; a < 3; ++a) {
            x[a] = mulAdd(step, v[a], W::load(position + 8 * a));
            if (free != 0) {
                const W gained = W::load(change.data() + 8 * a);
                x[a] = mulAdd(half, gained, x[a]);
                v[a] += gained;
                v[a].store(velocity + 8 * a);
            }
            x[a].store(position + 8 * a);
            finite += x[a];
        }
        const W speed2 = mulAdd(v[0], v[0], mulAdd(v[1], v[1], v[2] * v[2]));
        fastest = max(fastest, speed2);
        if (free == 0) {
            carried = max(carried, speed2);
        } else {
            std::array<Real, 8> lanes = speed2.lanes();
            for (std::size_t p = 0; p < 8; ++p)
                if (free >> p & 1) lanes[p] = 0;
            alignas(64) std::array<Real, 8> kept = lanes;
            carried = max(carried, W::load(kept.data()));
        }
    }
    Report report{std::sqrt(static_cast<double>(maxLane(fastest))), std::sqrt(static_cast<double>(maxLane(carried))), -1, 0};
    if (!all(abs(finite) < W(std::numeric_limits<Real>::max()))) {
        eachRow(chunk, own.alive, [&](std::size_t row) {
            if (report.badRow < 0 && !isFinite(grains_.position(row))) report.badRow = static_cast<std::int64_t>(row);
        });
        if (report.badRow >= 0) return report;
    }
    meetBodies(moving, chunk, before.data(), scratch, report);
    return report;
}

template <class Real>
void GuidedMethod<Real>::fall(const Moving& moving, std::size_t firstRow, std::uint64_t lanes, Real* change) const {
    const world::World& world = moving.world;
    for (std::size_t p = 0; p < 8; ++p) {
        if ((lanes >> p & 1) == 0) continue;
        Vec3 dv = moving.dt * world.gravity;
        if (world.forces.any()) {
            const std::size_t row = firstRow + p;
            const world::Material& material = world.materials[static_cast<std::size_t>(origins_[grains_.columns.origin(row)].material)];
            dv += world.forces.velocityChange(material, domain_.wrap(grains_.position(row)), grains_.velocity(row), world.gravity, world.time, moving.dt);
        }
        for (int axis = 0; axis < 3; ++axis) change[8 * static_cast<std::size_t>(axis) + p] = static_cast<Real>(dv[axis]);
    }
}

// Bodies are asked for groups that may have come close to them only: a fixed one that was further away than the ways since then is not.
template <class Real>
void GuidedMethod<Real>::meetBodies(const Moving& moving, std::size_t chunk, const Real* before, Scratch& scratch, Report& report) {
    FineChunk& own = grains_.chunks[chunk];
    const double travel = moving.dt * report.fastest;
    for (std::size_t g = 0; g < kChunkGroups; ++g) {
        const std::uint64_t alive = own.alive >> (8 * g) & 0xff;
        if (alive == 0) continue;
        double clearance = static_cast<double>(own.clearance[g]) - travel;
        if (clearance < largestRadius_ || bodies_.anyMoves()) clearance = meetBodies(moving, chunk, g, before, travel, clearance < largestRadius_, scratch, report);
        own.clearance[g] = std::nextafter(static_cast<float>(clearance), -std::numeric_limits<float>::infinity());
    }
}

template <class Real>
double GuidedMethod<Real>::meetBodies(const Moving& moving, std::size_t chunk, std::size_t group, const Real* before, double travel, bool fixedNear, Scratch& scratch, Report& report) {
    const FineChunk& own = grains_.chunks[chunk];
    const bool longWay = travel > kLongWay * spacing_;
    const Aabb box = grains_.bounds(chunk, group, group + 1);
    bool crossing = false;   // of a periodic face: bodies lie on this side of it
    for (int axis = 0; axis < 3; ++axis) crossing |= domain_.periodic(axis) && (box.min[axis] < domain_.min[axis] || box.max[axis] > domain_.max[axis]);
    scratch.bodies.clear();
    double clearance = static_cast<double>(own.clearance[group]) - travel;
    if (crossing) {
        clearance = 0;
        for (std::uint32_t b = 0; b < bodies_.count(); ++b) scratch.bodies.push_back(b);
    } else {
        const double ofFixed = bodies_.near(box, largestRadius_ + (longWay ? travel : 0), fixedNear, scratch.bodies);
        if (fixedNear) clearance = std::min(ofFixed, kFarAway);
    }
    if (scratch.bodies.empty()) return clearance;

    std::array<Vec3, 8> points, froms;
    std::array<double, 8> radii;   // and the way where it is long: a body further from its end was not met on it
    std::array<std::size_t, 8> rows;
    std::size_t count = 0;
    eachRow(chunk, own.alive & std::uint64_t{0xff} << (8 * group), [&](std::size_t row) {
        points[count] = crossing ? domain_.wrap(grains_.position(row)) : grains_.position(row);
        const std::size_t at = 24 * group + row % 8;
        froms[count] = own.anchor + Vec3{static_cast<double>(before[at]), static_cast<double>(before[at + 8]), static_cast<double>(before[at + 16])};
        radii[count] = origins_[grains_.columns.origin(row)].radius + (longWay ? norm(grains_.position(row) - froms[count]) : 0.0);
        rows[count++] = row;
    });
    std::uint64_t touching = 0;
    for (const std::uint32_t b : scratch.bodies) touching |= bodies_.touching(b, std::span(points).first(count), std::span(radii).first(count));
    for (std::size_t i = 0; i < count; ++i)
        if ((touching >> i & 1) != 0 && !resolve(moving, rows[i], froms[i], scratch)) ++report.squeezed;
    return clearance;
}

template <class Real>
bool GuidedMethod<Real>::resolve(const Moving& moving, std::size_t row, const Vec3& from, Scratch& scratch) {
    const Vec3 to = grains_.position(row), shift = domain_.wrap(to) - to;
    const Origin& origin = origins_[grains_.columns.origin(row)];
    TouchingGrain grain{from + shift, grains_.velocity(row), origin.radius, origin.material};
    const double parts = std::clamp(std::ceil(norm(to - from) / (kLongWay * spacing_)), 1.0, kMostParts);
    Vec3 leg = (to - from) / parts;
    bool clear = true;
    scratch.rooms.assign(scratch.bodies.size(), 0);
    for (double i = 0; i < parts; ++i) {
        const Vec3 velocity = grain.velocity;
        const double length = norm(leg);
        grain.position += leg;
        for (double& room : scratch.rooms) room -= length;
        clear = bodies_.push(scratch.bodies, scratch.rooms, grain);
        if (!(grain.velocity == velocity)) leg = grain.velocity * (moving.dt / parts);
    }
    if (!clear && !bodies_.inside(scratch.bodies, from + shift)) {   // back to where there was room
        grain.position = from + shift;
        clear = true;
    }
    grains_.setPosition(row, grain.position - shift);
    grains_.setVelocity(row, grain.velocity);
    return clear;
}

template <class Real>
world::Failed GuidedMethod<Real>::failure(std::int64_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return {"the state of a fine grain is not finite", grains_.columns.id(r), grains_.position(r), isFinite(grains_.position(r)) ? "velocity" : "position"};
}

template world::StepReport GuidedMethod<float>::step(const Exec&, world::World&, double);
template world::StepReport GuidedMethod<double>::step(const Exec&, world::World&, double);

}  // namespace talus::upsampling
