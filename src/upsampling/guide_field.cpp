// SPDX-License-Identifier: Apache-2.0
#include "upsampling/guide_field.h"

#include <algorithm>
#include <cmath>

namespace talus::upsampling {
namespace {

/// Cells that there may be for each guide; fewer, larger ones where guides are scattered.
constexpr double kCellsPerGuide = 8;
constexpr double kLeastCells = 4096;

double gap(const Aabb& box, const Vec3& x) {
    const Vec3 d = talus::max(talus::max(box.min - x, x - box.max), Vec3{});
    return normSquared(d);
}

}  // namespace

void GuideField::place(std::span<const GuideState> guides, double reach) {
    if (guides.empty()) {   // before the first guide comes there is no reach either
        sorted_.clear();
        return;
    }
    Aabb box;
    for (const GuideState& guide : guides) box.extend(guide.position);
    const double most = kLeastCells + kCellsPerGuide * static_cast<double>(guides.size());
    for (double side = reach;; side *= 2) {
        double product = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const bool periodic = domain_.periodic(axis);
            const double length = periodic ? domain_.size()[axis] : box.max[axis] - box.min[axis];
            const double n = std::max(1.0, std::floor(length / side));
            origin_[axis] = periodic ? domain_.min[axis] : box.min[axis];
            cell_[axis] = length > 0 ? length / n : side;
            cells_[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(std::min(n, 1e9));
            product *= n;
        }
        if (product <= most) break;
    }
    first_.assign(static_cast<std::size_t>(cells_[0] * cells_[1] * cells_[2]) + 1, 0);
    std::vector<std::uint32_t> cells(guides.size());
    for (std::size_t i = 0; i < guides.size(); ++i) {
        cells[i] = static_cast<std::uint32_t>(cellOf(guides[i].position));
        ++first_[cells[i] + 1];
    }
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    sorted_.resize(guides.size());
    for (std::size_t i = 0; i < guides.size(); ++i) sorted_[next[cells[i]]++] = guides[i];
}

std::size_t GuideField::cellOf(const Vec3& x) const {
    std::array<std::int64_t, 3> at;
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        at[a] = std::clamp(static_cast<std::int64_t>((x[axis] - origin_[axis]) / cell_[axis]), std::int64_t{0}, cells_[a] - 1);
    }
    return static_cast<std::size_t>((at[2] * cells_[1] + at[1]) * cells_[0] + at[0]);
}

void GuideField::near(const Aabb& box, double reach, std::vector<GuideState>& found) const {
    if (sorted_.empty()) return;
    std::array<std::int64_t, 3> low, high;   // cells counted through images
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double from = std::floor((box.min[axis] - reach - origin_[axis]) / cell_[axis]), to = std::floor((box.max[axis] + reach - origin_[axis]) / cell_[axis]);
        const auto last = static_cast<double>(cells_[a] - 1);
        const bool periodic = domain_.periodic(axis);
        // Guides on the far end of an axis without period were counted to its last cell.
        low[a] = static_cast<std::int64_t>(periodic ? from : std::clamp(from, 0.0, last));
        high[a] = static_cast<std::int64_t>(periodic ? to : std::clamp(to, 0.0, last));
    }
    const auto wrapped = [](std::int64_t i, std::int64_t n, std::int64_t& image) {
        image = i >= 0 ? i / n : -((n - 1 - i) / n);
        return i - image * n;
    };
    std::array<std::int64_t, 3> image;
    for (std::int64_t k = low[2]; k <= high[2]; ++k) {
        const std::int64_t z = wrapped(k, cells_[2], image[2]);
        for (std::int64_t j = low[1]; j <= high[1]; ++j) {
            const std::int64_t y = wrapped(j, cells_[1], image[1]);
            for (std::int64_t i = low[0]; i <= high[0]; ++i) {
                const std::int64_t x = wrapped(i, cells_[0], image[0]);
                const Vec3 size = domain_.size();
                const Vec3 shift{static_cast<double>(image[0]) * size.x, static_cast<double>(image[1]) * size.y, static_cast<double>(image[2]) * size.z};
                const auto cell = static_cast<std::size_t>((z * cells_[1] + y) * cells_[0] + x);
                for (std::uint32_t g = first_[cell]; g < first_[cell + 1]; ++g) {
                    const Vec3 at = sorted_[g].position + shift;
                    if (gap(box, at) <= reach * reach) found.push_back({at, sorted_[g].velocity, sorted_[g].number});
                }
            }
        }
    }
}

}  // namespace talus::upsampling
