// SPDX-License-Identifier: Apache-2.0
// Curves over time from tables of numbers, drawn by gnuplot.
#pragma once

#include "io/files.h"

#include <set>
#include <string>
#include <vector>

namespace talus::render {

/// A column of a table, its unit taken from the end of its name: "mass_kg" is the mass in kg.
struct TableColumn {
    std::size_t number = 0;        // from 1
    std::string name, label, unit;

    /// Columns of one kind can share an axis: those of one unit; without a unit counts of grains, and what differs in a component only.
    std::string kind() const;
};

struct PlotTable {
    io::Path file;
    std::vector<TableColumn> columns;
    bool overTime = false;         // a row per time
    std::set<std::size_t> filled;  // numbers of the columns that have a value anywhere

    const TableColumn* find(const std::string& name) const;
};
PlotTable readPlotTable(const io::Path&);
/// DIR/probes/*.csv in the order of their names.
std::vector<io::Path> probeTables(const io::Path& directory);

struct Curve {
    io::Path file;
    std::size_t column = 0;        // from 1; over column 1
    std::string label;             // empty: without a line in the legend
};
struct Panel {
    std::string title, axis;       // axis: what runs upwards, with its unit
    std::vector<Curve> curves;
};
/// "height [m]", or without a unit the name alone.
std::string axisLabel(const std::string& name, const std::string& unit);

/// Two panels a row. Exit code 5 where gnuplot fails.
void drawPanels(const io::Path& gnuplot, const std::vector<Panel>&, const io::Path& picture);

/// Line type of the n-th curve of a panel, for gnuplot: colours first, then dashes.
std::string curveInk(std::size_t n);

/// Runs a script that draws into the file that it is given; what remains is whole or not there. Exit code 5 where gnuplot fails.
void drawWithGnuplot(const io::Path& gnuplot, const std::string& script, const io::Path& drawing, const io::Path& picture);
/// As gnuplot reads a text without escapes: a quote is doubled.
std::string gnuplotText(const std::string&);

}  // namespace talus::render
