// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_range.h"

#include "core/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace talus::cli {

namespace {

std::int64_t frameNumber(std::string_view text, std::int64_t otherwise) {
    if (text.empty()) return otherwise;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0)
        throw Error(ExitCode::usage, fmt::format("--frames: '{}' is not a frame number; write A:B, A:, :B or A", text));
    return number;
}

}  // namespace

std::vector<io::FrameTime> chosenFrames(const std::vector<io::FrameTime>& frames, std::string_view range) {
    std::vector<io::FrameTime> chosen;
    const std::size_t colon = range.find(':');
    const std::int64_t first = frameNumber(range.substr(0, colon), frames.front().number);
    const std::int64_t last = range.empty() ? frames.back().number : colon == std::string_view::npos ? first : frameNumber(range.substr(colon + 1), frames.back().number);
    std::ranges::copy_if(frames, std::back_inserter(chosen), [&](const io::FrameTime& f) { return f.number >= first && f.number <= last; });
    if (chosen.empty())
        throw Error(ExitCode::usage, fmt::format("--frames {} names no frame; the run has frames {} to {}", range, frames.front().number, frames.back().number));
    return chosen;
}

}  // namespace talus::cli
