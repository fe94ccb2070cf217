// SPDX-License-Identifier: Apache-2.0
// The same moments of several runs, as far as their frames have them.
#pragma once

#include "render/run_files.h"

#include <string>
#include <vector>

namespace talus::render {

/// A run that is compared, and what it is called in pictures and messages.
struct NamedRun {
    const RunFiles* files = nullptr;
    std::string name;
};

struct Moment {
    double time = 0;                       // asked for [s]
    std::vector<io::FrameTime> frames;     // the nearest of each run
};

/// Moments at these times. Exit code 2 where one of them is beyond the frames of a run by more than half the time between two.
std::vector<Moment> momentsAt(const std::vector<NamedRun>&, const std::vector<double>& times);
/// `count` frames of the first run, spread evenly over the time that all runs have. Exit code 2 where they have none in common.
std::vector<Moment> commonMoments(const std::vector<NamedRun>&, std::size_t count);

/// A sentence for each frame that was not written at the time asked for.
std::vector<std::string> timesThatDiffer(const std::vector<NamedRun>&, const std::vector<Moment>&);

}  // namespace talus::render
