// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/colour.h"
#include "render/comparison_parts.h"
#include "render/plot_panels.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus::render {

namespace {

constexpr std::size_t kMostCurves = 48;
constexpr int kMapWidth = 420, kMapMargin = 150, kMapLeast = 200, kMapMost = 560;   // pixels

std::string palette(std::string_view map) {
    constexpr int kSteps = 32;
    std::string text = "set palette defined (";
    for (int k = 0; k <= kSteps; ++k) {
        const Vec3f c = colourMapSrgb(map, static_cast<float>(k) / kSteps);
        text += fmt::format("{}{} {:.4f} {:.4f} {:.4f}", k > 0 ? "," : "", k, c.x, c.y, c.z);
    }
    return text + ")\n";
}

/// gnuplot draws an image of at least two by two: a single row or column is drawn as two halves.
struct Pixels {
    std::size_t columns, rows, perColumn, perRow;
    Pixels(const Slice& slice, const world::Lattice& l) : columns(slice.columns(l)), rows(slice.rows(l)), perColumn(columns == 1 ? 2 : 1), perRow(rows == 1 ? 2 : 1) {}

    std::string text(const SliceValues& values) const {
        std::string result;
        for (std::size_t row = 0; row < rows * perRow; ++row) {
            for (std::size_t column = 0; column < columns * perColumn; ++column) {
                const double v = values[row / perRow * columns + column / perColumn];
                result += std::isfinite(v) ? fmt::format("{:.7g} ", v) : "NaN ";
            }
            result += "\n";
        }
        return result;
    }
};

struct Range {
    double low = 0, high = 0;
    void take(double v) {
        if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    }
    /// Never of no width; of differences even on both sides of 0.
    std::string text(bool even) const {
        const double most = std::max(std::abs(low), std::abs(high));
        if (even) return fmt::format("[{:.6g}:{:.6g}]", most > 0 ? -most : -1.0, most > 0 ? most : 1.0);
        return fmt::format("[{:.6g}:{:.6g}]", low, high > low ? high : low + 1);
    }
};

SliceValues minus(const SliceValues& a, const SliceValues& b) {
    SliceValues values(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) values[i] = a[i] - b[i];
    return values;
}

class SlicePlotter {
public:
    SlicePlotter(const Comparison& c, const io::Path& folder) : c_(c), folder_(folder), pixels_(c.slice, c.lattice.cells()), values_(c.fields.size()), differences_(c.fields.size()) {
        for (const ComparedMoment& m : c.results)   // one scale for a field in all runs and moments
            for (std::size_t f = 0; f < c.fields.size(); ++f)
                for (std::size_t r = 0; r < c.runs.size(); ++r) {
                    for (const double v : m.values[f][r]) values_[f].take(v);
                    for (const double v : minus(m.values[f][r], m.values[f][0])) differences_[f].take(v);
                }
    }

