// SPDX-License-Identifier: Apache-2.0
// The friction problem of a step [Daviet2016, eq. 21] and its solver. Stress λ (compression positive, times Δt) lives at sites,
// velocity u at nodes:
//     m_i u_i = m_i u*_i + Σ_j λ_j g_ji + impulses of bodies,   γ_j = Σ_i sym(g_ji u_iᵀ) + (slack_j/3) 1,   (λ_j, γ_j) in DP(μ_j).
// A pair of site and node holds one vector g_ji, not a 6x3 block, and the block of a site with itself is
// λ ↦ ½(Gλ + λG), G = Σ_i g gᵀ/m_i, which in the axes of G falls apart into three shears and three diagonal entries.
#pragma once

#include "core/exec.h"
#include "nonsmooth/cone.h"
#include "nonsmooth/tensor.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace talus::nonsmooth {

/// A node's velocity and 1/m; 0 where a body holds the node, which then keeps its velocity.
struct Node {
    Vec3 velocity;               // [m/s]
    double inverseMass = 0;      // [1/kg]
};

/// Where sites do not have the isotropic cone (nonsmooth/general_cone.h).
struct SiteLaw {
    bool box = false;                            // every component of the deviator is bounded on its own
    double anisotropy = 0;                       // α
    std::vector<SymTensor> orientation;          // ν₂ of a site; empty: grains lie at random

    bool general() const { return box || !orientation.empty(); }
};

/// Patterns of velocity at the corners of a cell that its mean strain does not know (nonsmooth/hourglass.h): of yz, xz, xy, xyz.
inline constexpr std::size_t kPatterns = 4;
using Patterns = std::array<Vec3, kPatterns>;
struct CellPatterns {
    std::array<double, kPatterns> scale{};       // c_α/8 [1/m]
    std::vector<double> volume;                  // of the grains of a site [m³]
    std::vector<Patterns> stress;                // s of a site, times Δt [Pa s]: where to start from, then the solution; empty: nothing resists them

    bool any() const { return !stress.empty(); }
    /// What s_α of a site gives the node at a corner [N s].
    Vec3 impulse(std::size_t site, std::size_t corner) const;
    /// ½ V γ_α of velocities at the corners, which goes with s_α in the numbers of χ [m³/s].
    Patterns rates(std::size_t site, const std::array<Vec3, 8>& corners) const;
};

struct FrictionProblem {
    std::size_t width = 8;                       // pairs of a site
    std::vector<std::uint32_t> pairNode;         // `width` a site; pairs that do not exist have g = 0 and a node of the site's own
    std::vector<Vec3> pairVector;                // g_ji [m²]
    std::vector<double> friction;                // μ of a site, in the numbers of χ
    std::vector<double> slack;                   // rate of volume that a site may still lose [m³/s]
    std::vector<SymTensor> stress;               // λ, times Δt [Pa s]: where to start from, then the solution
    std::vector<Node> nodes;                     // u*, then the solution
    std::vector<std::vector<std::uint32_t>> colours;   // sites of a colour share no node
    SiteLaw law;
    CellPatterns patterns;

    std::size_t sites() const { return friction.size(); }
};

/// How far a site with the isotropic cone is from its law with this stress, at the velocities of the nodes: the square of the complementarity
/// function, rates divided by the size of W, of which solvers take the mean [(Pa s)²]. In double, whatever the solver computed in.
double residualSquared(const FrictionProblem&, std::size_t site, const SymTensor& stress);
/// 2 |ε̇| of the grains of a site that take up `volume` [1/s].
double shearRate(const FrictionProblem&, std::size_t site, double volume);

/// A place where a body pushes nodes: the cone that its impulse lies in.
struct ContactCone {
    enum class Kind { separate, slip, sticky };
    Kind kind = Kind::separate;  // separate: r_N ≥ 0, |r_T| ≤ μ r_N; slip: |r_T| ≤ μ |r_N|; sticky: any impulse
    double friction = 0;
    Vec3 normal;                 // out of the body
    double mobility = 0;         // size of W: change of its velocity by an impulse [1/kg]
};

/// What acts on nodes besides stress: bodies. Called once in a sweep; what it did since the last sweep counts as its residual.
class NodeForces {
public:
    virtual ~NodeForces() = default;
    /// Gives the nodes the impulses found so far: they hold u* and the work of λ.
    virtual void start(std::vector<Node>&) = 0;
    virtual void sweep(const Exec&, std::vector<Node>&) = 0;
    struct Residual {
        double squared = 0;      // [(Pa s)²]
        std::int64_t places = 0;
    };
    /// Goes on by `by` of what was done since the last call, in impulses; the caller does so with the nodes.
    virtual void extrapolate(const Exec&, double by) = 0;
    virtual Residual residual(const Exec&, const std::vector<Node>&) = 0;

    /// For solvers that change all forces at once: the places one by one, with impulses that start() hands to the nodes and
    /// the velocities of nodes relative to the body that follow.
    virtual std::size_t places() const = 0;
    virtual ContactCone cone(std::size_t place) const = 0;
    virtual Vec3 impulse(std::size_t place) const = 0;
    virtual void setImpulse(std::size_t place, const Vec3&) = 0;
    virtual Vec3 rate(std::size_t place, std::span<const Node>) const = 0;
};

struct SolveLimits {
    double tolerance = 0;        // root of the mean square of the complementarity function [Pa s]
    int mostSweeps = 500;
    int sweepsBetweenChecks = 5;
    bool single = false;         // arithmetic of sites in float; nodes are double always
};
struct SolveReport {
    int sweeps = 0;
    double residual = 0;         // [Pa s]
    bool converged = false;
};

/// A way to solve the problem. All have the same measure of what is left and the same bits for any number of threads.
class FrictionSolver {
public:
    FrictionSolver() = default;
    FrictionSolver(const FrictionSolver&) = delete;
    FrictionSolver& operator=(const FrictionSolver&) = delete;
    virtual ~FrictionSolver() = default;
    /// Starts from problem.stress; leaves stress and velocities there.
    virtual SolveReport solve(const Exec&, FrictionProblem&, NodeForces*, const SolveLimits&) = 0;
};

enum class Solver { gaussSeidel, cadouxApgd, cadouxSpg };
inline constexpr std::array<std::string_view, 3> kSolverNames{"gauss_seidel", "cadoux_apgd", "cadoux_spg"};
std::unique_ptr<FrictionSolver> makeSolver(Solver);

/// Gauss–Seidel, colour by colour, eight sites at a time, with Nesterov's extrapolation between sweeps: the same bits for any number
/// of threads.
class GaussSeidel final : public FrictionSolver {
public:
    SolveReport solve(const Exec&, FrictionProblem&, NodeForces*, const SolveLimits&) override;
    static double bytesPerSite(std::size_t width, bool single, bool patterned);
};

/// Adds Σ_j λ_j g_ji/m_i to the velocities of nodes.
void applyStress(const Exec&, const FrictionProblem&, std::span<const SymTensor> stress, std::vector<Node>&);

}  // namespace talus::nonsmooth
