// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/frame_range.h"
#include "cli/signals.h"
#include "render/preview.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <exception>

namespace talus::cli {

#ifdef TALUS_HAS_RENDER

namespace {

using Clock = std::chrono::steady_clock;

/// "picture 12/60  frame 11  ETA 0:42" on one line of a terminal, or a line every few seconds.
class SequenceDisplay {
public:
    explicit SequenceDisplay(bool quiet) : quiet_(quiet) {}

    void show(const render::SequenceProgress& p) {
        const Clock::time_point now = Clock::now();
        const bool last = p.done == p.all;
        if (quiet_ || p.all == p.kept || (!bar_ && !last && now - shown_ < std::chrono::seconds(5))) return;
        shown_ = now;
        const double elapsed = std::chrono::duration<double>(now - start_).count();
        const std::size_t made = p.done - p.kept;
        const std::string left = made > 0 ? fmt::format("{:.0f} s", elapsed / static_cast<double>(made) * static_cast<double>(p.all - p.done)) : "?";
        const std::string line = fmt::format("picture {}/{}  frame {}  ETA {}", std::min(p.done + 1, p.all), p.all, p.frame, left);
        if (!bar_) tell(fmt::format("{}\n", line));
        else tell(fmt::format("\r\033[K{}{}", line, last ? "\n" : ""));
    }

private:
    bool quiet_, bar_ = ::isatty(STDERR_FILENO) == 1;
    Clock::time_point start_ = Clock::now(), shown_ = start_;
};

/// "last.jpg" is meant as one picture, and would become the name of a folder.
void refuseOtherPictures(const io::Path& out) {
    constexpr std::array<std::string_view, 12> kOthers{".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp", ".svg", ".pdf", ".mp4", ".png", ".exr"};
    std::string ending = out.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(kOthers, ending) == kOthers.end() || out.extension() == ".png" || out.extension() == ".exr") return;
    throw Error(ExitCode::usage, fmt::format("--out '{}': one picture is a .png or .exr file; a video is asked for by --video", out.string()));
}

}  // namespace

ExitCode execute(const RenderCommand& command) {
    render::SequenceOptions options = command.options;
    for (const std::string& clip : command.clips) options.style.clips.push_back(render::parseClip(clip));
    const render::RunFiles run(options.directory);
    if (options.out) refuseOtherPictures(*options.out);
    const bool single = options.out && (options.out->extension() == ".png" || options.out->extension() == ".exr");
    const std::vector<io::FrameTime> frames =
        single && command.frames.empty() ? std::vector{run.frames().back()} : chosenFrames(run.frames(), command.frames);
    const Signals signals;
    SequenceDisplay display(command.quiet);
    render::Studio::Seen seen;
    const io::Path made = render::drawSequence(run, frames, options, [&](const render::SequenceProgress& progress) {
        display.show(progress);
        seen = progress.seen;
        return !signals.stopRequested();
    });
    if (seen.all > 0 && seen.inside == 0) warn("no grain is in the last picture; --view fit looks at all of them");
    print(made.string() + "\n");
    return ExitCode::done;
}

std::vector<std::string> makePreviews(const run::Path& directory, int threads) {
    try {
        return render::makePreviews(Exec(threads), directory);
    } catch (const std::exception& error) {   // never a reason to call the run a failure
        return {fmt::format("the previews were not made: {}", error.what())};
    }
}

#else

std::vector<std::string> makePreviews(const run::Path&, int) { return {}; }

ExitCode execute(const RenderCommand&) {
    throw Error(ExitCode::usage, "this Talus makes no pictures: " TALUS_WITHOUT_PICTURES "; install the packages of tools/install-deps.sh and build it again");
}

#endif

}  // namespace talus::cli
