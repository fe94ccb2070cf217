// SPDX-License-Identifier: Apache-2.0
// From what is measured of a real material, the angle at which it heaps up or rolls in a drum and its bulk density, to what dem needs: contact friction and
// rolling friction of a kind of grain. The experiment is done a few times, each time with the friction that those before it suggest.
#pragma once

#include "core/function_ref.h"
#include "study/sweep_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::study {

/// Where a growing function that is only known by noisy measurements reaches a value.
class RisingSearch {
public:
    struct Measured {
        double place = 0, value = 0;
    };
    RisingSearch(double low, double high, double first, double target, double tolerance)
        : low_(low), high_(high), first_(first), target_(target), tolerance_(tolerance) {}

    void add(const Measured& m) { known_.push_back(m); }
    /// Where to measure next; none where the target was met, lies beyond an end, or noise hides it.
    std::optional<double> next() const;
    /// The one nearest to the target; there must be one.
    const Measured& best() const;
    bool met() const;
    const std::vector<Measured>& known() const { return known_; }

private:
    double low_, high_, first_, target_, tolerance_;
    std::vector<Measured> known_;
};

struct Friction {
    double contact = 0, rolling = 0;
};
/// Grains hold each other better from 0 to 2: clumps first by friction, then by rolling friction as well; spheres, which roll away without it, by
/// rolling friction from the start.
Friction frictionAt(std::string_view shape, double place);

struct CalibrationOptions {
    std::string experiment = "heap";         // or "drum"
    double angle = 0;                        // at which the material heaps up, or its bed slopes in the drum [degrees]
    double tolerance = 1;                    // [degrees]
    std::optional<double> density;           // of the grains [kg/m³]
    std::optional<double> bulkDensity;       // [kg/m³]
    std::string shape = "tetra4";
    int mostRuns = 8;
    std::vector<std::string> sets;           // of the scene of the experiment's name
    Path program, out = "calibration";
    int threads = 0;
    bool resume = false, overwrite = false;
};

struct CalibrationRow {
    double place = 0, angle = 0, wallSeconds = 0;
};

struct CalibrationOutcome {
    ExitCode code = ExitCode::done;
    bool met = false;
    CalibrationRow best;
    std::vector<CalibrationRow> rows;
    double packingFraction = 0;              // 0: not asked for
};

/// Errors: what cannot be (2), an experiment that failed (4), no such calibration (3), files (5).
CalibrationOutcome calibrate(const CalibrationOptions&, FunctionRef<void(const CalibrationRow&)> show, run::StopRequested);

/// The tables that a scene needs for this material.
std::string calibratedTables(const CalibrationOptions&, const CalibrationOutcome&);

}  // namespace talus::study
