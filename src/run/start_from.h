// SPDX-License-Identifier: Apache-2.0
// --from DIR: the state of another run goes on in a new scene.
#pragma once

#include "run/run.h"

#include <string>

namespace talus::run {

/// What became of --from: from where the grains were taken, and why not with all their state.
struct TakenFrom {
    std::string what;       // "bed-dem, checkpoint at 0.6 s"
    std::string obstacle;   // empty: the state was taken over as it is, or a frame was asked for
    std::int64_t removed;   // grains that bodies stand in the way of
};

/// Hands the state of the run's last checkpoint to a simulation that has not begun, instead of the table that requestOf() gave to the
/// scene; where it does not fit, the table stays. The simulation is then a new one.
TakenFrom takeOver(const Exec&, const std::string& from, const scene::Scene&, scene::Methods, world::Simulation&);

}  // namespace talus::run
