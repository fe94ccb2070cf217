// SPDX-License-Identifier: Apache-2.0
// Where grains on the grid meet bodies: points of surfaces near nodes and in cells, and the room that bodies leave.
#pragma once

#include "mpm/frame.h"
#include "nonsmooth/friction_problem.h"
#include "nonsmooth/grid.h"
#include "world/free_bodies.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::nonsmooth {

/// Part of the volume ∫N_i of each node that bodies do not cover at the end of the step, with bodies moved on by their present
/// velocity.
std::vector<double> freeFractions(const Exec&, const mpm::GridFrame&, const Grid&, const world::World&, const world::FreeBodies&, double dt);

/// A point on a surface between nodes, as those that only want to stay out of bodies see it.
struct SurfaceRow {
    std::array<std::uint32_t, kCorners> node{};
    std::array<double, kCorners> weight{};   // N_i(x)
    std::size_t nodes = 0;
    double inverseMass = 0;                  // Σ N_i²/m_i [1/kg]
    Vec3 normal;                             // outward
};

/// Surfaces in chains of those that may share nodes, in groups of chains that share none with each other.
struct Surfaces {
    std::vector<SurfaceRow> rows;
    std::vector<std::size_t> firstRow;       // of each chain; one past the end last
    std::vector<std::size_t> firstChain;     // of each group; one past the end last
};

/// At a point on a surface, whose velocity is that of the nodes around it: u(x) = Σ N_i u_i, which an impulse r changes by
/// Σ N_i²/m_i r. One node where the surface goes through it.
struct SurfaceContact : SurfaceRow {
    std::uint64_t owner = 0;                 // tells it from others of the body, in all steps
    std::uint32_t body = 0;                  // index in World::bodies
    int free = -1;                           // k of FreeBodies; −1: not free
    world::ContactMode mode = world::ContactMode::separate;
    double friction = 0;
    Vec3 at;                                 // [m]
    Vec3 surfaceVelocity;                    // of a free body: of its belt alone [m/s]
    Vec3 arm;                                // from the body's position [m]
    Vec3 impulse, before;                    // on the nodes; at the end of the sweep before [N s]

    Vec3 velocity(std::span<const Node> all) const {
        Vec3 sum;
        for (std::size_t k = 0; k < nodes; ++k) sum += weight[k] * all[node[k]].velocity;
        return sum;
    }
    void push(std::vector<Node>& all, const Vec3& by) const {
        for (std::size_t k = 0; k < nodes; ++k) all[node[k]].velocity += (all[node[k]].inverseMass * weight[k]) * by;
    }
};

/// The contacts of all nodes, in their order, then those of cells. `inverseMass` is left to the caller.
std::vector<SurfaceContact> findContacts(const Exec&, const mpm::GridFrame&, const Grid&, const world::World&, const world::FreeBodies&, int grainMaterial);

}  // namespace talus::nonsmooth
