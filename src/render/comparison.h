// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: as a picture, as curves, as fields on one lattice, as a table of differences.
#pragma once

#include "core/function_ref.h"
#include "render/studio.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus::render {

struct ComparedRun {
    io::Path directory;
    std::string method;                        // as captions say it
    std::vector<std::string> settings;         // "friction_angle_deg = 30": in what it differs from the others
};

/// The plane of which slices are drawn.
struct SlicePlane {
    int axis = 1;                              // that it is normal to
    std::optional<double> position;            // [m]; the middle of the lattice unless given
};

struct ComparisonOptions {
    std::vector<ComparedRun> runs;             // the first is what the others are compared with
    io::Path out = "comparison.png";           // beside it: -plot.png, -fields.png, .csv
    std::vector<double> times;                 // [s]
    std::vector<std::int64_t> frames;          // of the first run, where no times are given
    int moments = 4;                           // where neither is
    std::optional<double> spacing;             // of the lattice [m]
    std::vector<std::string> fields;           // of kComparedFieldNames; empty: all that the runs have
    std::optional<SlicePlane> slice;           // unless given, upright and across the shorter horizontal side
    PictureStyle style;                        // of one picture
    int threads = 0;
};

struct ComparisonProgress {
    std::size_t done = 0, all = 0;             // pictures
    std::string_view doing;
};

struct ComparisonFiles {
    io::Path picture, plot, fields, table;
    std::vector<std::string> remarks;          // what is not as one would think
};
ComparisonFiles comparisonFiles(const io::Path& out);

/// Exit code 2 where options or runs do not fit together, 3 where something is missing. `progress` is called before each
/// step; it returns false to stop.
ComparisonFiles compareRuns(const ComparisonOptions&, FunctionRef<bool(const ComparisonProgress&)> progress);

}  // namespace talus::render
