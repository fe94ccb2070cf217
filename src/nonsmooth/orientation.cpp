// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/orientation.h"

#include "nonsmooth/site_points.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kRowsPerTask = 1024, kSitesPerTask = 64;

}  // namespace

// By Taylor's series of A/2ⁿ, squared n times.
Mat3 exponential(const Mat3& a) {
    constexpr int kTerms = 12;
    constexpr double kSmall = 0.25;   // 0.25¹³/13! is below rounding
    int halvings = 0;
    for (double size = frobeniusNorm(a); size > kSmall && halvings < 60; size *= 0.5) ++halvings;
    const Mat3 part = std::ldexp(1.0, -halvings) * a;
    Mat3 sum = Mat3::identity(), term = sum;
    for (int k = 1; k <= kTerms; ++k) {
        term = (1.0 / k) * (term * part);
        sum += term;
    }
    for (int i = 0; i < halvings; ++i) sum = sum * sum;
    return sum;
}

SymTensor turned(const SymTensor& orientation, const Mat3& gradient, double coefficient, double dt) {
    const Mat3 back = transpose(gradient), strain = 0.5 * (gradient + back), spin = 0.5 * (gradient - back);
    const double mean = (strain(0, 0) + strain(1, 1) + strain(2, 2)) / 3;   // drops out with the trace; without it E is of moderate size
    const SymTensor moved = fromAxes(exponential(dt * (spin + coefficient * (strain - mean * Mat3::identity()))), orientation);
    const double sum = trace(moved);
    return sum > 0 && std::isfinite(sum) ? (1 / sum) * moved : orientation;
}

std::vector<SymTensor> siteOrientation(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, StressBasis basis) {
    std::vector<SymTensor> orientation(siteCount(grid, basis));
    exec.forBlocks(orientation.size(), kSitesPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
            forPointsOf(frame, grid, points, rheology, basis, j, [&](std::size_t row, const Rheology&, double volume) { orientation[j] += volume * points.normals->tensor(row); });
            orientation[j] *= 1 / trace(orientation[j]);
        }
    });
    return orientation;
}

void turnNormals(const Exec& exec, double coefficient, double dt, Points& points) {
    exec.forBlocks(points.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) points.normals->set(row, turned(points.normals->tensor(row), points.gradientOf(row), coefficient, dt));
    });
}

}  // namespace talus::nonsmooth
