// SPDX-License-Identifier: Apache-2.0
// Bodies at grid nodes: velocities are made compatible with every body at a node, with Coulomb friction [Klar2016, §8].
#pragma once

#include "core/exec.h"
#include "core/vec6.h"
#include "mpm/blocks.h"
#include "mpm/kernel.h"
#include "world/free_bodies.h"
#include "world/world.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace talus::mpm {

/// The change that one body makes to the velocity of a node, at a distance and outward normal, for a velocity relative to
/// the surface: none, or normal part plus friction. With φ the distance less that at which a node touches, separate means
/// φ + Δt v·n ≥ min(φ, 0), slip v·n = 0 where φ ≤ 0, sticky v = 0 there.
Vec3 contactChange(world::ContactMode, double friction, const geometry::Surface&, const Vec3& relativeVelocity, double dt, double touchingDistance);

/// A node of mass m at x that is about to move with velocity v.
struct MovingNode {
    Vec3 position;   // [m]
    double mass;     // [kg]
    Vec3 velocity;   // [m/s]
};

/// A velocity after contact, and its derivative by the one before it.
struct ContactTrial {
    Vec3 velocity;
    Mat3 slope;
};

/// −∂Δv/∂v of that change: 1 where the node sticks; n nᵀ − μ t nᵀ and what turns the direction t of sliding where it slides.
Mat3 contactStiffness(world::ContactMode, double friction, const geometry::Surface&, const Vec3& relativeVelocity, double dt, double touchingDistance);

/// Where bodies are near nodes, and what the nodes do to them during a step. Nodes that a free body may touch are left for
/// last: their velocities and the bodies' are found together (couple).
class NodeContact {
public:
    /// Looks at the bodies that stand still; once for every set of blocks. `grainMaterial` rubs on the bodies, with at most the friction
    /// of the grains on themselves.
    void place(const Exec&, const GridFrame&, std::span<const NodeBlock>, const world::World&, int grainMaterial, double mostFriction);
    /// Looks at those that move, and forgets the loads of the step before. Free bodies have begun the step.
    void beginStep(const Exec&, const world::World&, const world::FreeBodies&);

    bool near(std::size_t block) const { return still_.count(block) + moving_.count(block) + free_.count(block) > 0; }
    /// Changes the velocity of the n-th node of a block; loads are kept per block, each block from one thread only.
    /// False: a free body may touch it, so it is kept for couple().
    bool apply(std::size_t block, int n, double dt, const MovingNode& node, Vec3& velocity);
    /// What bodies would make of a velocity, all of them as they move at the start of the step or as couple() left them; nothing is kept.
    ContactTrial trial(std::size_t block, int n, double dt, const MovingNode& node);
    /// Velocities of free bodies at the end of the step, and of the nodes that were kept, so that what a body gets is what the
    /// nodes lose. write(block, n, velocity) takes each node's.
    void couple(const Exec&, double dt, world::FreeBodies&, FunctionRef<void(std::size_t block, int n, const Vec3& velocity)> write);
    /// Adds the loads of the step, which was accepted, to the bodies, block by block.
    void addLoads(world::World&);

    /// Part of a node's share of space that lies outside all bodies, as its kernel sees it.
    double openPart(std::size_t block, int n, Kernel) const;

    /// Coefficient between grains and a body.
    double friction(const world::World&, const world::Body&) const;

    std::int64_t unsettled() const { return unsettled_; }   // steps in which bodies and nodes did not quite agree
    void setUnsettled(std::int64_t count) { unsettled_ = count; }

private:
    /// A body seen from the grid.
    struct GridBody {
        std::uint32_t index;                         // in World::bodies
        world::ContactMode contact;
        double friction;
        world::BodySnapshot snapshot;
    };
    /// Bodies near blocks, with their surface at the blocks' nodes.
    struct Nearby {
        std::vector<std::size_t> first;              // of each block's entries, one past the end last
        std::vector<std::uint32_t> body;             // per entry, index into the list of bodies
        std::vector<geometry::Surface> surface;      // 64 per entry, in world coordinates
        std::vector<std::uint8_t> thin;              // whether the body is thin there
        std::vector<world::BodyLoad> load;           // per entry
        std::vector<Mat6> stiffness;                 // of free bodies: −∂(impulse, moment)/∂(velocity, spin), per entry

        std::size_t count(std::size_t block) const { return first.empty() ? 0 : first[block + 1] - first[block]; }
    };
    struct KeptNode {
        int n;
        MovingNode node;
    };
    GridBody gridBody(const world::World&, std::uint32_t index, const world::BodySnapshot&) const;
    void look(const Exec&, std::span<const GridBody>, Nearby&);
    bool sweep(std::size_t block, int n, double dt, std::span<const GridBody>, Nearby&, bool record, MovingNode&, Mat3* slope = nullptr) const;
    void settle(std::size_t block, int n, double dt, bool record, MovingNode&);
    bool freeBodyNear(std::size_t block, int n) const;
    /// Every kept node against bodies that move with the given velocities; the sums of impulses on each free body.
    struct Answer {
        std::vector<Vec6> impulse;
        std::vector<Mat6> stiffness;
    };
    Answer respond(const Exec&, double dt, std::span<const Vec6> velocities, bool record);
    std::vector<Vec6> agree(const Exec&, double dt, const world::FreeBodies&, std::span<const Vec6> unloaded, std::vector<Vec6> guess);

    GridFrame frame_;
    std::span<const NodeBlock> blocks_;
    int grainMaterial_ = 0;
    double mostFriction_ = 0;                        // μ̂: grains shear on themselves before they pass on more
    std::vector<GridBody> stillBodies_, movingBodies_, freeBodies_;
    Nearby still_, moving_, free_;
    std::vector<std::vector<std::uint32_t>> found_;  // per block, for look()
    std::vector<std::uint32_t> coupled_;             // blocks near free bodies
    std::vector<std::vector<KeptNode>> kept_;        // per block
    std::int64_t unsettled_ = 0, unsettledNow_ = 0;  // in all steps that were accepted, in this one
};

}  // namespace talus::mpm
