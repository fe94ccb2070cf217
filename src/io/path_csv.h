// SPDX-License-Identifier: Apache-2.0
// The path of a body as a table of text.
#pragma once

#include <string_view>
#include <vector>

namespace talus::io {

struct PathTable {
    std::vector<double> times;           // [s], ascending
    std::vector<double> displacements;   // x, y, z, x, … [m]
    std::vector<double> rotationsDeg;    // rotation vectors in the same layout; empty: it does not turn
};

/// Columns by name (time, x, y, z; rx_deg, ry_deg, rz_deg or qw, qx, qy, qz; also time_s, x_m, …), or in that order where the
/// first line has numbers. Quaternions become rotation vectors without jumps. Throws std::runtime_error, "line 3: …".
PathTable parsePath(std::string_view text);

}  // namespace talus::io
