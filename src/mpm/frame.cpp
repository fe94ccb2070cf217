// SPDX-License-Identifier: Apache-2.0
#include "mpm/frame.h"

#include <algorithm>

namespace talus::mpm {

GridFrame makeFrame(const world::Domain& domain, double spacing) {
    GridFrame frame{domain.min, {spacing, spacing, spacing}, {}};
    for (int axis = 0; axis < 3; ++axis) {
        if (!domain.periodic(axis)) continue;
        const double length = domain.max[axis] - domain.min[axis];
        const int blocks = std::max(1, static_cast<int>(std::lround(length / (kBlockSide * spacing))));
        frame.periodBlocks[static_cast<std::size_t>(axis)] = blocks;
        frame.spacing[axis] = length / (kBlockSide * blocks);
    }
    return frame;
}

namespace {
constexpr int kAxisBits = 19, kCellBits = 6;
static_assert(kMostBlocks == 1 << (kAxisBits - 1));
constexpr std::uint64_t kAxisMask = (std::uint64_t{1} << kAxisBits) - 1;
}  // namespace

std::uint64_t cellKey(const BlockCoord& b, int cell) {
    const auto biased = [](int c) { return static_cast<std::uint64_t>(c + kMostBlocks) & kAxisMask; };
    return (((biased(b.x) << kAxisBits | biased(b.y)) << kAxisBits | biased(b.z)) << kCellBits) | static_cast<std::uint64_t>(cell);
}

BlockCoord blockOfKey(std::uint64_t key) {
    const auto axis = [key](int shift) { return static_cast<int>((key >> shift) & kAxisMask) - kMostBlocks; };
    return {axis(kCellBits + 2 * kAxisBits), axis(kCellBits + kAxisBits), axis(kCellBits)};
}

}  // namespace talus::mpm
