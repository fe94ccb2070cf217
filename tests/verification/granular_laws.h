// SPDX-License-Identifier: Apache-2.0
// Laws of experiments that flows of every method are compared with.
#pragma once

#include "csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus::test {

/// y = intercept + slope x by least squares.
struct Line {
    double intercept = 0, slope = 0;
    double squares = 0;   // Σ of the squares of what the line misses
};
inline Line fitLine(std::span<const double> x, std::span<const double> y) {
    const auto n = static_cast<double>(x.size());
    double meanX = 0, meanY = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) meanX += x[i] / n, meanY += y[i] / n;
    for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - meanX) * (x[i] - meanX), xy += (x[i] - meanX) * (y[i] - meanY);
    Line line{.intercept = meanY - xy / xx * meanX, .slope = xy / xx};
    for (std::size_t i = 0; i < x.size(); ++i) line.squares += std::pow(y[i] - line.intercept - line.slope * x[i], 2);
    return line;
}

/// n of y ∝ x^n.
inline double fittedExponent(std::span<const double> x, std::span<const double> y) {
    std::vector<double> logX, logY;
    for (std::size_t i = 0; i < x.size(); ++i) logX.push_back(std::log(x[i])), logY.push_back(std::log(y[i]));
    return fitLine(logX, logY).slope;
}

/// Q = C ρ √g (D − k d)^n, all three free: for every k the logarithms lie on a line, and the best k leaves least.
struct Beverloo {
    double c = 0, k = 0, n = 0;
};
/// Openings D/d, and flows over ρ √g d^2.5.
inline Beverloo fitBeverloo(std::span<const double> openings, std::span<const double> flows) {
    Beverloo best;
    double least = std::numeric_limits<double>::infinity();
    const double narrowest = *std::ranges::min_element(openings);
    std::vector<double> x(openings.size()), y;
    for (const double flow : flows) y.push_back(std::log(flow));
    for (double k = 0; k < narrowest - 0.5; k += 0.005) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::log(openings[i] - k);
        const Line line = fitLine(x, y);
        if (line.squares < least) least = line.squares, best = {std::exp(line.intercept), k, line.slope};
    }
    return best;
}

/// Run-outs (r∞ − r₀)/r₀ of collapsing columns of sand between the laws of Lube et al. and Lajeunesse et al., A_column_laws.csv.
struct RunOutBand {
    double low = 0, high = 0;
    RunOutBand widened(double part) const { return {(1 - part) * low, (1 + part) * high}; }
};
inline RunOutBand runOutBand(bool axial, double aspect) {
    const CsvTable table("A_column_laws.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.number(row, "a=h0/r0") != aspect) continue;
        const double lube = table.number(row, axial ? "axi_Lube2004" : "2D_Lube2005"), lajeunesse = table.number(row, axial ? "axi_Lajeunesse2005" : "2D_Lajeunesse2005");
        const double first = std::isnan(lube) ? 1.2 * aspect : lube;   // the two laws of Lube et al. leave a gap; the lower one goes on
        return {std::min(first, lajeunesse), std::max(first, lajeunesse)};
    }
    throw std::runtime_error("A_column_laws.csv has no aspect ratio " + std::to_string(aspect));
}

}  // namespace talus::test
