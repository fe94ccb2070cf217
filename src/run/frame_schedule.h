// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace talus::run {

/// When frames are written on the clock of a stage (or of a run without stages): at k / framesPerSecond, and a last one at
/// `end` where that is none of these.
class FrameSchedule {
public:
    FrameSchedule(double end, double framesPerSecond, std::optional<std::int64_t> limit = {}) : end_(end), framesPerSecond_(framesPerSecond) {
        regular_ = lastUntil(end);
        last_ = regular_ + (time(regular_) < end * (1 - kRounding) ? 1 : 0);
        if (limit) last_ = std::min(last_, *limit);
    }

    double time(std::int64_t frame) const { return isRegular(frame) ? static_cast<double>(frame) / framesPerSecond_ : end_; }
    std::int64_t last() const { return last_; }
    double end() const { return end_; }
    double interval() const { return 1 / framesPerSecond_; }   // [s]
    /// The first one after a time at which one was written.
    std::int64_t firstAfter(double time) const { return lastUntil(time) + 1; }
    /// Its time does not depend on the end of the run.
    bool isRegular(std::int64_t frame) const { return frame <= regular_; }

private:
    static constexpr double kRounding = 1e-9;   // of a frame: 0.1 s at 30 frames/s ends with frame 3
    std::int64_t lastUntil(double time) const {
        const double frames = time * framesPerSecond_;
        return static_cast<std::int64_t>(std::floor(frames + kRounding * std::max(1.0, frames)));
    }

    double end_, framesPerSecond_;
    std::int64_t regular_ = 0, last_ = 0;
};

}  // namespace talus::run
