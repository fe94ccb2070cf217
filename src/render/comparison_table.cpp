// SPDX-License-Identifier: Apache-2.0
#include "render/comparison_parts.h"

#include "core/problems.h"
#include "io/csv_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

std::string cellNumber(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string header(const Comparison& c) {
    std::string text = "moment_s,run,method,time_s,reference,reference_time_s,mass_kg,reference_mass_kg,mass_outside_kg,reference_mass_outside_kg,lattice_x_m,lattice_y_m,lattice_z_m,cell_x_m,cell_y_m,cell_z_m,cells_x,cells_y,cells_z";
    for (const ComparedField field : c.fields) {
        const std::string name(kComparedFieldNames[static_cast<std::size_t>(field)]);
        const std::string unit = field == ComparedField::velocity ? "_m_s" : field == ComparedField::pressure ? "_Pa" : "";
        text += fmt::format(",{0}_cells,{0}_L1{1},{0}_L2{1},{0}_L1_relative,{0}_L2_relative", name, unit);
    }
    return text + "\n";
}

}  // namespace

std::string differenceTable(const Comparison& c, const ComparisonOptions& options) {
    std::string text = header(c);
    const world::Lattice& lattice = c.lattice.cells();
    for (const ComparedMoment& m : c.results)
        for (std::size_t r = 1; r < c.runs.size(); ++r) {
            text += fmt::format("{},{},{},{},{},{}", cellNumber(m.moment.time), io::csvCell(c.runs[r].name), io::csvCell(options.runs[r].method), cellNumber(m.moment.frames[r].time),
                                io::csvCell(c.runs[0].name), cellNumber(m.moment.frames[0].time));
            text += fmt::format(",{},{},{},{}", cellNumber(m.mass[r]), cellNumber(m.mass[0]), cellNumber(m.massOutside[r]), cellNumber(m.massOutside[0]));
            for (int axis = 0; axis < 3; ++axis) text += "," + cellNumber(lattice.origin[axis]);
            for (int axis = 0; axis < 3; ++axis) text += "," + cellNumber(lattice.size[axis] / lattice.cells[static_cast<std::size_t>(axis)]);
            text += fmt::format(",{},{},{}", lattice.cells[0], lattice.cells[1], lattice.cells[2]);
            for (std::size_t f = 0; f < c.fields.size(); ++f) {
                const FieldDifference& d = m.differences[f][r];
                text += fmt::format(",{},{},{},{},{}", d.cells, cellNumber(d.l1), cellNumber(d.l2), cellNumber(d.relativeL1), cellNumber(d.relativeL2));
            }
            text += "\n";
        }
    return text;
}

Slice sliceOf(const world::Lattice& lattice, const std::optional<SlicePlane>& plane) {
    Slice slice;
    slice.normal = plane ? plane->axis : lattice.size.x < lattice.size.y ? 0 : 1;
    slice.across = slice.normal == 0 ? 1 : 0;
    slice.up = slice.normal == 2 ? 1 : 2;
    const int n = lattice.cells[static_cast<std::size_t>(slice.normal)];
    const double least = lattice.origin[slice.normal], size = lattice.size[slice.normal];
    slice.index = n / 2;
    if (plane && plane->position) {
        const double at = (*plane->position - least) / size * n;
        if (!(at >= 0 && at <= n))
            throw Error(ExitCode::usage, fmt::format("--slice {}={:.6g}: the lattice goes from {:.6g} to {:.6g} m", "xyz"[slice.normal], *plane->position, least, least + size));
        slice.index = std::min(static_cast<int>(at), n - 1);
    }
    slice.position = least + (slice.index + 0.5) / n * size;
    return slice;
}

std::size_t Slice::cell(const world::Lattice& l, std::size_t column, std::size_t row) const {
    std::array<std::size_t, 3> at{};
    at[static_cast<std::size_t>(across)] = column;
    at[static_cast<std::size_t>(up)] = row;
    at[static_cast<std::size_t>(normal)] = static_cast<std::size_t>(index);
    return (at[2] * static_cast<std::size_t>(l.cells[1]) + at[1]) * static_cast<std::size_t>(l.cells[0]) + at[0];
}

}  // namespace talus::render
