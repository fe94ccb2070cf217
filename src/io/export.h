// SPDX-License-Identifier: Apache-2.0
// Frames for other programs: CSV, PLY (binary), NPZ (NumPy).
#pragma once

#include "io/files.h"
#include "io/frame.h"

#include <array>
#include <string_view>

namespace talus::io {

enum class ExportFormat { csv, ply, npz };
inline constexpr std::array<std::string_view, 3> kExportFormatNames{"csv", "ply", "npz"};

/// CSV: one row a grain, vectors as name_x, name_y, name_z (position as x, y, z). PLY: the same as vertex properties.
/// NPZ: one array a field and the scalar `time`.
void exportFrame(const Path&, const Frame&, ExportFormat);

}  // namespace talus::io
