// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/body_contacts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kNodesPerTask = 256;
/// Free bodies are tied to all of their nodes at once: so many turns of these in one sweep of the stress.
constexpr int kFreeTurns = 4;

}  // namespace

void BodyContacts::place(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const world::World& world, const world::FreeBodies& free, int grainMaterial, double dt,
                         std::span<const double> mass, std::vector<Node>& nodes) {
    dt_ = dt;
    area_ = std::pow(frame.cellVolume(), 2.0 / 3);
    free_.clear();
    for (std::size_t k = 0; k < free.size(); ++k) free_.push_back({free.velocity(k), free.velocity(k), free.velocity(k), free.mobility(k), free.body(k)});
    contacts_.clear();
    between_.clear();
    freeContacts_.clear();
    held_.clear();
    std::vector<Contact> found = findContacts(exec, frame, grid, world, free, grainMaterial);
    for (const Contact& c : found)
        if (c.free < 0 && c.nodes == 1 && c.mode == world::ContactMode::sticky) hold(c, mass, nodes);
    for (Contact& c : found) {
        for (std::size_t i = 0; i < c.nodes; ++i) c.inverseMass += c.weight[i] * c.weight[i] * nodes[c.node[i]].inverseMass;
        if (c.free >= 0) addFree(c);
        else if (c.inverseMass > 0) (c.nodes == 1 ? contacts_ : between_).push_back(c);
    }
    // A node beyond a wall may stand for a node on it, which stands for itself too.
    std::ranges::stable_sort(contacts_, {}, [](const Contact& c) { return c.node[0]; });
    first_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i)
        if (i == 0 || contacts_[i].node[0] != contacts_[i - 1].node[0]) first_.push_back(i);
    first_.push_back(contacts_.size());
    colourBetween(nodes.size());
}

// Greedy, in the order in which they were found; what finds no colour among 32 comes last, one at a time.
void BodyContacts::colourBetween(std::size_t nodes) {
    constexpr std::size_t kColours = 32;
    std::vector<std::uint32_t> used(nodes, 0);   // a bit for each colour at a node
    std::vector<std::vector<Contact>> colour(kColours);
    std::vector<Contact> alone;
    for (const Contact& c : between_) {
        std::uint32_t taken = 0;
        for (std::size_t k = 0; k < c.nodes; ++k) taken |= used[c.node[k]];
        const auto free = static_cast<std::size_t>(std::countr_one(taken));
        (free < kColours ? colour[free] : alone).push_back(c);
        if (free < kColours)
            for (std::size_t k = 0; k < c.nodes; ++k) used[c.node[k]] |= std::uint32_t{1} << free;
    }
    between_.clear();
    firstBetween_.assign(1, 0);
    for (const auto& some : colour) {
        if (some.empty()) break;
        between_.insert(between_.end(), some.begin(), some.end());
        firstBetween_.push_back(between_.size());
    }
    for (const Contact& c : alone) {
        between_.push_back(c);
        firstBetween_.push_back(between_.size());
    }
}

void BodyContacts::hold(const Contact& c, std::span<const double> mass, std::vector<Node>& nodes) {
    Node& node = nodes[c.node[0]];
    if (node.inverseMass == 0) return;
    held_.push_back({c.node[0], c.body, c.surfaceVelocity, mass[c.node[0]] * node.velocity, c.arm, mass[c.node[0]]});
    node = {c.surfaceVelocity, 0};
}

