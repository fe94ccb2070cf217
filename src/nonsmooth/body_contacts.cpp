// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/body_contacts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kNodesPerTask = 256;
/// Part of a cell: a node that round-off puts this far outside lies on the surface.
constexpr double kTouchingCells = 1e-6;
/// Free bodies are tied to all of their nodes at once: so many turns of these in one sweep of the stress.
constexpr int kFreeTurns = 4;

struct NearBody {
    std::uint32_t index;
    world::BodySnapshot snapshot;
    Aabb box;
    int free = -1;               // k of FreeBodies
};

bool within(const Aabb& box, const Vec3& x) { return box.contains(x); }

std::vector<NearBody> bodiesNow(const world::World& world, const world::FreeBodies& free, double reach) {
    std::vector<NearBody> bodies;
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
        if (!world.bodies[i].activeAt(world.time)) continue;
        NearBody body{i, {world.bodies[i], world.time}, {}};
        for (std::size_t k = 0; k < free.size(); ++k)
            if (free.body(k) == i) {
                body.free = static_cast<int>(k);
                body.snapshot = free.snapshot(i, world.time);
            }
        body.box = geometry::grown(world::worldBounds(body.snapshot), reach);
        bodies.push_back(body);
    }
    return bodies;
}

}  // namespace

// (corrected §6.1) The volume that is left to grains is φ_max (1 − φ_RB), with φ_RB at the end of the step.
std::vector<double> freeFractions(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const world::World& world, const world::FreeBodies& free, double dt) {
    const double reach = norm(frame.spacing);
    std::vector<NearBody> bodies = bodiesNow(world, free, reach);
    for (NearBody& body : bodies) {
        if (body.free < 0 && world.bodies[body.index].fixed()) continue;
        world::Pose pose = body.snapshot.pose();
        pose.position += dt * pose.velocity;
        pose.rotation = (Quat::fromRotationVector(dt * pose.angularVelocity) * pose.rotation).normalizedQuat();
        body.snapshot = {world.bodies[body.index], pose, world.time};
        body.box = geometry::grown(world::worldBounds(body.snapshot), reach);
    }
    // The two points of Gauss's rule for the hat of a node along an axis, each for what lies on its side.
    const double offset = 1 / std::sqrt(6.0), perDistance = 1 / (2 * offset * std::cbrt(frame.cellVolume()));
    std::vector<double> fractions(grid.nodes.size(), 1.0);
    exec.forBlocks(grid.nodes.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        std::vector<const NearBody*> near;
        for (std::size_t n = begin; n < end; ++n) {
            const Vec3 x = nodePosition(frame, grid.nodes[n]);
            near.clear();
            for (const NearBody& body : bodies)
                if (within(body.box, x) && body.snapshot.distance(x) < reach) near.push_back(&body);
            if (near.empty()) continue;
            double covered = 0;
            for (std::size_t corner = 0; corner < kCorners; ++corner) {
                const Vec3i d = cornerOffset(corner);
                const Vec3 at = x + componentProduct(frame.spacing, Vec3{offset * (2 * d.x - 1), offset * (2 * d.y - 1), offset * (2 * d.z - 1)});
                double distance = reach;
                for (const NearBody* body : near) distance = std::min(distance, body->snapshot.distance(at));
                covered += std::clamp(0.5 - perDistance * distance, 0.0, 1.0) / kCorners;
            }
            fractions[n] = 1 - covered;
        }
    });
    return fractions;
}

void BodyContacts::place(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const world::World& world, const world::FreeBodies& free, int grainMaterial, double dt,
                         std::span<const double> mass, std::vector<Node>& nodes) {
    dt_ = dt;
    touching_ = kTouchingCells * frame.smallestSpacing();
    area_ = std::pow(frame.cellVolume(), 2.0 / 3);
    const double reach = maxComponent(frame.spacing);
    const std::vector<NearBody> bodies = bodiesNow(world, free, reach);
    std::vector<std::vector<std::pair<Contact, const NearBody*>>> found((grid.nodes.size() + kNodesPerTask - 1) / kNodesPerTask);
    exec.forBlocks(grid.nodes.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            const Vec3 x = nodePosition(frame, grid.nodes[n]);
            for (const NearBody& body : bodies) {
                if (!within(body.box, x)) continue;
                const world::SurfacePoint point = body.snapshot.surface(x);
                if (!(point.distance <= reach)) continue;
                const world::Body& is = world.bodies[body.index];
                const world::Pose& pose = body.snapshot.pose();
                const Vec3 moves = body.free < 0 ? point.velocity : is.beltVelocity(pose, x, point.normal, world.time);
                found[begin / kNodesPerTask].push_back({{static_cast<std::uint32_t>(n), body.index, is.contact, world.contacts.between(grainMaterial, is.material).friction,
                                                         {point.distance, point.normal}, moves, x - pose.position, {}, mass[n]}, &body});
            }
        }
    });
    free_.clear();
    for (std::size_t k = 0; k < free.size(); ++k) free_.push_back({free.velocity(k), free.velocity(k), free.mobility(k), free.body(k)});
    contacts_.clear();
    freeContacts_.clear();
    held_.clear();
    for (const auto& part : found)
        for (const auto& [contact, body] : part) {
            Node& node = nodes[contact.node];
            const bool touches = contact.surface.distance <= touching_;
            if (body->free < 0 && contact.mode == world::ContactMode::sticky && touches && node.inverseMass > 0) {
                held_.push_back({contact.node, contact.body, contact.surfaceVelocity, contact.mass * node.velocity, contact.arm, contact.mass});
                node = {contact.surfaceVelocity, 0};
            }
        }
    for (const auto& part : found)
        for (const auto& [contact, body] : part) {
            const double inverseMass = nodes[contact.node].inverseMass;
            if (body->free >= 0) addFree(contact, static_cast<std::uint32_t>(body->free), body->snapshot, inverseMass, gridKey(grid.nodes[contact.node]));
            else if (inverseMass > 0) contacts_.push_back(contact);
        }
    first_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i)
        if (i == 0 || contacts_[i].node != contacts_[i - 1].node) first_.push_back(i);
    first_.push_back(contacts_.size());
}

