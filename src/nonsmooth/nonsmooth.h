// SPDX-License-Identifier: Apache-2.0
// Semi-implicit MPM with the exact Drucker–Prager cone [Daviet2016] as a method.
#pragma once

#include "mpm/frame.h"
#include "mpm/resolution.h"
#include "mpm/start_points.h"
#include "nonsmooth/transfer.h"
#include "world/method.h"

#include <array>
#include <optional>
#include <string_view>

namespace talus::nonsmooth {

/// What keeps grains from being packed ever tighter: room up to φ_max, or no compression at all (figure 3 of the paper).
enum class Constraint { volumeFraction, divergence };
inline constexpr std::array<std::string_view, 2> kConstraintNames{"volume_fraction", "divergence"};

/// The cone, or the box around it (figure 2 of the paper).
enum class ConeShape { exact, box };
inline constexpr std::array<std::string_view, 2> kConeShapeNames{"exact", "linf"};

/// What becomes of the volumes of points: nothing; ellipsoids that follow the flow; and those halved where they are long and put together where they crowd.
enum class PointFrames { none, follow, split };
inline constexpr std::array<std::string_view, 3> kPointFramesNames{"none", "follow", "split"};

struct Settings final : world::MethodSettings {
    std::int64_t pointsPerCell = 8;
    mpm::Start start = mpm::Start::lattice;
    PointFrames frames = PointFrames::none;
    std::optional<double> spacing;            // of the grid [m]; from the scene's resolution unless given
    std::optional<Vec3> cells;                // along the axes of the domain, instead of one spacing
    StressBasis stressBasis = StressBasis::constant;
    std::optional<bool> hourglassFriction;    // friction of what cells do besides their mean strain too (nonsmooth/hourglass.h); wherever it can be unless given
    Constraint constraint = Constraint::volumeFraction;
    std::optional<double> maxVolumeFraction;  // φ_max; each material's packing fraction unless given
    double volumeCorrection = 6;              // rate at which what is too full moves apart [1/s]; 0: not at all
    std::optional<double> fastMuHat;          // μ̂ of fast shear in μ(I); that of the material, at any speed, unless given
    double inertialScale = 0.4;               // I₀ of μ(I)
    ConeShape cone = ConeShape::exact;
    double anisotropy = 0;                    // α: how much friction depends on the way grains lie; 0: not at all
    double grainAspect = 0.1;                 // thickness over width of flat grains, which the flow turns
    std::optional<Vec3> grainNormals;         // direction in which all normals point at the start; at random unless given
    double cohesionDecay = 0;                 // ξ: cohesion is lost by this times the shear strain
    double viscosity = 0;                     // η of the Newtonian part [Pa s]
    double cfl = 0.5;                         // cells that a point may move in a step
    std::optional<double> dt;                 // longest step [s]; a part of the time in which grains fall through a cell unless given
    bool fixedStep = false;                   // dt, whatever the speed
    Solver solver = Solver::gaussSeidel;      // of the friction problem
    double tolerance = 1e-3;                  // of the friction problem, in weights of the grains above each other
    std::int64_t mostSweeps = 500;
    bool strict = false;

    void keys(KeyVisitor&) override;
    bool mayRubWithin() const { return stressBasis == StressBasis::constant && solver == Solver::gaussSeidel && cone == ConeShape::exact && anisotropy == 0; }
    bool rubsWithin() const { return hourglassFriction.value_or(mayRubWithin()); }
};

extern const world::MethodInfo info;

/// Names of second outputs.
inline constexpr std::string_view kNodes = "nodes", kSites = "sites";

/// Part of the cohesion below which stress is not told apart.
inline constexpr double kPartOfCohesion = 0.01;

/// Whether float is good enough for the arithmetic of stress sites.
inline bool solvesInSingle(const Settings& settings, world::Precision precision) { return precision == world::Precision::float32 && settings.tolerance >= 1e-5; }

/// The grid of a scene; its spacing is 0 where the scene does not say how fine.
mpm::GridFrame gridFrame(const Settings&, const world::World&);

}  // namespace talus::nonsmooth
