// SPDX-License-Identifier: Apache-2.0
// Fine grains in chunks of 64 that lie close together: 36 bytes a grain in single precision, and 72 for each chunk.
#pragma once

#include "core/exec.h"
#include "core/table.h"
#include "core/vec.h"
#include "world/domain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace talus::upsampling {

inline constexpr std::size_t kChunkRows = 64, kChunkGroups = kChunkRows / 8;

template <class Real>
struct FineColumns final : Table {
    FineColumns() : Table(8) {}
    Column<Real, 3> position{*this, "position"};       // from the chunk's anchor [m]
    Column<Real, 3> velocity{*this, "velocity"};       // [m/s]
    Column<std::int64_t> id{*this, "id", -1};          // −1: nobody
    Column<std::uint32_t> origin{*this, "origin"};     // what it has in common with others of its guide
};

struct FineChunk {
    Vec3 anchor;                 // [m]: single precision then resolves a thousandth of a micron
    std::uint64_t alive = 0;     // a bit for every row
    std::uint64_t free = 0;      // those that fly freely; the others are carried
    std::array<float, kChunkGroups> clearance{};   // of each group: no fixed body is closer to any of its grains [m]; no state, 0 is always right
};

template <class Real>
class FineGrains {
public:
    FineColumns<Real> columns;
    std::vector<FineChunk> chunks;

    std::int64_t count() const { return count_; }
    /// In the world, perhaps beyond a periodic face.
    Vec3 position(std::size_t row) const {
        return chunks[row / kChunkRows].anchor + Vec3{static_cast<double>(columns.position(row, 0)), static_cast<double>(columns.position(row, 1)), static_cast<double>(columns.position(row, 2))};
    }
    Vec3 velocity(std::size_t row) const {
        return {static_cast<double>(columns.velocity(row, 0)), static_cast<double>(columns.velocity(row, 1)), static_cast<double>(columns.velocity(row, 2))};
    }
    void setPosition(std::size_t row, const Vec3& x) {
        const Vec3 from = x - chunks[row / kChunkRows].anchor;
        for (int axis = 0; axis < 3; ++axis) columns.position(row, axis) = static_cast<Real>(from[axis]);
    }
    void setVelocity(std::size_t row, const Vec3& v) {
        for (int axis = 0; axis < 3; ++axis) columns.velocity(row, axis) = static_cast<Real>(v[axis]);
    }
    /// Around the grains of a part of a chunk, groups [begin, end) of it.
    Aabb bounds(std::size_t chunk, std::size_t begin = 0, std::size_t end = kChunkGroups) const;

    /// Room for more grains in chunks of their own; returns the first row. The caller fills rows and sets anchors, and these are alive.
    std::size_t append(std::size_t grains);
    void remove(std::size_t row);

    /// Orders grains along a curve through cells of that side [m], and closes gaps.
    void sort(const Exec&, const world::Domain&, double side);
    std::size_t unsorted() const { return unsorted_; }   // rows appended or dead since

    void save(Archive&) const;
    void load(const Archive&);

private:
    std::int64_t count_ = 0;
    std::size_t unsorted_ = 0;
};

/// Chunks that a task of a parallel loop takes.
inline constexpr std::size_t kTaskChunks = 16;
/// The lower of two rows, where −1 is none.
inline std::int64_t firstBad(std::int64_t a, std::int64_t b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

/// visit(row) for each row of a chunk whose bit is set.
template <class Visit>
void eachRow(std::size_t chunk, std::uint64_t bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(chunk * kChunkRows + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace talus::upsampling
