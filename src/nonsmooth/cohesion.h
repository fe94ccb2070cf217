// SPDX-License-Identifier: Apache-2.0
// Cohesion [Daviet2016, §6.3]: with c = k/μ̂ the tensor λ̃ = λ + c 1 obeys DP(μ), so that √J₂ ≤ μ̂ p + k, and the momentum balance
// pulls by −c 1 besides. It must not act where there is room left, γ = ε̇ + (room/Δt) 1/3: grains that close up would gain the energy c
// tr ε̇. The paper asks the grid whether there is room, and loses what holds the cells at the surface of anything that does not end
// with a cell. Here points remember themselves whether their grains touch: where they do, a site has no room, however full its nodes
// are, and c tr ε̇ ≥ 0 is energy lost.
#pragma once

#include "nonsmooth/transfer.h"

#include <span>
#include <vector>

namespace talus::nonsmooth {

/// Part of its cohesion that a point has: 0 where its grains do not touch or hardly hold.
double heldPart(const Points&, std::size_t row);

/// c of every site [Pa], the mean over what is in it; 0, no cohesion, where less than half of that touches and holds.
std::vector<double> siteCohesion(const Exec&, const mpm::GridFrame&, const Grid&, const Points&, std::span<const Rheology>, StressBasis);

/// Turns a problem in λ into one in λ̃: Δt c more in every site, and nodes pulled by that. And back, after it was solved. Nothing to do
/// where there is no cohesion at all.
void pullTogether(const Exec&, std::span<const double> cohesion, double dt, FrictionProblem&);
void letGo(std::span<const double> cohesion, double dt, FrictionProblem&);

/// What the step did to what holds points: dc/dt = −ξ |ε̇| c with their own strain rates; their gaps open and close with the volume
/// of their cell. Where λ̃ is not at the tip of the cone, tr ε̇ = 0 by the law and what the solver left of it opens nothing: a tower that
/// stands for long would fall by its tolerance otherwise.
void loosen(const Exec&, const mpm::GridFrame&, const Grid&, const FrictionProblem&, StressBasis, std::span<const double> cohesion, double decay, double dt, Points&);

}  // namespace talus::nonsmooth
