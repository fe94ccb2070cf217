// SPDX-License-Identifier: Apache-2.0
// A step of the adaptive Runge–Kutta–Fehlberg method [Bell2005, section 3.4]. Grains, free bodies and the memories of contacts are one system of
// ordinary differential equations; a stage sets all of them from the start of the substep, so that a substep which is not taken has changed nothing.
// Memories change with the slide; at a stage they are laid into the contact plane and shortened to what friction holds, as in every other step.
#include "dem/dem_method.h"
#include "world/body_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::dem {
namespace {

/// h ← h · safety · error^(−1/5), within bounds, as is usual for a pair of orders 4 and 5.
constexpr double kSafety = 0.9, kMostGrowth = 5, kMostShrink = 0.2;
/// No substep is shorter than this part of tolerance times half a period: where a law jumps, the error falls with the first power of the step only.
constexpr double kShortest = 0.01;
constexpr double kForesight = 1.5;
/// Over which drag is asked for, of a substep: its rate, not what it does in all of it.
constexpr double kInstant = 1e-3;
constexpr std::size_t kPairBlock = 2048;

double longer(double a, double b) { return a > b || std::isnan(a) ? a : b; }

/// Sets the world's clock back when a step ends: whoever called it moves it on.
struct Clock {
    world::World& world;
    double start;
    ~Clock() { world.time = start; }
};

MemoryOf<Vec3> memoryAt(const StageTable& table, std::size_t row, std::size_t numbers, double h, const Fehlberg::Weights& w) {
    const auto at = [&](std::size_t k) { return k < numbers ? table.at(row, k, h, w) : 0; };
    return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, at(6)};
}
void writeMemory(const MemoryOf<Vec3>& m, std::span<double> to) {
    const double all[] = {m.spring.x, m.spring.y, m.spring.z, m.turn.x, m.turn.y, m.turn.z, m.twist};
    std::copy_n(all, to.size(), to.begin());
}

}  // namespace

/// Half a period of the stiffest contact, by which errors of places are measured [s].
double DemMethod::contactPeriod() const {
    Stiffness stiffest = atRest_;
    stiffest.include(now_);
    return stiffest.step(1);
}

world::StepReport DemMethod::adaptiveStep(const Exec& exec, world::World& world, double dt) {
    const std::int64_t bad = exec.reduce(
        grains_.rows(), kGrainBlock, std::int64_t{-1},
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                if (!isFinite(get(grains_.velocity, i)) || !isFinite(get(grains_.spin, i)) || !isFinite(get(grains_.position, i))) return static_cast<std::int64_t>(i);
            return std::int64_t{-1};
        },
        [](std::int64_t a, std::int64_t b) { return a >= 0 ? a : b; });
    if (bad >= 0) return failure(static_cast<std::size_t>(bad), "the velocity of a grain is not finite", "velocity");
    const Clock clock{world, world.time};
    felt_.clear();
    touched_ = false;
    Evaluated now = evaluate(exec, world, world.bodiesAt(world.time));
    double done = 0;
    while (done < dt) {
        if (now.kicked.bad >= 0) return failure(static_cast<std::size_t>(now.kicked.bad), "the force on a grain is not finite", "force");
        if (now.found.deep > 0 && settings_.deepOverlap == DeepOverlap::stop)
            return failure(spheres_.grainOf(static_cast<std::size_t>(now.found.deepSphere)), "a grain overlaps another, or a body, by more than half a radius", "position");
        const double left = dt - done, wanted = adaptive_.next > 0 ? adaptive_.next : std::min(left, settings_.stepFraction * contactPeriod());
        double h = left / std::max(1.0, std::ceil((1 - 1e-12) * left / wanted));
        if (outruns(world, h)) {
            rebuild(exec, world, world.time);
            now = evaluate(exec, world, world.bodiesAt(world.time));
            while (outruns(world, h)) h *= 0.5;
        }
        openSubstep(exec, world);
        const bool taken = takeSubstep(exec, world, h, now);
        if (!taken) return failure(static_cast<std::size_t>(std::max<std::int64_t>(0, now.kicked.bad)), "the force on a grain is not finite", "force");
        done = h >= left ? dt : done + h;
        world.time = clock.start + done;
    }
    countDeep(now.found.deep, clock.start + dt);
    return world::Done{};
}

