// SPDX-License-Identifier: Apache-2.0
// Friction of what a cell does besides its mean rate of strain. One stress tensor a cell does no work on the four patterns yz, xz, xy, xyz of
// signs at its corners: the velocity h_α(ξ) q_α, h = ηζ, ξζ, ξη, ξηζ, is strain at its points that nothing would resist. Grains would,
// with the pressure p of the cell and up to √J₂ = μ̂ p. With γ_α = c_α q_α the root mean square over the cell of the shear rate 2 |ε̇| of a
// pattern and r_α the impulse on it, r_α·γ_α its work,
//     |r| ≤ μ̂ p V Δt,     r = −μ̂ p V Δt γ/max(γ₀, |γ|),
// over all twelve numbers: where the cell slides as a whole at a shear rate γ₀, the stress at its limit turns only a little towards γ.
#pragma once

#include "nonsmooth/friction_problem.h"
#include "nonsmooth/grid.h"

namespace talus::nonsmooth {

/// Acts on nodes besides `bodies`, which keep their places and cones. For stress that is constant in cells.
class HourglassFriction final : public NodeForces {
public:
    /// The cells of a step, from the pressures in problem.stress and with the forces remembered of the same cells. `taken` is the volume
    /// that the grains of a cell take up [m³]; both must outlive the step.
    void place(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, const FrictionProblem&, std::span<const double> taken, double dt, NodeForces& bodies);
    /// For the next step to start from.
    void remember(const Grid&);
    /// Gives nodes the impulses found so far, without those of the bodies.
    void push(std::vector<Node>&) const;

    void start(std::vector<Node>&) override;
    void sweep(const Exec&, std::vector<Node>&) override;
    void extrapolate(double by) override;
    Residual residual(const Exec&, const std::vector<Node>&) override;
    std::size_t places() const override { return bodies_->places(); }
    ContactCone cone(std::size_t place) const override { return bodies_->cone(place); }
    Vec3 impulse(std::size_t place) const override { return bodies_->impulse(place); }
    void setImpulse(std::size_t place, const Vec3& impulse) override { bodies_->setImpulse(place, impulse); }
    Vec3 rate(std::size_t place, std::span<const Node> nodes) const override { return bodies_->rate(place, nodes); }

    void save(Archive&) const;
    void load(const Archive&);
    static constexpr double bytesPerCell() { return sizeof(Cell) + sizeof(std::uint64_t) + sizeof(Remembered); }

    static constexpr std::size_t kPatterns = 4;
    using Patterns = std::array<Vec3, kPatterns>;   // of yz, xz, xy, xyz

private:
    struct Cell {
        Patterns impulse, before;        // r [N s m]; at the end of the sweep before
        double limit = 0;                // μ̂ p V Δt [N s m]; 0: nothing is pressed, or no node can move
        double mobility = 0;             // bound of γ per r [1/(kg m²)]
        double compliance = 0;           // γ₀/limit [1/(N s m s)]
    };
    using Remembered = std::array<float, 3 * kPatterns>;   // r/Δt [N m]

    void placeCell(const Points&, const Grid&, std::size_t cell, double volume, double dt);
    Patterns ratesOf(std::size_t cell, std::span<const Node>) const;
    Patterns solved(std::size_t cell, std::span<const Node>) const;
    void visit(std::size_t cell, double beta, std::vector<Node>&);
    void give(std::size_t cell, const Patterns& impulse, std::vector<Node>&) const;

    const FrictionProblem* problem_ = nullptr;
    NodeForces* bodies_ = nullptr;
    double dt_ = 0, extrapolation_ = 0;          // of the next sweep
    std::array<double, kPatterns> scale_{};      // c_α/8 [1/m]
    std::span<const double> volumes_;            // of the grains of a cell [m³]
    std::vector<Cell> cells_;
    std::vector<std::uint64_t> keys_;            // of the cells remembered, ascending
    std::vector<Remembered> remembered_;
};

}  // namespace talus::nonsmooth
