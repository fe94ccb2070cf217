// SPDX-License-Identifier: Apache-2.0
// What acts on grains besides gravity and contact: moving air with its drag, and fields of acceleration. A method asks for the
// change of a grain's velocity over a step, whatever a grain is to it.
#pragma once

#include "core/schedule.h"
#include "core/vec.h"
#include "geometry/shape.h"
#include "world/materials.h"

#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace talus::world {

/// The same velocity everywhere.
struct Wind {
    Schedule<Vec3> velocity;                // [m/s]
};
/// Air that turns about a line: u(r) = Γ/(2π r) (1 − exp(−r²/a²)), the vortex of Lamb and Oseen at an instant, rigid rotation in
/// its core and that of a line vortex far from it.
struct Vortex {
    Vec3 centre;                            // a point of the axis [m]
    Vec3 axis{0, 0, 1};                     // unit
    Schedule<double> circulation;           // Γ [m²/s]
    double coreRadius = 0.1;                // a [m]
};
/// Vectors on a lattice, x fastest, trilinear between its points, nothing outside.
struct LatticeField {
    Vec3 origin, spacing{1, 1, 1};          // [m]
    Vec3i points{1, 1, 1};
    std::vector<Vec3> values;               // velocities of the air [m/s], or accelerations [m/s²]
    bool acceleration = false;
    Schedule<double> scale{1.0};

    Vec3 at(const Vec3& x) const;
};

struct Force {
    std::string name;
    std::variant<Wind, Vortex, LatticeField> field;
    std::shared_ptr<const geometry::Shape> region;   // where it acts; none: everywhere
    double begin = 0, end = std::numeric_limits<double>::infinity();   // [s]

    bool accelerates() const;               // gives accelerations rather than velocities of the air
    Vec3 at(const Vec3& x, double time) const;
};

enum class DragLaw { schillerNaumann, constant };
inline constexpr std::array<std::string_view, 2> kDragLawNames{"schiller_naumann", "constant"};
struct Air {
    double density = 1.2;                   // [kg/m³]
    double viscosity = 1.8e-5;              // [Pa s]
    DragLaw law = DragLaw::schillerNaumann;
    double coefficient = 0.44;              // C_d of the constant law

    /// Rate at which a grain takes on the velocity of the air [1/s]: 3 ρ_a C_d(Re) w / (4 ρ d) at relative speed w, with
    /// C_d = 24/Re (1 + 0.15 Re^0.687) up to Re = 1000 and 0.44 beyond [SchillerNaumann1933].
    double dragRate(const Material&, double relativeSpeed) const;
};

struct Forces {
    std::vector<Force> forces;
    Air air;

    bool any() const { return !forces.empty(); }
    /// Change of a grain's velocity over dt by all of them, gravity left out. Drag is implicit, so any step is stable and the
    /// velocity at which a grain falls for long is exact: with w the velocity against the air and a all accelerations,
    /// w₁ (1 + Δt r(|w₁|)) = w₀ + Δt a.
    Vec3 velocityChange(const Material&, const Vec3& x, const Vec3& v, const Vec3& gravity, double time, double dt) const;
};

}  // namespace talus::world
