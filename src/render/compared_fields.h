// SPDX-License-Identifier: Apache-2.0
// Volume fraction, velocity and pressure of several runs on one lattice, and how far they are apart.
#pragma once

#include "render/moments.h"
#include "world/averages.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::render {

enum class ComparedField { volumeFraction, velocity, pressure };
inline constexpr std::array<std::string_view, 3> kComparedFieldNames{"volume_fraction", "velocity", "pressure"};
inline constexpr std::array<std::string_view, 3> kComparedFieldUnits{"", "m/s", "Pa"};

/// A cell holds grains where their volume is at least this part of its own. Below, the mean velocity is that of a few grains at its edge.
inline constexpr double kLeastFraction = 0.01;

/// Whether the frame says what the field needs.
bool hasField(const io::Frame&, ComparedField);

/// The cells that all runs share, and for each run how its domain ends where the lattice ends.
struct CommonLattice {
    std::vector<world::Lattice> ofRun;    // they differ in `periodic` and `closed` only
    bool domainsDiffer = false;           // the cells cover what the domains have in common

    const world::Lattice& cells() const { return ofRun.front(); }
};
/// Covers the grains of the moments and a cell around them, within what all domains have in common. Cells fit the domain, so
/// they may differ a little from `spacing`; without one three grain diameters, but 8 to 64 cells along the longest side.
/// Exit code 2 where the domains are apart or the cells are too many, 3 where a run does not say what its domain is.
CommonLattice commonLattice(const std::vector<NamedRun>&, const std::vector<Moment>&, std::optional<double> spacing);

/// What is compared, a value per cell. A cell without grains has no velocity (NaN).
struct CellFields {
    std::vector<double> volumeFraction;
    std::vector<Vec3> velocity;           // [m/s]
    std::vector<double> pressure;         // −tr σ / 3 of the contact stress [Pa]; empty: the frames do not say
    double mass = 0, massOutside = 0;     // on the lattice, beyond it [kg]

    bool has(ComparedField field) const { return field != ComparedField::pressure || !pressure.empty(); }
    /// What pictures show: the field, or the size of the velocity.
    double shown(ComparedField, std::size_t cell) const;
    std::size_t cells() const { return volumeFraction.size(); }
};
/// Exit code 2 where a field that is needed is missing, 3 where the run does not say how dense its grains are.
CellFields averaged(const NamedRun&, const io::Frame&, const world::Lattice&);

/// Means over the cells that were compared: L1 = Σ |a − b| / n, L2 = (Σ |a − b|² / n)^½. Relative: over the same of b alone; NaN where that is 0 and they differ,
/// and all of them where no cell could be compared.
struct FieldDifference {
    std::size_t cells = 0;                // n
    double l1 = 0, l2 = 0, relativeL1 = 0, relativeL2 = 0;
};
/// Volume fraction and pressure where either holds grains, velocity where both do.
FieldDifference difference(ComparedField, const CellFields& a, const CellFields& b);

}  // namespace talus::render
