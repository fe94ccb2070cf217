// SPDX-License-Identifier: Apache-2.0
#include "mpm/node_contact.h"

#include "mpm/points_in_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::mpm {
namespace {

/// Part of a cell: a node that round-off puts this far outside lies on the surface. With half a cell instead, so that the node
/// nearest to a surface is held, a stiff block that lands stands further off: 0.42 cells on average against 0.34.
constexpr double kTouchingCells = 1e-6;
/// Bodies that meet at a node are applied in turn until none changes the velocity any more, at most so often.
constexpr int kMostSweeps = 16;
/// Rounds in which free bodies and their nodes come to agree, and the relative change at which they do.
constexpr int kMostRounds = 60;
constexpr double kAgreed = 1e-9;
/// Relative change in the last round above which a step counts as unsettled.
constexpr double kUnsettled = 1e-4;
/// Turns that grains and other bodies take in pushing free bodies, and the change at which no further turn is needed.
constexpr int kMostMeetings = 4;
constexpr double kMet = 1e-3;

}  // namespace

Vec3 contactChange(world::ContactMode mode, double friction, const geometry::Surface& surface, const Vec3& relativeVelocity, double dt, double touchingDistance) {
    const double approach = dot(relativeVelocity, surface.normal);
    const double gap = surface.distance - touchingDistance;
    const bool touches = gap <= 0;
    const double slowest = touches ? 0.0 : -gap / dt;   // normal velocity that just closes the gap
    const bool collides = approach < slowest;
    if (mode == world::ContactMode::sticky) return touches || collides ? -relativeVelocity : Vec3{};
    if (!collides && !(mode == world::ContactMode::slip && touches)) return {};

    const double normalChange = slowest - approach;
    const Vec3 tangential = relativeVelocity - approach * surface.normal;
    const double slip = norm(tangential), most = friction * std::abs(normalChange);
    const Vec3 rub = slip <= most ? -tangential : tangential * (-most / slip);
    return normalChange * surface.normal + rub;
}

Mat3 contactStiffness(world::ContactMode mode, double friction, const geometry::Surface& surface, const Vec3& relativeVelocity, double dt, double touchingDistance) {
    const double approach = dot(relativeVelocity, surface.normal);
    const double gap = surface.distance - touchingDistance;
    const double slowest = gap <= 0 ? 0.0 : -gap / dt;
    if (mode == world::ContactMode::sticky) return gap <= 0 || approach < slowest ? Mat3::identity() : Mat3{};
    if (!(approach < slowest) && !(mode == world::ContactMode::slip && gap <= 0)) return {};

    const Vec3& n = surface.normal;
    const double normalChange = slowest - approach;
    const Vec3 tangential = relativeVelocity - approach * n;
    const double slip = norm(tangential), most = friction * std::abs(normalChange);
    if (slip <= most) return Mat3::identity();
    const Vec3 t = tangential / slip;
    const Mat3 along = Mat3::outer(n, n);
    return along - (normalChange > 0 ? friction : -friction) * Mat3::outer(t, n) + (most / slip) * (Mat3::identity() - along - Mat3::outer(t, t));
}

NodeContact::GridBody NodeContact::gridBody(const world::World& world, std::uint32_t index, const world::BodySnapshot& snapshot) const {
    const world::Body& body = world.bodies[index];
    return {index, body.contact, friction(world, body), snapshot};
}

double NodeContact::friction(const world::World& world, const world::Body& body) const {
    return std::min(world.contacts.between(grainMaterial_, body.material).friction, mostFriction_);
}

void NodeContact::place(const Exec& exec, const GridFrame& frame, std::span<const NodeBlock> blocks, const world::World& world, int grainMaterial, double mostFriction) {
    frame_ = frame;
    blocks_ = blocks;
    grainMaterial_ = grainMaterial;
    mostFriction_ = mostFriction;
    stillBodies_.clear();
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
        if (world.bodies[i].fixed()) stillBodies_.push_back(gridBody(world, i, {world.bodies[i], world.time}));
    look(exec, stillBodies_, still_);
}

