// SPDX-License-Identifier: Apache-2.0
#include "world/rehearsal.h"

#include <algorithm>

namespace talus::world {

void Rehearsal::enter(const Stage& stage, double end, const Vec3& reach, Problems& problems) {
    if (!begun_) world_ = stage.world;
    else world::enter(world_, stage, clock_);
    if (begun_ && stage.resetTime) clock_ = 0;
    begun_ = true;
    world_.time = clock_;
    if (!stage.until) clock_ = std::max(clock_, end);
    else clock_ += ends_ == Ends::late || stage.until->timed() ? stage.until->longest() : stage.until->every + stage.until->hold;
    checkPeriodic(world_, clock_, reach, problems);
}

}  // namespace talus::world