/// W = Σ N²/m + J M⁻¹ Jᵀ in the axes of the contact.
void BodyContacts::addFree(const Contact& contact) {
    const auto k = static_cast<std::size_t>(contact.free);
    FreeContact c{contact, {}, {}, {}};
    const Vec3 n = contact.normal;
    const Vec3 t = normalized(cross(n, std::abs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0})), s = cross(n, t);
    const auto response = [&](const Vec3& impulse) {   // relative velocity
        const Vec6 body = free_[k].mobility * Vec6{impulse, cross(c.arm, impulse)};
        return c.inverseMass * impulse + body.linear + cross(body.angular, c.arm);
    };
    const Vec3 ofN = response(n), ofT = response(t), ofS = response(s);
    const double nn = dot(n, ofN), nt = dot(n, ofT), ns = dot(n, ofS);
    if (!(nn > 0)) return;
    const PlaneRotation turn(dot(t, ofT) - nt * nt / nn, dot(t, ofS) - nt * ns / nn, dot(s, ofS) - ns * ns / nn);
    c.t1 = turn.c * t + turn.s * s;
    c.t2 = turn.c * s - turn.s * t;
    c.w = {nn, {turn.c * nt + turn.s * ns, turn.c * ns - turn.s * nt}, {std::max(turn.first, 1e-12 * nn), std::max(turn.second, 1e-12 * nn)}};
    const auto key = std::tuple{contact.owner, contact.body};
    const auto before = std::ranges::lower_bound(remembered_, key, {}, [](const Remembered& r) { return std::tuple{r.owner, r.body}; });
    if (before != remembered_.end() && before->owner == contact.owner && before->body == contact.body) {
        if (dot(before->force, n) > 0 || c.mode != world::ContactMode::separate) c.impulse = dt_ * before->force;
    }
    freeContacts_.push_back(c);
}

void BodyContacts::push(const FreeContact& c, const Vec3& impulse) {
    Free& body = free_[static_cast<std::size_t>(c.free)];
    body.velocity += -1.0 * (body.mobility * Vec6{impulse, cross(c.arm, impulse)});
}

void BodyContacts::start(std::vector<Node>& nodes) {
    for (const Contact& c : contacts_) c.push(nodes, c.impulse);
    for (const Contact& c : between_) c.push(nodes, c.impulse);
    for (Free& body : free_) body.velocity = body.unloaded;
    for (FreeContact& c : freeContacts_) {
        c.push(nodes, c.impulse);
        push(c, c.impulse);
        c.before = c.impulse;
    }
    for (Contact& c : contacts_) c.before = c.impulse;
    for (Contact& c : between_) c.before = c.impulse;
    for (Free& body : free_) body.before = body.velocity;
}

/// With W a number the exact solution is the change of velocity that all grid methods use.
Vec3 BodyContacts::solved(const Contact& c, std::span<const Node> nodes) const {
    const Vec3 relative = c.velocity(nodes) - c.inverseMass * c.impulse - c.surfaceVelocity;
    return mpm::contactChange(c.mode, c.friction, {0, c.normal}, relative, dt_, 0) / c.inverseMass;
}

Vec3 BodyContacts::solvedFree(const FreeContact& c, std::span<const Node> nodes) const {
    const Free& body = free_[static_cast<std::size_t>(c.free)];
    const Vec3 relative = c.velocity(nodes) - body.velocity.linear - cross(body.velocity.angular, c.arm) - c.surfaceVelocity;
    const Split<2> own = c.w.apply({dot(c.impulse, c.normal), {dot(c.impulse, c.t1), dot(c.impulse, c.t2)}});
    const Split<2> b{dot(relative, c.normal) - own.normal, {dot(relative, c.t1) - own.tangential[0], dot(relative, c.t2) - own.tangential[1]}};
    Split<2> r;
    if (c.mode == world::ContactMode::separate) {
        r = solveCone(c.w, c.friction, b);
    } else if (c.mode == world::ContactMode::slip) {   // held on both sides: the cone on the side that pushes
        const double side = b.normal <= 0 ? 1 : -1;
        LocalOperator<2> w = c.w;
        for (double& k : w.coupling) k *= side;
        r = solveCone(w, c.friction, {side * b.normal, b.tangential});
        r.normal *= side;
    } else {
        double along = b.normal;
        for (std::size_t k = 0; k < 2; ++k) {
            r.tangential[k] = -(b.tangential[k] - c.w.coupling[k] * (b.normal / c.w.normal)) / c.w.reduced[k];
            along += c.w.coupling[k] * r.tangential[k];
        }
        r.normal = -along / c.w.normal;
    }
    return r.normal * c.normal + r.tangential[0] * c.t1 + r.tangential[1] * c.t2;
}