bool DemMethod::outruns(const world::World& world, double h) const {
    return std::max(moved_ + kForesight * h * (fastest_ + h * acceleration_), bodyDrift_ + kForesight * h * bodySpeed(world, world.time)) > 0.5 * skin_;
}

/// Tries substeps from here until one is within the tolerance, and takes it: `h` is then its length. False: forces are not finite, however short it is.
bool DemMethod::takeSubstep(const Exec& exec, world::World& world, double& h, Evaluated& now) {
    const double period = std::min(contactPeriod(), 1.0), tolerance = settings_.tolerance.value_or(kTolerance), shortest = kShortest * tolerance * period;
    for (;;) {
        world::FreeBodies free;
        runStages(exec, world, h, free);
        Trial trial = judge(exec, h, period, free);
        trial.error /= tolerance;
        if (moved_ + trial.moved > 0.5 * skin_) trial.error = std::numeric_limits<double>::infinity();
        const double factor = std::isfinite(trial.error) ? std::clamp(kSafety * std::pow(std::max(trial.error, 1e-10), -0.2), kMostShrink, kMostGrowth) : kMostShrink;
        const bool good = trial.error <= 1, last = h <= shortest;
        if (!good && !last) {
            ++adaptive_.rejected;
            h *= std::min(factor, 0.9);
            adaptive_.next = h;
            continue;
        }
        if (!std::isfinite(trial.error)) return false;
        adaptive_.above += !good;
        adaptive_.next = good ? std::max(factor * h, factor < 1 ? 0 : adaptive_.next) : h;
        now = closeSubstep(exec, world, h, free);
        moved_ += trial.moved;
        now_ = now.found.stiffness;
        fastest_ = now.kicked.speed;
        acceleration_ = now.kicked.acceleration;
        ++adaptive_.substeps;
        return true;
    }
}

/// The start of a substep and the rates there, from an evaluation that was made.
void DemMethod::openSubstep(const Exec& exec, const world::World& world) {
    adaptive_.grains.begin(grains_.rows(), Adaptive::kGrainNumbers);
    exec.forBlocks(grains_.rows(), kGrainBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 x = get(grains_.position, i), v = get(grains_.velocity, i), spin = get(grains_.spin, i);
            const Quat q = orientationOf(i);
            const double all[] = {x.x, x.y, x.z, v.x, v.y, v.z, q.w, q.x, q.y, q.z, spin.x, spin.y, spin.z};
            std::copy(std::begin(all), std::end(all), adaptive_.grains.start(i).begin());
        }
    });
    adaptive_.second = pairs_.second;
    adaptive_.acted.assign(settings_.shear == Shear::spring ? pairs_.size() : 0, 0);
    adaptive_.pairs.begin(adaptive_.acted.size(), pairNumbers());
    adaptive_.bodyState = bodies_.state;
    adaptive_.bodyContacts.begin(bodies_.size(), Adaptive::kMemoryNumbers);
    for (std::size_t k = 0; k < bodies_.size(); ++k) writeMemory(bodies_.state[k].memory, adaptive_.bodyContacts.start(k));
    takeRates(exec, world, 0, 0);
}

std::size_t DemMethod::pairNumbers() const { return laws_.manner().turns() ? Adaptive::kMemoryNumbers : 3; }

/// Grains and memories as they are at a stage, or with the last weights at the end of the substep.
void DemMethod::setStage(const Exec& exec, double h, const Fehlberg::Weights& w) {
    const StageTable& table = adaptive_.grains;
    exec.forBlocks(grains_.rows(), kGrainBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto at = [&](std::size_t k) { return table.at(i, k, h, w); };
            set(grains_.position, i, Vec3{at(0), at(1), at(2)});
            set(grains_.velocity, i, Vec3{at(3), at(4), at(5)});
            if (grains_.orientation.present()) set(grains_.orientation.values(), i, Quat{at(6), at(7), at(8), at(9)}.normalizedQuat());
            set(grains_.spin, i, Vec3{at(10), at(11), at(12)});
        }
    });
    pairs_.second = adaptive_.second;
    std::visit([&](auto& forces) { exec.forBlocks(adaptive_.acted.size(), kPairBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            if (adaptive_.acted[p]) forces.memories.put(pairs_, p, memoryAt(adaptive_.pairs, p, pairNumbers(), h, w));
    }); }, forces_);
    bodies_.state = adaptive_.bodyState;
    for (std::size_t k = 0; k < bodies_.size(); ++k) bodies_.state[k].memory = memoryAt(adaptive_.bodyContacts, k, Adaptive::kMemoryNumbers, h, w);
}

