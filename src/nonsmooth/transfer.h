// SPDX-License-Identifier: Apache-2.0
// From points to the grid and back: mass, momentum, the vectors g of the friction problem, viscosity.
#pragma once

#include "nonsmooth/friction_problem.h"
#include "nonsmooth/grid.h"
#include "world/world.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace talus::nonsmooth {

/// Where stress lives: one tensor a cell, or trilinear between nodes as in the paper.
enum class StressBasis { constant, trilinear };
inline constexpr std::array<std::string_view, 2> kStressBasisNames{"constant", "trilinear"};

/// What points of a material bring to the constraint.
struct Rheology {
    double crowding = 1;         // packing fraction over φ_max: volume taken up where it is fullest, per packed volume
    double friction = 0;         // μ of χ at rest
    double fastFriction = 0;     // where shear is fast; the same as at rest: no μ(I)
    double inertia = 0;          // I/I₀ of a strain rate of 1/s at 1 Pa
    double cohesion = 0;         // c = k/μ̂ [Pa]

    /// μ(I) = μ + (μ_fast − μ)/(1 + I₀/I) [Jop2006], with strain rate and stress of the step before.
    double frictionAt(const Points&, std::size_t row) const;
};

/// Sums over the points of a cell for each of its corners.
struct CornerSums {
    std::array<double, kCorners> mass{};       // Σ m N_i [kg]
    std::array<Vec3, kCorners> momentum{};     // Σ m N_i (v + C (x_i − x)) [kg m/s]
    std::array<double, kCorners> taken{};      // Σ V N_i, with V the volume that a point takes up where it is packed to φ_max [m³]
};

/// What a step's grid gets from the points.
struct Transferred {
    std::vector<double> mass;                  // of a node, lumped [kg]
    std::vector<Vec3> velocity;                // of a node, without stress and bodies [m/s]
    std::vector<double> taken;                 // around a node [m³]
    std::int64_t badRow = -1;                  // first point whose state is not finite
};

/// Mass and momentum with the affine term of [Daviet2016, eq. 18], which must carry N_i; then Δt gravity, and what world.forces do.
Transferred toGrid(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, std::span<const Rheology>, const world::World&, double dt);

/// g, friction and start of every site; slack is left to the caller. Returns the volume that grains of a site take up [m³].
std::vector<double> assemble(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, std::span<const Rheology>, StressBasis, std::span<const double> fullness, double dt, FrictionProblem&);

/// (M + Δt K) u = M u* with K the stiffness of 2 η ε̇, by conjugate gradients without a matrix; nodes without inverse mass are held.
/// Returns the rounds it took.
int diffuse(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, std::span<const Rheology>, double viscosity, double dt, std::span<const double> mass, std::vector<Node>&);

}  // namespace talus::nonsmooth
