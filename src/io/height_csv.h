// SPDX-License-Identifier: Apache-2.0
// A grid of heights as text: a row a line, numbers separated by commas, semicolons or blanks, # begins a comment.
#pragma once

#include <string_view>
#include <vector>

namespace talus::io {

/// Rows of equal length, at least 2 x 2; anything else is a FileFault (io/mesh_file.h) with its line.
std::vector<std::vector<double>> parseHeights(std::string_view text);

}  // namespace talus::io
