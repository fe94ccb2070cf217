// SPDX-License-Identifier: Apache-2.0
#include "world/simulation.h"

#include "geometry/operators.h"
#include "world/emitter_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace talus::world {
namespace {

constexpr double kMostSteps = 9007199254740992.0;   // 2^53: beyond it a double cannot count them one by one

/// What lies on the inner side of every open face: a box without end where a face is closed or periodic.
class WithinOpenFaces final : public geometry::Shape {
public:
    explicit WithinOpenFaces(const Domain& domain) : domain_(domain) {}

    geometry::Surface surface(const Vec3& x) const override {
        geometry::Surface nearest{-std::numeric_limits<double>::infinity(), {}};
        for (std::size_t face = 0; face < domain_.faces.size(); ++face) {
            if (domain_.faces[face] != FaceType::open) continue;
            const int axis = static_cast<int>(face / 2);
            const bool low = face % 2 == 0;
            const double distance = low ? domain_.min[axis] - x[axis] : x[axis] - domain_.max[axis];
            if (distance <= nearest.distance) continue;
            nearest = {distance, {}};
            nearest.normal[axis] = low ? -1 : 1;
        }
        return nearest;
    }
    bool exact() const override { return false; }
    Aabb levelBounds(double level) const override {
        constexpr double kEndless = std::numeric_limits<double>::infinity();
        Aabb box{{-kEndless, -kEndless, -kEndless}, {kEndless, kEndless, kEndless}};
        for (int axis = 0; axis < 3; ++axis) {
            const auto low = static_cast<std::size_t>(2 * axis);
            if (domain_.faces[low] == FaceType::open) box.min[axis] = domain_.min[axis] - level;
            if (domain_.faces[low + 1] == FaceType::open) box.max[axis] = domain_.max[axis] + level;
        }
        return box;
    }

private:
    Domain domain_;
};

/// What of the world itself is not a number; methods watch their grains and nodes.
std::optional<Failed> notFinite(const World& world) {
    if (!isFinite(world.gravity)) return Failed{.what = "gravity is not finite", .field = "gravity"};
    for (const Body& body : world.bodies) {
        const FreeBody* free = body.free();
        if (!free) continue;
        const Pose& pose = free->pose;
        const bool placed = isFinite(pose.position) && isFinite(pose.rotation.rotate({1, 1, 1}));
        if (placed && isFinite(pose.velocity) && isFinite(pose.angularVelocity)) continue;
        return Failed{.what = fmt::format("the {} of body '{}' is not finite", placed ? "velocity" : "pose", body.name), .position = pose.position, .field = placed ? "velocity" : "position"};
    }
    return std::nullopt;
}

/// Whether a body has the surface that it had, judged by distances on a lattice over the domain.
bool standsAsBefore(const BodySnapshot& now, const BodySnapshot& before, const Domain& domain) {
    constexpr int kPerAxis = 16;
    if (!before.active()) return false;
    const double same = 1e-9 * maxComponent(domain.size());
    for (int n = 0; n < kPerAxis * kPerAxis * kPerAxis; ++n) {
        const Vec3 part{n % kPerAxis + 0.5, n / kPerAxis % kPerAxis + 0.5, n / (kPerAxis * kPerAxis) + 0.5};
        const Vec3 x = domain.min + componentProduct(domain.size(), part) / kPerAxis;
        if (!(std::abs(now.distance(x) - before.distance(x)) <= same)) return false;
    }
    return true;
}

}  // namespace

void Simulation::fill(const Exec& exec) {
    const std::size_t count = world_.fills.size() - (lastFillTaken_ ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
        const Inserted inserted = method_->insert(exec, world_, world_.fills[i]);
        account_.insertedCount += inserted.count;
        account_.insertedMass += inserted.mass;
    }
}

