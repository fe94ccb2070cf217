// SPDX-License-Identifier: Apache-2.0
// One cubic cell of eight points whose nodes move with a velocity gradient.
#pragma once

#include "nonsmooth/transfer.h"

#include <vector>

namespace talus::nonsmooth {

inline Mat3 diagonal(double x, double y, double z) { return Mat3{{x, 0, 0, 0, y, 0, 0, 0, z}}; }

struct OneCell {
    mpm::GridFrame frame{{0, 0, 0}, {0.1, 0.1, 0.1}, {}};
    Points points;
    Grid grid;
    FrictionProblem problem;
    std::vector<double> taken;
    Exec exec{1};

    OneCell(const Rheology& rheology, const Mat3& gradient, double dt, StressBasis basis = StressBasis::constant) {
        points.bindTogether();
        points.resize(8);
        for (std::size_t row = 0; row < 8; ++row) {
            const Vec3i at = cornerOffset(row);
            points.setPosition(row, {0.025 + 0.05 * at.x, 0.025 + 0.05 * at.y, 0.025 + 0.05 * at.z});
            points.volume(row) = 1e-3 / 8;
            points.mass(row) = 1500 * points.volume(row);
            points.id(row) = static_cast<std::int64_t>(row);
            points.setGradient(row, gradient);
        }
        grid = Grid::build(exec, frame, points);
        taken = assemble(exec, frame, grid, points, {&rheology, 1}, basis, {}, dt, problem);
        for (const Vec3i& n : grid.nodes) problem.nodes.push_back({gradient * nodePosition(frame, n), 8 / 1.5});
    }
};

}  // namespace talus::nonsmooth
