// SPDX-License-Identifier: Apache-2.0
// Drucker–Prager MPM [Klar2016] as a method.
#pragma once

#include "elastoplastic/hardening.h"
#include "elastoplastic/material_law.h"
#include "mpm/kernel.h"
#include "mpm/resolution.h"
#include "mpm/start_points.h"
#include "world/method.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace talus::elastoplastic {

using mpm::Start;

/// What a point keeps of its velocity. `pic`: what the grid gives back; `apic`: that and its gradient [Jiang2015]; `flip`: its own
/// velocity, changed as the grid changes; `aflip`: both, velocity and gradient, with what is finer than the grid dying out over a
/// relaxation time.
enum class Transfer { aflip, apic, flip, pic };
inline constexpr std::array<std::string_view, 4> kTransferNames{"aflip", "apic", "flip", "pic"};

/// How velocities of a step follow: from the stress at its start, or from that at its end, which must be solved for.
enum class Integration { explicitly, implicit };
inline constexpr std::array<std::string_view, 2> kIntegrationNames{"explicit", "implicit"};

struct Settings final : world::MethodSettings {
    double youngsModulus = 3.537e5;          // of the bulk [Pa]
    double poissonRatio = 0.3;
    std::vector<MaterialLaw> materials;      // what single materials have for themselves
    Hardening hardening;                     // friction that follows the plastic strain, for all materials
    double frictionSpreadDeg = 0;            // points differ from their material's friction angle by up to this
    std::optional<double> fastMuHat;         // μ̂ of fast shear in μ(I); that of the material, at any speed, unless given
    double inertialScale = 0.4;              // I₀ of μ(I)
    std::int64_t pointsPerCell = 8;
    Start start = Start::lattice;
    std::optional<double> k0;                // horizontal over vertical stress that regions start with
    Transfer transfer = Transfer::aflip;
    mpm::Kernel kernel = mpm::Kernel::quadratic;
    std::optional<double> relaxationTime;    // of velocities finer than the grid, where sand lies or shears slowly [s]
    std::optional<double> flowRelaxationTime;   // where it flows fast; the same unless given [s]
    bool matchVolumes = true;
    bool reseed = false;                     // halve points where they have thinned out, put them together where they crowd
    double bulkViscosity = 0.5;              // β: ζ = β ρ c h
    double cfl = 0.4;                        // Δt ≤ cfl h/(c + |v|)
    Integration integration = Integration::explicitly;
    double implicitStep = 20;                // times the explicit step; cfl h/|v| holds too
    double implicitTolerance = 1e-3;         // of the forces that are left, per face of a cell, over ρ g L
    std::optional<double> spacing;           // of the grid [m]; from the scene's resolution unless given
    std::optional<double> dt;                // longest step to take [s]

    void keys(KeyVisitor&) override;
    bool affine() const { return transfer == Transfer::aflip || transfer == Transfer::apic; }
};

extern const world::MethodInfo info;

mpm::Resolution resolution(const Settings&);
/// Grid spacing that the scene's resolution asks for, before it adapts to periodic axes [m].
double wantedSpacing(const Settings&, const world::World&);

/// What points of a material are.
Matter matterOf(const Settings&, const world::Material&);

/// μ̂ of a point over that of its material, by the point's id: atan μ̂ differs by at most the spread, evenly.
double frictionRatio(double spreadDeg, double muHat, std::uint64_t seed, std::int64_t id);

/// Half the time in which sand falls by a cell [s], in Earth's gravity for scenes without any.
double settlingTime(double spacing);

/// Parts of what a point's velocity has beyond the grid's that are left after a step, where sand lies or shears slowly and where it flows fast.
struct VelocityMemory {
    double atRest, inFlow;
};
/// Relaxation times are 0 for pic and apic. Unless the settings give them, they are endless for flip, and for aflip the time in which sound crosses a
/// cell: longer ones at rest make slow shear noisy, and noise lowers its friction, by 2 % at seven times as long; longer ones in flow let sand through
/// openings that is held back where velocities change within a few cells, and make thin fronts of columns run out as spray.
VelocityMemory velocityMemory(const Settings&, double soundCrossing, double dt);

}  // namespace talus::elastoplastic
