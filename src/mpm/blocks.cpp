// SPDX-License-Identifier: Apache-2.0
#include "mpm/blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace talus::mpm {
namespace {

/// Row numbers in the new order, not padded yet, and the blocks they fall into.
struct Order {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> firstRow;   // of each block, one past the end last
    std::vector<PointBlock> blocks;
};

constexpr std::uint64_t blockPart(std::uint64_t key) { return key & ~std::uint64_t{kBlockNodes - 1}; }

/// Keys in the same order with as few bits as the box of all blocks allows, which makes sorting them short.
class ShortKeys {
public:
    ShortKeys(const Exec& exec, std::span<const std::uint64_t> keys) {
        struct Box {
            BlockCoord low{kMostBlocks, kMostBlocks, kMostBlocks}, high{-kMostBlocks, -kMostBlocks, -kMostBlocks};
        };
        const auto joined = [](const Box& a, const Box& b) { return Box{min(a.low, b.low), max(a.high, b.high)}; };
        const Box box = exec.reduce(
            keys.size(), 16384, Box{},
            [&](std::size_t begin, std::size_t end) {
                Box part;
                for (std::size_t i = begin; i < end; ++i)
                    if (keys[i] != kNoKey && (i == begin || blockPart(keys[i]) != blockPart(keys[i - 1]))) {
                        const BlockCoord c = blockOfKey(keys[i]);
                        part = joined(part, {c, c});
                    }
                return part;
            },
            joined);
        low_ = box.low;
        for (int axis = 0; axis < 3; ++axis) size_[static_cast<std::size_t>(axis)] = static_cast<std::uint64_t>(std::max(1, box.high[axis] - box.low[axis] + 1));
        none_ = size_[0] * size_[1] * size_[2] * kBlockNodes;
    }
    std::uint64_t none() const { return none_; }   // after all others
    std::uint64_t of(std::uint64_t key) const {
        if (key == kNoKey) return none_;
        const BlockCoord c = blockOfKey(key) - low_;
        return ((static_cast<std::uint64_t>(c.x) * size_[1] + static_cast<std::uint64_t>(c.y)) * size_[2] + static_cast<std::uint64_t>(c.z)) * kBlockNodes + key % kBlockNodes;
    }
    BlockCoord block(std::uint64_t shortKey) const {
        const std::uint64_t b = shortKey / kBlockNodes;
        return low_ + BlockCoord{static_cast<int>(b / size_[2] / size_[1]), static_cast<int>(b / size_[2] % size_[1]), static_cast<int>(b % size_[2])};
    }

private:
    BlockCoord low_;
    std::array<std::uint64_t, 3> size_;   // at most 2¹⁹ each
    std::uint64_t none_;
};

Order orderRows(const Exec& exec, std::vector<std::uint64_t> keys, const Column<std::int64_t>& ids) {
    const ShortKeys shortKeys(exec, keys);
    exec.forBlocks(keys.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) keys[i] = shortKeys.of(keys[i]);
    });
    Order order;
    order.rows.resize(keys.size());
    std::iota(order.rows.begin(), order.rows.end(), 0u);
    exec.sortByKey(keys, order.rows);
    keys.resize(static_cast<std::size_t>(std::ranges::lower_bound(keys, shortKeys.none()) - keys.begin()));
    order.rows.resize(keys.size());

    for (std::size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || blockPart(keys[i]) != blockPart(keys[i - 1])) {
            order.firstRow.push_back(i);
            order.blocks.push_back({.coord = shortKeys.block(keys[i])});
        }
    order.firstRow.push_back(keys.size());

    exec.forTasks(order.blocks.size(), [&](std::size_t b, int) {
        for (std::size_t begin = order.firstRow[b]; begin < order.firstRow[b + 1];) {
            std::size_t end = begin + 1;
            while (end < order.firstRow[b + 1] && keys[end] == keys[begin]) ++end;
            std::sort(order.rows.begin() + static_cast<std::ptrdiff_t>(begin), order.rows.begin() + static_cast<std::ptrdiff_t>(end),
                      [&](std::uint32_t a, std::uint32_t c) { return ids(a) < ids(c); });
            begin = end;
        }
    });
    return order;
}

/// Keys of all blocks that a point can reach, ascending, each once.
std::vector<std::uint64_t> reachedBlocks(const Exec& exec, const GridFrame& frame, std::span<const PointBlock> points) {
    std::vector<std::uint64_t> keys(points.size() * kNeighbours);
    exec.forBlocks(points.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (int n = 0; n < kNeighbours; ++n)
                keys[b * kNeighbours + static_cast<std::size_t>(n)] = cellKey(frame.wrap(points[b].coord + BlockCoord{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1}), 0);
    });
    std::vector<std::uint32_t> unused(keys.size());
    exec.sortByKey(keys, unused);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

}  // namespace

Blocks connectBlocks(const Exec& exec, const GridFrame& frame, std::vector<PointBlock> pointBlocks, std::size_t groupWidth) {
    std::uint32_t groups = 0;
    for (PointBlock& block : pointBlocks) {
        block.firstGroup = groups;
        block.groups = std::max(block.groups, static_cast<std::uint32_t>((block.points + groupWidth - 1) / groupWidth));
        groups += block.groups;
    }
    Blocks blocks{std::move(pointBlocks), {}};
    const std::vector<std::uint64_t> nodeKeys = reachedBlocks(exec, frame, blocks.points);
    blocks.nodes.resize(nodeKeys.size());
    for (std::size_t b = 0; b < nodeKeys.size(); ++b) blocks.nodes[b].coord = blockOfKey(nodeKeys[b]);
    exec.forBlocks(blocks.points.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (int n = 0; n < kNeighbours; ++n) {
                const BlockCoord c = frame.wrap(blocks.points[b].coord + BlockCoord{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1});
                blocks.points[b].nodeBlocks[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(std::ranges::lower_bound(nodeKeys, cellKey(c, 0)) - nodeKeys.begin());
            }
    });
    for (std::size_t b = 0; b < blocks.points.size(); ++b) blocks.nodes[static_cast<std::size_t>(blocks.points[b].nodeBlocks[neighbour(0, 0, 0)])].points = static_cast<std::int32_t>(b);
    return blocks;
}

Blocks sortPoints(const Exec& exec, const GridFrame& frame, std::vector<std::uint64_t> keys, const Column<std::int64_t>& ids, Table& points) {
    Order order = orderRows(exec, std::move(keys), ids);
    for (std::size_t b = 0; b < order.blocks.size(); ++b) order.blocks[b].points = static_cast<std::uint32_t>(order.firstRow[b + 1] - order.firstRow[b]);
    Blocks blocks = connectBlocks(exec, frame, std::move(order.blocks), points.groupWidth());

    std::vector<std::uint32_t> from(blocks.groups() * points.groupWidth(), Table::kPadding);
    for (std::size_t b = 0; b < blocks.points.size(); ++b)
        std::copy_n(order.rows.begin() + static_cast<std::ptrdiff_t>(order.firstRow[b]), blocks.points[b].points,
                    from.begin() + static_cast<std::ptrdiff_t>(blocks.points[b].firstGroup * points.groupWidth()));
    order.rows = {};
    points.reorder(exec, from);
    return blocks;
}

}  // namespace talus::mpm
