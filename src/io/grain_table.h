// SPDX-License-Identifier: Apache-2.0
// Tables of grains from files: CSV, NPZ (NumPy) and VTP (frames of other runs, ParaView). Columns go by the names of fields, in SI units.
#pragma once

#include "io/files.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

struct GrainColumn {
    std::string name;
    std::size_t components = 1;
    std::vector<double> values;   // components of a grain side by side
};
struct GrainColumns {
    std::size_t count = 0;
    std::vector<GrainColumn> columns;

    const GrainColumn* find(std::string_view name) const;
};

/// What is wrong with the contents of a file.
struct TableFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A header line of names and a line of numbers per grain: x, y, z, velocity_x, …, stress_xx, …, mass, radius; what export writes.
GrainColumns parseGrainCsv(std::string_view text);
/// Arrays by name, each of shape (grains) or (grains, components): what numpy.savez and export write. Not compressed.
GrainColumns parseGrainNpz(std::string_view bytes);

/// The points of VTK XML PolyData and their arrays with 1, 3 or 6 components: frames of Talus, and what ParaView writes uncompressed.
GrainColumns parseGrainVtp(std::string_view bytes);

/// Whether its name ends like that of a table that can be read.
bool isGrainTable(const Path& name);
/// By the ending of the name, for one that isGrainTable(). A TableFault says what is wrong.
GrainColumns parseGrains(std::string_view bytes, const Path& name);

}  // namespace talus::io