std::int64_t Simulation::takeOver(const Exec& exec, const Archive& archive, const World& source, bool solid) {
    {
        const auto group = archive.group("method");
        method_->load(exec, archive);
    }
    method_->setClockBack(source.time);
    world_.nextId = source.nextId;
    for (std::size_t b = 0; b < source.bodies.size(); ++b) {
        auto* free = std::get_if<FreeBody>(&world_.bodies[b].motion);
        if (free != nullptr && source.bodies[b].free() != nullptr) free->pose = source.bodies[b].free()->pose;
    }
    FieldTable grains;
    method_->read(exec, std::array{field::mass.name, field::radius.name}, grains);
    const std::span<const double> radii = grains.reals(field::radius.name);
    const double reach = solid && !radii.empty() ? std::ranges::max(radii) : 0;
    std::int64_t removed = 0;
    for (std::size_t b = 0; b < world_.bodies.size(); ++b) {
        const BodySnapshot now(world_.bodies[b], world_.time);
        if (!now.active() || (b < source.bodies.size() && standsAsBefore(now, BodySnapshot(source.bodies[b], source.time), world_.domain))) continue;
        const auto grown = std::make_shared<geometry::Offset>(now.body().shape, reach);
        removed += method_->erase(exec, {std::make_shared<geometry::Placed>(grown, RigidTransform{now.pose().rotation, now.pose().position}), true}).count;
    }
    grains = {};
    method_->read(exec, std::array{field::mass.name}, grains);
    account_.insertedCount += static_cast<std::int64_t>(grains.count());
    for (const double mass : grains.reals(field::mass.name)) account_.insertedMass += mass;
    lastFillTaken_ = true;
    return removed;
}

Reached Simulation::advance(const Exec& exec, double target, FunctionRef<bool()> keepGoing) {
    while (!failure_ && world_.time < target) {
        if (!keepGoing()) return Reached::stopped;
        const double stable = std::min(method_->stableStep(world_), emitterStep(world_, *method_));
        if (plan_.target != target || plan_.stepsLeft == 0 || !(plan_.dt <= stable)) planTo(target, stable);
        if (!failure_) takeStep(exec);
    }
    return failure_ ? Reached::failed : Reached::target;
}

/// Names the fastest grain, which is what asks for short steps when a state has gone wrong.
Failed Simulation::collapse(double step) const {
    FieldTable grains;
    method_->read(Exec(1), std::array{field::id.name, field::position.name, field::velocity.name}, grains);
    const std::span<const double> v = grains.reals("velocity"), x = grains.reals("position");
    Failed failed{.what = fmt::format("the stable time step fell to {:.3g} s", step), .field = "velocity"};
    double fastest = -1;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        const double speed = norm(Vec3{v[3 * i], v[3 * i + 1], v[3 * i + 2]});
        if (speed <= fastest) continue;
        fastest = speed;
        failed.grain = grains.integers("id")[i];
        failed.position = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    }
    return failed;
}

void Simulation::planTo(double target, double longestStep) {
    if (!(longestStep >= kSmallestStep)) {
        failure_ = collapse(longestStep);
        return;
    }
    const double remaining = target - world_.time;
    double steps = std::max(1.0, std::ceil(remaining / longestStep));
    if (!(steps < kMostSteps)) {
        failure_ = Failed{.what = fmt::format("{:.3g} steps of {:.3g} s are too many to the next event", steps, longestStep), .field = "dt"};
        return;
    }
    while (remaining / steps > longestStep) ++steps;   // the quotient above was rounded down
    plan_ = {target, remaining / steps, static_cast<std::int64_t>(steps)};
}

