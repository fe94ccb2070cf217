// SPDX-License-Identifier: Apache-2.0
// The background grid of both MPMs: nodes at origin + spacing (i, j, k), 4x4x4 of them a block. A point belongs to the
// block of its nearest node and stores its position in cell units relative to the block's first node, so that float
// keeps 7 digits of a cell wherever the block lies.
#pragma once

#include "core/vec.h"
#include "world/domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace talus::mpm {

inline constexpr int kBlockSide = 4;          // nodes along the side of a block
inline constexpr int kBlockNodes = 64;
inline constexpr int kMostBlocks = 1 << 18;   // block coordinates lie in [−kMostBlocks, kMostBlocks)

using BlockCoord = Vec3i;

/// A point's place: block and cell-unit position in [−½, 3½)³ from the block's first node.
struct Place {
    BlockCoord block;
    Vec3 position;
};

struct GridFrame {
    Vec3 origin;                              // [m]
    Vec3 spacing;                             // [m]; axes differ only where periods ask for it
    std::array<int, 3> periodBlocks{};        // 0: the axis is not periodic

    double smallestSpacing() const { return minComponent(spacing); }
    double cellVolume() const { return spacing.x * spacing.y * spacing.z; }

    int wrap(int block, int axis) const {
        const int period = periodBlocks[static_cast<std::size_t>(axis)];
        return period == 0 ? block : ((block % period) + period) % period;
    }
    BlockCoord wrap(const BlockCoord& b) const { return {wrap(b.x, 0), wrap(b.y, 1), wrap(b.z, 2)}; }

    /// World position of a cell-unit position relative to a block.
    Vec3 toWorld(const BlockCoord& block, const Vec3& p) const {
        return {origin.x + spacing.x * (kBlockSide * block.x + p.x), origin.y + spacing.y * (kBlockSide * block.y + p.y),
                origin.z + spacing.z * (kBlockSide * block.z + p.z)};
    }
    /// World position of the n-th node of a block, z fastest.
    Vec3 nodePosition(const BlockCoord& block, int n) const {
        return toWorld(block, {static_cast<double>(n / 16), static_cast<double>(n / 4 % 4), static_cast<double>(n % 4)});
    }
    /// The same point seen from the block of its nearest node.
    Place recentre(const BlockCoord& block, const Vec3& p) const {
        Place place{block, p};
        if (minComponent(p) >= -0.5 && maxComponent(p) < kBlockSide - 0.5) return place;   // most points
        for (int axis = 0; axis < 3; ++axis) {
            const int shift = static_cast<int>(std::floor((p[axis] + 0.5) / kBlockSide));
            place.position[axis] -= kBlockSide * shift;
            place.block[axis] = wrap(block[axis] + shift, axis);
        }
        return place;
    }
    Place toBlock(const Vec3& x) const {
        return recentre({0, 0, 0}, {(x.x - origin.x) / spacing.x, (x.y - origin.y) / spacing.y, (x.z - origin.z) / spacing.z});
    }
};

/// A grid with nodes on the domain's lower faces and about the wanted spacing: exactly, except that a periodic axis
/// takes a whole number of blocks.
GridFrame makeFrame(const world::Domain&, double spacing);

/// The cell of a block that a position relative to it is in: that of the nearest node.
inline int cellOf(const Vec3& p) {
    const auto nearest = [](double c) { return std::clamp(static_cast<int>(std::floor(c + 0.5)), 0, kBlockSide - 1); };
    return (nearest(p.x) * kBlockSide + nearest(p.y)) * kBlockSide + nearest(p.z);
}

/// Sorts by block (x, then y, then z), then by cell within it.
std::uint64_t cellKey(const BlockCoord&, int cell);
BlockCoord blockOfKey(std::uint64_t cellKey);
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

}  // namespace talus::mpm
