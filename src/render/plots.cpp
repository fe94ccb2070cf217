// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/preview.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace talus::render {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCurves = 8, kMostPanels = 24;
constexpr int kPanelWidth = 640, kPanelHeight = 360;

struct Unit {
    std::string_view ending, text;
};
// Longest first.
constexpr auto kUnits = std::to_array<Unit>({{"_grains_per_s", "grains/s"}, {"_kg_per_m3", "kg/m³"}, {"_kg_m3", "kg/m³"}, {"_kg_per_s", "kg/s"}, {"_rad_per_s", "rad/s"}, {"_m_per_s", "m/s"},
                                             {"_kg_s", "kg/s"}, {"_rad_s", "rad/s"}, {"_m_s", "m/s"}, {"_N_m", "N m"}, {"_deg", "°"}, {"_rad", "rad"}, {"_kPa", "kPa"}, {"_Pa", "Pa"},
                                             {"_m3", "m³"}, {"_m2", "m²"}, {"_kg", "kg"}, {"_Hz", "Hz"}, {"_J", "J"}, {"_N", "N"}, {"_W", "W"}, {"_m", "m"}, {"_s", "s"}});

struct Column {
    std::size_t number = 0;   // from 1
    std::string name, label, unit;
};

Column describe(std::size_t number, const std::string& name) {
    Column column{number, name, name, ""};
    for (const Unit& unit : kUnits)
        if (name.ends_with(unit.ending) && name.size() > unit.ending.size()) {
            column.label = name.substr(0, name.size() - unit.ending.size());
            column.unit = unit.text;
            break;
        }
    std::ranges::replace(column.label, '_', ' ');
    return column;
}

struct Panel {
    std::string title;
    io::Path file;
    std::vector<Column> columns;   // of one unit
};

struct Table {
    std::vector<Column> columns;
    bool overTime = false;         // a row per time
    std::set<std::size_t> filled;  // numbers of the columns that have a value anywhere
};

Table readTable(const io::Path& path) {
    std::istringstream text(io::readFile(path));
    std::string line;
    Table table;
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

void addPanel(std::vector<Panel>& panels, const Table& table, const io::Path& file, const std::string& title, std::vector<Column> columns) {
    std::erase_if(columns, [&](const Column& c) { return !table.filled.contains(c.number); });
    if (columns.size() > kMostCurves) columns.resize(kMostCurves);
    if (!columns.empty()) panels.push_back({title, file, std::move(columns)});
}

void addSeries(std::vector<Panel>& panels, const io::Path& file) {
    const Table table = readTable(file);
    const auto named = [&](auto... names) {
        std::vector<Column> columns;
        for (const Column& c : table.columns)
            if (((c.name == names) || ...)) columns.push_back(c);
        return columns;
    };
    addPanel(panels, table, file, "energy", named("kinetic_energy_J", "potential_energy_J", "elastic_energy_J", "body_work_J", "dissipated_J"));
    addPanel(panels, table, file, "mass", named("mass_kg"));
    addPanel(panels, table, file, "largest speed", named("max_speed_m_s"));
    addPanel(panels, table, file, "time step", named("dt_s"));
    bool metrics = false;
    for (const Column& column : table.columns) {   // what the method adds, a panel each
        if (metrics) addPanel(panels, table, file, column.label, {column});
        metrics = metrics || column.name == "max_speed_m_s";
    }
}

/// A panel for each unit of a probe.
void addProbe(std::vector<Panel>& panels, const io::Path& file) {
    const Table table = readTable(file);
    if (!table.overTime) return;   // a map or profile per sample, not a curve
    std::vector<std::string> units;
    for (std::size_t i = 1; i < table.columns.size(); ++i)
        if (std::ranges::find(units, table.columns[i].unit) == units.end()) units.push_back(table.columns[i].unit);
    for (const std::string& unit : units) {
        std::vector<Column> columns;
        for (std::size_t i = 1; i < table.columns.size(); ++i)
            if (table.columns[i].unit == unit) columns.push_back(table.columns[i]);
        addPanel(panels, table, file, file.stem().string(), std::move(columns));
    }
}

/// As gnuplot reads a text without escapes: a quote is doubled.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result.append(c == '\'' ? 2 : 1, c == '\n' ? ' ' : c);
    return result + "'";
}

std::string script(const std::vector<Panel>& panels, const io::Path& picture) {
    const int columns = panels.size() > 1 ? 2 : 1, rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
    std::string text = fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,10'\nset output {}\nset encoding utf8\nset datafile separator ','\nset datafile missing ''\n"
                                   "set grid lc rgb '#d8d8d8'\nset border lc rgb '#606060'\nset key outside below horizontal samplen 1.5\nset xlabel 'time [s]'\nset multiplot layout {},{}\n",
                                   columns * kPanelWidth, rows * kPanelHeight, quoted(picture.string()), rows, columns);
    constexpr const char* kInks[] = {"#1f5fa8", "#c0392b", "#2e8b57", "#8e5ea2", "#e08e0b", "#17a2b8", "#6b541e", "#7f8c8d"};
    for (const Panel& panel : panels) {
        const Column& first = panel.columns.front();
        const std::string axis = panel.columns.size() == 1 ? first.label : panel.title;
        text += fmt::format("set title {}\nset ylabel {}\nplot ", quoted(panel.title), quoted(first.unit.empty() ? axis : fmt::format("{} [{}]", axis, first.unit)));
        for (std::size_t i = 0; i < panel.columns.size(); ++i)
            text += fmt::format("{}{} skip 1 using 1:{} with lines lw 2 lc rgb '{}' {}", i > 0 ? ", " : "", quoted(panel.file.string()), panel.columns[i].number, kInks[i],
                                panel.columns.size() > 1 ? "title " + quoted(panel.columns[i].label) : "notitle");
        text += "\n";
    }
    return text + "unset multiplot\n";
}

}  // namespace

bool makePlots(const io::Path& directory, const io::Path& picture) {
    const auto program = findProgram("gnuplot");
    if (!program) return false;
    std::vector<Panel> panels;
    if (const io::Path series = directory / "series.csv"; fs::exists(series)) addSeries(panels, series);
    std::vector<io::Path> probes;
    if (fs::is_directory(directory / "probes"))
        for (const auto& entry : fs::directory_iterator(directory / "probes"))
            if (entry.path().extension() == ".csv") probes.push_back(entry.path());
    std::ranges::sort(probes);
    for (const io::Path& probe : probes) addProbe(panels, probe);
    if (panels.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no series.csv with a row", directory.string()));
    if (panels.size() > kMostPanels) panels.resize(kMostPanels);

    const ScratchFolder scratch;   // gnuplot writes while it draws, and what we leave must be whole
    const io::Path drawing = scratch.path() / "plots.png", commands = scratch.path() / "plots.gp";
    io::writeFile(commands, script(panels, drawing));
    const ProgramResult result = runProgram(*program, {commands.string()});
    if (result.code != 0 || !fs::exists(drawing)) throw Error(ExitCode::io, fmt::format("gnuplot fails: {}", result.messages));
    io::writeFile(picture, io::readFile(drawing));
    return true;
}

}  // namespace talus::render
