// SPDX-License-Identifier: Apache-2.0
// The world through its stages before the run: what motions that stages give will do, as far as that can be known.
#pragma once

#include "core/problems.h"
#include "world/stage.h"

namespace talus::world {

/// Goes through the stages as if each ended as late as it can, or as early. Free bodies stay where they begin.
class Rehearsal {
public:
    enum class Ends { late, early };
    explicit Rehearsal(Ends ends) : ends_(ends) {}

    /// Begins the stage when the one before is over, and refuses bodies that cross a periodic face before it ends itself; a stage
    /// without an end lasts until `end` of the clock. `reach`: as for check() (world/world.h).
    void enter(const Stage&, double end, const Vec3& reach, Problems&);

private:
    Ends ends_;
    World world_;
    double clock_ = 0;     // [s]
    bool begun_ = false;
};

}  // namespace talus::world