/// All rates but those of free bodies, and what bodies get, from the evaluation that was made for this stage.
void DemMethod::takeRates(const Exec& exec, const world::World& world, std::size_t stage, double h) {
    const double time = world.time + Fehlberg::c[stage] * h, instant = kInstant * (h > 0 ? h : contactPeriod());
    exec.forBlocks(grains_.rows(), kGrainBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 v = get(grains_.velocity, i), torque = contactsOn(i).torque, w = angularVelocityOf(i);
            Vec3 a = world.gravity + 1 / massOf(i) * contactsOn(i).force;
            if (world.forces.any()) a += world.forces.velocityChange(world.materials[static_cast<std::size_t>(at(grains_.material, i))], wrapped(i), v, world.gravity, time, instant) / instant;
            const Quat turn = Quat{0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * orientationOf(i);
            const double all[] = {v.x, v.y, v.z, a.x, a.y, a.z, turn.w, turn.x, turn.y, turn.z, torque.x, torque.y, torque.z};
            std::copy(std::begin(all), std::end(all), adaptive_.grains.rate(stage, i).begin());
        }
    });
    takePairRates(exec, stage);
    adaptive_.loads[stage] = bodyRates();
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        ContactState& state = bodies_.state[k];
        if (!state.touching) state.memory = {};
        const MemoryOf<Vec3> rate = state.touching ? bodyMemoryRates_[k] : MemoryOf<Vec3>{};
        writeMemory(rate, adaptive_.bodyContacts.rate(stage, k));
        if (settings_.shear != Shear::spring && state.touching) adaptive_.loads[stage][covers_.bodyOf(bodies_.body[k])].slipWork -= dot(state.force, rate.spring);
    }
}

/// Beside the slide the contact plane turns, and the spring with it: Ḋ = v_t − (D·ṅ) n.
void DemMethod::takePairRates(const Exec& exec, std::size_t stage) {
    std::visit([&](auto& forces) { exec.forBlocks(adaptive_.acted.size(), kPairBlock, [&](std::size_t begin, std::size_t end) {
        std::uint32_t a = pairs_.firstSphereOf(begin);
        for (std::size_t p = begin; p < end; ++p) {
            while (p >= pairs_.first[a + 1]) ++a;
            const bool touches = pairs_.touches(p);
            if (!touches && !adaptive_.acted[p]) continue;
            if (!adaptive_.acted[p]) {
                adaptive_.acted[p] = 1;
                writeMemory(stage == 0 ? forces.memories.get(pairs_, p) : MemoryOf<Vec3>{}, adaptive_.pairs.start(p));
                for (std::size_t before = 0; before < stage; ++before) writeMemory({}, adaptive_.pairs.rate(before, p));
            }
            MemoryOf<Vec3> rate;
            if (touches) {
                const PairMeeting met = meeting(a, p);
                rate = memoryRate(met.touch);
                rate.spring -= dot(forces.memories.get(pairs_, p).spring, met.normalRate) * met.touch.normal;
                rate.turn -= dot(forces.memories.get(pairs_, p).turn, met.normalRate) * met.touch.normal;
            } else {
                forces.memories.put(pairs_, p, {});
            }
            writeMemory(rate, adaptive_.pairs.rate(stage, p));
        }
    }); }, forces_);
}

