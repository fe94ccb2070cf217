// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "render/plot_panels.h"
#include "render/preview.h"
#include "render/program.h"

#include <fmt/format.h>

#include <algorithm>

namespace talus::render {

namespace {

constexpr std::size_t kMostCurves = 8, kMostPanels = 24;

/// Columns of one kind; those without a value are left out.
void addPanel(std::vector<Panel>& panels, const PlotTable& table, const std::string& title, std::vector<TableColumn> columns) {
    std::erase_if(columns, [&](const TableColumn& c) { return !table.filled.contains(c.number); });
    if (columns.size() > kMostCurves) columns.resize(kMostCurves);
    if (columns.empty()) return;
    const bool alone = columns.size() == 1;
    Panel panel{title, axisLabel(alone ? columns.front().label : title, columns.front().unit), {}};
    for (const TableColumn& column : columns) panel.curves.push_back({table.file, column.number, alone ? "" : column.label});
    panels.push_back(std::move(panel));
}

void addSeries(std::vector<Panel>& panels, const io::Path& file) {
    const PlotTable table = readPlotTable(file);
    const auto named = [&](auto... names) {
        std::vector<TableColumn> columns;
        for (const TableColumn& c : table.columns)
            if (((c.name == names) || ...)) columns.push_back(c);
        return columns;
    };
    addPanel(panels, table, "energy", named("kinetic_energy_J", "potential_energy_J", "elastic_energy_J", "body_work_J", "dissipated_J"));
    addPanel(panels, table, "mass", named("mass_kg"));
    addPanel(panels, table, "largest speed", named("max_speed_m_s"));
    addPanel(panels, table, "time step", named("dt_s"));
    bool metrics = false;
    for (const TableColumn& column : table.columns) {   // what the method adds, a panel each
        if (metrics) addPanel(panels, table, column.label, {column});
        metrics = metrics || column.name == "max_speed_m_s";
    }
}

/// A panel for each kind of column of a probe.
void addProbe(std::vector<Panel>& panels, const io::Path& file) {
    const PlotTable table = readPlotTable(file);
    if (!table.overTime) return;   // a map or profile per sample, not a curve
    std::vector<std::string> kinds;
    for (std::size_t i = 1; i < table.columns.size(); ++i)
        if (std::ranges::find(kinds, table.columns[i].kind()) == kinds.end()) kinds.push_back(table.columns[i].kind());
    for (const std::string& kind : kinds) {
        std::vector<TableColumn> columns;
        for (std::size_t i = 1; i < table.columns.size(); ++i)
            if (table.columns[i].kind() == kind) columns.push_back(table.columns[i]);
        addPanel(panels, table, file.stem().string(), std::move(columns));
    }
}

}  // namespace

bool makePlots(const io::Path& directory, const io::Path& picture) {
    const auto program = findProgram("gnuplot");
    if (!program) return false;
    std::vector<Panel> panels;
    if (const io::Path series = directory / "series.csv"; std::filesystem::exists(series)) addSeries(panels, series);
    for (const io::Path& probe : probeTables(directory)) addProbe(panels, probe);
    if (panels.empty()) throw Error(ExitCode::missing, fmt::format("'{}' has no series.csv with a row", directory.string()));
    if (panels.size() > kMostPanels) panels.resize(kMostPanels);
    drawPanels(*program, panels, picture);
    return true;
}

}  // namespace talus::render
