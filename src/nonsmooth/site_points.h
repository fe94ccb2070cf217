// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nonsmooth/transfer.h"

#include <span>

namespace talus::nonsmooth {

/// Calls found(row, rheology, volume) for the points of a site of either basis, with the part of the volume that they take up there [m³].
template <class Found>
void forPointsOf(const mpm::GridFrame& frame, const Grid& grid, const Points& points, std::span<const Rheology> rheology, StressBasis basis, std::size_t site, const Found& found) {
    const bool constant = basis == StressBasis::constant;
    const auto cell = [&](std::size_t c, std::size_t corner) {
        for (std::size_t row = grid.firstRow[c]; row < grid.firstRow[c + 1]; ++row) {
            const Rheology& r = rheology[static_cast<std::size_t>(points.material(row))];
            const double weight = constant ? 1 : Trilinear(placeOf(frame, points.positionOf(row)).fraction, frame.spacing).weight[corner];
            found(row, r, weight * r.crowding * points.volume(row));
        }
    };
    if (constant) return cell(site, 0);
    for (std::size_t corner = 0; corner < kCorners; ++corner)
        if (grid.nodeCells[site][corner] >= 0) cell(static_cast<std::size_t>(grid.nodeCells[site][corner]), corner);
}

inline std::size_t siteCount(const Grid& grid, StressBasis basis) { return basis == StressBasis::constant ? grid.cells.size() : grid.nodes.size(); }

}  // namespace talus::nonsmooth
