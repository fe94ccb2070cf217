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
    Range shown(bool even) const {
        const double most = std::max(std::abs(low), std::abs(high));
        if (even) return most > 0 ? Range{-most, most} : Range{-1, 1};
        return {low, high > low ? high : low + 1};
    }
    double width(bool even) const { return shown(even).high - shown(even).low; }
    std::string text(bool even) const { return fmt::format("[{:.6g}:{:.6g}]", shown(even).low, shown(even).high); }
};

SliceValues minus(const SliceValues& a, const SliceValues& b) {
    SliceValues values(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) values[i] = a[i] - b[i];
    return values;
}

/// Places of the maps in pixels: all of one size, a colour bar after the last of each kind, labels along the edges of the sheet only.
struct MapSheet {
    static constexpr int kWidest = 360, kHighest = 420, kNarrowest = 120, kLowest = 60;
    static constexpr int kLeft = 74, kTop = 36, kBottom = 48, kGap = 16, kTitle = 24, kBar = 104;
    int width, height, runs, rows;

    MapSheet(double across, double up, std::size_t runCount, std::size_t rowCount) : runs(static_cast<int>(runCount)), rows(static_cast<int>(rowCount)) {
        const double scale = std::min(kWidest / across, kHighest / up);   // [pixels/m], the same both ways unless a map would be a line
        width = std::max(kNarrowest, static_cast<int>(scale * across));
        height = std::max(kLowest, static_cast<int>(scale * up));
    }
    int columns() const { return 2 * runs - 1; }
    int sheetWidth() const { return left(columns() - 1) + width + kBar; }
    int sheetHeight() const { return kTop + rows * (height + kTitle + kGap) + kBottom; }
    int left(int column) const { return kLeft + column * (width + kGap) + (column >= runs ? kBar : 0); }
    int top(int row) const { return kTop + kTitle + row * (height + kTitle + kGap); }
    std::string margins(int column, int row) const {
        const auto part = [](int at, int whole) { return static_cast<double>(at) / whole; };
        return fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\nset tmargin at screen {:.6f}\nset bmargin at screen {:.6f}\n", part(left(column), sheetWidth()),
                           part(left(column) + width, sheetWidth()), 1 - part(top(row), sheetHeight()), 1 - part(top(row) + height, sheetHeight()));
    }
};

