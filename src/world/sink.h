// SPDX-License-Identifier: Apache-2.0
// Where grains leave the world, with an exact account of what left.
#pragma once

#include "core/archive.h"
#include "world/fill.h"

#include <cstdint>
#include <limits>
#include <string>

namespace talus::world {

struct SinkAccount {
    std::int64_t count = 0;
    double mass = 0;         // [kg]
    Vec3 momentum;           // with which grains left [kg m/s]

    void save(Archive&) const;
    static SinkAccount load(const Archive&);
};

struct Sink {
    std::string name;
    std::shared_ptr<const geometry::Shape> region;   // a plane takes all that lies behind it
    double begin = 0, end = std::numeric_limits<double>::infinity();   // [s]
    SinkAccount account;
};

}  // namespace talus::world
