// SPDX-License-Identifier: Apache-2.0
// What every run leaves behind to be looked at: preview.png, poster.png, plots.png.
#pragma once

#include "core/exec.h"
#include "io/files.h"

#include <string>
#include <vector>

namespace talus::render {

/// Six moments of a run side by side with their times in preview.png, its last frame in poster.png, and what it measured
/// in plots.png. Returns what could not be made and why.
std::vector<std::string> makePreviews(const Exec&, const io::Path& directory);

/// Energy, mass, speed, the method's metrics and each probe over time, drawn by gnuplot. False where there is no gnuplot.
bool makePlots(const io::Path& directory, const io::Path& picture);

}  // namespace talus::render
