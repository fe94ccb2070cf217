// SPDX-License-Identifier: Apache-2.0
// The stages of a run one after the other: which is on, since when, and whether it is over.
#pragma once

#include "core/function_ref.h"
#include "world/simulation.h"
#include "world/stage.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace talus::world {

/// The latest value in a column of a probe; NaN where it is unknown.
using LatestOfProbe = FunctionRef<double(const WhenProbe&)>;
inline constexpr auto noProbes = [](const WhenProbe&) { return std::numeric_limits<double>::quiet_NaN(); };

class Stages {
public:
    /// How a stage came to its end.
    enum class Ended { not_yet, time, condition, limit };
    struct Part {
        double begin = 0, end = 0;   // on the clock of the stage [s]; end: once it is over
        double offset = 0;           // of the clock: time since the start of the run is offset + clock [s]
        std::int64_t step = 0;       // steps done when it began
        Ended ended = Ended::not_yet;
    };

    explicit Stages(std::vector<Stage> stages = {});   // none: one part without a name that ends with the run

    bool any() const { return !stages_.empty(); }
    std::size_t current() const { return parts_.size() - 1; }
    bool last() const { return parts_.size() >= stages_.size(); }
    std::string_view name(std::size_t part) const { return any() ? std::string_view(stages_[part].name) : std::string_view(); }
    const std::vector<Part>& parts() const { return parts_; }   // begun so far
    bool finished() const { return parts_.back().ended != Ended::not_yet; }   // the last one met its condition
    /// The clock is set back when the present stage ends.
    bool resetsNext() const { return !last() && stages_[parts_.size()].resetTime; }
    const Stage& next() const { return stages_[parts_.size()]; }

    /// Time on the clock at which the present stage is over at the latest, for a run that ends at `end`.
    double latestEnd(double end) const;
    /// Longest time that the run can last from its start, for what has happened so far [s].
    double longest(double end) const;
    /// Simulated time since the start of the run, over all clocks [s].
    double sinceStart(double time) const { return parts_.back().offset + time; }

    /// Looks at the grains if a look is due; true when the condition of the stage has held long enough. Between steps.
    bool met(const Exec&, const Simulation&, LatestOfProbe = noProbes);
    /// The stage is over at `time`: because its condition was met, or since its time has passed; `limit` where that was a
    /// limit and not what was asked for.
    Ended finish(double time, bool conditionMet);
    bool limitIsFailure() const { return any() && stages_[current()].until && stages_[current()].until->required; }
    /// What was asked for and what is: "the mean speed is 0.2 m/s, not below 0.001 m/s".
    std::string unmet(const Exec&, const Simulation&, LatestOfProbe = noProbes) const;
    /// Begins the next stage in the simulation.
    void advance(Simulation&);

    /// The world as the stages so far have made it, but for what World::load brings.
    World world() const;

    void save(Archive&) const;
    void load(const Archive&);

private:
    std::vector<Stage> stages_;
    std::vector<Part> parts_{Part{}};
    std::int64_t looks_ = 0;                                                  // of the present stage
    double heldSince_ = std::numeric_limits<double>::quiet_NaN();             // [s], NaN: does not hold
};

/// Packed volume that emitters let out at most, for stages that last as long as they can and a run that ends at `end` [m³].
double emittedThrough(const std::vector<Stage>&, double end);

inline constexpr std::string_view kEndedNames[] = {"", "time", "condition", "limit"};   // in the order of Stages::Ended

}  // namespace talus::world
