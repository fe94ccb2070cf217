// SPDX-License-Identifier: Apache-2.0
// Fine grains for a finished run: its frames become guides, nothing is simulated again.
#pragma once

#include "run/run.h"

#include <cstdint>

namespace talus::run {

struct RefineOptions {
    Path directory;              // of the finished run
    std::int64_t factor = 32;    // fine grains for each of its grains
    Options run;                 // as of a run, without a scene: sets may change [guided]
};

/// A run of the same scene with method `guided`, whose guides are the frames of the run in the directory. Extra fields of the scene are left out, and
/// probes of forces or of fields that fine grains do not have. Stages end when they did in that run. Errors: as of run(); no run or fewer than two frames (3).
Outcome refine(const RefineOptions&, scene::Methods, Observer&, StopRequested);

}  // namespace talus::run
