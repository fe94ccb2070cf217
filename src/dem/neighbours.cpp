// SPDX-License-Identifier: Apache-2.0
#include "dem/neighbours.h"

#include "core/wide_mat.h"
#include "core/wide_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kBlock = 256;            // grains searched at a time
constexpr std::uint32_t kGrainsOfSlab = 128;   // at least, so that a slab is worth a task
constexpr std::size_t kLanes = 8;

/// Spheres side by side, eight of which are compared with one at a time.
struct Column4 {
    std::vector<double> x, y, z, reach;

    void resize(std::size_t count) {   // the last eight may begin at the last one
        for (std::vector<double>* column : {&x, &y, &z, &reach}) column->resize(count + kLanes);
    }
    void put(std::size_t i, const Vec3& centre, double radius) {
        x[i] = centre.x;
        y[i] = centre.y;
        z[i] = centre.z;
        reach[i] = radius;
    }
};

/// Searches around grains one after the other.
class Search {
public:
    Search(const world::Domain& domain, const CellFrame& frame, const CellRows& cells, const Column4& places, const SearchGrains& grains, const Spheres& spheres, double skin)
        : frame_(frame), cells_(cells), places_(places), grains_(grains), spheres_(spheres), skin_(skin) {
        for (int axis = 0; axis < 3; ++axis) period_[axis] = domain.periodic(axis) ? domain.max[axis] - domain.min[axis] : 0;
    }

    /// Appends the second spheres of all pairs of the grain's spheres, and counts those of each sphere.
    void pairsOf(std::size_t i, std::vector<std::uint32_t>& seconds, std::vector<std::uint32_t>& counts) {
        findNear(i);
        const std::uint32_t begin = spheres_.firstOf(i), end = spheres_.firstOf(i + 1);
        if (isSphere(i) && std::ranges::all_of(near_, [&](std::uint32_t j) { return isSphere(j); })) {   // findNear has compared them
            for (const std::uint32_t j : near_) seconds.push_back(spheres_.firstOf(j));
            counts[begin] = static_cast<std::uint32_t>(near_.size());
            return;
        }
        const std::size_t count = gatherSpheres();
        for (std::uint32_t a = begin; a < end; ++a) {
            const std::size_t before = seconds.size();
            for (std::size_t k = 0; k < count; k += kLanes)
                for (unsigned mask = within(spheres_.centre[a], spheres_.radius[a] + skin_, nearSpheres_, k, count); mask != 0; mask &= mask - 1)
                    seconds.push_back(nearSphere_[k + static_cast<std::size_t>(std::countr_zero(mask))]);
            counts[a] = static_cast<std::uint32_t>(seconds.size() - before);
        }
    }

private:
    bool isSphere(std::size_t grain) const {
        return spheres_.eachAlone() || (spheres_.first[grain + 1] - spheres_.first[grain] == 1 && grains_.reach[grain] == spheres_.radius[spheres_.first[grain]]);
    }

    /// Which of eight from `begin` on, as far as `end`, are less than their reach and `own` away: bit i for begin + i.
    unsigned within(const Vec3& centre, double own, const Column4& of, std::size_t begin, std::size_t end) const {
        using W = Wide<double>;
        WideVec3<double> d{W(centre.x) - W::loadUnaligned(&of.x[begin]), W(centre.y) - W::loadUnaligned(&of.y[begin]), W(centre.z) - W::loadUnaligned(&of.z[begin])};
        for (int axis = 0; axis < 3; ++axis)
            if (period_[axis] > 0) d[axis] = d[axis] - W(period_[axis]) * round(d[axis] / W(period_[axis]));
        const W far = W(own) + W::loadUnaligned(&of.reach[begin]);
        const unsigned all = end - begin < kLanes ? (1U << (end - begin)) - 1U : 0xffU;
        return bits(d.x * d.x + d.y * d.y + d.z * d.z < far * far) & all;
    }

    /// Later grains whose bounding spheres are near that of i, ascending.
    void findNear(std::size_t i) {
        const Vec3 centre = grains_.centres[i];
        if (const std::uint64_t cell = frame_.cell(centre); cell != cell_) findRanges(centre, cell);
        const bool sorted = cells_.row.empty();
        near_.clear();
        for (const auto& [first, last] : ranges_)
            for (std::size_t place = sorted ? std::max<std::size_t>(first, i + 1) : first; place < last; place += kLanes)
                for (unsigned mask = within(centre, grains_.reach[i] + skin_, places_, place, last); mask != 0; mask &= mask - 1) {
                    const std::uint32_t row = cells_.at(static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(std::countr_zero(mask)));
                    if (row > i) near_.push_back(row);
                }
        if (!sorted) std::ranges::sort(near_);
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
    /// Those of all near grains; how many they are.
    std::size_t gatherSpheres() {
        nearSphere_.clear();
        for (const std::uint32_t j : near_)
            for (std::uint32_t b = spheres_.first[j]; b < spheres_.first[j + 1]; ++b) nearSphere_.push_back(b);
        if (nearSpheres_.x.size() < nearSphere_.size() + kLanes) nearSpheres_.resize(2 * nearSphere_.size());
        for (std::size_t k = 0; k < nearSphere_.size(); ++k) nearSpheres_.put(k, spheres_.centre[nearSphere_[k]], spheres_.radius[nearSphere_[k]]);
        return nearSphere_.size();
    }

    const CellFrame& frame_;
    const CellRows& cells_;
    const Column4& places_;                    // grains in the order of cells
    const SearchGrains& grains_;
    const Spheres& spheres_;
    double skin_;
    Vec3 period_;                              // 0 where there is none
    std::uint64_t cell_ = ~std::uint64_t{0};
    std::vector<std::uint64_t> around_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;
    std::vector<std::uint32_t> near_, nearSphere_;
    Column4 nearSpheres_;
};

}  // namespace

