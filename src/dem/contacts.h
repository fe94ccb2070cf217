// SPDX-License-Identifier: Apache-2.0
// Pairs of grains that may touch, and spheres that may touch bodies.
#pragma once

#include "dem/neighbours.h"
#include "dem/response.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// What contacts add up to in each grain. σ V = Σ F ⊗ arm over the contact points, its symmetric part.
struct ContactSums {
    explicit ContactSums(std::size_t n) : coordination(n), force(n), energy(n), stress(n) {}
    std::vector<std::int64_t> coordination;
    std::vector<double> force, energy;                 // [N], [J]
    std::vector<std::array<double, 6>> stress;         // times volume [J]

    void add(std::size_t grain, const Vec3& arm, const Vec3& force, double energy, bool touching);
    void keep(std::span<const std::size_t> rows);
};

/// How a pair was at the end of the last step: bits.
inline constexpr std::uint8_t kTouching = 1, kBridged = 2;

/// The list of pairs, cut into slabs of grains.
struct PairContacts {
    PairList list;
    std::vector<std::uint8_t> state;             // of each pair
    Slabs slabs;
    std::vector<std::uint32_t> firstPair;        // of each slab, and one past the last
};

/// Two spheres that touch or are bridged, to be found again in another list.
struct KeptContact {
    std::uint32_t a = 0, b = 0;
    MemoryOf<Vec3> memory;
    std::uint8_t state = 0;
};

/// A sphere and a body.
struct ContactState {
    MemoryOf<Vec3> memory;
    Vec3 force;              // on the sphere, at the end of the last step [N]
    Vec3 arm;                // from its centre to the surface then [m]
    bool touching = false;
    bool bridged = false;    // by liquid, since they touched
    bool bonded = false;     // to a surface that grains do not leave

    bool acts() const { return touching || bridged; }
    bool idle() const { return !acts() && !bonded; }
};

/// Spheres that a body may come near to while the list holds; by sphere, then body.
struct BodyContacts {
    std::vector<std::uint32_t> sphere, body;
    std::vector<std::uint32_t> firstOfGrain;
    std::vector<ContactState> state;
    std::vector<PairConstants> constants;
    std::vector<HoldConstants> holds;            // the same, where a Manner holds()

    std::size_t size() const { return sphere.size(); }
    void index(const Spheres&);
    std::size_t find(const Spheres&, std::uint32_t sphere, std::uint32_t body) const;   // size() where it is not listed
};

}  // namespace talus::dem
