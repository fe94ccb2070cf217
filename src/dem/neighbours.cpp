// SPDX-License-Identifier: Apache-2.0
#include "dem/neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kBlock = 256;            // grains searched at a time
constexpr std::uint32_t kGrainsOfSlab = 128;   // at least, so that a slab is worth a task

/// Grains in the order of cells; where they are sorted already, `row` is the place itself.
struct CellRows {
    std::vector<std::uint32_t> first, row;     // of each cell; of each place
    std::vector<Vec3> centre;                  // of each place
    std::vector<double> reach;
    bool sorted = true;
};
CellRows rowsByCell(const CellFrame& frame, const SearchGrains& grains) {
    const std::size_t count = grains.centres.size();
    CellRows cells;
    cells.first.assign(frame.cells() + 1, 0);
    cells.row.resize(count);
    cells.centre.resize(count);
    cells.reach.resize(count);
    std::vector<std::uint32_t> cellOf(count);
    for (std::size_t i = 0; i < count; ++i) {
        cellOf[i] = static_cast<std::uint32_t>(frame.cell(grains.centres[i]));
        ++cells.first[cellOf[i] + 1];
    }
    for (std::size_t c = 1; c < cells.first.size(); ++c) cells.first[c] += cells.first[c - 1];
    std::vector<std::uint32_t> next(cells.first.begin(), cells.first.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t place = next[cellOf[i]]++;
        cells.row[place] = static_cast<std::uint32_t>(i);
        cells.centre[place] = grains.centres[i];
        cells.reach[place] = grains.reach[i];
        cells.sorted = cells.sorted && place == i;
    }
    return cells;
}

struct Found {
    std::vector<std::uint32_t> a, b;
};

/// Searches around grains one after the other.
class Search {
public:
    Search(const world::Domain& domain, const CellFrame& frame, const CellRows& cells, const SearchGrains& grains, const Spheres& spheres, double skin)
        : domain_(domain), frame_(frame), cells_(cells), grains_(grains), spheres_(spheres), skin_(skin), periodic_(domain.periodic(0) || domain.periodic(1) || domain.periodic(2)) {}

    void pairsOf(std::size_t i, Found& found) {
        findNear(i);
        const std::uint32_t begin = spheres_.first[i], end = spheres_.first[i + 1];
        const bool alone = end - begin == 1 && grains_.reach[i] == spheres_.radius[begin];
        for (std::uint32_t a = begin; a < end; ++a)
            for (const std::uint32_t j : near_) {
                const std::uint32_t first = spheres_.first[j], last = spheres_.first[j + 1];
                const bool known = alone && last - first == 1 && grains_.reach[j] == spheres_.radius[first];   // findNear has compared them
                for (std::uint32_t b = first; b < last; ++b) {
                    const double reach = spheres_.radius[a] + spheres_.radius[b] + skin_;
                    if (!known && apartSquared(spheres_.centre[a], spheres_.centre[b]) >= reach * reach) continue;
                    found.a.push_back(a);
                    found.b.push_back(b);
                }
            }
    }

private:
    double apartSquared(const Vec3& a, const Vec3& b) const { return normSquared(periodic_ ? domain_.nearestImage(a - b) : a - b); }

    /// Later grains whose bounding spheres are near that of i, ascending.
    void findNear(std::size_t i) {
        const Vec3 centre = grains_.centres[i];
        const double own = grains_.reach[i] + skin_;
        if (const std::uint64_t cell = frame_.cell(centre); cell != cell_) findRanges(centre, cell);
        near_.clear();
        for (const auto& [first, last] : ranges_)
            for (std::uint32_t place = cells_.sorted ? std::max(first, static_cast<std::uint32_t>(i + 1)) : first; place < last; ++place) {
                const double reach = own + cells_.reach[place];
                if (apartSquared(centre, cells_.centre[place]) < reach * reach && cells_.row[place] > i) near_.push_back(cells_.row[place]);
            }
        if (!cells_.sorted) std::ranges::sort(near_);
    }
    /// Places of the cells around, those of consecutive cells together.
    void findRanges(const Vec3& centre, std::uint64_t cell) {
        cell_ = cell;
        frame_.around(centre, around_);
        ranges_.clear();
        for (const std::uint64_t c : around_) {
            const std::uint32_t first = cells_.first[c], last = cells_.first[c + 1];
            if (!ranges_.empty() && ranges_.back().second == first) ranges_.back().second = last;
            else ranges_.emplace_back(first, last);
        }
    }

    const world::Domain& domain_;
    const CellFrame& frame_;
    const CellRows& cells_;
    const SearchGrains& grains_;
    const Spheres& spheres_;
    double skin_;
    bool periodic_;
    std::uint64_t cell_ = ~std::uint64_t{0};
    std::vector<std::uint64_t> around_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;
    std::vector<std::uint32_t> near_;
};

}  // namespace

std::size_t PairList::find(std::uint32_t first, std::uint32_t second) const {
    const auto begin = b.begin() + firstOfSphere[first], end = b.begin() + firstOfSphere[first + 1];
    const auto found = std::lower_bound(begin, end, second);
    return found != end && *found == second ? static_cast<std::size_t>(found - b.begin()) : size();
}

void PairList::index(std::size_t spheres) {
    firstOfSphere.assign(spheres + 1, 0);
    for (const std::uint32_t s : a) ++firstOfSphere[s + 1];
    for (std::size_t s = 1; s < firstOfSphere.size(); ++s) firstOfSphere[s] += firstOfSphere[s - 1];
}

