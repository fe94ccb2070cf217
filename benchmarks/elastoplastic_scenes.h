// SPDX-License-Identifier: Apache-2.0
// What the benchmark of elastoplastic runs.
#pragma once

#include "elastoplastic/elastoplastic.h"
#include "world/world.h"

#include <array>
#include <string_view>

namespace talus::benchmark {

struct Scene {
    world::World world;
    elastoplastic::Settings settings;
};

/// column: 0.5 x 0.5 x 1 m, 5 cm above a rough floor, moving down at 2 m/s; all else has the grid that a column of as many points has.
/// collapse: the same column at rest on the floor. full: the same of two sands with hardening, with a paddle that turns in it and a free ball.
/// sheets, clumps, spray: all of it falling at 2 m/s; sheets of a cell, 8 cells apart; balls of 3 cells, 8 cells apart; points anywhere, one in four
/// cells, each with a velocity of its own of up to 0.5 m/s.
inline constexpr std::array<std::string_view, 6> kSceneNames{"column", "collapse", "full", "sheets", "clumps", "spray"};
Scene makeScene(std::string_view name, double points);

/// Of 35 MPa. collapse: a slab column. push: a bed that a plate pushes slowly.
world::World stiffScene(std::string_view name, double points);

}  // namespace talus::benchmark
