// SPDX-License-Identifier: Apache-2.0
// The ellipsoids that the volumes of points have become, and points that are halved and put together by them [Daviet2016, §5.3],
// [Narain2010]. Semi-axes a_k make the tensor F = Σ a_k a_kᵀ, dF/dt = ∇u F + F ∇uᵀ. Departure from the paper: F keeps the packed volume of its
// point, (4/3) π √det F = V, and only its shape follows the flow: where grains fly apart it would grow for ever.
#pragma once

#include "nonsmooth/transfer.h"
#include "world/body.h"

#include <span>

namespace talus::nonsmooth {

/// F of a ball of that volume [m²].
SymTensor ballOf(double volume);
/// F with its volume made to be `volume` [m³].
SymTensor ofVolume(const SymTensor&, double volume);

/// F of points after a step with the velocity gradients that they have.
void stretchFrames(const Exec&, double dt, Points&);

/// Halves points of which one axis is more than twice that of a ball of their volume, across that axis: each half has half of mass and volume and the velocity
/// that the point's affine field has where it lies, so that mass and momentum stay as they are. Those of less than half of `whole`, the volume
/// of a point at the start, are left alone, and those of which a half would lie in a body. Halves take new ids in the order of rows. Returns how many it made; points are no longer sorted.
std::int64_t split(const Exec&, double whole, std::span<const world::BodySnapshot>, const world::Domain&, std::int64_t& nextId, Points&);

/// Puts two points of a cell together that have no more than the volume `whole`, are each other's nearest and make an ellipsoid that need not be split, where a cell has more than
/// one and a half times `perCell` points. Mass and momentum stay as they are; the lower id stays. Points must be sorted and remain so. Returns how many went.
std::int64_t merge(const Exec&, const mpm::GridFrame&, double whole, double perCell, Points&);

}  // namespace talus::nonsmooth
