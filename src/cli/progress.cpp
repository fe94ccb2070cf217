// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace talus::cli {

namespace {

constexpr double kBarSeconds = 0.2, kLineSeconds = 5, kVerboseSeconds = 1;

std::string readableRate(double rate) {
    if (rate >= 1e6) return fmt::format("{:.1f} M", rate / 1e6);
    if (rate >= 1e3) return fmt::format("{:.1f} k", rate / 1e3);
    return fmt::format("{:.0f} ", rate);
}

}  // namespace

std::string readableTime(double seconds) {
    const auto whole = static_cast<long>(seconds);
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

ProgressDisplay::ProgressDisplay(Verbosity verbosity)
    : verbosity_(verbosity), bar_(verbosity == Verbosity::normal && ::isatty(STDERR_FILENO) == 1),
      colour_(::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr),
      interval_(bar_ ? kBarSeconds : verbosity == Verbosity::verbose ? kVerboseSeconds : kLineSeconds) {}

void ProgressDisplay::stepped(const run::Progress& progress) {
    if (verbosity_ == Verbosity::quiet) return;
    const Clock::time_point now = Clock::now();
    const bool first = !latest_;
    latest_ = progress;
    if (first) {
        start_ = shown_ = now;
        startTime_ = progress.time;
    }
    if (first ? bar_ : now - shown_ >= interval_) show(progress, now);
}

void ProgressDisplay::show(const run::Progress& progress, Clock::time_point now) {
    shown_ = now;
    if (!bar_) {
        tell(fmt::format("{}\n", line(progress, now)));
        return;
    }
    constexpr int kWidth = 20;
    const int filled = std::clamp(static_cast<int>(kWidth * progress.time / std::max(progress.endTime, 1e-300)), 0, kWidth);
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(kWidth - filled), '-');
    tell(fmt::format("\r\033[K[{}{}{}] {}", colour_ ? "\033[33m" : "", bar, colour_ ? "\033[0m" : "", line(progress, now)));
    barShown_ = true;
}

std::string ProgressDisplay::line(const run::Progress& progress, Clock::time_point now) const {
    const double elapsed = std::chrono::duration<double>(now - start_).count(), advanced = progress.time - startTime_;
    const double rate = progress.stepSeconds > 0 ? static_cast<double>(progress.grainSteps) / progress.stepSeconds : 0;
    const std::string left = advanced > 0 ? readableTime(elapsed * (progress.endTime - progress.time) / advanced) : "?";
    const std::string stage = progress.stage.empty() ? "" : fmt::format("  stage {}", progress.stage);
    return fmt::format("frame {}/{}{}  {:.4g}/{:.4g} s  {} grains  {}grain-steps/s  ETA {}", std::max<std::int64_t>(progress.frame, 0), progress.lastFrame, stage,
                       progress.time, progress.endTime, progress.grains, readableRate(rate), left);
}

void ProgressDisplay::warned(const std::string& message) {
    endBar();
    warn(message);
}

void ProgressDisplay::finish() {
    if (bar_ && latest_) show(*latest_, Clock::now());
    endBar();
}

void ProgressDisplay::endBar() {
    if (barShown_) tell("\n");
    barShown_ = false;
}

std::string timeTable(const run::Record& record) {
    std::vector<std::pair<double, std::string>> rows;
    double rest = record.wallSeconds;
    for (const auto& [name, seconds] : record.phaseSeconds) {
        rows.emplace_back(seconds, name);
        rest -= seconds;
    }
    rows.emplace_back(std::max(rest, 0.0), "other");
    std::ranges::sort(rows, std::greater{});
    std::string table = "where the time went\n";
    for (const auto& [seconds, name] : rows)
        table += fmt::format("  {:<20}{:>10.2f} s{:>7.1f} %\n", name, seconds, record.wallSeconds > 0 ? 100 * seconds / record.wallSeconds : 0);
    return table + fmt::format("  {:<20}{:>10.2f} s   {}grain-steps/s while stepping\n", "all", record.wallSeconds, readableRate(record.grainStepsPerSecond));
}

}  // namespace talus::cli
