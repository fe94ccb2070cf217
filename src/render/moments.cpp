// SPDX-License-Identifier: Apache-2.0
#include "render/moments.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

/// Times of frames are written with six digits and more.
constexpr double kSameTime = 1e-6;

struct Span {
    double first = 0, last = 0, interval = 0;   // [s]
};
Span spanOf(const RunFiles& run) {
    const auto [first, last] = std::ranges::minmax(run.frames(), {}, &io::FrameTime::time);
    const std::size_t gaps = run.frames().size() - 1;
    return {first.time, last.time, gaps > 0 ? (last.time - first.time) / static_cast<double>(gaps) : 0};
}

Span commonSpan(const std::vector<NamedRun>& runs) {
    Span common = spanOf(*runs.front().files);
    std::string list;
    for (const NamedRun& run : runs) {
        const Span span = spanOf(*run.files);
        common.first = std::max(common.first, span.first);
        common.last = std::min(common.last, span.last);
        list += fmt::format("{}'{}' has {:.6g} to {:.6g} s", list.empty() ? "" : ", ", run.name, span.first, span.last);
    }
    if (common.first > common.last + kSameTime) throw Error(ExitCode::usage, fmt::format("the runs have no time in common: {}", list));
    return common;
}

Moment momentAt(const std::vector<NamedRun>& runs, double time) {
    Moment moment{time, {}};
    for (const NamedRun& run : runs)
        moment.frames.push_back(*std::ranges::min_element(run.files->frames(), {}, [&](const io::FrameTime& f) { return std::abs(f.time - time); }));
    return moment;
}

void dropRepeated(std::vector<Moment>& moments) {
    const auto same = [](const Moment& a, const Moment& b) { return std::ranges::equal(a.frames, b.frames, {}, &io::FrameTime::number, &io::FrameTime::number); };
    moments.erase(std::unique(moments.begin(), moments.end(), same), moments.end());
}

}  // namespace

std::vector<Moment> momentsAt(const std::vector<NamedRun>& runs, const std::vector<double>& times) {
    const Span common = commonSpan(runs);
    std::vector<Moment> moments;
    for (const double time : times) {
        for (const NamedRun& run : runs) {
            const Span span = spanOf(*run.files);
            const double slack = 0.5 * span.interval + kSameTime;
            if (time < span.first - slack || time > span.last + slack)
                throw Error(ExitCode::usage, fmt::format("at {:.6g} s there is no frame of run '{}', which has {:.6g} to {:.6g} s; all runs have {:.6g} to {:.6g} s", time, run.name,
                                                         span.first, span.last, common.first, common.last));
        }
        moments.push_back(momentAt(runs, time));
    }
    dropRepeated(moments);
    return moments;
}

std::vector<Moment> commonMoments(const std::vector<NamedRun>& runs, std::size_t count) {
    const Span common = commonSpan(runs);
    std::vector<double> candidates;
    for (const io::FrameTime& frame : runs.front().files->frames())
        if (frame.time >= common.first - kSameTime && frame.time <= common.last + kSameTime) candidates.push_back(frame.time);
    if (candidates.empty()) candidates.push_back(common.last);
    std::vector<Moment> moments;
    for (std::size_t k = 0; k < count; ++k)
        moments.push_back(momentAt(runs, candidates[count == 1 ? candidates.size() - 1 : k * (candidates.size() - 1) / (count - 1)]));
    dropRepeated(moments);
    return moments;
}

std::vector<std::string> timesThatDiffer(const std::vector<NamedRun>& runs, const std::vector<Moment>& moments) {
    std::vector<std::string> lines;
    for (const Moment& moment : moments)
        for (std::size_t r = 0; r < runs.size(); ++r)
            if (std::abs(moment.frames[r].time - moment.time) > kSameTime)
                lines.push_back(fmt::format("run '{}' has no frame at {:.6g} s; its nearest, at {:.6g} s, stands for it", runs[r].name, moment.time, moment.frames[r].time));
    return lines;
}

}  // namespace talus::render