void Simulation::takeStep(const Exec& exec) {
    if (world_.gravityOverTime) world_.gravity = world_.gravityOverTime->integral(world_.time, world_.time + plan_.dt) / plan_.dt;   // its impulse is exact
    failure_ = notFinite(world_);
    if (failure_) return;
    const std::int64_t grains = method_->count();
    const auto start = std::chrono::steady_clock::now();
    const StepReport report = method_->step(exec, world_, plan_.dt);
    stepSeconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (std::string& warning : method_->takeWarnings()) warnings_.push_back(std::move(warning));

    if (const auto* failed = std::get_if<Failed>(&report)) {
        failure_ = *failed;
    } else if (const auto* rejected = std::get_if<Rejected>(&report)) {
        // A method that asks for no shorter step than it got would be asked for ever.
        planTo(plan_.target, rejected->dt < plan_.dt ? rejected->dt : 0);
    } else if (std::optional<Failed> bad = notFinite(world_)) {
        failure_ = std::move(bad);
    } else {
        --plan_.stepsLeft;
        world_.time = plan_.target - static_cast<double>(plan_.stepsLeft) * plan_.dt;   // no rounding piles up
        dt_ = plan_.dt;
        ++steps_;
        grainSteps_ += grains;
        removeLeavers(exec);
        letIn(exec);
    }
}

void Simulation::removeLeavers(const Exec& exec) {
    if (world_.domain.anyOpen()) remove(exec, {std::make_shared<WithinOpenFaces>(world_.domain), false}, world_.openFaces);
    for (Sink& sink : world_.sinks)
        if (world_.time >= sink.begin && world_.time < sink.end) remove(exec, {sink.region, true}, sink.account);
}

void Simulation::remove(const Exec& exec, const Region& region, SinkAccount& account) {
    const Removed removed = method_->erase(exec, region, leavers_);
    account.count += removed.count;
    account.mass += removed.mass;
    account.momentum += removed.momentum;
    account_.removedCount += removed.count;
    account_.removedMass += removed.mass;
}

void Simulation::letIn(const Exec& exec) {
    for (std::size_t e = 0; e < world_.emitters.size(); ++e) {
        const auto phase = exec.phase("emitters");
        Emitted emitted = emit(exec, world_, *method_, e);
        account_.insertedCount += emitted.count;
        account_.insertedMass += emitted.mass;
        if (!emitted.warning.empty()) warnings_.push_back(std::move(emitted.warning));
    }
}

void Simulation::enter(const Stage& stage) {
    const double time = world_.time;
    world::enter(world_, stage, time);
    if (stage.resetTime) method_->setClockBack(time);
    plan_ = {};   // its target may be a time of the other clock
}

void Simulation::save(Archive& archive) const {
    archive.put("steps", steps_);
    archive.put("grain_steps", grainSteps_);
    archive.put("step_seconds", stepSeconds_);
    archive.put("dt", dt_);
    archive.put("plan_target", plan_.target);
    archive.put("plan_dt", plan_.dt);
    archive.put("plan_steps_left", plan_.stepsLeft);
    archive.put("inserted_count", account_.insertedCount);
    archive.put("inserted_mass", account_.insertedMass);
    archive.put("removed_count", account_.removedCount);
    archive.put("removed_mass", account_.removedMass);
    archive.put("last_fill_taken", static_cast<std::int32_t>(lastFillTaken_));
    {
        const auto group = archive.group("world");
        world_.save(archive);
    }
    const auto group = archive.group("method");
    method_->save(archive);
}

void Simulation::load(const Exec& exec, const Archive& archive) {
    steps_ = archive.value<std::int64_t>("steps");
    grainSteps_ = archive.value<std::int64_t>("grain_steps");
    stepSeconds_ = archive.value<double>("step_seconds");
    dt_ = archive.value<double>("dt");
    plan_ = {archive.value<double>("plan_target"), archive.value<double>("plan_dt"),
             archive.value<std::int64_t>("plan_steps_left")};
    account_ = {archive.value<std::int64_t>("inserted_count"), archive.value<std::int64_t>("removed_count"),
                archive.value<double>("inserted_mass"), archive.value<double>("removed_mass")};
    lastFillTaken_ = archive.value<std::int32_t>("last_fill_taken") != 0;
    failure_.reset();
    {
        const auto group = archive.group("world");
        world_.load(archive);
    }
    const auto group = archive.group("method");
    method_->load(exec, archive);
}

}  // namespace talus::world
