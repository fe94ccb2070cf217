// SPDX-License-Identifier: Apache-2.0
// Pictures of many frames, one after the other, and the video made of them.
#pragma once

#include "core/function_ref.h"
#include "render/studio.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::render {

struct SequenceOptions {
    io::Path directory;                       // of the run
    std::optional<io::Path> out;              // a folder; or a .png or .exr file, for one frame. DIR/pictures unless given
    std::string format = "png";               // of the files in a folder: png or exr
    PictureStyle style;
    std::optional<io::Path> video;
    std::optional<double> videoRate;          // frames per second; as many as the run has of simulated time, at most 60
    bool resume = false;                      // keep pictures that are there
    int threads = 0;
};

struct SequenceProgress {
    std::size_t done = 0, all = 0, kept = 0;  // kept: were there already
    std::int64_t frame = 0;
    Studio::Seen seen;
};

/// "picture_000012.png"
std::string pictureName(std::int64_t frame, const std::string& format);

/// Returns what was made: the video, the file or the folder. `progress` is called before each picture and at the end; it
/// returns false to stop.
io::Path drawSequence(const RunFiles&, const std::vector<io::FrameTime>&, const SequenceOptions&, FunctionRef<bool(const SequenceProgress&)> progress);

/// Exit code 3 where there is no ffmpeg, 5 where it fails.
void requireFfmpeg();
void makeVideo(const io::Path& video, const io::Path& pictures, std::int64_t first, std::size_t count, double rate);

}  // namespace talus::render