void PairList::indexSeconds(const Spheres& spheres) {
    firstOfB.assign(spheres.grains() + 1, 0);
    byB.resize(size());
    for (const std::uint32_t s : b) ++firstOfB[spheres.grain[s] + 1];
    for (std::size_t g = 1; g < firstOfB.size(); ++g) firstOfB[g] += firstOfB[g - 1];
    std::vector<std::uint32_t> next(firstOfB.begin(), firstOfB.end() - 1);
    for (std::size_t p = 0; p < size(); ++p) byB[next[spheres.grain[b[p]]]++] = static_cast<std::uint32_t>(p);
}

CellFrame::CellFrame(const world::Domain& domain, std::span<const Vec3> centres, double size) {
    Aabb box;
    for (const Vec3& x : centres) box.extend(x);
    for (int axis = 0; axis < 3; ++axis) {
        periodic_[axis] = domain.periodic(axis);
        const double low = periodic_[axis] ? domain.min[axis] : box.min[axis], high = periodic_[axis] ? domain.max[axis] : box.max[axis];
        origin_[axis] = centres.empty() ? 0 : low;
        size_[axis] = centres.empty() ? size : std::max(size, high - low);
        count_[axis] = 1;
    }
    if (centres.empty()) return;
    // A few grains far away must not make millions of empty cells.
    const Vec3 extent = size_;
    const double most = std::max(64.0, 4.0 * static_cast<double>(centres.size()));
    const auto along = [&](int axis, double width) { return std::max(1.0, std::floor(extent[axis] / width)); };
    double width = size;
    while (along(0, width) * along(1, width) * along(2, width) > most) width *= 1.25;
    for (int axis = 0; axis < 3; ++axis) {
        count_[axis] = static_cast<std::uint64_t>(along(axis, width));
        size_[axis] = extent[axis] / static_cast<double>(count_[axis]);
    }
    constexpr std::uint64_t kSeveral = 8;
    const auto worth = [&](int axis) { return std::pair(!periodic_[axis] && count_[axis] >= kSeveral, count_[axis]); };
    std::ranges::stable_sort(order_, [&](int p, int q) { return worth(p) < worth(q); });
}

std::uint64_t CellFrame::coordinate(const Vec3& x, int axis) const {
    const double i = std::floor((x[axis] - origin_[axis]) / size_[axis]);
    return static_cast<std::uint64_t>(std::clamp(i, 0.0, static_cast<double>(count_[axis] - 1)));
}

void CellFrame::around(const Vec3& x, std::vector<std::uint64_t>& cells) const {
    cells.clear();
    std::uint64_t near[3][3];
    int counts[3];
    for (int axis = 0; axis < 3; ++axis) {
        counts[axis] = 0;
        const std::uint64_t own = coordinate(x, axis), count = count_[axis];
        for (const std::uint64_t step : {count - 1, std::uint64_t{0}, std::uint64_t{1}}) {
            const std::uint64_t i = (own + step) % count;
            if (!periodic_[axis] && (i + 1 < own || i > own + 1)) continue;
            if (std::find(near[axis], near[axis] + counts[axis], i) != near[axis] + counts[axis]) continue;
            int at = counts[axis]++;
            for (; at > 0 && near[axis][at - 1] > i; --at) near[axis][at] = near[axis][at - 1];
            near[axis][at] = i;
        }
    }
    const int fast = order_[0], middle = order_[1], slow = order_[2];
    for (int k = 0; k < counts[slow]; ++k)
        for (int j = 0; j < counts[middle]; ++j)
            for (int i = 0; i < counts[fast]; ++i) cells.push_back((near[slow][k] * count_[middle] + near[middle][j]) * count_[fast] + near[fast][i]);
}

std::size_t Slabs::of(std::uint32_t grain) const { return static_cast<std::size_t>(std::ranges::upper_bound(firstGrain, grain) - firstGrain.begin()) - 1; }

bool Slabs::neighbours(std::uint32_t lower, std::uint32_t grain) const {
    const std::size_t s = of(lower), t = of(grain);
    return t <= s + 1 || (wraps && s == 0 && t + 1 == size());
}

Slabs cutSlabs(const CellFrame& frame, std::span<const Vec3> centres) {
    Slabs slabs;
    slabs.wraps = frame.layersWrap();
    std::uint64_t layer = 0;
    for (std::uint32_t i = 0; i < centres.size(); ++i) {
        const std::uint64_t here = frame.layer(centres[i]);
        if (here != layer && i - slabs.firstGrain.back() >= kGrainsOfSlab) slabs.firstGrain.push_back(i);
        layer = here;
    }
    slabs.firstGrain.push_back(static_cast<std::uint32_t>(centres.size()));
    return slabs;
}

// Grains whose bounding spheres are near each other first, then their spheres.
PairList findPairs(const Exec& exec, const world::Domain& domain, const SearchGrains& grains, const Spheres& spheres, double skin) {
    PairList list;
    const std::size_t count = grains.centres.size();
    if (count == 0) {
        list.index(spheres.size());
        return list;
    }
    const double farthest = *std::ranges::max_element(grains.reach);
    const CellFrame frame(domain, grains.centres, 2 * farthest + skin);
    const CellRows cells = rowsByCell(frame, grains);
    std::vector<Found> parts((count + kBlock - 1) / kBlock);
    exec.forBlocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
        Search search(domain, frame, cells, grains, spheres, skin);
        for (std::size_t i = begin; i < end; ++i) search.pairsOf(i, parts[begin / kBlock]);
    });
    std::size_t total = 0;
    for (const Found& part : parts) total += part.a.size();
    list.a.reserve(total);
    list.b.reserve(total);
    for (Found& part : parts) {
        list.a.insert(list.a.end(), part.a.begin(), part.a.end());
        list.b.insert(list.b.end(), part.b.begin(), part.b.end());
        part = {};
    }
    list.index(spheres.size());
    return list;
}

}  // namespace talus::dem