/// W = 1/m + J M⁻¹ Jᵀ in the axes of the contact.
void BodyContacts::addFree(const Contact& contact, std::uint32_t k, const world::BodySnapshot&, double inverseMass, std::uint64_t nodeKey) {
    FreeContact c{contact, k, {}, {}, {}, false};
    const Vec3 n = contact.surface.normal;
    const Vec3 t = normalized(cross(n, std::abs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0})), s = cross(n, t);
    const auto response = [&](const Vec3& impulse) {   // relative velocity
        const Vec6 body = free_[k].mobility * Vec6{impulse, cross(c.arm, impulse)};
        return inverseMass * impulse + body.linear + cross(body.angular, c.arm);
    };
    const Vec3 ofN = response(n), ofT = response(t), ofS = response(s);
    const double nn = dot(n, ofN), nt = dot(n, ofT), ns = dot(n, ofS);
    c.movable = nn > 0;
    if (!c.movable) return;
    const PlaneRotation turn(dot(t, ofT) - nt * nt / nn, dot(t, ofS) - nt * ns / nn, dot(s, ofS) - ns * ns / nn);
    c.t1 = turn.c * t + turn.s * s;
    c.t2 = turn.c * s - turn.s * t;
    c.w = {nn, {turn.c * nt + turn.s * ns, turn.c * ns - turn.s * nt}, {std::max(turn.first, 1e-12 * nn), std::max(turn.second, 1e-12 * nn)}};
    const auto key = std::tuple{nodeKey, contact.body};
    const auto before = std::ranges::lower_bound(remembered_, key, {}, [](const Remembered& r) { return std::tuple{r.node, r.body}; });
    if (before != remembered_.end() && before->node == nodeKey && before->body == contact.body) {
        const double along = dot(before->force, n);
        if (along > 0 || c.mode != world::ContactMode::separate) c.impulse = dt_ * before->force;
    }
    freeContacts_.push_back(c);
}

void BodyContacts::push(const FreeContact& c, const Vec3& impulse) {
    Free& body = free_[c.k];
    body.velocity += -1.0 * (body.mobility * Vec6{impulse, cross(c.arm, impulse)});
}

void BodyContacts::start(std::vector<Node>& nodes) {
    for (const Contact& c : contacts_) nodes[c.node].velocity += nodes[c.node].inverseMass * c.impulse;
    for (Free& body : free_) body.velocity = body.unloaded;
    for (const FreeContact& c : freeContacts_) {
        nodes[c.node].velocity += nodes[c.node].inverseMass * c.impulse;
        push(c, c.impulse);
    }
}

/// With W = 1/m the exact solution is the change of velocity that all grid methods use.
Vec3 BodyContacts::solved(const Contact& c, const Node& node) const {
    const Vec3 relative = node.velocity - node.inverseMass * c.impulse - c.surfaceVelocity;
    return c.mass * mpm::contactChange(c.mode, c.friction, c.surface, relative, dt_, touching_);
}

Vec3 BodyContacts::solvedFree(const FreeContact& c, const Node& node) const {
    const Free& body = free_[c.k];
    const Vec3 relative = node.velocity - body.velocity.linear - cross(body.velocity.angular, c.arm) - c.surfaceVelocity;
    const double gap = std::max(0.0, c.surface.distance - touching_);
    const bool touches = gap <= 0;
    const Split<2> own = c.w.apply({dot(c.impulse, c.surface.normal), {dot(c.impulse, c.t1), dot(c.impulse, c.t2)}});
    Split<2> b{dot(relative, c.surface.normal) - own.normal + gap / dt_, {dot(relative, c.t1) - own.tangential[0], dot(relative, c.t2) - own.tangential[1]}};
    Split<2> r;
    if (c.mode == world::ContactMode::separate || (c.mode == world::ContactMode::slip && !touches)) {
        r = solveCone(c.w, c.friction, b);
    } else if (c.mode == world::ContactMode::slip) {   // held on both sides: the cone on the side that pushes
        const double side = b.normal <= 0 ? 1 : -1;
        LocalOperator<2> w = c.w;
        for (double& k : w.coupling) k *= side;
        r = solveCone(w, c.friction, {side * b.normal, b.tangential});
        r.normal *= side;
    } else if (touches || b.normal < 0) {
        b.normal -= gap / dt_;   // it stops altogether
        double along = b.normal;
        for (std::size_t k = 0; k < 2; ++k) {
            r.tangential[k] = -(b.tangential[k] - c.w.coupling[k] * (b.normal / c.w.normal)) / c.w.reduced[k];
            along += c.w.coupling[k] * r.tangential[k];
        }
        r.normal = -along / c.w.normal;
    }
    return r.normal * c.surface.normal + r.tangential[0] * c.t1 + r.tangential[1] * c.t2;
}