/// Impulses between free bodies that touch, over the substep: constant in its stages, since an impact has no rates. Of the points of bodyNumbers, per second.
std::vector<Vec6> DemMethod::bodyJumps(const world::World& world, double h, world::FreeBodies& free) const {
    free.begin(world, h);
    std::vector<Vec6> jumps(free.size());
    if (!free.touching()) return jumps;
    std::vector<Vec6> without(free.size());
    for (std::size_t k = 0; k < free.size(); ++k) {
        const world::BodyLoad& load = adaptive_.loads[0][free.body(k)];
        const Vec6 impulse = h * Vec6{load.impulse, load.angularImpulse};
        const world::Pose& pose = free.constants(k).pose;
        without[k] = Vec6{pose.velocity, pose.angularVelocity} + free.mobility(k) * (world::appliedImpulse(free.constants(k), world.gravity, world.time, world.time + h) + impulse);
        free.push(k, impulse);
    }
    free.meet();
    for (std::size_t k = 0; k < free.size(); ++k) jumps[k] = 1 / h * world::atPoint(free.constants(k), free.constants(k).pose.rotation, free.velocity(k) - without[k]);
    return jumps;
}

void DemMethod::runStages(const Exec& exec, world::World& world, double h, world::FreeBodies& free) {
    const std::vector<Vec6> jumps = bodyJumps(world, h, free);
    std::vector<world::FreeBody> moving;
    adaptive_.bodies.begin(free.size(), std::tuple_size_v<world::BodyNumbers>);
    for (std::size_t k = 0; k < free.size(); ++k) {
        moving.push_back(free.constants(k));
        std::ranges::copy(world::bodyNumbers(moving[k], moving[k].pose), adaptive_.bodies.start(k).begin());
    }
    for (std::size_t stage = 0; stage < Fehlberg::kStages; ++stage) {
        const double time = world.time + Fehlberg::c[stage] * h;
        std::vector<world::BodyNumbers> numbers(free.size());
        for (std::size_t k = 0; k < free.size(); ++k) numbers[k] = bodyAt(k, h, Fehlberg::a[stage]);
        if (stage > 0) {
            setStage(exec, h, Fehlberg::a[stage]);
            std::vector<world::BodySnapshot> bodies = world.bodiesAt(time);
            for (std::size_t k = 0; k < free.size(); ++k) bodies[free.body(k)] = {world.bodies[free.body(k)], moving[k].pose = world::bodyPose(moving[k], numbers[k]), time};
            evaluate(exec, world, bodies);
            takeRates(exec, world, stage, h);
        }
        for (std::size_t k = 0; k < free.size(); ++k) {
            const world::BodyLoad& load = adaptive_.loads[stage][free.body(k)];
            const Vec6 wrench = Vec6{load.impulse, load.angularImpulse} + 1 / h * world::appliedImpulse(moving[k], world.gravity, world.time, world.time + h);
            std::ranges::copy(world::bodyRates(moving[k], numbers[k], wrench, jumps[k]), adaptive_.bodies.rate(stage, k).begin());
        }
    }
}

world::BodyNumbers DemMethod::bodyAt(std::size_t k, double h, const Fehlberg::Weights& w) const {
    world::BodyNumbers numbers;
    for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = adaptive_.bodies.at(k, n, h, w);
    return numbers;
}

