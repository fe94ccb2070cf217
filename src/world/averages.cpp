// SPDX-License-Identifier: Apache-2.0
#include "world/averages.h"

#include <cmath>
#include <limits>

namespace talus::world {
namespace {

constexpr std::array<std::array<int, 2>, 6> kTensorAxes{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}};

/// The two cells of an axis that share a grain, and the part of the second.
struct Share {
    int first = 0, second = 0;
    double part = 0;
};

std::size_t index(const Lattice& l, int i, int j, int k) {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(l.cells[1]) + static_cast<std::size_t>(j)) * static_cast<std::size_t>(l.cells[0]) + static_cast<std::size_t>(i);
}

/// Position along an axis in cells, 0 … n; false where the lattice leaves it out.
bool coordinate(const Lattice& l, const Vec3& x, int axis, double& s) {
    const auto a = static_cast<std::size_t>(axis);
    const double n = l.cells[a];
    s = dot(x - l.origin, l.axes[a]) / l.size[axis] * n;
    if (l.periodic[a]) {
        s -= n * std::floor(s / n);
        if (!(s < n)) s = 0;
        return true;
    }
    if (s < 0) return l.closed[2 * a];
    if (s > n) return l.closed[2 * a + 1];
    return true;
}

Share share(const Lattice& l, int axis, double s) {
    const auto a = static_cast<std::size_t>(axis);
    const int n = l.cells[a];
    const double fromCentre = s - 0.5;
    const double below = std::floor(fromCentre);
    if (l.periodic[a]) {
        const int first = below < 0 ? n - 1 : static_cast<int>(below);
        return {first, (first + 1) % n, fromCentre - below};
    }
    if (below < 0) return {0, 0, 0};
    if (below >= n - 1) return {n - 1, n - 1, 0};
    return {static_cast<int>(below), static_cast<int>(below) + 1, fromCentre - below};
}

void addWeighted(CellSums& sums, const AveragedGrain& g, double weight) {
    const double mass = weight * g.mass;
    sums.mass += mass;
    sums.solidVolume += weight * g.solidVolume;
    sums.momentum += mass * g.velocity;
    for (std::size_t c = 0; c < 6; ++c) {
        sums.flux[c] += mass * g.velocity[kTensorAxes[c][0]] * g.velocity[kTensorAxes[c][1]];
        if (g.stress) sums.stress[c] += weight * g.volume * g.stress[c];
    }
}

}  // namespace

Vec3 Lattice::centre(std::size_t cell) const {
    const auto nx = static_cast<std::size_t>(cells[0]), ny = static_cast<std::size_t>(cells[1]);
    const std::array<std::size_t, 3> at{cell % nx, cell / nx % ny, cell / (nx * ny)};
    Vec3 x = origin;
    for (std::size_t a = 0; a < 3; ++a) x += (static_cast<double>(at[a]) + 0.5) / cells[a] * size[static_cast<int>(a)] * axes[a];
    return x;
}

std::size_t Lattice::cellAt(const Vec3& x) const {
    std::array<int, 3> at{};
    for (int axis = 0; axis < 3; ++axis) {
        double s = 0;
        if (!coordinate(*this, x, axis, s)) return count();
        const int n = cells[static_cast<std::size_t>(axis)];
        at[static_cast<std::size_t>(axis)] = s < 0 ? 0 : s >= n ? n - 1 : static_cast<int>(s);
    }
    return index(*this, at[0], at[1], at[2]);
}

void LatticeAverages::add(const AveragedGrain& grain) {
    std::array<Share, 3> along;
    for (int axis = 0; axis < 3; ++axis) {
        double s = 0;
        if (!coordinate(lattice_, grain.position, axis, s)) return;
        along[static_cast<std::size_t>(axis)] = share(lattice_, axis, s);
    }
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        std::array<int, 3> at{};
        for (std::size_t a = 0; a < 3; ++a) {
            const bool second = (corner >> a & 1) != 0;
            weight *= second ? along[a].part : 1 - along[a].part;
            at[a] = second ? along[a].second : along[a].first;
        }
        if (weight > 0) addWeighted(sums_[index(lattice_, at[0], at[1], at[2])], grain, weight);
    }
}

Vec3 LatticeAverages::velocity(std::size_t cell) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const CellSums& s = sums_[cell];
    return s.mass > 0 ? s.momentum / s.mass : Vec3{kNone, kNone, kNone};
}

// Σ m (v − V)(v − V) = Σ m v v − M V V.
std::array<double, 6> LatticeAverages::kineticStress(std::size_t cell) const {
    const CellSums& s = sums_[cell];
    std::array<double, 6> stress{};
    if (!(s.mass > 0)) return stress;
    for (std::size_t c = 0; c < 6; ++c)
        stress[c] = (s.momentum[kTensorAxes[c][0]] * s.momentum[kTensorAxes[c][1]] / s.mass - s.flux[c]) / lattice_.cellVolume();
    return stress;
}

std::array<double, 6> LatticeAverages::contactStress(std::size_t cell) const {
    std::array<double, 6> stress = sums_[cell].stress;
    for (double& s : stress) s /= lattice_.cellVolume();
    return stress;
}

}  // namespace talus::world
