// SPDX-License-Identifier: Apache-2.0
#include "mpm/start_points.h"

#include "geometry/sampling.h"

#include <algorithm>
#include <cmath>

namespace talus::mpm {
namespace {

/// No place is fuller than packed; round-off and the jitter of a stream are let pass.
constexpr double kFull = 1.02;
/// Part of fullness that sums of weights may differ by.
constexpr double kRounding = 1e-9;

StartPoints pointsOfRegion(Start start, std::int64_t pointsPerCell, const GridFrame& frame, const world::Fill& fill, std::uint64_t seed) {
    const geometry::RandomStream random{seed, static_cast<std::uint32_t>(fill.source)};
    const double pointVolume = frame.cellVolume() / static_cast<double>(pointsPerCell);
    const double perAxis = std::cbrt(static_cast<double>(pointsPerCell));
    switch (start) {
        case Start::lattice:
            return {geometry::subcellLattice(*fill.region, frame.spacing, frame.origin, static_cast<int>(std::lround(perAxis))), pointVolume};
        case Start::jittered:
            return {geometry::jittered(*fill.region, frame.spacing * (1 / perAxis), frame.origin, random), pointVolume};
        case Start::poisson: break;
    }
    // A maximal Poisson-disk set of distance r holds about 0.7 points per r³; what it misses of that goes into the volume.
    constexpr double kPointsPerCube = 0.7;
    StartPoints found{geometry::poissonDisk(*fill.region, std::cbrt(kPointsPerCube * pointVolume), random), 0};
    if (!found.positions.empty()) found.volume = fill.region->volume() / static_cast<double>(found.positions.size());
    return found;
}

}  // namespace

StartPoints startPoints(Start start, std::int64_t pointsPerCell, const GridFrame& frame, const world::World& world, const world::Fill& fill) {
    StartPoints points = pointsOfRegion(start, pointsPerCell, frame, fill, world.seed);
    std::erase_if(points.positions, [&](const Vec3& x) { return world.filledBefore(fill, x); });
    return points;
}

bool insideAny(std::span<const world::BodySnapshot> bodies, const Vec3& x) {
    return std::ranges::any_of(bodies, [&](const world::BodySnapshot& body) { return body.distance(x) < 0; });
}

std::vector<std::size_t> takenPlaces(const GridFrame& frame, const world::ListedGrains& list, std::span<const world::BodySnapshot> bodies, const Places& places) {
    Room room(frame), packed(frame);
    if (list.onlyWhereRoom) places.fillRoom(room);
    if (list.packedPlaces)
        for (const Vec3& x : *list.packedPlaces) packed.take(x, places.ownVolume);
    std::vector<std::size_t> taken;
    double mass = 0;
    for (std::size_t i = 0; i < list.positions.size() && static_cast<std::int64_t>(taken.size()) < list.mostCount; ++i) {
        const Vec3& x = list.positions[i];
        const double more = places.mass(i), volume = places.volume(i);
        if (mass + more > list.mostMass) break;
        if (insideAny(bodies, x)) continue;
        if (list.onlyWhereRoom) {
            const double most = list.packedPlaces ? std::min(kFull, kRounding + packed.fullnessWith(x, 0)) : kFull;
            if (room.fullnessWith(x, volume) > most) continue;
            room.take(x, volume);
        }
        mass += more;
        taken.push_back(i);
    }
    return taken;
}

}  // namespace talus::mpm
