// SPDX-License-Identifier: Apache-2.0
// Grains to be put into the world, and where to take them out of it.
#pragma once

#include "core/vec.h"
#include "geometry/shape.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace talus::world {

/// Grains given one by one: a table, or what an emitter lets out at an instant.
struct ListedGrains {
    std::vector<Vec3> positions;                   // [m], world coordinates
    std::vector<Vec3> velocities;                  // [m/s]; empty: that of the fill
    std::vector<int> materials;                    // empty: that of the fill
    std::vector<double> volumes;                   // packed, pores included: mass over bulk density [m³]; empty: of the method's own grains
    std::vector<std::array<double, 6>> stresses;   // Cauchy, xx yy zz xy yz xz [Pa]; empty: none
    std::vector<double> muHats;                    // of the friction cone √J₂ ≤ μ̂ p; empty: of the material. Taken where MethodInfo::frictionByGrain says so

    std::vector<Quat> orientations;                // of grains that turn, with their angular velocities [rad/s]; empty: as the method draws them
    std::vector<Vec3> spins;
    std::vector<int> shapes;                       // index of the template of a clump; empty: as the method draws them
    bool keepClear = false;                        // of bodies: grains that would be thrown out of them are left out, not only those whose centres lie inside
    bool standIn = false;                          // for grains that come with all their state: contacts of which a table knows nothing

    /// An emitter offers more places than it fills: they are taken in their order, those without room left out, until one
    /// more grain would pass either bound.
    bool onlyWhereRoom = false;
    /// All places of a region, of every part of a mixture, so close that grains in all of them are packed: nowhere may it become
    /// fuller than these would make it. None for an outlet, which grains leave.
    std::shared_ptr<const std::vector<Vec3>> packedPlaces = {};
    double mostMass = std::numeric_limits<double>::infinity();               // [kg]
    std::int64_t mostCount = std::numeric_limits<std::int64_t>::max();
};

struct Fill {
    std::shared_ptr<const geometry::Shape> region;   // in world coordinates, filled whole; none where grains are listed
    int material = 0;
    int source = 0;          // index of the fill in the scene; emitters count on after the fills
    Vec3 velocity;           // [m/s]
    std::shared_ptr<const ListedGrains> listed = {};
};

/// Grains to be taken out.
struct Region {
    std::shared_ptr<const geometry::Shape> shape;
    bool inside = true;      // false: what lies outside the shape

    bool contains(const Vec3& x) const { return (shape->distance(x) <= 0) == inside; }
};

}  // namespace talus::world
