// SPDX-License-Identifier: Apache-2.0
// Other programs: ffmpeg for videos, gnuplot for plots.
#pragma once

#include "io/files.h"

#include <optional>
#include <string>
#include <vector>

namespace talus::render {

/// Where PATH has it.
std::optional<io::Path> findProgram(const std::string& name);

struct ProgramResult {
    int code = 0;                 // 0: it went well; negative: ended by that signal
    std::string messages;         // the end of what it said
};
/// Runs it to its end, without a shell; its stdin is empty, what it says is kept.
ProgramResult runProgram(const io::Path&, const std::vector<std::string>& arguments);

/// A folder that goes away with this.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const io::Path& path() const { return path_; }

private:
    io::Path path_;
};

}  // namespace talus::render
