// SPDX-License-Identifier: Apache-2.0
// Points with polygons or lines from VTK XML PolyData: meshes of bodies, force chains. Arrays inline as text or
// raw-appended with 64-bit lengths; what another writer compressed or encoded is refused with its reason.
#pragma once

#include "core/vec.h"
#include "io/files.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talus::io {

struct PolyArray {
    std::string name;
    std::size_t components = 1;
    std::vector<double> values;         // components side by side
};

struct PolyData {
    std::vector<Vec3f> points;          // [m]
    std::vector<std::vector<std::uint32_t>> polygons, lines;   // corners of each
    std::vector<PolyArray> pointData, cellData;                // cells: lines before polygons

    const PolyArray* findCellData(std::string_view name) const;
    const PolyArray* findPointData(std::string_view name) const;
};

/// An Error with exit code 5 where the file is not such data, or an index in it points nowhere.
PolyData readPolyData(const Path&);

}  // namespace talus::io
