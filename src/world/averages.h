// SPDX-License-Identifier: Apache-2.0
// Fields on a lattice of cells from grains of any method, by one kernel.
#pragma once

#include "core/vec.h"

#include <array>
#include <cstddef>
#include <vector>

namespace talus::world {

/// A box of cells. What lies beyond an end is left out, unless the end is periodic or `closed`.
struct Lattice {
    Vec3 origin{};                                  // corner [m]
    std::array<Vec3, 3> axes{Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};   // orthonormal
    Vec3 size{1, 1, 1};                           // [m]
    std::array<int, 3> cells{1, 1, 1};
    std::array<bool, 3> periodic{};
    std::array<bool, 6> closed{};                 // low, high per axis: a grain beyond this end belongs to the last cell

    std::size_t count() const { return static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) * static_cast<std::size_t>(cells[2]); }
    double cellVolume() const { return size.x * size.y * size.z / static_cast<double>(count()); }   // [m³]
    Vec3 centre(std::size_t cell) const;          // [m]; x runs fastest
    /// Into which cell x falls, without a kernel; count() where it is left out.
    std::size_t cellAt(const Vec3& x) const;
};

/// What grains bring to a cell, each weighted by the kernel.
struct CellSums {
    double mass = 0;                              // [kg]
    double solidVolume = 0;                       // without pores [m³]
    Vec3 momentum{};                                // [kg m/s]
    std::array<double, 6> flux{};                 // Σ m v v [J]: xx, yy, zz, xy, yz, xz
    std::array<double, 6> stress{};               // Σ V σ [J]
};

struct AveragedGrain {
    Vec3 position{}, velocity{};
    double mass = 0, solidVolume = 0, volume = 0;
    const double* stress = nullptr;               // six numbers, or none
};

/// The kernel is the product of hat functions between cell centres, as wide as two cells; beyond the outermost centres it
/// is constant. Its values at any point add up to 1, so sums over cells are sums over grains, and its integral for every cell is
/// the volume of the cell, so a uniform field stays uniform up to the walls.
class LatticeAverages {
public:
    explicit LatticeAverages(const Lattice& lattice) : lattice_(lattice), sums_(lattice.count()) {}

    void clear() { sums_.assign(sums_.size(), {}); }
    void add(const AveragedGrain&);

    const Lattice& lattice() const { return lattice_; }
    const std::vector<CellSums>& sums() const { return sums_; }

    double volumeFraction(std::size_t cell) const { return sums_[cell].solidVolume / lattice_.cellVolume(); }
    Vec3 velocity(std::size_t cell) const;        // momentum over mass; unknown without mass [m/s]
    /// −Σ m (v − V)(v − V) / volume about the velocity V of the cell, tension positive [Pa].
    std::array<double, 6> kineticStress(std::size_t cell) const;
    std::array<double, 6> contactStress(std::size_t cell) const;   // Σ V σ / volume [Pa]

private:
    Lattice lattice_{};
    std::vector<CellSums> sums_{};
};

}  // namespace talus::world