void NodeContact::beginStep(const Exec& exec, const world::World& world, const world::FreeBodies& free) {
    movingBodies_.clear();
    freeBodies_.clear();
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
        if (!world.bodies[i].fixed() && !world.bodies[i].free()) movingBodies_.push_back(gridBody(world, i, {world.bodies[i], world.time}));
    for (std::size_t k = 0; k < free.size(); ++k) freeBodies_.push_back(gridBody(world, free.body(k), free.snapshot(free.body(k), world.time)));
    look(exec, movingBodies_, moving_);
    look(exec, freeBodies_, free_);
    free_.stiffness.resize(free_.body.size());
    std::ranges::fill(still_.load, world::BodyLoad{});
    unsettledNow_ = 0;
    coupled_.clear();
    kept_.resize(blocks_.size());
    for (std::uint32_t b = 0; b < blocks_.size() && !freeBodies_.empty(); ++b)
        if (free_.count(b) > 0) {
            coupled_.push_back(b);
            kept_[b].clear();
        }
}

// A node moves less than a cell in a step, so bodies further away than that from all nodes of a block cannot matter there.
void NodeContact::look(const Exec& exec, std::span<const GridBody> bodies, Nearby& nearby) {
    const double reach = 0.5 * (kBlockSide - 1) * norm(frame_.spacing) + maxComponent(frame_.spacing);
    nearby.body.clear();
    nearby.load.clear();
    if (bodies.empty()) return nearby.first.assign(blocks_.size() + 1, 0);
    found_.resize(blocks_.size());
    exec.forBlocks(blocks_.size(), 64, [&](std::size_t begin, std::size_t end) {
        constexpr double kMiddle = 0.5 * (kBlockSide - 1);
        for (std::size_t b = begin; b < end; ++b) {
            found_[b].clear();
            for (std::uint32_t i = 0; i < bodies.size(); ++i)
                if (bodies[i].snapshot.distance(frame_.toWorld(blocks_[b].coord, {kMiddle, kMiddle, kMiddle})) <= reach) found_[b].push_back(i);
        }
    });
    nearby.first.assign(1, 0);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        nearby.body.insert(nearby.body.end(), found_[b].begin(), found_[b].end());
        nearby.first.push_back(nearby.body.size());
    }
    nearby.load.assign(nearby.body.size(), {});
    nearby.surface.resize(nearby.body.size() * kBlockNodes);
    nearby.thin.resize(nearby.surface.size());
    exec.forBlocks(nearby.body.empty() ? 0 : blocks_.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (std::size_t e = nearby.first[b]; e < nearby.first[b + 1]; ++e)
                for (int n = 0; n < kBlockNodes; ++n) {
                    const world::BodySnapshot& body = bodies[nearby.body[e]].snapshot;
                    const Vec3 x = frame_.nodePosition(blocks_[b].coord, n);
                    const world::SurfacePoint point = body.surface(x);
                    const std::size_t at = e * kBlockNodes + static_cast<std::size_t>(n);
                    nearby.surface[at] = {point.distance, point.normal};
                    nearby.thin[at] = otherSide(body, x, point, kOtherSide * frame_.smallestSpacing()).has_value();
                }
    });
}

bool NodeContact::freeBodyNear(std::size_t block, int n) const {
    for (std::size_t e = free_.first[block]; e < free_.first[block + 1]; ++e)
        if (free_.surface[e * kBlockNodes + static_cast<std::size_t>(n)].distance <= maxComponent(frame_.spacing)) return true;
    return false;
}

double NodeContact::openPart(std::size_t block, int n, Kernel kernel) const {
    double open = 1;
    for (const Nearby* nearby : {&still_, &moving_, &free_})
        if (!nearby->first.empty())
            for (std::size_t e = nearby->first[block]; e < nearby->first[block + 1]; ++e)
                open *= kernelBelow(kernel, nearby->surface[e * kBlockNodes + static_cast<std::size_t>(n)].distance / frame_.smallestSpacing());
    return open;
}

bool NodeContact::apply(std::size_t block, int n, double dt, const MovingNode& node, Vec3& velocity) {
    if (free_.count(block) > 0 && freeBodyNear(block, n)) {
        kept_[block].push_back({n, node});
        return false;
    }
    MovingNode moving = node;
    for (int round = 0; round < kMostSweeps; ++round) {
        bool changed = sweep(block, n, dt, stillBodies_, still_, true, moving);
        changed |= sweep(block, n, dt, movingBodies_, moving_, true, moving);
        if (!changed || still_.count(block) + moving_.count(block) == 1) break;
    }
    velocity = moving.velocity;
    return true;
}

