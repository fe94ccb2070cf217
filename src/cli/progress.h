// SPDX-License-Identifier: Apache-2.0
// What `talus run` tells on stderr while it runs.
#pragma once

#include "run/frame_loop.h"

#include <chrono>
#include <optional>
#include <string>

namespace talus::cli {

enum class Verbosity { quiet, normal, verbose };

/// A bar on a terminal, a line every few seconds elsewhere.
class ProgressDisplay final : public run::Observer {
public:
    explicit ProgressDisplay(Verbosity);

    void stepped(const run::Progress&) override;
    void warned(const std::string&) override;
    /// Shows where the run stopped and ends the bar's line.
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    void show(const run::Progress&, Clock::time_point now);
    void endBar();
    std::string line(const run::Progress&, Clock::time_point now) const;

    Verbosity verbosity_;
    bool bar_, colour_;
    std::chrono::duration<double> interval_;
    Clock::time_point start_ = Clock::now(), shown_ = start_;
    std::optional<run::Progress> latest_;
    bool barShown_ = false;
    double startTime_ = 0;          // simulated, where this part of the run began [s]
};

std::string readableTime(double seconds);   // "1:05", "2:03:04"

/// Where the time went, a line per phase.
std::string timeTable(const run::Record&);

}  // namespace talus::cli
