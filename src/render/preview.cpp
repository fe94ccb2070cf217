// SPDX-License-Identifier: Apache-2.0
#include "render/preview.h"

#include "core/problems.h"
#include "render/image_files.h"
#include "render/studio.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::render {

namespace {

constexpr int kColumns = 3, kRows = 2, kGap = 6;

/// Evenly spread in number, first and last among them.
std::vector<io::FrameTime> moments(const std::vector<io::FrameTime>& frames, std::size_t count) {
    std::vector<io::FrameTime> chosen;
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(frames[k * (frames.size() - 1) / (count - 1)]);
    const auto same = [](const io::FrameTime& a, const io::FrameTime& b) { return a.number == b.number; };
    chosen.erase(std::unique(chosen.begin(), chosen.end(), same), chosen.end());
    return chosen;
}

ScreenImage contactSheet(const Exec& exec, const RunFiles& run) {
    PictureStyle style;
    style.width = 480, style.height = 360, style.samples = 4;
    style.timeStamp = true;
    Studio studio(exec, run, style);
    const std::vector<io::FrameTime> chosen = moments(run.frames(), kColumns * kRows);
    const int count = static_cast<int>(chosen.size()), columns = std::min(kColumns, count), rows = (count + kColumns - 1) / kColumns;
    ScreenImage sheet(columns * (style.width + kGap) + kGap, rows * (style.height + kGap) + kGap);
    for (int i = 0; i < count; ++i)
        paste(studio.take(chosen[static_cast<std::size_t>(i)]).screen, sheet, kGap + i % kColumns * (style.width + kGap), kGap + i / kColumns * (style.height + kGap));
    return sheet;
}

ScreenImage poster(const Exec& exec, const RunFiles& run) {
    PictureStyle style;
    style.samples = 4;
    return Studio(exec, run, style).take(run.frames().back()).screen;
}

}  // namespace

std::vector<std::string> makePreviews(const Exec& exec, const io::Path& directory) {
    std::vector<std::string> faults;
    const auto attempt = [&](std::string_view name, auto action) {
        try {
            action();
        } catch (const Error& error) {
            faults.push_back(fmt::format("{} was not made: {}", name, error.what()));
        }
    };
    attempt("preview.png", [&] {
        const RunFiles run(directory);
        writePng(directory / "preview.png", contactSheet(exec, run));
        writePng(directory / "poster.png", poster(exec, run));
    });
    attempt("plots.png", [&] {
        if (!makePlots(directory, directory / "plots.png"))
            throw Error(ExitCode::missing, "it needs the program gnuplot, and PATH has none (Debian: apt install gnuplot-nox)");
    });
    return faults;
}

}  // namespace talus::render