ContactTrial NodeContact::trial(std::size_t block, int n, double dt, const MovingNode& node) {
    MovingNode moving = node;
    Mat3 slope = Mat3::identity();
    for (int round = 0; round < kMostSweeps; ++round) {
        bool changed = sweep(block, n, dt, stillBodies_, still_, false, moving, &slope);
        changed |= sweep(block, n, dt, movingBodies_, moving_, false, moving, &slope);
        if (free_.count(block) > 0) changed |= sweep(block, n, dt, freeBodies_, free_, false, moving, &slope);
        if (!changed || still_.count(block) + moving_.count(block) + free_.count(block) == 1) break;
    }
    return {moving.velocity, slope};
}

/// The same for a node that was kept, with the free bodies last, so that none is left violated.
void NodeContact::settle(std::size_t block, int n, double dt, bool record, MovingNode& node) {
    for (int round = 0; round < kMostSweeps; ++round) {
        bool changed = sweep(block, n, dt, stillBodies_, still_, record, node);
        changed |= sweep(block, n, dt, movingBodies_, moving_, record, node);
        changed |= sweep(block, n, dt, freeBodies_, free_, true, node);
        if (!changed || still_.count(block) + moving_.count(block) + free_.count(block) == 1) return;
    }
}

/// Each body in turn; true if one changed the velocity by more than round-off.
bool NodeContact::sweep(std::size_t block, int n, double dt, std::span<const GridBody> bodies, Nearby& nearby, bool record, MovingNode& node, Mat3* slope) const {
    const double touching = kTouchingCells * frame_.smallestSpacing();
    bool changed = false;
    for (std::size_t e = nearby.first[block]; e < nearby.first[block + 1]; ++e) {
        const std::size_t at = e * kBlockNodes + static_cast<std::size_t>(n);
        const geometry::Surface& surface = nearby.surface[at];
        const GridBody& body = bodies[nearby.body[e]];
        const bool bothSides = nearby.thin[at] != 0 && body.contact == world::ContactMode::separate;
        const world::ContactMode mode = bothSides ? world::ContactMode::slip : body.contact;
        const Vec3 surfaceVelocity = body.snapshot.velocity(node.position, surface.normal);
        const Vec3 relative = node.velocity - surfaceVelocity;
        const Vec3 change = contactChange(mode, body.friction, surface, relative, dt, touching);
        if (change == Vec3{}) continue;
        node.velocity += change;
        changed |= normSquared(change) > 1e-24 * normSquared(relative);
        if (slope) *slope = (Mat3::identity() - contactStiffness(mode, body.friction, surface, relative, dt, touching)) * *slope;
        if (!record) continue;

        const Vec3 impulse = node.mass * change;   // on the grains
        const Vec3 arm = node.position - body.snapshot.pose().position;
        world::BodyLoad& load = nearby.load[e];
        load.impulse -= impulse;
        load.angularImpulse -= cross(arm, impulse);
        load.work += dot(impulse, surfaceVelocity);
        load.slipWork -= dot(impulse - dot(impulse, surface.normal) * surface.normal, relative + change);
        if (!nearby.stiffness.empty()) {
            const Mat3 k = node.mass * contactStiffness(mode, body.friction, surface, relative, dt, touching), r = crossMatrix(arm);
            nearby.stiffness[e] += Mat6::blocks(k, -1.0 * (k * r), r * k, -1.0 * (r * k * r));
        }
    }
    return changed;
}

NodeContact::Answer NodeContact::respond(const Exec& exec, double dt, std::span<const Vec6> velocities, bool record) {
    for (std::size_t k = 0; k < freeBodies_.size(); ++k) freeBodies_[k].snapshot.setVelocity(velocities[k].linear, velocities[k].angular);
    exec.forBlocks(coupled_.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const std::size_t block = coupled_[c];
            for (std::size_t e = free_.first[block]; e < free_.first[block + 1]; ++e) {
                free_.load[e] = {};
                free_.stiffness[e] = {};
            }
            for (KeptNode& kept : kept_[block]) {
                MovingNode node = kept.node;
                settle(block, kept.n, dt, record, node);
                if (record) kept.node.velocity = node.velocity;
            }
        }
    });
    Answer answer{std::vector<Vec6>(freeBodies_.size()), std::vector<Mat6>(freeBodies_.size())};
    for (std::size_t e = 0; e < free_.body.size(); ++e) {   // in the order of blocks
        answer.impulse[free_.body[e]] += {free_.load[e].impulse, free_.load[e].angularImpulse};
        answer.stiffness[free_.body[e]] += free_.stiffness[e];
    }
    return answer;
}