/// The largest error of the substep: of velocities over the reference speed, or the grain's own if it is faster; of places over the way at that speed in
/// half a period of a contact. Rotations count by what they do to the surface.
DemMethod::Trial DemMethod::judge(const Exec& exec, double h, double period, const world::FreeBodies& free) const {
    const auto join = [](Trial a, const Trial& b) { return Trial{longer(a.error, b.error), std::max(a.moved, b.moved)}; };
    const StageTable& table = adaptive_.grains;
    const auto error = [&](const StageTable& of, std::size_t row, double speed, double reach, double perMoment) {
        const double places = longer(of.error(row, 0, 3, h), 2 * reach * of.error(row, 6, 10, h)), rates = longer(of.error(row, 3, 6, h), perMoment * of.error(row, 10, 13, h));
        return longer(places / period, rates) / std::max(settings_.referenceSpeed, speed);
    };
    Trial all = exec.reduce(
        grains_.rows(), kGrainBlock, Trial{},
        [&](std::size_t begin, std::size_t end) {
            Trial here;
            for (std::size_t i = begin; i < end; ++i) {
                const std::span<const double> start = table.start(i);
                const ClumpTemplate& shape = shapeOf(i);
                const double reach = reachOf(i), diameter = at(grains_.diameter, i);
                const double e = error(table, i, norm(Vec3{start[3], start[4], start[5]}), reach, reach / (massOf(i) * diameter * diameter * shape.smallestInertia()));
                Vec3 way;
                for (std::size_t axis = 0; axis < 3; ++axis) way[static_cast<int>(axis)] = table.change(i, axis, h, Fehlberg::b);
                here = join(here, {e, norm(way) + (shape.isSphere() ? 0 : turnOf(i, h) * diameter * shape.sphereReach)});
            }
            return here;
        },
        join);
    const double place = settings_.referenceSpeed * period, angle = 0.5 * diameter_;
    const auto ofMemory = [&](const StageTable& of, std::size_t row, std::size_t numbers) { return longer(of.error(row, 0, 3, h), numbers > 3 ? angle * of.error(row, 3, numbers, h) : 0) / place; };
    all = join(all, exec.reduce(
        adaptive_.acted.size(), kPairBlock, Trial{},
        [&](std::size_t begin, std::size_t end) {
            Trial here;
            for (std::size_t p = begin; p < end; ++p)
                if (adaptive_.acted[p]) here = join(here, {ofMemory(adaptive_.pairs, p, pairNumbers()), 0});
            return here;
        },
        join));
    if (settings_.shear == Shear::spring)
        for (std::size_t k = 0; k < bodies_.size(); ++k) all = join(all, {ofMemory(adaptive_.bodyContacts, k, Adaptive::kMemoryNumbers), 0});
    for (std::size_t k = 0; k < free.size(); ++k) {
        const Aabb box = world::worldBounds(free.snapshot(free.body(k), 0));
        const double reach = 0.5 * norm(box.max - box.min);
        all = join(all, {error(adaptive_.bodies, k, norm(free.constants(k).pose.velocity), reach, reach), 0});
    }
    return all;
}

/// Angle by which a grain turns in the substep [rad].
double DemMethod::turnOf(std::size_t row, double h) const {
    const StageTable& table = adaptive_.grains;
    const std::span<const double> s = table.start(row);
    const auto at = [&](std::size_t k) { return table.at(row, k, h, Fehlberg::b); };
    const Quat turn = Quat{at(6), at(7), at(8), at(9)}.normalizedQuat() * Quat{s[6], s[7], s[8], s[9]}.conjugate();
    return 2 * std::asin(std::min(1.0, norm(Vec3{turn.x, turn.y, turn.z})));
}

/// Everything at the end of the substep, with the forces there: springs are shortened, contacts that have parted forget.
DemMethod::Evaluated DemMethod::closeSubstep(const Exec& exec, world::World& world, double h, world::FreeBodies& free) {
    setStage(exec, h, Fehlberg::b);
    bodyDrift_ += h * bodySpeed(world, world.time);
    for (std::size_t stage = 0; stage < Fehlberg::kStages; ++stage)
        for (std::size_t b = 0; b < world.bodies.size(); ++b) {
            const world::BodyLoad& rate = adaptive_.loads[stage][b];
            const double part = h * Fehlberg::b[stage];
            world.bodies[b].load += {part * rate.impulse, part * rate.angularImpulse, part * rate.work, part * rate.slipWork};
        }
    if (free.size() > 0) {
        std::vector<world::Pose> poses;
        for (std::size_t k = 0; k < free.size(); ++k) poses.push_back(world::bodyPose(free.constants(k), bodyAt(k, h, Fehlberg::b)));
        free.moveTo(poses);
        free.commit(world);
    }
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time + h);
    const Evaluated now = evaluate(exec, world, bodies);
    std::visit([&](auto& forces) { exec.forBlocks(adaptive_.acted.size(), kPairBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            if (adaptive_.acted[p] && !pairs_.touches(p)) forces.memories.put(pairs_, p, {});
    }); }, forces_);
    for (ContactState& state : bodies_.state)
        if (!state.touching) state.memory = {};
    for (const std::vector<BodyShare>& shares : bodyShares_)
        for (const BodyShare& share : shares) world.bodies[share.body].load.slipWork += share.slipWork;
    bodyRates_ = bodyRates();
    return now;
}

}  // namespace talus::dem
