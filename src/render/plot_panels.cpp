// SPDX-License-Identifier: Apache-2.0
#include "render/plot_panels.h"

#include "core/problems.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace talus::render {

namespace fs = std::filesystem;

namespace {

constexpr int kPanelWidth = 640, kPanelHeight = 360;

struct Unit {
    std::string_view ending, text;
};
// Longest first.
constexpr auto kUnits = std::to_array<Unit>({{"_grains_per_s", "grains/s"}, {"_kg_per_m3", "kg/m³"}, {"_kg_m3", "kg/m³"}, {"_kg_per_s", "kg/s"}, {"_rad_per_s", "rad/s"}, {"_m_per_s", "m/s"},
                                             {"_kg_s", "kg/s"}, {"_rad_s", "rad/s"}, {"_m_s", "m/s"}, {"_N_m", "N m"}, {"_deg", "°"}, {"_rad", "rad"}, {"_kPa", "kPa"}, {"_Pa", "Pa"},
                                             {"_m3", "m³"}, {"_m2", "m²"}, {"_kg", "kg"}, {"_Hz", "Hz"}, {"_J", "J"}, {"_N", "N"}, {"_W", "W"}, {"_m", "m"}, {"_s", "s"}});

TableColumn describe(std::size_t number, const std::string& name) {
    TableColumn column{number, name, name, ""};
    for (const Unit& unit : kUnits)
        if (name.ends_with(unit.ending) && name.size() > unit.ending.size()) {
            column.label = name.substr(0, name.size() - unit.ending.size());
            column.unit = unit.text;
            break;
        }
    std::ranges::replace(column.label, '_', ' ');
    return column;
}

}  // namespace

std::string TableColumn::kind() const {
    if (!unit.empty()) return "[" + unit + "]";
    if (name.ends_with("grains") || name.starts_with("grains") || name.ends_with("count")) return "grains";
    if (name.size() == 2 && name[0] == 'q') return "quaternion";
    for (const std::string_view component : {"_x", "_y", "_z", "_xx", "_yy", "_zz", "_xy", "_yz", "_xz"})
        if (name.ends_with(component)) return name.substr(0, name.size() - component.size());
    return name;
}

const TableColumn* PlotTable::find(const std::string& name) const {
    const auto found = std::ranges::find(columns, name, &TableColumn::name);
    return found == columns.end() ? nullptr : &*found;
}

PlotTable readPlotTable(const io::Path& path) {
    std::istringstream text(io::readFile(path));
    std::string line;
    PlotTable table;
    table.file = path;
    std::getline(text, line);
    std::istringstream header(line);
    for (std::string cell; std::getline(header, cell, ',');) table.columns.push_back(describe(table.columns.size() + 1, cell));
    table.overTime = !table.columns.empty() && table.columns.front().name == "time_s";
    std::string before;
    while (std::getline(text, line)) {
        std::size_t number = 1;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ','); ++number) {
            if (number == 1) table.overTime = table.overTime && cell != before, before = cell;
            double value = 0;
            if (std::from_chars(cell.data(), cell.data() + cell.size(), value).ec == std::errc{}) table.filled.insert(number);
        }
    }
    return table;
}

std::vector<io::Path> probeTables(const io::Path& directory) {
    std::vector<io::Path> probes;
    if (fs::is_directory(directory / "probes"))
        for (const auto& entry : fs::directory_iterator(directory / "probes"))
            if (entry.path().extension() == ".csv") probes.push_back(entry.path());
    std::ranges::sort(probes);
    return probes;
}

std::string axisLabel(const std::string& name, const std::string& unit) { return unit.empty() ? name : fmt::format("{} [{}]", name, unit); }

std::string gnuplotText(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result.append(c == '\'' ? 2 : 1, c == '\n' ? ' ' : c);
    return result + "'";
}

std::string curveInk(std::size_t n) {
    constexpr auto kInks = std::to_array<const char*>({"#1f5fa8", "#c0392b", "#2e8b57", "#8e5ea2", "#e08e0b", "#17a2b8", "#6b541e", "#7f8c8d"});
    return fmt::format("dt {} lc rgb '{}'", 1 + n / kInks.size(), kInks[n % kInks.size()]);
}

void drawPanels(const io::Path& gnuplot, const std::vector<Panel>& panels, const io::Path& picture) {
    const ScratchFolder scratch;   // gnuplot writes while it draws, and what we leave must be whole
    const io::Path drawing = scratch.path() / "plots.png";
    const int columns = panels.size() > 1 ? 2 : 1, rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
    std::string text = fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,10'\nset output {}\nset encoding utf8\nset format y '%.5g'\nset datafile separator ','\nset datafile missing ''\n"
                                   "set grid lc rgb '#d8d8d8'\nset border lc rgb '#606060'\nset key outside below horizontal samplen 1.5\nset xlabel 'time [s]' offset 0,0.4\nset multiplot layout {},{}\n",
                                   columns * kPanelWidth, rows * kPanelHeight, gnuplotText(drawing.string()), rows, columns);
    for (const Panel& panel : panels) {
        text += fmt::format("set title {}\nset ylabel {}\nplot ", gnuplotText(panel.title), gnuplotText(panel.axis));
        for (std::size_t i = 0; i < panel.curves.size(); ++i) {
            const Curve& curve = panel.curves[i];
            text += fmt::format("{}{} skip 1 using 1:{} with lines lw 2 {} {}", i > 0 ? ", " : "", gnuplotText(curve.file.string()), curve.column,
                                curveInk(i), curve.label.empty() ? "notitle" : "title " + gnuplotText(curve.label));
        }
        text += "\n";
    }
    drawWithGnuplot(gnuplot, text + "unset multiplot\n", drawing, picture);
}

void drawWithGnuplot(const io::Path& gnuplot, const std::string& script, const io::Path& drawing, const io::Path& picture) {
    io::Path commands = drawing;
    commands.replace_extension(".gp");
    io::writeFile(commands, script);
    const ProgramResult result = runProgram(gnuplot, {commands.string()});
    if (result.code != 0 || !fs::exists(drawing)) throw Error(ExitCode::io, fmt::format("gnuplot fails: {}", result.messages));
    io::writeFile(picture, io::readFile(drawing));
}

}  // namespace talus::render