std::uint32_t PairList::first(std::size_t pair) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(firstOfSphere, static_cast<std::uint32_t>(pair)) - firstOfSphere.begin() - 1);
}

std::size_t PairList::find(std::uint32_t first, std::uint32_t second) const {
    const auto begin = b.begin() + firstOfSphere[first], end = b.begin() + firstOfSphere[first + 1];
    const auto found = std::lower_bound(begin, end, second);
    return found != end && *found == second ? static_cast<std::size_t>(found - b.begin()) : size();
}

SecondsIndex::SecondsIndex(const PairList& list, const Spheres& spheres) : firstOfGrain(spheres.grains() + 1), a(list.size()), b(list.size()) {
    for (const std::uint32_t s : list.b) ++firstOfGrain[spheres.grainOf(s) + 1];
    for (std::size_t g = 1; g < firstOfGrain.size(); ++g) firstOfGrain[g] += firstOfGrain[g - 1];
    std::vector<std::uint32_t> next(firstOfGrain.begin(), firstOfGrain.end() - 1);
    for (std::uint32_t s = 0; s < spheres.size(); ++s)
        for (std::size_t p = list.firstOfSphere[s]; p < list.firstOfSphere[s + 1]; ++p) {
            const std::uint32_t to = next[spheres.grainOf(list.b[p])]++;
            a[to] = s;
            b[to] = list.b[p];
        }
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

CellRows rowsByCell(const Exec& exec, const CellFrame& frame, std::span<const Vec3> centres, std::span<const std::int64_t> ranks) {
    const std::size_t count = centres.size();
    CellRows cells;
    std::vector<std::uint32_t> cellOf(count);
    exec.forBlocks(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) cellOf[i] = static_cast<std::uint32_t>(frame.cell(centres[i]));
    });
    cells.first.assign(frame.cells() + 1, 0);
    for (const std::uint32_t cell : cellOf) ++cells.first[cell + 1];
    for (std::size_t c = 1; c < cells.first.size(); ++c) cells.first[c] += cells.first[c - 1];
    std::vector<std::uint32_t> next(cells.first.begin(), cells.first.end() - 1);
    cells.row.resize(count);
    for (std::size_t i = 0; i < count; ++i) cells.row[next[cellOf[i]]++] = static_cast<std::uint32_t>(i);
    if (!ranks.empty())
        exec.forBlocks(frame.cells(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c)
                if (cells.first[c + 1] - cells.first[c] > 1) std::sort(cells.row.begin() + cells.first[c], cells.row.begin() + cells.first[c + 1], [&](std::uint32_t i, std::uint32_t j) { return ranks[i] < ranks[j]; });
        });
    return cells;
}

Slabs cutSlabs(const CellFrame& frame, const CellRows& cells) {
    Slabs slabs;
    slabs.wraps = frame.layersWrap();
    for (std::uint64_t layer = 1; layer < frame.layers(); ++layer)
        if (const std::uint32_t first = cells.first[layer * frame.cellsOfLayer()]; first - slabs.firstGrain.back() >= kGrainsOfSlab) slabs.firstGrain.push_back(first);
    if (slabs.size() > 0 && slabs.firstGrain.back() == cells.first.back()) slabs.firstGrain.pop_back();
    slabs.firstGrain.push_back(cells.first.back());
    return slabs;
}

PairList findPairs(const Exec& exec, const world::Domain& domain, const SearchGrains& grains, const Spheres& spheres, double skin) {
    const double farthest = grains.reach.empty() ? 0 : *std::ranges::max_element(grains.reach);
    const CellFrame frame(domain, grains.centres, 2 * farthest + skin);
    return findPairs(exec, domain, frame, rowsByCell(exec, frame, grains.centres), grains, spheres, skin);
}

// Grains whose bounding spheres are near each other first, then their spheres.
PairList findPairs(const Exec& exec, const world::Domain& domain, const CellFrame& frame, const CellRows& cells, const SearchGrains& grains, const Spheres& spheres, double skin) {
    const std::size_t count = grains.centres.size();
    Column4 places;
    places.resize(count);
    exec.forBlocks(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t row = cells.at(static_cast<std::uint32_t>(k));
            places.put(k, grains.centres[row], grains.reach[row]);
        }
    });
    PairList list;
    list.firstOfSphere.assign(spheres.size() + 1, 0);
    std::vector<std::vector<std::uint32_t>> parts((count + kBlock - 1) / kBlock);
    exec.forBlocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
        Search search(domain, frame, cells, places, grains, spheres, skin);
        for (std::size_t i = begin; i < end; ++i) search.pairsOf(i, parts[begin / kBlock], list.firstOfSphere);
    });
    std::uint32_t sum = 0;
    for (std::uint32_t& number : list.firstOfSphere) number = std::exchange(sum, sum + number);
    list.b.resize(sum);
    exec.forTasks(parts.size(), [&](std::size_t part, int) {
        std::ranges::copy(parts[part], list.b.begin() + list.firstOfSphere[spheres.firstOf(part * kBlock)]);
        std::exchange(parts[part], {});
    });
    return list;
}

}  // namespace talus::dem
