// SPDX-License-Identifier: Apache-2.0
// Bodies at grid nodes: velocities are made compatible with every body at a node, with Coulomb friction [Klar2016, §8].
#pragma once

#include "core/exec.h"
#include "mpm/blocks.h"
#include "world/world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::mpm {

/// A node of mass m at x that is about to move with velocity v.
struct MovingNode {
    Vec3 position;   // [m]
    double mass;     // [kg]
    Vec3 velocity;   // [m/s]
};

/// One body seen from the grid during a step.
struct GridBody {
    world::BodySnapshot surface;
    double friction;
};

/// Bodies near each node block during one step, and what they get from the nodes.
class NodeContact {
public:
    /// Bodies within `reach` [m] of the nodes of a block are near it. `grainMaterial` rubs on the bodies.
    NodeContact(const Exec&, const GridFrame&, std::span<const NodeBlock>, const world::World&, int grainMaterial, double reach);

    bool near(std::size_t block) const { return first_[block] != first_[block + 1]; }
    /// Changes the node's velocity; loads are kept per block. Each block from one thread only.
    void apply(std::size_t block, double dt, MovingNode&);
    /// Adds the loads to the bodies, block by block.
    void addLoads(world::World&) const;

private:
    struct Near {
        std::uint32_t body;
        world::BodyLoad load;
    };
    double touchingDistance_;          // nearer than this counts as inside [m]
    std::vector<GridBody> bodies_;
    std::vector<std::size_t> first_;   // of each block's entries in near_
    std::vector<Near> near_;
};

/// The change that one body makes to the velocity of a node, at a distance and outward normal, for a velocity relative to
/// the surface: none, or normal part plus friction. Separate: φ + Δt v·n ≥ min(φ, 0). Slip: v·n = 0 inside. Sticky: v = 0.
Vec3 contactChange(world::ContactMode, double friction, double distance, const Vec3& normal, const Vec3& relativeVelocity, double dt, double touchingDistance);

}  // namespace talus::mpm