    std::string script(const io::Path& drawing) {
        const world::Lattice& l = c_.lattice.cells();
        const double ratio = l.size[c_.slice.up] / l.size[c_.slice.across];
        const int height = std::clamp(static_cast<int>((kMapWidth - kMapMargin) * ratio) + kMapMargin, kMapLeast, kMapMost);
        const std::size_t columns = 2 * c_.runs.size() - 1, rows = c_.results.size() * c_.fields.size();
        constexpr int kTitle = 40;
        std::string text = fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,9'\nset output {}\nset encoding utf8\nset border lc rgb '#606060'\nset tics out nomirror\n"
                                       "set size ratio -1\nset rmargin 14\nset lmargin 10\nset xtics autofreq\nset xlabel '{} [m]'\nset ylabel '{} [m]'\nset xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n",
                                       static_cast<int>(columns) * kMapWidth, static_cast<int>(rows) * height + kTitle, gnuplotText(drawing.string()), "xyz"[c_.slice.across],
                                       "xyz"[c_.slice.up], l.origin[c_.slice.across], l.origin[c_.slice.across] + l.size[c_.slice.across], l.origin[c_.slice.up],
                                       l.origin[c_.slice.up] + l.size[c_.slice.up]);
        text += fmt::format("set multiplot layout {},{} title {}\n", rows, columns,
                            gnuplotText(fmt::format("cells at {} = {:.4g} m{}", "xyz"[c_.slice.normal], c_.slice.position, c_.lattice.domainsDiffer ? "; the part that all domains have in common" : "")));
        for (std::size_t m = 0; m < c_.results.size(); ++m)
            for (std::size_t f = 0; f < c_.fields.size(); ++f) addRow(m, f, text);
        return text + "unset multiplot\n";
    }

private:
    void addRow(std::size_t m, std::size_t f, std::string& text) {
        const ComparedMoment& result = c_.results[m];
        const auto field = static_cast<std::size_t>(c_.fields[f]);
        const std::string name = field == static_cast<std::size_t>(ComparedField::velocity) ? "speed" : field == static_cast<std::size_t>(ComparedField::volumeFraction) ? "volume fraction" : "pressure";
        text += palette("viridis") + fmt::format("set cbrange {}\nset cblabel {}\n", values_[f].text(false), gnuplotText(axisLabel(name, std::string(kComparedFieldUnits[field]))));
        for (std::size_t r = 0; r < c_.runs.size(); ++r) addMap(result.values[f][r], fmt::format("{}, t = {:.4g} s", c_.runs[r].name, result.moment.frames[r].time), text);
        text += palette("coolwarm") + fmt::format("set cbrange {}\nset cblabel {}\n", differences_[f].text(true), gnuplotText(axisLabel("difference", std::string(kComparedFieldUnits[field]))));
        for (std::size_t r = 1; r < c_.runs.size(); ++r)
            addMap(minus(result.values[f][r], result.values[f][0]), fmt::format("{} − {}", c_.runs[r].name, c_.runs[0].name), text);
    }
    void addMap(const SliceValues& values, const std::string& title, std::string& text) {
        const world::Lattice& l = c_.lattice.cells();
        const io::Path file = folder_ / fmt::format("map{}", maps_++);
        io::writeFile(file, pixels_.text(values));
        const double dx = l.size[c_.slice.across] / static_cast<double>(pixels_.columns * pixels_.perColumn), dy = l.size[c_.slice.up] / static_cast<double>(pixels_.rows * pixels_.perRow);
        const bool empty = std::ranges::none_of(values, [](double v) { return std::isfinite(v); });
        text += fmt::format("set title {}\n", gnuplotText(title));
        if (empty) text += "plot NaN notitle\n";   // an image without a value is an error
        else text += fmt::format("plot {} matrix using ({:.9g}+($1+0.5)*{:.9g}):({:.9g}+($2+0.5)*{:.9g}):3 with image notitle\n", gnuplotText(file.string()), l.origin[c_.slice.across], dx,
                                 l.origin[c_.slice.up], dy);
    }

    const Comparison& c_;
    io::Path folder_;
    Pixels pixels_;
    std::vector<Range> values_, differences_;
    int maps_ = 0;
};

}  // namespace

void drawSlices(const io::Path& gnuplot, const Comparison& c, const io::Path& picture) {
    const ScratchFolder scratch;
    const io::Path drawing = scratch.path() / "fields.png";
    drawWithGnuplot(gnuplot, SlicePlotter(c, scratch.path()).script(drawing), drawing, picture);
}

std::vector<std::string> drawCurves(const io::Path& gnuplot, const std::vector<NamedRun>& runs, const io::Path& picture) {
    std::vector<Panel> panels;
    std::map<std::string, std::size_t> panelOf;   // by table and column
    const auto add = [&](const PlotTable& table, const TableColumn& column, const std::string& title, const NamedRun& run) {
        if (!table.filled.contains(column.number)) return;
        const auto [at, isNew] = panelOf.try_emplace(title + "/" + column.name, panels.size());
        if (isNew) panels.push_back({title, axisLabel(column.label, column.unit), {}});
        panels[at->second].curves.push_back({table.file, column.number, run.name});
    };
    for (const NamedRun& run : runs)
        if (const io::Path series = run.files->directory() / "series.csv"; std::filesystem::exists(series)) {
            const PlotTable table = readPlotTable(series);
            for (const char* name : {"kinetic_energy_J", "mass_kg", "com_z_m", "max_speed_m_s"})
                if (const TableColumn* column = table.find(name)) add(table, *column, column->label, run);
        }
    for (const NamedRun& run : runs)
        for (const io::Path& file : probeTables(run.files->directory())) {
            const PlotTable table = readPlotTable(file);
            if (!table.overTime) continue;   // a map or profile per sample, not a curve
            for (std::size_t i = 1; i < table.columns.size(); ++i) add(table, table.columns[i], file.stem().string(), run);
        }
    if (panels.empty()) throw Error(ExitCode::missing, fmt::format("there is nothing to plot: neither series.csv nor probes of run '{}' have a row", runs.front().name));
    std::vector<std::string> remarks;
    if (panels.size() > kMostCurves) {
        remarks.push_back(fmt::format("the plot shows {} of {} columns of the probes", kMostCurves, panels.size()));
        panels.resize(kMostCurves);
    }
    drawPanels(gnuplot, panels, picture);
    return remarks;
}

}  // namespace talus::render
