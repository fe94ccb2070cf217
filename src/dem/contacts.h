// SPDX-License-Identifier: Apache-2.0
// What a pair of the list remembers, and the list of spheres near bodies.
#pragma once

#include "dem/contact_law.h"
#include "dem/neighbours.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

struct ContactState {
    Vec3 spring;             // displacement along the surface of a against b since they touched [m]
    Vec3 turn;               // rotation of a against b since then that rolling friction has not let go [rad]
    Vec3 force;              // on a, at the end of the last step [N]
    Vec3 arm;                // of a body's contact: from the centre of the sphere to the surface then [m]
    bool touching = false;
    bool bonded = false;     // to a surface that grains do not leave

    bool idle() const { return !touching && !bonded; }
};

/// What contacts add up to in each grain. σ V = Σ F ⊗ arm over the contact points, its symmetric part.
struct ContactSums {
    explicit ContactSums(std::size_t n) : coordination(n), force(n), energy(n), stress(n) {}
    std::vector<std::int64_t> coordination;
    std::vector<double> force, energy;                 // [N], [J]
    std::vector<std::array<double, 6>> stress;         // times volume [J]

    void add(std::size_t grain, const Vec3& arm, const Vec3& force, double energy);
    void keep(std::span<const std::size_t> rows);
};

struct PairContacts {
    PairList list;
    std::vector<ContactState> state;         // of each pair
    std::vector<PairConstants> constants;
};

/// Spheres that a body may come near to while the list holds; by sphere, then body.
struct BodyContacts {
    std::vector<std::uint32_t> sphere, body;
    std::vector<std::uint32_t> firstOfGrain;
    std::vector<ContactState> state;
    std::vector<PairConstants> constants;

    std::size_t size() const { return sphere.size(); }
    void index(const Spheres&);
    std::size_t find(const Spheres&, std::uint32_t sphere, std::uint32_t body) const;   // size() where it is not listed
};

}  // namespace talus::dem
