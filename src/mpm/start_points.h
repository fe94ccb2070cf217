// SPDX-License-Identifier: Apache-2.0
// Where the points of a fill start, and which of listed places are taken.
#pragma once

#include "core/function_ref.h"
#include "mpm/frame.h"
#include "mpm/room.h"
#include "world/body.h"
#include "world/world.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus::mpm {

/// Where points start within their cells.
enum class Start { lattice, jittered, poisson };
inline constexpr std::array<std::string_view, 3> kStartNames{"lattice", "jittered", "poisson"};

struct StartPoints {
    std::vector<Vec3> positions;
    double volume = 0;   // of each [m³]
};
/// Points of the region, but for what an earlier fill has filled; those in bodies too.
StartPoints startPoints(Start, std::int64_t pointsPerCell, const GridFrame&, const world::World&, const world::Fill&);

bool insideAny(std::span<const world::BodySnapshot>, const Vec3&);

/// What choosing among listed places needs to know of them, and of the points that are there already.
struct Places {
    double ownVolume = 0;                                   // of a point that the method itself would make [m³]
    FunctionRef<double(std::size_t place)> mass, volume;    // of the point to be put there
    FunctionRef<void(Room&)> fillRoom;                      // with the points near the places
};
/// Places of the list that are taken, in their order: a table's as they are but for those in bodies; an emitter's only where there
/// is room, up to its bounds.
std::vector<std::size_t> takenPlaces(const GridFrame&, const world::ListedGrains&, std::span<const world::BodySnapshot>, const Places&);

}  // namespace talus::mpm
