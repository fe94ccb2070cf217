// SPDX-License-Identifier: Apache-2.0
// Fine grains for a finished run: its frames become guides, nothing is simulated again.
#pragma once

#include "run/run.h"

#include <cstdint>

namespace talus::run {

struct RefineOptions {
    Path directory;                      // of the finished run; to resume, none or that of the refined run will do
    std::optional<std::int64_t> factor;  // fine grains for each of its grains; 32 unless given
    Options run;                         // as of a run, without a scene: sets may change [guided]
};

/// A run of the same scene with method `guided`, whose guides are the frames of the run in the directory. Extra fields of the scene are left out, and
/// probes of forces or of fields that fine grains do not have. Stages end when they did in that run. Errors: as of run(); no run or fewer than two frames (3).
Outcome refine(const RefineOptions&, scene::Methods, Observer&, StopRequested);

/// The run that the run in a folder was refined from; empty where it was not, or where nothing is known of it.
std::string refinedFrom(const Path& directory);

/// Goes on with the refined run in options.out by what its folder says. Errors: as of run(); the run that it was refined from is no longer there (3).
Outcome resumeRefined(const Options&, scene::Methods, Observer&, StopRequested);

}  // namespace talus::run
