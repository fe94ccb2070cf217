// SPDX-License-Identifier: Apache-2.0
#include "render/sweep_plot.h"

#include "render/plot_panels.h"
#include "render/program.h"

#include <fmt/format.h>

namespace talus::render {

namespace {

constexpr int kPanelWidth = 640, kPanelHeight = 360;

std::string placesText(const SweepAxis& axis) {
    if (axis.names.empty()) return {};
    std::string text = "set xtics (";
    for (std::size_t i = 0; i < axis.names.size(); ++i) text += fmt::format("{}{} {}", i > 0 ? ", " : "", gnuplotText(axis.names[i].second), axis.names[i].first);
    return text + fmt::format(")\nset xrange [{}:{}]\n", axis.names.front().first - 0.5, axis.names.back().first + 0.5);
}

}  // namespace

void drawSweep(const io::Path& gnuplot, const SweepAxis& axis, const std::vector<SweepPanel>& panels, const io::Path& picture) {
    const ScratchFolder scratch;
    const io::Path drawing = scratch.path() / "sweep.png";
    const int columns = panels.size() > 1 ? 2 : 1, rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
    std::string text = fmt::format("set terminal pngcairo noenhanced size {},{} font 'DejaVu Sans,10'\nset output {}\nset encoding utf8\nset format y '%.5g'\nset grid lc rgb '#d8d8d8'\n"
                                   "set border lc rgb '#606060'\nset key outside below horizontal samplen 1.5\nset autoscale fix\nset offsets graph 0.05, graph 0.05, graph 0.1, graph 0.1\nset xlabel {} offset 0,0.4\n{}set multiplot layout {},{}\n",
                                   columns * kPanelWidth, rows * kPanelHeight, gnuplotText(drawing.string()), gnuplotText(axis.label), placesText(axis), rows, columns);
    int files = 0;
    for (const SweepPanel& panel : panels) {
        text += fmt::format("set ylabel {}\nplot ", gnuplotText(panel.axis));
        for (std::size_t i = 0; i < panel.curves.size(); ++i) {
            const SweepCurve& curve = panel.curves[i];
            const io::Path file = scratch.path() / fmt::format("curve{}", files++);
            std::string rowsText;
            for (const auto& [x, y] : curve.points) rowsText += fmt::format("{} {}\n", x, y);
            io::writeFile(file, rowsText);
            const std::string ink = curveInk(i);
            text += fmt::format("{}{} using 1:2 smooth unique with lines lw 2 {} {}, {} using 1:2 with points pt 7 ps 0.8 {} notitle", i > 0 ? ", " : "", gnuplotText(file.string()), ink,
                                curve.label.empty() ? "notitle" : "title " + gnuplotText(curve.label), gnuplotText(file.string()), ink);
        }
        text += "\n";
    }
    drawWithGnuplot(gnuplot, text + "unset multiplot\n", drawing, picture);
}

}  // namespace talus::render
