// SPDX-License-Identifier: Apache-2.0
// --from DIR[@FRAME]: the grains of a frame of another run.
#include "run/run.h"

#include "io/vtp.h"

#include <fmt/format.h>

#include <charconv>

namespace talus::run {
namespace {

Path frameFile(const std::string& from) {
    const std::size_t at = from.rfind('@');
    const Path directory = from.substr(0, at);
    const Path series = directory / "frames" / "grains.vtp.series";
    if (!std::filesystem::exists(series)) throw Error(ExitCode::missing, fmt::format("--from: there is no run with frames in '{}'", directory.string()));
    const std::vector<io::FrameTime> frames = io::readVtpSeries(series);
    if (frames.empty()) throw Error(ExitCode::missing, fmt::format("--from: the run in '{}' has no frames", directory.string()));
    std::int64_t number = frames.back().number;
    if (at != std::string::npos) {
        const std::string_view text = std::string_view(from).substr(at + 1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || text.empty())
            throw Error(ExitCode::usage, fmt::format("--from: '{}' is not the number of a frame; write DIR@FRAME, for example {}@{}", text, directory.string(), frames.back().number));
    }
    const Path file = directory / "frames" / io::frameName(number);
    if (!std::filesystem::exists(file))
        throw Error(ExitCode::missing, fmt::format("--from: the run in '{}' has no frame {}; it has {} to {}", directory.string(), number, frames.front().number, frames.back().number));
    return std::filesystem::absolute(file);
}

}  // namespace

scene::Request requestOf(const Options& options) {
    scene::Request request = options.request;
    if (options.from) request.grains = frameFile(*options.from).string();
    return request;
}

}  // namespace talus::run
