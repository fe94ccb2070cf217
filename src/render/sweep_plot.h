// SPDX-License-Identifier: Apache-2.0
// Results of many runs over what was varied between them, drawn by gnuplot.
#pragma once

#include "io/files.h"

#include <string>
#include <utility>
#include <vector>

namespace talus::render {

struct SweepCurve {
    std::string label;                                        // empty: the only one
    std::vector<std::pair<double, double>> points;            // several at one place: the line goes through their mean
};
struct SweepPanel {
    std::string axis;                                         // what runs upwards, with its unit
    std::vector<SweepCurve> curves;
};
struct SweepAxis {
    std::string label;
    std::vector<std::pair<double, std::string>> names = {};   // of places, where what varies is not a number
};

/// Two panels a row. Exit code 5 where gnuplot fails.
void drawSweep(const io::Path& gnuplot, const SweepAxis&, const std::vector<SweepPanel>&, const io::Path& picture);

}  // namespace talus::render
