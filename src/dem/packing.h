// SPDX-License-Identifier: Apache-2.0
// A dense random packing without overlaps: grains are thrown into a region and pushed apart until none touches another, a body or the
// surface of the region; those that find no room are left out.
#pragma once

#include "core/exec.h"
#include "dem/neighbours.h"
#include "geometry/shape.h"
#include "world/body.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

struct PackedGrain {
    Vec3 position;
    Quat orientation;
    double diameter = 0;
    int shape = 0;
};

struct PackingPlace {
    const world::Domain& domain;
    const geometry::Shape& region;
    std::span<const world::BodySnapshot> bodies;
    std::span<const ClumpTemplate> templates;
    std::span<const PackedGrain> obstacles;     // grains that are there already
};

/// Packing fraction that random packings of such grains reach without order and in good time.
double reachableFraction(const ClumpTemplate&);

/// Random points, about `count` in the free part of the region, no two of them in the same cell of a lattice from its corner.
std::vector<Vec3> throwPoints(const PackingPlace&, double count, std::uint64_t seed, std::uint32_t stream);

/// Pushes the grains apart. Returns those that have room.
std::vector<PackedGrain> pack(const Exec&, const PackingPlace&, std::vector<PackedGrain>);

}  // namespace talus::dem
