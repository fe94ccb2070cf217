// SPDX-License-Identifier: Apache-2.0
// Bodies at grid nodes: velocities are made compatible with every body at a node, with Coulomb friction [Klar2016, §8].
#pragma once

#include "core/exec.h"
#include "mpm/blocks.h"
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

/// Where bodies are near nodes, and what the nodes do to them during a step.
class NodeContact {
public:
    /// Looks at the bodies that stand still; once for every set of blocks. `grainMaterial` rubs on the bodies.
    void place(const Exec&, const GridFrame&, std::span<const NodeBlock>, const world::World&, int grainMaterial);
    /// Looks at those that move, and forgets the loads of the step before.
    void beginStep(const Exec&, const world::World&);

    bool near(std::size_t block) const { return still_.count(block) + moving_.count(block) > 0; }
    /// Changes the velocity of the n-th node of a block; loads are kept per block, each block from one thread only.
    void apply(std::size_t block, int n, double dt, MovingNode&);
    /// Adds the loads of the step to the bodies, block by block.
    void addLoads(world::World&) const;

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
        std::vector<world::BodyLoad> load;           // per entry

        std::size_t count(std::size_t block) const { return first.empty() ? 0 : first[block + 1] - first[block]; }
    };
    void look(const Exec&, std::span<const GridBody>, Nearby&) const;
    bool sweep(std::size_t block, int n, double dt, std::span<const GridBody>, Nearby&, MovingNode&) const;

    GridFrame frame_;
    std::span<const NodeBlock> blocks_;
    int grainMaterial_ = 0;
    std::vector<GridBody> stillBodies_, movingBodies_;
    Nearby still_, moving_;
};

}  // namespace talus::mpm
