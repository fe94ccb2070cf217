// SPDX-License-Identifier: Apache-2.0
#include "render/sequence.h"

#include "core/problems.h"
#include "render/image_files.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace talus::render {

namespace {

constexpr double kMostVideoRate = 60;

bool isPicture(const io::Path& path) { return path.extension() == ".png" || path.extension() == ".exr"; }

void write(const io::Path& path, const Picture& picture, const std::string& note) {
    if (path.extension() == ".exr") writeExr(path, picture.light, note);
    else writePng(path, picture.screen, note);
}

/// A picture that is kept must have been made with the options of the others.
void requireSameOptions(const io::Path& path, const std::string& wanted) {
    const std::string found = noteOf(path);
    if (found == wanted) return;
    if (found.empty()) throw Error(ExitCode::usage, fmt::format("--resume: '{}' does not say how it was made; remove it, or leave out --resume", path.string()));
    std::istringstream theirs(found), ours(wanted);
    for (std::string a, b; std::getline(theirs, a) && std::getline(ours, b);)
        if (a != b) throw Error(ExitCode::usage, fmt::format("--resume: '{}' was made with {}, not {}; give the same options, or leave out --resume", path.string(), a, b));
    throw Error(ExitCode::usage, fmt::format("--resume: '{}' was made by another version of Talus; leave out --resume", path.string()));
}

void checkOptions(const std::vector<io::FrameTime>& frames, const SequenceOptions& options) {
    if (options.video && options.format != "png") throw Error(ExitCode::usage, "--video is made of PNG pictures; leave out --format exr");
    if (options.out && isPicture(*options.out)) {
        if (options.resume) throw Error(ExitCode::usage, fmt::format("--resume goes on with a folder of pictures, but --out '{}' is one", options.out->string()));
        if (options.video) throw Error(ExitCode::usage, fmt::format("--out '{}' is one picture, but --video needs a folder for many", options.out->string()));
        if (frames.size() > 1)
            throw Error(ExitCode::usage, fmt::format("--out '{}' is one picture, but --frames names {}; give a folder, or one frame", options.out->string(), frames.size()));
    } else if (options.out && std::filesystem::exists(*options.out) && !std::filesystem::is_directory(*options.out)) {
        throw Error(ExitCode::usage, fmt::format("--out '{}' is a file; give a folder, or a name that ends in .png or .exr", options.out->string()));
    }
}

}  // namespace

std::string pictureName(std::int64_t frame, const std::string& format) { return fmt::format("picture_{:06}.{}", frame, format); }

io::Path drawSequence(const RunFiles& run, const std::vector<io::FrameTime>& frames, const SequenceOptions& options, FunctionRef<bool(const SequenceProgress&)> progress) {
    checkOptions(frames, options);
    if (options.video) requireFfmpeg();
    const Exec exec(options.threads);
    Studio studio(exec, run, options.style);
    const bool single = options.out && isPicture(*options.out);
    const io::Path folder = single ? io::Path{} : options.out.value_or(options.directory / "pictures");
    if (!single) io::createDirectories(folder);
    const std::string note = optionLines(studio.style());
    if (options.resume)
        for (const io::FrameTime& frame : frames)
            if (const io::Path file = folder / pictureName(frame.number, options.format); std::filesystem::exists(file)) requireSameOptions(file, note);
    SequenceProgress state{0, frames.size(), 0, frames.front().number, {}};
    for (const io::FrameTime& frame : frames) {
        const io::Path file = single ? *options.out : folder / pictureName(frame.number, options.format);
        state.frame = frame.number;
        if (options.resume && std::filesystem::exists(file)) {
            ++state.kept;
            ++state.done;
            continue;
        }
        if (!progress(state)) throw Error(ExitCode::interrupted, fmt::format("stopped after {} of {} pictures; go on with --resume", state.done, state.all));
        write(file, studio.take(frame), note);
        state.seen = studio.seen();
        ++state.done;
    }
    progress(state);
    if (!options.video) return single ? *options.out : folder;
    try {
        makeVideo(*options.video, folder, frames.front().number, frames.size(), options.videoRate.value_or(std::min(run.look().framesPerSecond, kMostVideoRate)));
    } catch (const Error&) {   // perhaps for the signal that stops us, too
        if (!progress(state)) throw Error(ExitCode::interrupted, "stopped while ffmpeg made the video; go on with --resume");
        throw;
    }
    return *options.video;
}

void requireFfmpeg() {
    if (!findProgram("ffmpeg")) throw Error(ExitCode::missing, "--video needs the program ffmpeg, and PATH has none; install it (Debian: apt install ffmpeg), or leave out --video for pictures alone");
}

void makeVideo(const io::Path& video, const io::Path& pictures, std::int64_t first, std::size_t count, double rate) {
    requireFfmpeg();
    const io::Path program = *findProgram("ffmpeg");
    io::Path unfinished = video;
    unfinished.replace_filename(fmt::format(".{}-unfinished{}", video.stem().string(), video.extension().string()));
    // Even sizes, as yuv420p asks; bitexact leaves the version of ffmpeg out of the file.
    const ProgramResult result = runProgram(program, {"-y", "-loglevel", "error", "-framerate", fmt::format("{}", rate), "-start_number", fmt::format("{}", first),
                                                      "-i", (pictures / "picture_%06d.png").string(), "-frames:v", fmt::format("{}", count), "-vf",
                                                      "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-crf", "18", "-fflags", "+bitexact", "-flags:v", "+bitexact", unfinished.string()});
    std::error_code failed;
    if (result.code == 0) std::filesystem::rename(unfinished, video, failed);
    if (result.code == 0 && !failed) return;
    std::error_code stays;
    std::filesystem::remove(unfinished, stays);
    throw Error(ExitCode::io, fmt::format("ffmpeg could not make '{}': {}", video.string(), failed ? failed.message() : result.messages));
}

}  // namespace talus::render
