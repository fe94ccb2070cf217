// SPDX-License-Identifier: Apache-2.0
// Normals of flat grains (coins) in a guide that stands for many and keeps the second moment of their normals, ν₂ = ⟨n nᵀ⟩ [Daviet2016, §6.2].
//     n = A u / |A u|,   u uniform on the unit sphere, A symmetric,
// is how grains lie that a flow has turned [Jeffery1922] from lying at random [MontgomerySmith2011]; A is the one for which ⟨n nᵀ⟩ = ν₂. A grain keeps its u, so its
// normal turns smoothly as ν₂ does, and costs no memory.
#pragma once

#include "core/vec.h"

#include <cstdint>
#include <span>

namespace talus::upsampling {

/// A of a second moment xx, yy, zz, xy, yz, xz.
Mat3 spreadOfNormals(std::span<const double, 6> moment);

/// Of the grain with that id: a function of seed, id and A alone.
Vec3 drawnNormal(std::uint64_t seed, std::int64_t id, const Mat3& spread);

}  // namespace talus::upsampling