void BodyContacts::sweep(const Exec& exec, std::vector<Node>& nodes) {
    exec.forBlocks(first_.size() - 1, kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = first_[begin]; i < first_[end]; ++i) {
            Contact& c = contacts_[i];
            const Vec3 impulse = solved(c, nodes[c.node]);
            nodes[c.node].velocity += nodes[c.node].inverseMass * (impulse - c.impulse);
            c.impulse = impulse;
        }
    });
    for (int turn = 0; turn < kFreeTurns; ++turn)
        for (FreeContact& c : freeContacts_) {
            const Vec3 impulse = solvedFree(c, nodes[c.node]), change = impulse - c.impulse;
            nodes[c.node].velocity += nodes[c.node].inverseMass * change;
            push(c, change);
            c.impulse = impulse;
        }
}

NodeForces::Residual BodyContacts::residual(const Exec&, const std::vector<Node>& nodes) {
    Residual sum;
    const double scale = 1 / (area_ * area_);
    for (const Contact& c : contacts_) sum.squared += scale * normSquared(solved(c, nodes[c.node]) - c.impulse);
    for (const FreeContact& c : freeContacts_) sum.squared += scale * normSquared(solvedFree(c, nodes[c.node]) - c.impulse);
    sum.places = static_cast<std::int64_t>(contacts_.size() + freeContacts_.size());
    return sum;
}

std::vector<Vec6> BodyContacts::freeVelocities() const {
    std::vector<Vec6> velocities;
    for (const Free& body : free_) velocities.push_back(body.velocity);
    return velocities;
}

void BodyContacts::load(const Contact& c, const Vec3& surfaceVelocity, const Vec3& nodeVelocity, world::BodyLoad& load) {
    load.impulse -= c.impulse;
    load.angularImpulse -= cross(c.arm, c.impulse);
    load.work += dot(c.impulse, surfaceVelocity);
    load.slipWork -= dot(c.impulse - dot(c.impulse, c.surface.normal) * c.surface.normal, nodeVelocity - surfaceVelocity);
}

void BodyContacts::addLoads(world::World& world, std::span<const Node> nodes, std::span<const Node> stressImpulse) const {
    for (const Contact& c : contacts_) load(c, c.surfaceVelocity, nodes[c.node].velocity, world.bodies[c.body].load);
    for (const FreeContact& c : freeContacts_) {
        const Vec6& v = free_[c.k].velocity;
        load(c, v.linear + cross(v.angular, c.arm) + c.surfaceVelocity, nodes[c.node].velocity, world.bodies[c.body].load);
    }
    for (const Held& h : held_) {
        Contact c;
        c.arm = h.arm;
        c.impulse = h.mass * h.surfaceVelocity - h.momentumBefore - stressImpulse[h.node].velocity;
        for (const FreeContact& f : freeContacts_)
            if (f.node == h.node) c.impulse -= f.impulse;
        load(c, h.surfaceVelocity, h.surfaceVelocity, world.bodies[h.body].load);
    }
}

void BodyContacts::remember(const Grid& grid) {
    remembered_.clear();
    for (const FreeContact& c : freeContacts_)
        if (c.impulse != Vec3{}) remembered_.push_back({gridKey(grid.nodes[c.node]), c.body, c.impulse / dt_});
    std::ranges::sort(remembered_, {}, [](const Remembered& r) { return std::tuple{r.node, r.body}; });
}

void BodyContacts::save(Archive& archive) const {
    std::vector<std::uint64_t> nodes;
    std::vector<std::uint32_t> bodies;
    std::vector<double> forces;
    for (const Remembered& r : remembered_) {
        nodes.push_back(r.node);
        bodies.push_back(r.body);
        forces.insert(forces.end(), {r.force.x, r.force.y, r.force.z});
    }
    archive.put("nodes", nodes);
    archive.put("bodies", bodies);
    archive.put("forces", forces);
}

void BodyContacts::load(const Archive& archive) {
    const auto nodes = archive.get<std::uint64_t>("nodes");
    const auto bodies = archive.get<std::uint32_t>("bodies");
    const auto forces = archive.get<double>("forces");
    if (bodies.size() != nodes.size() || forces.size() != 3 * nodes.size()) throw ArchiveError("forces on free bodies do not fit together");
    remembered_.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) remembered_.push_back({nodes[i], bodies[i], {forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]}});
}

}  // namespace talus::nonsmooth
