// SPDX-License-Identifier: Apache-2.0
#include "upsampling/fine_grains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace talus::upsampling {
namespace {

constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

/// The bits of x, two apart.
std::uint64_t spread(std::uint64_t x) {
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

/// Number of the cell along a Morton curve.
std::uint64_t placeOnCurve(const Vec3& fromCorner, double side) {
    constexpr double kMost = (1 << 21) - 1;
    const auto cell = [&](double x) { return spread(static_cast<std::uint64_t>(std::clamp(std::floor(x / side), 0.0, kMost))); };
    return cell(fromCorner.x) | cell(fromCorner.y) << 1 | cell(fromCorner.z) << 2;
}

std::uint64_t lowBits(std::size_t n) { return n >= 64 ? kLast : (std::uint64_t{1} << n) - 1; }

}  // namespace

template <class Real>
Aabb FineGrains<Real>::bounds(std::size_t chunk, std::size_t begin, std::size_t end) const {
    const std::uint64_t some = chunks[chunk].alive & lowBits(8 * end) & ~lowBits(8 * begin);
    constexpr Real kFar = std::numeric_limits<Real>::max();
    Vec3T<Real> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
    eachRow(chunk, some, [&](std::size_t row) {
        const Vec3T<Real> x{columns.position(row, 0), columns.position(row, 1), columns.position(row, 2)};
        low = talus::min(low, x);
        high = talus::max(high, x);
    });
    if (some == 0) return {};
    const Vec3& a = chunks[chunk].anchor;
    return {a + Vec3{static_cast<double>(low.x), static_cast<double>(low.y), static_cast<double>(low.z)},
            a + Vec3{static_cast<double>(high.x), static_cast<double>(high.y), static_cast<double>(high.z)}};
}

template <class Real>
std::size_t FineGrains<Real>::append(std::size_t grains) {
    const std::size_t first = chunks.size() * kChunkRows, added = (grains + kChunkRows - 1) / kChunkRows;
    columns.resize(first + grains);
    chunks.resize(chunks.size() + added);
    for (std::size_t c = 0; c < added; ++c) chunks[first / kChunkRows + c].alive = lowBits(std::min(kChunkRows, grains - c * kChunkRows));
    count_ += static_cast<std::int64_t>(grains);
    unsorted_ += grains;
    return first;
}

template <class Real>
void FineGrains<Real>::remove(std::size_t row) {
    const std::uint64_t bit = std::uint64_t{1} << row % kChunkRows;
    chunks[row / kChunkRows].alive &= ~bit;
    chunks[row / kChunkRows].free &= ~bit;
    columns.id(row) = -1;
    setVelocity(row, {});
    for (int axis = 0; axis < 3; ++axis) columns.position(row, axis) = 0;
    --count_;
    ++unsorted_;
}

template <class Real>
void FineGrains<Real>::sort(const Exec& exec, const world::Domain& domain, double side) {
    const auto phase = exec.phase("sort");
    const std::size_t rows = columns.rows();
    std::vector<std::uint64_t> keys(rows, kLast);
    std::vector<std::uint32_t> from(rows);
    std::iota(from.begin(), from.end(), 0u);
    exec.forBlocks(chunks.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            eachRow(c, chunks[c].alive, [&](std::size_t row) { keys[row] = placeOnCurve(domain.wrap(position(row)) - domain.min, side); });
    });
    exec.sortByKey(keys, from);
    keys = {};
    from.resize(static_cast<std::size_t>(count_));
    const std::size_t padded = (from.size() + 7) / 8 * 8;
    from.resize(padded, Table::kPadding);

    std::vector<FineChunk> sorted((padded + kChunkRows - 1) / kChunkRows);
    const auto alive = static_cast<std::size_t>(count_);
    for (std::size_t c = 0; c < sorted.size(); ++c) {
        sorted[c].anchor = domain.wrap(position(from[c * kChunkRows]));
        sorted[c].alive = lowBits(std::min(kChunkRows, alive - c * kChunkRows));
    }
    columns.reorder(exec, from);
    exec.forBlocks(sorted.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c)
            eachRow(c, sorted[c].alive, [&](std::size_t row) {
                const FineChunk& old = chunks[from[row] / kChunkRows];
                const Vec3 x{static_cast<double>(columns.position(row, 0)), static_cast<double>(columns.position(row, 1)), static_cast<double>(columns.position(row, 2))};
                const Vec3 moved = domain.nearestImage(old.anchor + x - sorted[c].anchor);
                for (int axis = 0; axis < 3; ++axis) columns.position(row, axis) = static_cast<Real>(moved[axis]);
                if (old.free >> from[row] % kChunkRows & 1) sorted[c].free |= std::uint64_t{1} << row % kChunkRows;
            });
    });
    chunks = std::move(sorted);
    unsorted_ = 0;
}

template <class Real>
void FineGrains<Real>::save(Archive& archive) const {
    columns.save(archive);
    std::vector<double> anchors;
    std::vector<std::uint64_t> alive, free;
    for (const FineChunk& chunk : chunks) {
        anchors.insert(anchors.end(), {chunk.anchor.x, chunk.anchor.y, chunk.anchor.z});
        alive.push_back(chunk.alive);
        free.push_back(chunk.free);
    }
    archive.put("anchors", anchors);
    archive.put("alive", alive);
    archive.put("free", free);
    archive.put("unsorted", static_cast<std::uint64_t>(unsorted_));
}

template <class Real>
void FineGrains<Real>::load(const Archive& archive) {
    columns.load(archive);
    const auto anchors = archive.get<double>("anchors");
    const auto alive = archive.get<std::uint64_t>("alive"), free = archive.get<std::uint64_t>("free");
    if (anchors.size() != 3 * alive.size() || free.size() != alive.size() || alive.size() != (columns.rows() + kChunkRows - 1) / kChunkRows)
        throw ArchiveError("the chunks and the fine grains do not fit together");
    chunks.assign(alive.size(), {});
    count_ = 0;
    for (std::size_t c = 0; c < alive.size(); ++c) {
        chunks[c] = {.anchor = {anchors[3 * c], anchors[3 * c + 1], anchors[3 * c + 2]}, .alive = alive[c], .free = free[c]};
        if ((alive[c] & ~lowBits(columns.rows() - c * kChunkRows)) != 0 || (free[c] & ~alive[c]) != 0) throw ArchiveError("a chunk has more grains than rows");
        count_ += std::popcount(alive[c]);
    }
    unsorted_ = archive.value<std::uint64_t>("unsorted");
}

template class FineGrains<float>;
template class FineGrains<double>;

}  // namespace talus::upsampling
