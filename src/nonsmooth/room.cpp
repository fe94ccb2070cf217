// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/room.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kCellsPerTask = 128;
/// Room beyond which grains are spread thin and remember nothing.
constexpr double kThin = 0.1;
/// Rate at which what is counted comes in, at rest and by the shear rate: faster, and the chance of where points lie brakes layers that flow; slower,
/// and a stirred bed swells [1/s, 1].
constexpr double kRate = 12, kByShear = 1;

double roomOf(const Points& points, std::size_t row, double counted) {
    const double e = points.room(row);
    return e < 0 || counted > kThin ? counted : e;
}

}  // namespace

double rememberedRoom(const Grid& grid, const Points& points, std::size_t cell, double counted) {
    double sum = 0, all = 0;
    for (std::size_t row = grid.firstRow[cell]; row < grid.firstRow[cell + 1]; ++row) {
        sum += points.volume(row) * roomOf(points, row, counted);
        all += points.volume(row);
    }
    return sum / all;
}

void changeRoom(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const FrictionProblem& problem, std::span<const double> counted, std::span<const double> taken, double dt, Points& points) {
    const Trilinear middle({0.5, 0.5, 0.5}, frame.spacing);
    exec.forBlocks(grid.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const bool pressed = trace(problem.stress[c]) > 0;   // ∇·u and the room left add up to 0 then
            double opening = 0;
            for (std::size_t corner = 0; corner < kCorners; ++corner) opening += dot(middle.gradient[corner], problem.nodes[grid.cellNodes[c][corner]].velocity);
            const double part = -std::expm1(-dt * (kRate + kByShear * shearRate(problem, c, taken[c])));
            for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
                const double before = roomOf(points, row, counted[c]), after = pressed ? 0 : std::max(0.0, before + (1 + before) * dt * opening);
                points.room(row) = static_cast<float>(after + part * (counted[c] - after));
            }
        }
    });
}

}  // namespace talus::nonsmooth
