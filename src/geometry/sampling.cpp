// SPDX-License-Identifier: Apache-2.0
#include "geometry/sampling.h"

#include "core/rng.h"

#include <numbers>
#include <stdexcept>

namespace talus::geometry {
namespace {

using Index = std::int64_t;

Aabb finiteBounds(const Shape& shape) {
    if (!shape.bounded()) throw std::invalid_argument("only a bounded shape can be filled with points");
    return shape.bounds();
}

struct IndexRange {
    Index begin, end;   // half-open
};
/// Lattice points origin + i spacing within [min, max].
IndexRange pointsWithin(double min, double max, double spacing, double origin) {
    return {static_cast<Index>(std::ceil((min - origin) / spacing)),
            static_cast<Index>(std::floor((max - origin) / spacing)) + 1};
}
/// Cells [origin + i spacing, origin + (i + 1) spacing) that touch [min, max].
IndexRange cellsWithin(double min, double max, double spacing, double origin) {
    return {static_cast<Index>(std::floor((min - origin) / spacing)),
            static_cast<Index>(std::floor((max - origin) / spacing)) + 1};
}

Vec3 vector(Index i, Index j, Index k) { return {static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)}; }

Vec3 randomInUnitCube(Rng& rng) {
    const double x = rng.uniform(), y = rng.uniform();
    return {x, y, rng.uniform()};
}

/// 21 bits of each index: a cell's random numbers do not depend on what is filled.
std::uint64_t cellKey(Index i, Index j, Index k) {
    constexpr int kBits = 21;
    const auto low = [](Index n) { return static_cast<std::uint64_t>(n) & ((std::uint64_t{1} << kBits) - 1); };
    return low(i) | low(j) << kBits | low(k) << (2 * kBits);
}

/// The front of Poisson-disk sampling over a grid whose cells hold one point at most.
class PoissonFront {
public:
    PoissonFront(const Shape& shape, double distance, RandomStream random)
        : shape_(shape), random_(random), distance_(distance), cell_(distance / std::numbers::sqrt3) {
        const Aabb box = finiteBounds(shape);
        if (box.empty()) return;
        origin_ = box.min - kMargin * Vec3{cell_, cell_, cell_};   // neighbours of a cell in use never leave the grid
        for (int axis = 0; axis < 3; ++axis)
            cells_[static_cast<std::size_t>(axis)] = static_cast<Index>(box.size()[axis] / cell_) + 1 + 2 * kMargin;
        grid_.assign(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]), kFree);
        findNeighbours();
    }

    std::vector<Vec3> fill() {
        // A dart into every cell starts a front in each part of the shape and fills what fronts have missed.
        for (Index k = kMargin; k < cells_[2] - kMargin; ++k)
            for (Index j = kMargin; j < cells_[1] - kMargin; ++j)
                for (Index i = kMargin; i < cells_[0] - kMargin; ++i) {
                    const Index cell = index(i, j, k);
                    if (grid_[static_cast<std::size_t>(cell)] != kFree) continue;
                    Rng rng(random_.seed, random_.stream, static_cast<std::uint64_t>(2 * cell));
                    if (insert(origin_ + cell_ * (vector(i, j, k) + randomInUnitCube(rng)), cell)) grow();
                }
        return std::move(points_);
    }

