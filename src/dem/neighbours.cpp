// SPDX-License-Identifier: Apache-2.0
#include "dem/neighbours.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {
namespace {

constexpr std::size_t kBlock = 256;   // grains searched at a time

/// Rows of each cell, ascending.
struct CellRows {
    std::vector<std::uint32_t> first, rows;
};
CellRows rowsByCell(const CellFrame& frame, std::span<const Vec3> centres) {
    CellRows cells;
    cells.first.assign(frame.cells() + 1, 0);
    cells.rows.resize(centres.size());
    std::vector<std::uint32_t> cellOf(centres.size());
    for (std::size_t i = 0; i < centres.size(); ++i) {
        cellOf[i] = static_cast<std::uint32_t>(frame.cell(centres[i]));
        ++cells.first[cellOf[i] + 1];
    }
    for (std::size_t c = 1; c < cells.first.size(); ++c) cells.first[c] += cells.first[c - 1];
    std::vector<std::uint32_t> next(cells.first.begin(), cells.first.end() - 1);
    for (std::size_t i = 0; i < centres.size(); ++i) cells.rows[next[cellOf[i]]++] = static_cast<std::uint32_t>(i);
    return cells;
}

struct Found {
    std::vector<std::uint32_t> a, b;
};

/// Pairs of the spheres of a grain with those of later grains.
void pairsOf(std::size_t i, std::span<const std::uint32_t> others, const world::Domain& domain, const Spheres& spheres, double skin, Found& found) {
    for (std::uint32_t a = spheres.first[i]; a < spheres.first[i + 1]; ++a)
        for (const std::uint32_t j : others)
            for (std::uint32_t b = spheres.first[j]; b < spheres.first[j + 1]; ++b) {
                const double reach = spheres.radius[a] + spheres.radius[b] + skin;
                if (normSquared(domain.nearestImage(spheres.centre[a] - spheres.centre[b])) >= reach * reach) continue;
                found.a.push_back(a);
                found.b.push_back(b);
            }
}

}  // namespace

void listSpheres(const Grains& grains, std::span<const ClumpTemplate> templates, Spheres& spheres) {
    spheres.first.assign(1, 0);
    spheres.grain.clear();
    spheres.radius.clear();
    for (std::size_t i = 0; i < grains.rows(); ++i) {
        for (const TemplateSphere& s : templates[static_cast<std::size_t>(grains.shape(i))].spheres) {
            spheres.grain.push_back(static_cast<std::uint32_t>(i));
            spheres.radius.push_back(grains.diameter(i) * s.radius);
        }
        spheres.first.push_back(static_cast<std::uint32_t>(spheres.grain.size()));
    }
    spheres.centre.resize(spheres.grain.size());
}

std::size_t PairList::find(std::uint32_t first, std::uint32_t second) const {
    const auto begin = b.begin() + firstOfSphere[first], end = b.begin() + firstOfSphere[first + 1];
    const auto found = std::lower_bound(begin, end, second);
    return found != end && *found == second ? static_cast<std::size_t>(found - b.begin()) : size();
}

void PairList::index(const Spheres& spheres) {
    firstOfSphere.assign(spheres.size() + 1, 0);
    firstOfB.assign(spheres.grains() + 1, 0);
    byB.resize(size());
    for (std::size_t p = 0; p < size(); ++p) {
        ++firstOfSphere[a[p] + 1];
        ++firstOfB[spheres.grain[b[p]] + 1];
    }
    for (std::size_t s = 1; s < firstOfSphere.size(); ++s) firstOfSphere[s] += firstOfSphere[s - 1];
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
    for (double width = size;; width *= 1.25) {
        double product = 1;
        for (int axis = 0; axis < 3; ++axis) product *= std::max(1.0, std::floor(extent[axis] / width));
        if (product > most) continue;
        for (int axis = 0; axis < 3; ++axis) {
            count_[axis] = static_cast<std::int64_t>(std::max(1.0, std::floor(extent[axis] / width)));
            size_[axis] = extent[axis] / static_cast<double>(count_[axis]);
        }
        return;
    }
}

std::int64_t CellFrame::coordinate(const Vec3& x, int axis) const {
    const auto i = static_cast<std::int64_t>(std::floor((x[axis] - origin_[axis]) / size_[axis]));
    return std::clamp<std::int64_t>(i, 0, count_[axis] - 1);
}

std::uint64_t CellFrame::cell(const Vec3& x) const {
    return static_cast<std::uint64_t>((coordinate(x, 2) * count_[1] + coordinate(x, 1)) * count_[0] + coordinate(x, 0));
}

void CellFrame::around(const Vec3& x, std::vector<std::uint64_t>& cells) const {
    cells.clear();
    std::int64_t near[3][3];
    int counts[3];
    for (int axis = 0; axis < 3; ++axis) {
        counts[axis] = 0;
        for (std::int64_t step = -1; step <= 1; ++step) {
            std::int64_t i = coordinate(x, axis) + step;
            if (periodic_[axis]) i = (i + count_[axis]) % count_[axis];
            else if (i < 0 || i >= count_[axis]) continue;
            if (std::find(near[axis], near[axis] + counts[axis], i) == near[axis] + counts[axis]) near[axis][counts[axis]++] = i;
        }
    }
    for (int k = 0; k < counts[2]; ++k)
        for (int j = 0; j < counts[1]; ++j)
            for (int i = 0; i < counts[0]; ++i) cells.push_back(static_cast<std::uint64_t>((near[2][k] * count_[1] + near[1][j]) * count_[0] + near[0][i]));
}

// Grains whose bounding spheres are near each other first, then their spheres.
PairList findPairs(const Exec& exec, const world::Domain& domain, const SearchGrains& grains, const Spheres& spheres, double skin) {
    PairList list;
    const std::size_t count = grains.centres.size();
    if (count == 0) {
        list.index(spheres);
        return list;
    }
    const double farthest = *std::ranges::max_element(grains.reach);
    const CellFrame frame(domain, grains.centres, 2 * farthest + skin);
    const CellRows cells = rowsByCell(frame, grains.centres);
    std::vector<Found> parts((count + kBlock - 1) / kBlock);
    exec.forBlocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
        Found& found = parts[begin / kBlock];
        std::vector<std::uint64_t> near;
        std::vector<std::uint32_t> others;
        for (std::size_t i = begin; i < end; ++i) {
            others.clear();
            frame.around(grains.centres[i], near);
            for (const std::uint64_t c : near)
                for (std::uint32_t k = cells.first[c]; k < cells.first[c + 1]; ++k) {
                    const std::uint32_t j = cells.rows[k];
                    const double reach = grains.reach[i] + grains.reach[j] + skin;
                    if (j > i && normSquared(domain.nearestImage(grains.centres[i] - grains.centres[j])) < reach * reach) others.push_back(j);
                }
            std::ranges::sort(others);
            pairsOf(i, others, domain, spheres, skin, found);
        }
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
    list.index(spheres);
    return list;
}

}  // namespace talus::dem
