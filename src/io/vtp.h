// SPDX-License-Identifier: Apache-2.0
// Frames as VTK XML PolyData, raw-appended, little endian: what ParaView, VTK, PyVista and meshio open directly.
#pragma once

#include "io/files.h"
#include "io/frame.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

/// "grains_000012.vtp"
std::string frameName(std::int64_t number);

/// Exact, or with positions rounded to a power of two of at most 1/64 of the smallest radius, and all arrays compressed by zlib.
enum class FrameStyle { exact, quantised };
inline constexpr std::array<std::string_view, 2> kFrameStyleNames{"exact", "quantised"};

/// The same bytes for the same frame: no date, no path.
void writeVtp(const Path&, Frame, FrameStyle = FrameStyle::exact);

/// Reads what writeVtp wrote; anything else is an Error with exit code 5.
Frame readVtp(const Path&);
Frame parseVtp(std::string bytes, const Path& name);

struct FrameTime {
    std::int64_t number = 0;
    double time = 0;   // [s]
};
/// grains.vtp.series: the times of the frame files beside it, for ParaView.
void writeVtpSeries(const Path&, const std::vector<FrameTime>&);
std::vector<FrameTime> readVtpSeries(const Path&);

}  // namespace talus::io