private:
    static constexpr int kMargin = 3, kCandidates = 16;
    static constexpr std::int32_t kFree = -1;
    static constexpr Index kOutside = -1;
    static constexpr double kJustBeyond = 1 + 1e-7;   // of the distance: rounding must not make a candidate too close

    /// Cells with room for a point closer than the distance, nearest first since they refuse most candidates.
    void findNeighbours() {
        struct Neighbour {
            int square;
            Index offset;
        };
        std::vector<Neighbour> all;
        for (int k = -2; k <= 2; ++k)
            for (int j = -2; j <= 2; ++j)
                for (int i = -2; i <= 2; ++i)
                    if (std::abs(i * j * k) < 8) all.push_back({i * i + j * j + k * k, index(i, j, k)});
        std::stable_sort(all.begin(), all.end(), [](const Neighbour& a, const Neighbour& b) { return a.square < b.square; });
        for (const Neighbour& n : all) neighbours_.push_back(n.offset);
    }

    void grow() {
        for (; grown_ < points_.size(); ++grown_) {
            const Vec3 centre = points_[grown_];
            Rng rng(random_.seed, random_.stream, 2 * grown_ + 1);
            for (int c = 0; c < kCandidates; ++c) {
                const double z = rng.uniform(-1, 1), angle = rng.uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
                const Vec3 candidate = centre + kJustBeyond * distance_ * Vec3{r * std::cos(angle), r * std::sin(angle), z};
                if (const Index cell = cellOf(candidate); cell != kOutside) insert(candidate, cell);
            }
        }
    }

    Index index(Index i, Index j, Index k) const { return (k * cells_[1] + j) * cells_[0] + i; }

    Index cellOf(const Vec3& p) const {
        const Vec3 g = (p - origin_) / cell_;
        const std::array<Index, 3> at{static_cast<Index>(g.x), static_cast<Index>(g.y), static_cast<Index>(g.z)};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (at[axis] < kMargin || at[axis] >= cells_[axis] - kMargin) return kOutside;
        return index(at[0], at[1], at[2]);
    }

    bool insert(const Vec3& p, Index cell) {
        for (const Index offset : neighbours_) {
            const std::int32_t other = grid_[static_cast<std::size_t>(cell + offset)];
            if (other != kFree && normSquared(points_[static_cast<std::size_t>(other)] - p) < distance_ * distance_) return false;
        }
        if (shape_.distance(p) >= 0) return false;
        grid_[static_cast<std::size_t>(cell)] = static_cast<std::int32_t>(points_.size());
        points_.push_back(p);
        return true;
    }

    const Shape& shape_;
    RandomStream random_;
    double distance_, cell_;
    Vec3 origin_;
    std::array<Index, 3> cells_{};
    std::vector<std::int32_t> grid_;   // index of the point in the cell
    std::vector<Index> neighbours_;
    std::vector<Vec3> points_;
    std::size_t grown_ = 0;   // points before it have had their candidates
};

}  // namespace

std::vector<Vec3> lattice(const Shape& shape, const Vec3& spacing, const Vec3& origin) {
    const Aabb box = finiteBounds(shape);
    std::vector<Vec3> points;
    if (box.empty()) return points;
    const IndexRange xs = pointsWithin(box.min.x, box.max.x, spacing.x, origin.x);
    const IndexRange ys = pointsWithin(box.min.y, box.max.y, spacing.y, origin.y);
    const IndexRange zs = pointsWithin(box.min.z, box.max.z, spacing.z, origin.z);
    const auto at = [&](Index i, Index j, Index k) { return origin + componentProduct(vector(i, j, k), spacing); };
    for (Index k = zs.begin; k < zs.end; ++k)
        for (Index j = ys.begin; j < ys.end; ++j)
            for (Index i = xs.begin; i < xs.end;) {
                // The surface is at least |distance| away: all points up to there are on the same side.
                const double distance = shape.distance(at(i, j, k));
                const Index next = std::min(xs.end, i + 1 + static_cast<Index>(std::abs(distance) / spacing.x * (1 - 1e-9)));
                if (distance < 0)
                    for (Index n = i; n < next; ++n) points.push_back(at(n, j, k));
                i = next;
            }
    return points;
}

std::vector<Vec3> subcellLattice(const Shape& shape, const Vec3& cellSize, const Vec3& origin, int perAxis) {
    const Vec3 spacing = cellSize / static_cast<double>(perAxis);
    return lattice(shape, spacing, origin + 0.5 * spacing);
}

std::vector<Vec3> jittered(const Shape& shape, const Vec3& cellSize, const Vec3& origin, RandomStream random) {
    const Aabb box = finiteBounds(shape);
    std::vector<Vec3> points;
    if (box.empty()) return points;
    const IndexRange xs = cellsWithin(box.min.x, box.max.x, cellSize.x, origin.x);
    const IndexRange ys = cellsWithin(box.min.y, box.max.y, cellSize.y, origin.y);
    const IndexRange zs = cellsWithin(box.min.z, box.max.z, cellSize.z, origin.z);
    for (Index k = zs.begin; k < zs.end; ++k)
        for (Index j = ys.begin; j < ys.end; ++j)
            for (Index i = xs.begin; i < xs.end; ++i) {
                Rng rng(random.seed, random.stream, cellKey(i, j, k));
                const Vec3 p = origin + componentProduct(vector(i, j, k) + randomInUnitCube(rng), cellSize);
                if (shape.distance(p) < 0) points.push_back(p);
            }
    return points;
}

std::vector<Vec3> poissonDisk(const Shape& shape, double distance, RandomStream random) {
    return PoissonFront(shape, distance, random).fill();
}

}  // namespace talus::geometry
