// SPDX-License-Identifier: Apache-2.0
// Friction of what a cell does besides its mean rate of strain. One stress tensor a cell does no work on the four patterns yz, xz, xy, xyz of
// signs at its corners: the velocity h_α(ξ) q_α, h = ηζ, ξζ, ξη, ξηζ, is strain at its points that nothing would resist. With
// γ_α = c_α q_α the root mean square over the cell of the shear rate of a pattern, c_α² = ⟨|∇h_α|²⟩, the friction of the cell is
//     μ̂ p V √(γ̇² + Σ γ_α²),
// that of the root mean square of its shear rate: stresses s_α of the patterns, V s_α·γ_α their work, share the cone with the deviator of λ,
//     √(J₂ + Σ s_α²) ≤ μ̂ p.
#pragma once

#include "nonsmooth/friction_problem.h"
#include "nonsmooth/grid.h"

namespace talus::nonsmooth {

/// A bound of the largest eigenvalue of W_αβ = k_α k_β Σ_i Γ_αi Γ_βi/m_i, k `scale`, Γ the signs at the corners: the largest sum of a row. With equal
/// masses W is diagonal and it is exact.
double largestMobility(const std::array<double, kPatterns>& scale, const std::array<double, kCorners>& inverseMass);

/// Stresses of patterns from step to step, by cell.
class PatternMemory {
public:
    /// Where sweeps start: from the stresses remembered of the same cells. `taken` is the volume that grains of a cell take up [m³].
    void recall(const Exec&, const mpm::GridFrame&, const Grid&, std::span<const double> taken, double dt, CellPatterns&) const;
    void remember(const Grid&, double dt, const CellPatterns&);

    void save(Archive&) const;
    void load(const Archive&);
    static constexpr double bytesPerCell() { return sizeof(Patterns) + sizeof(double) + sizeof(std::uint64_t) + sizeof(Remembered); }

private:
    using Remembered = std::array<float, 3 * kPatterns>;   // s [Pa]
    std::vector<std::uint64_t> keys_;                      // of the cells remembered, ascending
    std::vector<Remembered> remembered_;
};

}  // namespace talus::nonsmooth
