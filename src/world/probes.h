// SPDX-License-Identifier: Apache-2.0
// The kinds of probes: a plain struct says what to measure, a function makes the probe. docs/measurements.md defines each.
#pragma once

#include "world/averages.h"
#include "world/probe.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::world {

using ProbePtr = std::unique_ptr<Probe>;

struct ProbeSetup {
    std::string name{};
    GrainFilter filter{};
};

/// The same probe with masses, forces, torques, energies and what else grows with the width of a slab divided by it; their
/// units are "kg per m" and so on.
ProbePtr perMetre(ProbePtr, double width);

// ---- a region (probes_region.cpp) ----------------------------------------------------------------------------------

/// Grains, mass, volume fraction, kinetic energy, momentum, mean velocity and centre of mass of what lies in a region.
struct RegionProbe {
    geometry::ShapePtr region{};               // none: the whole domain
    double volume = 1;                       // of the region [m³]
    std::vector<double> density{};             // of the grains of each material [kg/m³]
    bool spins = false;                      // the method has rotational_energy
};
ProbePtr makeProbe(ProbeSetup, const RegionProbe&);

enum class Statistic { sum, mean, min, max, deviation, percentile, histogram };
inline constexpr std::array<std::string_view, 7> kStatisticNames{"sum", "mean", "min", "max", "deviation", "percentile", "histogram"};
enum class Weight { number, mass, volume };
inline constexpr std::array<std::string_view, 3> kWeightNames{"number", "mass", "volume"};

/// One number of a grain from a field: a component, the length of a vector, or the pressure −tr σ / 3 of a tensor.
struct FieldComponent {
    static constexpr int kMagnitude = -1, kPressure = -2;
    FieldInfo field{};
    int component = 0;                       // index, or one of the above
    std::string name{};                        // of the column: "velocity_z"
};

struct StatisticProbe {
    geometry::ShapePtr region{};               // none: the whole domain
    FieldComponent of{};
    Statistic statistic = Statistic::mean;
    Weight weight = Weight::number;
    std::vector<double> percentiles{};         // [%]
    double from = 0, to = 1;                 // of the histogram, in units of the field
    int bins = 10;
};
ProbePtr makeProbe(ProbeSetup, StatisticProbe);

/// Lacey's index of two parts of the grains over cells.
struct MixingProbe {
    Lattice cells{};
    bool bySource = false;                   // else by material
    int a = 0, b = 1;                        // index of material or source
    int leastGrains = 5;                     // in a cell that counts
};
ProbePtr makeProbe(ProbeSetup, const MixingProbe&);

// ---- bodies (probes_body.cpp) --------------------------------------------------------------------------------------

/// Force, torque and power that grains exert on a body, averaged over the time since the last sample.
struct ForceProbe {
    std::size_t body = 0;                    // index in World::bodies
    std::optional<Vec3> point{};               // of the torque [m]; none: the position of the body
};
ProbePtr makeProbe(ProbeSetup, const ForceProbe&);

struct MotionProbe {
    std::size_t body = 0;
};
ProbePtr makeProbe(ProbeSetup, const MotionProbe&);

// ---- single grains (probes_grains.cpp) -----------------------------------------------------------------------------

/// Mass that crosses a plane or disc.
struct FluxProbe {
    Vec3 point{}, normal{0, 0, 1};             // [m]; unit
    std::optional<double> radius{};            // of the disc about point [m]; none: the whole plane
    Domain domain{};
};
ProbePtr makeProbe(ProbeSetup, const FluxProbe&);

/// How long the grains that leave the world were in it.
struct ResidenceProbe {
    geometry::ShapePtr region{};               // where they leave; none: anywhere
};
ProbePtr makeProbe(ProbeSetup, const ResidenceProbe&);

struct TrackProbe {
    std::vector<std::int64_t> ids{};           // these, or
    std::vector<Vec3> near{};                  // the nearest ones to these points at the first sample [m]
    int count = 1;                           // for each point
    std::vector<FieldInfo> fields{};           // besides position and velocity
    Domain domain{};
};
ProbePtr makeProbe(ProbeSetup, TrackProbe);

// ---- the surface of a bed (probes_surface.cpp) ---------------------------------------------------------------------

/// filled: bulk volume over area, as if grains had no gaps between them. surface: the upper end of the topmost grain that is
/// reached from the lowest one without a gap.
enum class HeightMeasure { filled, surface };
inline constexpr std::array<std::string_view, 2> kHeightMeasureNames{"filled", "surface"};

/// A rectangle of columns seen from above.
struct Footprint {
    Vec3 corner{};                             // [m]; its height is the base
    Vec3 along{1, 0, 0}, across{0, 1, 0}, up{0, 0, 1};   // orthonormal
    double length = 1, width = 1;            // [m]
    int rows = 1, columns = 1;               // along, across
    HeightMeasure measure = HeightMeasure::filled;
    std::optional<double> gap{};               // empty height that ends a column [m]; none: two diameters of the grain above it
    Domain domain{};
};

/// Height of each column: along a line where there is one across, else over a grid.
struct HeightProbe {
    Footprint footprint{};
};
ProbePtr makeProbe(ProbeSetup, const HeightProbe&);

/// The plane that fits the heights best.
struct SlopeProbe {
    Footprint footprint{};
};
ProbePtr makeProbe(ProbeSetup, const SlopeProbe&);

/// Bins of distance from an origin: rings about it, cut into sectors, or strips along a direction.
struct Flank {
    Vec3 origin{}, up{0, 0, 1};                // [m]; unit
    std::optional<Vec3> direction{};           // unit, across up; none: radial
    double reach = 1;                        // [m]
    double width = 1;                        // of the strips [m]
    int bins = 50;
};

/// How far the grains have run.
struct FrontProbe {
    Flank flank{};
    double fraction = 0.99;                  // of the mass that lies behind the front
    double thickness = 0.01;                 // of the bed at the other front [m]
};
ProbePtr makeProbe(ProbeSetup, const FrontProbe&);

/// The slope of a heap's flank.
struct ReposeProbe {
    Flank flank{};
    int sectors = 8;                         // about the origin; along a direction: 1 or both sides
    double low = 0.15, high = 0.85;          // part of the height between which the flank is fitted
};
ProbePtr makeProbe(ProbeSetup, const ReposeProbe&);

// ---- averaged fields (probes_fields.cpp) ---------------------------------------------------------------------------

/// Volume fraction, velocity, kinetic and contact stress of every cell.
struct LatticeProbe {
    Lattice lattice{};
    std::vector<double> density{};             // of the grains of each material [kg/m³]
    bool stressed = false;                   // the method has stress
    bool line = false;                       // cells along the first axis only: distances instead of positions
    Domain domain{};
};
ProbePtr makeProbe(ProbeSetup, const LatticeProbe&);

}  // namespace talus::world
