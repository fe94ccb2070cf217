// SPDX-License-Identifier: Apache-2.0
// Laws besides the isotropic cone, for which a site needs its whole 5x5 matrix: friction that depends on the direction in which
// grains lie [Daviet2016, §6.2], and the cone that bounds every component on its own (ℓ∞), as methods with one component of stress a
// place have it [Narain2010]: between μ and √5 μ, by the direction of flow against the axes. It is there to be compared with.
#pragma once

#include "nonsmooth/friction_problem.h"

#include <array>
#include <vector>

namespace talus::nonsmooth {

inline constexpr std::size_t kDeviators = 5;
using Matrix5 = std::array<std::array<double, kDeviators>, kDeviators>;

Matrix5 operator*(const Matrix5&, const Matrix5&);
Matrix5 transpose(const Matrix5&);
/// Eigenvalues, and eigenvectors as columns of `axes`, of a symmetric matrix (cyclic Jacobi).
std::array<double, kDeviators> symmetricEigen(Matrix5, Matrix5& axes);
/// Of a symmetric positive matrix.
Matrix5 inverse(const Matrix5&);

/// Dev(N S N) of deviators S in the numbers of χ, N⁻¹ = (1 − α) 1 + 3 α ν₂. With λ̃ = N(λ) the law is isotropic: normals all along one
/// axis give friction (1 − α)² μ across it and (1 + 2α)(1 − α) μ where layers slide.
Matrix5 directional(const SymTensor& orientation, double anisotropy);

/// The problem with the law of problem.law, colour by colour, each site exactly: the same bits for any number of threads.
class GeneralGaussSeidel {
public:
    /// Starts from problem.stress; leaves stress and velocities there.
    SolveReport solve(const Exec&, FrictionProblem&, NodeForces*, const SolveLimits&);
    /// Of one site, at the velocities of the problem and the stress found for it [(Pa s)²].
    double residualSquared(const FrictionProblem&, std::size_t site) const;
    static constexpr double bytesPerSite() { return sizeof(Site) + 2 * sizeof(SymTensor) + sizeof(std::size_t); }   // with its orientation

private:
    /// A site in its own numbers r̃: r_T = P r̃_T and ũ_T = Pᵀ u_T, in which Ŵ is diagonal. The box keeps those of χ and its whole W.
    struct Site {
        Matrix5 turn;                          // P
        LocalOperator<kDeviators> w;           // of the cone
        Matrix5 deviators;                     // W_TT, of the box
        std::array<double, kDeviators> coupling;
        Split<kDeviators> force;
        double friction = 0;                   // now
        bool solid = false;                    // all of its nodes are held
    };

    void build(const Exec&, const FrictionProblem&);
    void buildSite(const FrictionProblem&, std::size_t site);
    void sweep(const Exec&, const FrictionProblem&, std::vector<Node>&);
    double residualSquared(const Exec&, const FrictionProblem&) const;
    void run(const Exec&, FrictionProblem&, NodeForces*, const SolveLimits&, SolveReport&);
    Split<kDeviators> rateOf(const FrictionProblem&, std::size_t site, std::span<const Node>) const;
    SymTensor worldOf(const Site&, const Split<kDeviators>&) const;

    std::vector<Site> sites_;
    std::vector<Node> free_;
    bool box_ = false;
};

}  // namespace talus::nonsmooth