/// 1, 2 or 5 times a power of ten, so that labels have this much room or more [pixels].
double ticStep(double range, int pixels, int room) {
    const double least = range * room / pixels, power = std::pow(10, std::floor(std::log10(least)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= least) return digit * power;
    return 10 * power;
}

class SlicePlotter {
public:
    SlicePlotter(const Comparison& c, const io::Path& folder) : c_(c), folder_(folder), pixels_(c.slice, c.lattice.cells()), values_(c.fields.size()), differences_(c.fields.size()),
          sheet_(c.lattice.cells().size[c.slice.across], c.lattice.cells().size[c.slice.up], c.runs.size(), c.results.size() * c.fields.size()) {
        for (const ComparedMoment& m : c.results)   // one scale for a field in all runs and moments
            for (std::size_t f = 0; f < c.fields.size(); ++f)
                for (std::size_t r = 0; r < c.runs.size(); ++r) {
                    for (const double v : m.values[f][r]) values_[f].take(v);
                    for (const double v : minus(m.values[f][r], m.values[f][0])) differences_[f].take(v);
                }
    }

    std::string script(const io::Path& drawing) {
        const world::Lattice& l = c_.lattice.cells();
        const double x = l.origin[c_.slice.across], z = l.origin[c_.slice.up], across = l.size[c_.slice.across], up = l.size[c_.slice.up];
        std::string text = fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,9'\nset output {}\nset encoding utf8\nset border lc rgb '#606060'\nset tics out nomirror\n"
                                       "set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\nset xtics {:.6g}\nset ytics {:.6g}\nset title offset 0,-0.6\n",
                                       sheet_.sheetWidth(), sheet_.sheetHeight(), gnuplotText(drawing.string()), x, x + across, z, z + up, ticStep(across, sheet_.width, 56),
                                       ticStep(up, sheet_.height, 22));
        text += "set multiplot\n";
        text += fmt::format("set label 1 {} at screen 0.5, screen {:.6f} center\n",
                            gnuplotText(fmt::format("cells at {} = {:.4g} m{}", "xyz"[c_.slice.normal], c_.slice.position, c_.lattice.domainsDiffer ? "; the part that all domains have in common" : "")),
                            1 - 0.5 * MapSheet::kTop / sheet_.sheetHeight());
        int row = 0;
        for (const ComparedMoment& result : c_.results)
            for (std::size_t f = 0; f < c_.fields.size(); ++f) addRow(result, f, row++, text);
        return text + "unset multiplot\n";
    }

private:
    void addRow(const ComparedMoment& result, std::size_t f, int row, std::string& text) {
        const auto field = static_cast<std::size_t>(c_.fields[f]);
        const std::string name = field == static_cast<std::size_t>(ComparedField::velocity) ? "speed" : field == static_cast<std::size_t>(ComparedField::volumeFraction) ? "volume fraction" : "pressure";
        const std::string unit(kComparedFieldUnits[field]);
        const int runs = static_cast<int>(c_.runs.size());
        const auto scale = [&](const char* map, const Range& range, bool even, const std::string& label) {
            text += palette(map) + fmt::format("set cbrange {}\nset cbtics {:.6g}\nset cblabel {}\n", range.text(even), ticStep(range.width(even), sheet_.height, 22), gnuplotText(axisLabel(label, unit)));
        };
        scale("viridis", values_[f], false, name);
        for (int r = 0; r < runs; ++r) {
            const auto run = static_cast<std::size_t>(r);
            addMap(result.values[f][run], fmt::format("{}, t = {:.4g} s", c_.runs[run].name, result.moment.frames[run].time), r, row, r == runs - 1, text);
        }
        scale("coolwarm", differences_[f], true, "difference");
        for (int r = 1; r < runs; ++r) {
            const auto run = static_cast<std::size_t>(r);
            addMap(minus(result.values[f][run], result.values[f][0]), fmt::format("{} − {}", c_.runs[run].name, c_.runs[0].name), runs + r - 1, row, r == runs - 1, text);
        }
    }
    void addMap(const SliceValues& values, const std::string& title, int column, int row, bool bar, std::string& text) {
        const world::Lattice& l = c_.lattice.cells();
        const io::Path file = folder_ / fmt::format("map{}", maps_++);
        io::writeFile(file, pixels_.text(values));
        const double dx = l.size[c_.slice.across] / static_cast<double>(pixels_.columns * pixels_.perColumn), dy = l.size[c_.slice.up] / static_cast<double>(pixels_.rows * pixels_.perRow);
        const bool empty = std::ranges::none_of(values, [](double v) { return std::isfinite(v); }), lowest = row == sheet_.rows - 1;
        text += sheet_.margins(column, row);
        text += fmt::format("set title {}\nset format x '{}'\nset format y '{}'\nset xlabel '{}'\nset ylabel '{}'\n{} colorbox\n", gnuplotText(title), lowest ? "%g" : "", column == 0 ? "%g" : "",
                            lowest ? fmt::format("{} [m]", "xyz"[c_.slice.across]) : "", column == 0 ? fmt::format("{} [m]", "xyz"[c_.slice.up]) : "", bar ? "set" : "unset");
        if (empty) text += "plot NaN notitle\n";   // an image without a value is an error
        else text += fmt::format("plot {} matrix using ({:.9g}+($1+0.5)*{:.9g}):({:.9g}+($2+0.5)*{:.9g}):3 with image notitle\n", gnuplotText(file.string()), l.origin[c_.slice.across], dx,
                                 l.origin[c_.slice.up], dy);
        text += "unset label 1\n";   // the heading of the sheet is drawn once
    }

    const Comparison& c_;
    io::Path folder_;
    Pixels pixels_;
    std::vector<Range> values_, differences_;
    MapSheet sheet_;
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
