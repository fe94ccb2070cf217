// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/hourglass.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

/// Signs of the patterns at a corner.
constexpr std::array<int, kPatterns> signsAt(std::size_t corner) {
    const Vec3i d = cornerOffset(corner);
    const int x = 2 * d.x - 1, y = 2 * d.y - 1, z = 2 * d.z - 1;
    return {y * z, x * z, x * y, x * y * z};
}

}  // namespace

double largestMobility(const std::array<double, kPatterns>& scale, const std::array<double, kCorners>& inverseMass) {
    double largest = 0;
    for (std::size_t a = 0; a < scale.size(); ++a) {
        double row = 0;
        for (std::size_t b = 0; b < scale.size(); ++b) {
            double w = 0;
            for (std::size_t k = 0; k < kCorners; ++k) w += signsAt(k)[a] * signsAt(k)[b] * inverseMass[k];
            row += scale[a] * scale[b] * std::abs(w);
        }
        largest = std::max(largest, row);
    }
    return largest;
}

Vec3 CellPatterns::impulse(std::size_t site, std::size_t corner) const {
    const std::array<int, kPatterns> sign = signsAt(corner);
    Vec3 sum;
    for (std::size_t a = 0; a < kPatterns; ++a) sum += (sign[a] * volume[site] * scale[a]) * stress[site][a];
    return sum;
}

Patterns CellPatterns::rates(std::size_t site, const std::array<Vec3, 8>& corners) const {
    Patterns rates;
    for (std::size_t k = 0; k < corners.size(); ++k)
        for (std::size_t a = 0; a < kPatterns; ++a) rates[a] += (0.5 * signsAt(k)[a] * volume[site] * scale[a]) * corners[k];
    return rates;
}

// c_α² = ⟨|∇h_α|²⟩ over the cell: (4/3)(1/h_y² + 1/h_z²) of ηζ and so on, (4/9)(1/h_x² + 1/h_y² + 1/h_z²) of ξηζ.
void PatternMemory::recall(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, std::span<const double> taken, double dt, CellPatterns& patterns) const {
    const Vec3 h = frame.spacing;
    const double x = 1 / (h.x * h.x), y = 1 / (h.y * h.y), z = 1 / (h.z * h.z);
    patterns.scale = {std::sqrt(4 * (y + z) / 3) / 8, std::sqrt(4 * (x + z) / 3) / 8, std::sqrt(4 * (x + y) / 3) / 8, std::sqrt(4 * (x + y + z) / 9) / 8};
    patterns.volume.assign(taken.begin(), taken.end());
    patterns.stress.assign(grid.cells.size(), {});
    constexpr std::size_t kCellsPerTask = 128;
    exec.forBlocks(grid.cells.size(), kCellsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            const auto found = std::ranges::lower_bound(keys_, gridKey(grid.cells[c]));
            if (found == keys_.end() || *found != gridKey(grid.cells[c])) continue;
            const Remembered& stress = remembered_[static_cast<std::size_t>(found - keys_.begin())];
            for (std::size_t a = 0; a < kPatterns; ++a) patterns.stress[c][a] = dt * Vec3{stress[3 * a], stress[3 * a + 1], stress[3 * a + 2]};
        }
    });
}

void PatternMemory::remember(const Grid& grid, double dt, const CellPatterns& patterns) {
    keys_.clear();
    remembered_.clear();
    for (std::size_t c = 0; c < grid.cells.size(); ++c) {
        if (patterns.stress[c] == Patterns{}) continue;
        keys_.push_back(gridKey(grid.cells[c]));
        Remembered& stress = remembered_.emplace_back();
        for (std::size_t a = 0; a < kPatterns; ++a)
            for (int axis = 0; axis < 3; ++axis) stress[3 * a + static_cast<std::size_t>(axis)] = static_cast<float>(patterns.stress[c][a][axis] / dt);
    }
}

void PatternMemory::save(Archive& archive) const {
    std::vector<float> stresses;
    for (const Remembered& stress : remembered_) stresses.insert(stresses.end(), stress.begin(), stress.end());
    archive.put("cells", keys_);
    archive.put("stresses", stresses);
}

void PatternMemory::load(const Archive& archive) {
    keys_.clear();
    remembered_.clear();
    if (!archive.contains("cells")) return;   // of a time before there were any
    keys_ = archive.get<std::uint64_t>("cells");
    const std::vector<float> stresses = archive.get<float>("stresses");
    if (stresses.size() != 3 * kPatterns * keys_.size() || !std::ranges::is_sorted(keys_)) throw ArchiveError("stresses within cells do not fit together");
    remembered_.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) std::copy_n(stresses.begin() + static_cast<std::ptrdiff_t>(3 * kPatterns * i), 3 * kPatterns, remembered_[i].begin());
}

}  // namespace talus::nonsmooth
