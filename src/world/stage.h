// SPDX-License-Identifier: Apache-2.0
// A part of a run: what it changes in the world, and when it is over.
#pragma once

#include "world/world.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace talus::world {

/// A length of time.
struct AfterTime {
    double seconds = 0;
};
/// The mean speed of the grains, weighted by mass, is below this.
struct WhenSlow {
    double speed = 0;            // [m/s]
};
/// The mass of the grains in a region is above or below this.
struct WhenMass {
    std::shared_ptr<const geometry::Shape> region;   // in world coordinates
    double limit = 0;            // [kg]
    bool above = false;
};

/// The latest value of a probe is above or below this; where it is unknown, neither.
struct WhenProbe {
    std::string probe, column;   // as in the table of the probe
    double limit = 0;            // in the unit of the column
    bool above = false;
};

struct Until {
    std::variant<AfterTime, WhenSlow, WhenMass, WhenProbe> condition;
    double hold = 0;             // how long it must hold without a break [s]
    double every = 0.01;         // simulated time between two looks [s]
    double atMost = 0;           // the stage is over after this at the latest [s]
    bool required = false;       // reaching that limit is a failure

    double longest() const;      // that the stage can last [s]
    bool timed() const { return std::holds_alternative<AfterTime>(condition); }
};

struct Stage {
    std::string name;
    std::optional<Until> until;              // the last stage may end with the run
    bool resetTime = false;                  // the clock shows 0 when it begins
    World world;                             // as the scene describes it in this stage
    /// What the stage gives and what therefore begins with it: "gravity", "bodies.gate.motion", "emitters.feed.rate",
    /// "forces[0].velocity". Materials, contacts and the air are always those of `world`.
    std::set<std::string> given = {};

    bool gives(const std::string& path) const { return given.contains(path); }
};

/// Makes the world what the stage says, at `time` of the clock, and keeps what has happened: poses, loads, ids, accounts. A
/// motion, schedule or window of time that the stage gives begins now, a motion from where its body is; others go on.
void enter(World&, const Stage&, double time);

}  // namespace talus::world