// Newton's method for M (u − u₀) = J(u), where J is the impulse of the nodes on a body that moves with u and u₀ its velocity
// without them: u += (M + K)⁻¹ (M (u₀ − u) + J), K = −∂J/∂u. J is piecewise smooth and mostly falls with u, so few rounds do;
// where steps grow, they are cut. Each body has its own 6x6 system: bodies that share nodes meet in the rounds.
std::vector<Vec6> NodeContact::agree(const Exec& exec, double dt, const world::FreeBodies& free, std::span<const Vec6> unloaded, std::vector<Vec6> velocity) {
    double relaxation = 1, stepBefore = std::numeric_limits<double>::infinity(), speedBefore = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        const Answer answer = respond(exec, dt, velocity, false);
        double step = 0, speed = 0;
        std::vector<Vec6> change(velocity.size());
        for (std::size_t k = 0; k < velocity.size(); ++k) {
            const world::FreeBody& body = free.constants(k);
            const Mat6 mass = world::massMatrix(body, free.pose(k).rotation);
            const Vec6 residual = mass * (unloaded[k] - velocity[k]) + answer.impulse[k];
            change[k] = inverseWithout(body.locked, mass + answer.stiffness[k]) * residual;
            const double arm = 0.5 * norm(freeBodies_[k].snapshot.body().shape->bounds().size());
            step = std::max(step, norm(change[k].linear) + arm * norm(change[k].angular));
            speed = std::max({speed, norm(unloaded[k].linear) + arm * norm(unloaded[k].angular), norm(velocity[k].linear) + arm * norm(velocity[k].angular)});
        }
        if (step <= kAgreed * speed) return velocity;
        if (step > 0.7 * stepBefore) relaxation = std::max(0.1, 0.7 * relaxation);
        stepBefore = step;
        speedBefore = speed;
        for (std::size_t k = 0; k < velocity.size(); ++k) velocity[k] += relaxation * change[k];
    }
    if (stepBefore > kUnsettled * speedBefore) unsettledNow_ = 1;
    return velocity;
}

void NodeContact::couple(const Exec& exec, double dt, world::FreeBodies& free, FunctionRef<void(std::size_t, int, const Vec3&)> write) {
    if (free.size() == 0) return;
    std::vector<Vec6> unloaded, velocity;
    for (std::size_t k = 0; k < free.size(); ++k) unloaded.push_back(free.velocity(k));
    velocity = unloaded;
    const bool grains = std::ranges::any_of(coupled_, [&](std::uint32_t b) { return !kept_[b].empty(); });
    if (!grains) return free.meet();

    // Grains, then other bodies, until the latter change nothing any more. Grains have the last word: bodies that overlap are
    // moved apart, grains in a body are not.
    for (int round = 0; round < kMostMeetings; ++round) {
        velocity = agree(exec, dt, free, unloaded, std::move(velocity));
        if (!free.touching()) break;
        for (std::size_t k = 0; k < free.size(); ++k) free.setVelocity(k, velocity[k]);
        free.meet();
        double change = 0, speed = 0;
        for (std::size_t k = 0; k < free.size(); ++k) {
            const Vec6 given = free.velocity(k) - velocity[k];
            unloaded[k] += given;
            change = std::max(change, norm(given.linear));
            speed = std::max(speed, norm(velocity[k].linear));
        }
        if (change <= kMet * (speed + 1e-6)) break;
        if (round + 1 == kMostMeetings) velocity = agree(exec, dt, free, unloaded, std::move(velocity));
    }
    const Answer answer = respond(exec, dt, velocity, true);
    for (std::size_t k = 0; k < free.size(); ++k) free.setVelocity(k, unloaded[k] + free.mobility(k) * answer.impulse[k]);
    for (const std::uint32_t b : coupled_)
        for (const KeptNode& kept : kept_[b]) write(b, kept.n, kept.node.velocity);
}

void NodeContact::addLoads(world::World& world) {
    unsettled_ += unsettledNow_;
    for (std::size_t e = 0; e < still_.body.size(); ++e) world.bodies[stillBodies_[still_.body[e]].index].load += still_.load[e];
    for (std::size_t e = 0; e < moving_.body.size(); ++e) world.bodies[movingBodies_[moving_.body[e]].index].load += moving_.load[e];
    for (std::size_t e = 0; e < free_.body.size(); ++e) world.bodies[freeBodies_[free_.body[e]].index].load += free_.load[e];
}

}  // namespace talus::mpm
