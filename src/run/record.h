// SPDX-License-Identifier: Apache-2.0
// run.json: what a run is doing and how fast. The only file that holds times of the clock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace talus::run {

/// A stage that has begun.
struct StageRecord {
    std::string name;
    double begin = 0;                 // simulated time since the start of the run [s]
    double clock = 0;                 // what the clock showed then [s]
    std::int64_t step = 0;            // steps done until then
    std::string ended;                // "time", "condition", "limit"; empty: it is the present one
};

struct Record {
    std::string status = "running";   // running, done, interrupted, failed
    std::string scene, version, method, precision, simd;
    std::uint64_t seed = 0;
    int threads = 0;
    std::int64_t grains = 0, frames = 0, steps = 0;
    double time = 0, endTime = 0;     // simulated [s]
    double wallSeconds = 0;           // over all resumed parts
    std::map<std::string, double> phaseSeconds;
    double grainStepsPerSecond = 0;   // over the time inside Method::step
    std::int64_t peakMemoryBytes = 0;
    std::map<std::string, std::int64_t> fallbacks;
    std::vector<std::string> warnings;
    std::vector<std::string> assets;  // names of the files in assets/
    std::string startedFrom;          // the run and its checkpoint or frame; empty: from the scene alone
    std::string refinedFrom;          // the run whose frames are its guides; empty: none
    std::vector<StageRecord> stages;  // none in a run without stages
    std::string failure;              // where the status is failed

    /// Goes on from the record of the part of the run before a resume: its name, how it ended, and what adds up.
    void carryOver(const Record& earlier);

    std::string json() const;
    /// Reads what json() wrote; an Error with exit code 5 names `origin`.
    static Record parse(std::string_view json, std::string_view origin);
};

}  // namespace talus::run
