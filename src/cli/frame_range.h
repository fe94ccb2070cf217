// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/vtp.h"

#include <string_view>
#include <vector>

namespace talus::cli {

/// The frames that "A:B", "A:", ":B" or "A" names, both ends included; an empty range is an Error with exit code 2.
std::vector<io::FrameTime> chosenFrames(const std::vector<io::FrameTime>& frames, std::string_view range);

}  // namespace talus::cli