void BodyContacts::sweep(const Exec& exec, std::vector<Node>& nodes) {
    const auto settle = [&](Contact& c) {
        const Vec3 impulse = solved(c, nodes);
        c.push(nodes, impulse - c.impulse);
        c.impulse = impulse;
    };
    exec.forBlocks(first_.size() - 1, kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = first_[begin]; i < first_[end]; ++i) settle(contacts_[i]);
    });
    for (std::size_t colour = 0; colour + 1 < firstBetween_.size(); ++colour)
        exec.forBlocks(firstBetween_[colour + 1] - firstBetween_[colour], kNodesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) settle(between_[firstBetween_[colour] + i]);
        });
    for (int turn = 0; turn < kFreeTurns; ++turn)
        for (FreeContact& c : freeContacts_) {
            const Vec3 impulse = solvedFree(c, nodes), change = impulse - c.impulse;
            c.push(nodes, change);
            push(c, change);
            c.impulse = impulse;
        }
}

// The nodes' own velocities are linear in the impulses, so that all go on together.
void BodyContacts::extrapolate(const Exec& exec, double by) {
    const auto allOf = [&](auto& contacts) {
        exec.forBlocks(contacts.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Contact& c = contacts[i];
                const Vec3 now = c.impulse;
                c.impulse += by * (now - c.before);
                c.before = now;
            }
        });
    };
    allOf(contacts_);
    allOf(between_);
    allOf(freeContacts_);
    for (Free& body : free_) {
        const Vec6 now = body.velocity;
        body.velocity += by * (now - body.before);
        body.before = now;
    }
}

NodeForces::Residual BodyContacts::residual(const Exec& exec, const std::vector<Node>& nodes) {
    Residual sum;
    const double scale = 1 / (area_ * area_);
    for (const auto* list : {&contacts_, &between_})
        sum.squared += exec.reduce(
            list->size(), kNodesPerTask, 0.0,
            [&](std::size_t begin, std::size_t end) {
                double part = 0;
                for (std::size_t i = begin; i < end; ++i) part += scale * normSquared(solved((*list)[i], nodes) - (*list)[i].impulse);
                return part;
            },
            [](double a, double b) { return a + b; });
    for (const FreeContact& c : freeContacts_) sum.squared += scale * normSquared(solvedFree(c, nodes) - c.impulse);
    sum.places = static_cast<std::int64_t>(contacts_.size() + between_.size() + freeContacts_.size());
    return sum;
}

const BodyContacts::Contact& BodyContacts::at(std::size_t place) const {
    if (place < contacts_.size()) return contacts_[place];
    if (!isFree(place)) return between_[place - contacts_.size()];
    return freeContacts_[place - contacts_.size() - between_.size()];
}

void BodyContacts::setImpulse(std::size_t place, const Vec3& impulse) {
    if (place < contacts_.size()) contacts_[place].impulse = impulse;
    else if (!isFree(place)) between_[place - contacts_.size()].impulse = impulse;
    else freeContacts_[place - contacts_.size() - between_.size()].impulse = impulse;
}

ContactCone BodyContacts::cone(std::size_t place) const {
    using Kind = ContactCone::Kind;
    const Contact& c = at(place);
    const Kind kind = c.mode == world::ContactMode::separate ? Kind::separate : c.mode == world::ContactMode::slip ? Kind::slip : Kind::sticky;
    double mobility = c.inverseMass;
    if (isFree(place)) {
        const LocalOperator<2>& w = freeContacts_[place - contacts_.size() - between_.size()].w;
        mobility = std::max({w.normal, w.reduced[0], w.reduced[1]});
    }
    return {kind, c.friction, c.normal, mobility};
}

Vec3 BodyContacts::rate(std::size_t place, std::span<const Node> nodes) const {
    const Contact& c = at(place);
    Vec3 relative = c.velocity(nodes) - c.surfaceVelocity;
    if (isFree(place)) {
        const Vec6& v = free_[freeContacts_[place - contacts_.size() - between_.size()].free].velocity;
        relative -= v.linear + cross(v.angular, c.arm);
    }
    return relative;
}

