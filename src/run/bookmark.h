// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.h"
#include "run/run_directory.h"
#include "run/series.h"

#include <cstdint>

namespace talus::run {

/// Where a run stands: what its checkpoint holds besides the state of the simulation.
struct Bookmark {
    double time = 0;                        // simulated [s]
    std::int64_t headingFrame = 0;          // the frame where it stands or is on its way to
    double headingTime = 0;                 // of that frame [s]
    std::int64_t nextFrame = 0;             // to write
    std::int64_t firstNumber = 0;           // of the file of frame 0
    AppendedLengths lengths;
    StartEnergy start;

    void save(Archive&) const;
    static Bookmark load(const Archive&);
};

}  // namespace talus::run
