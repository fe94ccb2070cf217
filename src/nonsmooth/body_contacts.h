// SPDX-License-Identifier: Apache-2.0
// Bodies in the friction problem: at points on a surface near nodes there is a Coulomb cone of three dimensions, with the true
// coefficient of friction, solved in the same sweeps as the stress. The paper presses bodies on stress nodes instead (§6.1); with
// points the friction is exact on a flat wall, the law is that of the other methods, and no stress is needed beyond a wall.
#pragma once

#include "core/vec6.h"
#include "mpm/node_contact.h"
#include "nonsmooth/surface_contacts.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::nonsmooth {

class BodyContacts final : public NodeForces {
public:
    /// Finds the nodes near bodies. Nodes on a sticky surface that does not move freely are held: they get its velocity and lose
    /// their inverse mass. `mass` and `velocity` are those without bodies.
    void place(const Exec&, const mpm::GridFrame&, const Grid&, const world::World&, const world::FreeBodies&, int grainMaterial, double dt, std::span<const double> mass, std::vector<Node>&);

    void start(std::vector<Node>&) override;
    void sweep(const Exec&, std::vector<Node>&) override;
    void extrapolate(const Exec&, double by) override;
    Residual residual(const Exec&, const std::vector<Node>&) override;
    std::span<const std::uint32_t> nodesAt(std::size_t place) const { return {at(place).node.data(), at(place).nodes}; }
    std::size_t places() const override { return contacts_.size() + between_.size() + freeContacts_.size(); }
    ContactCone cone(std::size_t place) const override;
    Vec3 impulse(std::size_t place) const override { return at(place).impulse; }
    void setImpulse(std::size_t place, const Vec3& impulse) override;
    Vec3 rate(std::size_t place, std::span<const Node>) const override;

    /// Velocities of free bodies that the forces found so far give them, from those they would have without grains.
    std::vector<Vec6> freeVelocities() const;
    /// Others than the grains changed the velocities that free bodies would have without them.
    void shiftUnloaded(std::size_t k, const Vec6& by) { free_[k].unloaded += by; }
    bool touchesFreeBodies() const { return !freeContacts_.empty(); }

    /// Adds to the bodies what the nodes did to them; `stressImpulse` holds Σ λ g of every node as its velocity.
    void addLoads(world::World&, std::span<const Node>, std::span<const Node> stressImpulse) const;
    /// All surfaces that nodes may come up against.
    Surfaces surfaces() const;
    bool anyHeld() const { return !held_.empty(); }
    /// Forces on free bodies, for the next step to start from.
    void remember();

    void save(Archive&) const;
    void load(const Archive&);

private:
    using Contact = SurfaceContact;
    struct Held {
        std::uint32_t node = 0, body = 0;
        Vec3 surfaceVelocity, momentumBefore, arm;
        double mass = 0;
    };
    /// A contact with a free body, in axes n, t₁, t₂ in which Ŵ is diagonal.
    struct FreeContact : Contact {
        Vec3 t1, t2;
        LocalOperator<2> w;
    };
    struct Free {
        Vec6 unloaded, velocity, before;         // before: at the end of the sweep before
        Mat6 mobility;
        std::uint32_t body = 0;
    };
    struct Remembered {
        std::uint64_t owner = 0;                 // of the contact
        std::uint32_t body = 0;
        Vec3 force;                              // [N]
    };

    const Contact& at(std::size_t place) const;
    bool isFree(std::size_t place) const { return place >= contacts_.size() + between_.size(); }
    void hold(const Contact&, std::span<const double> mass, std::vector<Node>&);
    /// Orders contacts between nodes so that those of a colour share no node.
    void colourBetween(std::size_t nodes);
    void addFree(const Contact&);
    Vec3 solved(const Contact&, std::span<const Node>) const;
    Vec3 solvedFree(const FreeContact&, std::span<const Node>) const;
    void push(const FreeContact&, const Vec3& impulse);
    static void load(const Contact&, const Vec3& surfaceVelocity, const Vec3& nodeVelocity, world::BodyLoad&);

    double dt_ = 0, area_ = 1;
    std::vector<Contact> contacts_;              // with one node each, by node
    std::vector<std::size_t> first_;             // of each node that has any; one past the end last
    std::vector<Contact> between_;               // between nodes, by colours, of which none has two at a node
    std::vector<std::size_t> firstBetween_;      // of each colour; one past the end last
    std::vector<FreeContact> freeContacts_;
    std::vector<Held> held_;
    std::vector<Free> free_;
    std::vector<Remembered> remembered_;         // ascending in (owner, body)
};

}  // namespace talus::nonsmooth
