// SPDX-License-Identifier: Apache-2.0
// The four files of a comparison, each from what was found before.
#pragma once

#include "render/compared_fields.h"
#include "render/comparison.h"

#include <string>
#include <vector>

namespace talus::render {

/// The cells of one plane of the lattice.
struct Slice {
    int across = 0, up = 2;                    // axes of the picture
    int normal = 1, index = 0;                 // the cells with this number along the normal
    double position = 0;                       // of their centres [m]

    std::size_t columns(const world::Lattice& l) const { return static_cast<std::size_t>(l.cells[static_cast<std::size_t>(across)]); }
    std::size_t rows(const world::Lattice& l) const { return static_cast<std::size_t>(l.cells[static_cast<std::size_t>(up)]); }
    std::size_t cell(const world::Lattice&, std::size_t column, std::size_t row) const;
};
/// Exit code 2 where the position is beyond the lattice.
Slice sliceOf(const world::Lattice&, const std::optional<SlicePlane>&);

/// Values of a slice, row by row from below.
using SliceValues = std::vector<double>;

struct ComparedMoment {
    Moment moment;
    std::vector<std::vector<SliceValues>> values;              // [field][run]
    std::vector<std::vector<FieldDifference>> differences;     // [field][run], against the first run
    std::vector<double> mass, massOutside;                     // of each run [kg]
};

struct Comparison {
    std::vector<NamedRun> runs;
    std::vector<Moment> moments;
    std::vector<ComparedField> fields;
    CommonLattice lattice;
    Slice slice;
    std::vector<ComparedMoment> results;
};

/// A row per moment and run but the first: units in the header, cells that are unknown empty.
std::string differenceTable(const Comparison&, const ComparisonOptions&);

/// For each moment and field a row of slices: every run with one scale, then what it has more than the first run.
void drawSlices(const io::Path& gnuplot, const Comparison&, const io::Path& picture);

/// Curves of all runs over one another: energy, mass, height of the centre of mass, largest speed, and every probe. Returns a
/// remark where there were too many.
std::vector<std::string> drawCurves(const io::Path& gnuplot, const std::vector<NamedRun>&, const io::Path& picture);

/// The style of all pictures: one camera, one range of colours. Exit code 2 where it does not suit the runs or the picture gets too large.
PictureStyle sharedStyle(const Exec&, const Comparison&, const ComparisonOptions&);
/// A row of pictures for each run. `before` is called before each picture.
ScreenImage drawSheet(const Exec&, const Comparison&, const ComparisonOptions&, const PictureStyle&, FunctionRef<void()> before);

}  // namespace talus::render
