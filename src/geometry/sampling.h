// SPDX-License-Identifier: Apache-2.0
// Points inside a bounded shape (std::invalid_argument otherwise). Random ones depend on seed, stream and place alone.
#pragma once

#include "geometry/shape.h"

#include <cstdint>
#include <vector>

namespace talus::geometry {

/// The points origin + (i, j, k) spacing inside, x running fastest.
std::vector<Vec3> lattice(const Shape&, const Vec3& spacing, const Vec3& origin);

/// perAxis³ points in every cell of a grid that has a node at `origin`: at (i + 1/2)/perAxis along each side of the cell.
std::vector<Vec3> subcellLattice(const Shape&, const Vec3& cellSize, const Vec3& origin, int perAxis);

struct RandomStream {
    std::uint64_t seed;
    std::uint32_t stream = 0;   // what the points are for (core/rng.h)
};

/// One uniformly random point in each cell of the lattice with a corner at `origin`, kept if it is inside: their expected
/// number is exactly volume / (cell volume), and shapes that share a face also share the cells cut by it without a gap or
/// an overlap.
std::vector<Vec3> jittered(const Shape&, const Vec3& cellSize, const Vec3& origin, RandomStream);

/// Points no closer than `distance` [m] to each other, with hardly any room left for another: Bridson's front [Bridson2007],
/// its candidates on the sphere around a point rather than in a shell, which packs tighter. About 0.7 per distance³.
std::vector<Vec3> poissonDisk(const Shape&, double distance, RandomStream);

}  // namespace talus::geometry
