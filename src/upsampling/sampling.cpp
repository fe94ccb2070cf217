// SPDX-License-Identifier: Apache-2.0
#include "upsampling/sampling.h"

#include "core/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::upsampling {
namespace {

/// What random numbers of guides are for: no fill or emitter has this number.
constexpr std::uint32_t kStream = 0x67756964;
/// Points that bodies may reject before one is moved out of them instead.
constexpr int kMostTries = 64;
/// Passes over the bodies: a point moved out of one may be in the next.
constexpr int kMostPasses = 8;

Vec3 moveOut(Vec3 x, double clearance, std::span<const world::BodySnapshot> bodies) {
    for (int pass = 0; pass < kMostPasses; ++pass) {
        bool clear = true;
        for (const world::BodySnapshot& body : bodies) {
            if (!body.active()) continue;
            const world::SurfacePoint surface = body.surface(x);
            if (surface.distance >= clearance) continue;
            x += (clearance - surface.distance) * surface.normal;
            clear = false;
        }
        if (clear) break;
    }
    return x;
}

}  // namespace

Origin originOf(const Birth& guide, double grainDensity, std::int64_t factor) {
    const double mass = guide.mass / static_cast<double>(factor);
    return {.guide = guide.id, .mass = mass, .radius = std::cbrt(0.75 / std::numbers::pi * mass / grainDensity), .volume = guide.volume / static_cast<double>(factor),
            .birthTime = guide.time, .material = guide.material, .source = guide.source};
}

SampledVolume sampledVolume(const Birth& guide, bool continuum) {
    return continuum ? SampledVolume{true, 0.5 * std::cbrt(guide.volume)} : SampledVolume{false, guide.radius};
}

void sample(std::uint64_t seed, const Birth& guide, const SampledVolume& volume, double clearance, std::span<const world::BodySnapshot> bodies, std::span<Vec3> places) {
    Rng rng(seed, kStream, static_cast<std::uint64_t>(guide.id));
    std::vector<const world::BodySnapshot*> near;
    for (const world::BodySnapshot& body : bodies)
        if (body.distance(guide.position) < std::numbers::sqrt3 * volume.size + clearance) near.push_back(&body);
    const auto blocked = [&](const Vec3& x) { return std::ranges::any_of(near, [&](const world::BodySnapshot* body) { return body->distance(x) < clearance; }); };
    for (Vec3& place : places)
        for (int tries = 1;;) {
            Vec3 offset;
            do offset = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
            while (!volume.cube && normSquared(offset) > 1);
            place = guide.position + volume.size * offset;
            if (!blocked(place)) break;
            if (++tries <= kMostTries) continue;
            place = moveOut(place, clearance, bodies);
            break;
        }
}

}  // namespace talus::upsampling
