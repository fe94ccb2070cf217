// SPDX-License-Identifier: Apache-2.0
// The cases of a sweep, several at a time, each a process of its own: one that crashes is a row of the table like any other.
#pragma once

#include "core/function_ref.h"
#include "run/run.h"
#include "study/sweep.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::study {

using run::Path;

struct SweepOptions {
    std::optional<SweepPlan> plan;           // none: that of the sweep to resume
    Path program;                            // talus itself
    std::optional<Path> out;                 // ./SCENE-sweep unless given
    int jobs = 1, threads = 0;               // threads of each case; 0: the cores divided among the jobs
    bool resume = false, overwrite = false, previews = false;
};

struct SweepProgress {
    std::int64_t ended = 0, all = 0, running = 0;
    double secondsLeft = 0;                  // NaN: not known yet
    const std::string* news = nullptr;       // a line about a case that has just ended
};

struct SweepOutcome {
    ExitCode code = ExitCode::done;          // done: every case has its row
    Path folder;
    SweepRecord record;
};

/// Whether a folder is that of a sweep.
bool holdsSweep(const Path&);

/// Runs what has no row yet. Errors: a bad sweep, or a scene that no case can read (2), no such sweep (3), files (5).
SweepOutcome sweep(const SweepOptions&, FunctionRef<void(const SweepProgress&)> show, run::StopRequested);

}  // namespace talus::study
