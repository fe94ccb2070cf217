// SPDX-License-Identifier: Apache-2.0
// Fine grains inside a guide [Alduan2009, §4.2].
#pragma once

#include "core/vec.h"
#include "world/body.h"

#include <cstdint>
#include <span>

namespace talus::upsampling {

/// A guide when it comes into the world.
struct Birth {
    std::int64_t id = 0;
    Vec3 position, velocity;     // [m], [m/s]
    double radius = 0;           // of its bounding sphere [m]
    double mass = 0;             // [kg]
    double volume = 0;           // that it takes up, pores included [m³]
    double time = 0;             // [s]
    int material = 0, source = 0;
};

/// What the fine grains of a guide have in common. The solid volume of a guide is shared out equally, and so is its mass.
struct Origin {
    std::int64_t guide = 0;      // id
    double mass = 0;             // of a fine grain [kg]
    double radius = 0;           // of the sphere of its solid volume [m]
    double volume = 0;           // pores included [m³]
    double birthTime = 0;        // [s]
    std::int32_t material = 0, source = 0;
};
Origin originOf(const Birth&, double grainDensity, std::int64_t factor);

/// Where fine grains of a guide may lie: anywhere in its bounding sphere; for a material point, in the cube of its volume,
/// since cubes of points on a lattice fill space without gaps.
struct SampledVolume {
    bool cube = false;
    double size = 0;             // radius of the sphere, or half the side of the cube [m]
};
SampledVolume sampledVolume(const Birth&, bool continuum);

/// places.size() points about the guide, by rejection from the cube around it: a function of seed and the guide's id alone.
/// A point closer to a body than `clearance` [m] is rejected too; where bodies leave hardly any room it is moved out of them.
void sample(std::uint64_t seed, const Birth&, const SampledVolume&, double clearance, std::span<const world::BodySnapshot>, std::span<Vec3> places);

}  // namespace talus::upsampling
