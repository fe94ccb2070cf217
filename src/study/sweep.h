// SPDX-License-Identifier: Apache-2.0
// A sweep: one scene run for every combination of several values of some of its keys.
#pragma once

#include "run/measurements.h"
#include "scene/scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::study {

/// A key or parameter of the scene, or "method", with the values that it takes.
struct Variation {
    std::string key;
    std::vector<std::string> values;

    bool varies() const { return values.size() > 1; }
};

/// "KEY=1,2,4", "KEY=1:5" (whole numbers, both ends included), "KEY=0.1:0.5:0.1". Commas in brackets, braces and quotes belong to
/// a value. Exit code 2 where it is none of these.
Variation parseVariation(std::string_view text);

/// Exit code 2 where a value comes twice: two cases would be the same.
void requireDistinct(std::string_view option, const std::vector<std::string>& values);

/// What a sweep is: the same in the folder and on the command line that resumes it.
struct SweepPlan {
    scene::Request request;                 // without what varies
    std::vector<Variation> variations;      // the last one changes fastest

    std::int64_t cases() const;
    /// The value of each variation in a case, counted from 0.
    std::vector<std::string> valuesOf(std::int64_t number) const;
    /// What to ask for in that case.
    scene::Request requestOf(std::int64_t number) const;
    /// "001": folder of a case, counted from 1.
    std::string folderOf(std::int64_t number) const;
};

/// How a case ended.
struct CaseOutcome {
    int exitCode = 0;                       // negative: ended by that signal
    double wallSeconds = 0;
    std::string message;                    // what it said last, where it failed
    std::vector<run::Result> results = {};       // of its probes
    std::int64_t grains = 0, steps = 0;
    double time = 0;                        // that it reached [s]

    /// It was asked to stop and left a checkpoint.
    bool stopped() const;
    /// Stopped from outside, perhaps before it could listen: to be run again or gone on with.
    bool unfinished() const;
};

/// sweep.json: the plan and the outcomes so far, for --resume.
struct SweepRecord {
    SweepPlan plan;
    std::vector<std::optional<CaseOutcome>> outcomes = {};   // by case
    std::string scene = {};                                  // fingerprint of the first case that can be read

    std::string json() const;
    /// Exit code 5 where it is damaged; `origin` is named.
    static SweepRecord parse(std::string_view json, std::string_view origin);
};

/// A column of sweep.csv after those of every case: a result of a probe.
struct SweepColumn {
    std::string probe, name, unit;

    std::string title() const;              // "outflow.Q_kg_s"
    /// NaN where the case has none.
    double valueIn(const CaseOutcome&) const;
};
/// In the order in which the cases first have them.
std::vector<SweepColumn> columnsOf(const SweepRecord&);

/// sweep.csv: a row for each case that has ended.
std::string sweepTable(const SweepRecord&);

}  // namespace talus::study
