// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.h"
#include "run/run_directory.h"
#include "run/series.h"

#include <cstdint>
#include <vector>

namespace talus::run {

/// Where a run stands: what its checkpoint holds besides the state of the simulation.
struct Bookmark {
    double time = 0;                        // on the clock [s]
    std::int64_t headingTick = 0;           // the frame of the clock where it stands or is on its way to
    double headingTime = 0;                 // of that frame [s]
    std::int64_t nextTick = 0;              // frame of the clock to come
    std::vector<double> frameTimes;         // of all frames so far, since the start of the run [s]
    std::int64_t firstNumber = 0;           // of the file of frame 0
    AppendedLengths lengths;
    StartEnergy start;

    void save(Archive&) const;
    static Bookmark load(const Archive&);
};

}  // namespace talus::run