Surfaces BodyContacts::surfaces() const {
    Surfaces all;
    std::vector<SurfaceRow>& rows = all.rows;
    rows.reserve(contacts_.size() + between_.size() + freeContacts_.size());
    rows.insert(rows.end(), contacts_.begin(), contacts_.end());
    if (!first_.empty()) all.firstRow.insert(all.firstRow.end(), first_.begin(), first_.end() - 1);
    all.firstChain.push_back(all.firstRow.size());
    for (std::size_t i = 0; i < between_.size(); ++i) all.firstRow.push_back(rows.size() + i);
    for (std::size_t colour = 0; colour + 1 < firstBetween_.size(); ++colour) all.firstChain.push_back(all.firstChain.front() + firstBetween_[colour + 1]);
    rows.insert(rows.end(), between_.begin(), between_.end());
    all.firstRow.push_back(rows.size());
    for (const FreeContact& c : freeContacts_)
        if (c.inverseMass > 0) rows.push_back(c);
    all.firstChain.push_back(all.firstRow.size());
    all.firstRow.push_back(rows.size());
    all.firstChain.insert(all.firstChain.begin(), 0);
    return all;
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
    load.slipWork -= dot(c.impulse - dot(c.impulse, c.normal) * c.normal, nodeVelocity - surfaceVelocity);
}

void BodyContacts::addLoads(world::World& world, std::span<const Node> nodes, std::span<const Node> stressImpulse) const {
    for (const auto* list : {&contacts_, &between_})
        for (const Contact& c : *list) load(c, c.surfaceVelocity, c.velocity(nodes), world.bodies[c.body].load);
    for (const FreeContact& c : freeContacts_) {
        const Vec6& v = free_[static_cast<std::size_t>(c.free)].velocity;
        load(c, v.linear + cross(v.angular, c.arm) + c.surfaceVelocity, c.velocity(nodes), world.bodies[c.body].load);
    }
    if (held_.empty()) return;
    std::vector<Vec3> others(nodes.size());   // impulses of other bodies on nodes that are held
    for (const Contact& c : between_)
        for (std::size_t k = 0; k < c.nodes; ++k) others[c.node[k]] += c.weight[k] * c.impulse;
    for (const FreeContact& c : freeContacts_)
        for (std::size_t k = 0; k < c.nodes; ++k) others[c.node[k]] += c.weight[k] * c.impulse;
    for (const Held& h : held_) {
        Contact c;
        c.arm = h.arm;
        c.impulse = h.mass * h.surfaceVelocity - h.momentumBefore - stressImpulse[h.node].velocity - others[h.node];
        load(c, h.surfaceVelocity, h.surfaceVelocity, world.bodies[h.body].load);
    }
}

void BodyContacts::remember() {
    remembered_.clear();
    for (const FreeContact& c : freeContacts_)
        if (c.impulse != Vec3{}) remembered_.push_back({c.owner, c.body, c.impulse / dt_});
    std::ranges::sort(remembered_, {}, [](const Remembered& r) { return std::tuple{r.owner, r.body}; });
}

void BodyContacts::save(Archive& archive) const {
    std::vector<std::uint64_t> owners;
    std::vector<std::uint32_t> bodies;
    std::vector<double> forces;
    for (const Remembered& r : remembered_) {
        owners.push_back(r.owner);
        bodies.push_back(r.body);
        forces.insert(forces.end(), {r.force.x, r.force.y, r.force.z});
    }
    archive.put("nodes", owners);
    archive.put("bodies", bodies);
    archive.put("forces", forces);
}

void BodyContacts::load(const Archive& archive) {
    const auto owners = archive.get<std::uint64_t>("nodes");
    const auto bodies = archive.get<std::uint32_t>("bodies");
    const auto forces = archive.get<double>("forces");
    if (bodies.size() != owners.size() || forces.size() != 3 * owners.size()) throw ArchiveError("forces on free bodies do not fit together");
    remembered_.clear();
    for (std::size_t i = 0; i < owners.size(); ++i) remembered_.push_back({owners[i], bodies[i], {forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]}});
}

}  // namespace talus::nonsmooth
