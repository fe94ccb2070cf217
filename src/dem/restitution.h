// SPDX-License-Identifier: Apache-2.0
// Restitution of the normal laws and the damping that gives it. With lengths in L = (m v²/k_r)^{1/(β+1)} and times in L/v a head-on
// impact at speed v is y″ = −D y^α y′ − y^β, y(0) = 0, y′(0) = 1, so restitution depends on D = k_d L^{α+1}/(m v) alone; for Hertz with
// α = ½ this is X = (k_d/k_r)(k_r/m)^{2/5} v^{1/5}.
#pragma once

namespace talus::dem {

struct NormalExponents {
    double alpha = 0.5, beta = 1.5;
};

/// Speed after over speed before. Without attraction contact ends where the force would turn to pull, else at zero overlap.
double restitution(const NormalExponents&, double dampingNumber, bool attraction);

/// The D for a restitution; that of kLeastRestitution for smaller ones, which only steps too short to be useful would resolve.
double dampingNumber(const NormalExponents&, double restitution, bool attraction);
inline constexpr double kLeastRestitution = 0.05;

/// k_d of an impact at `speed` [m/s] of the effective mass [kg].
double dampingCoefficient(const NormalExponents&, double dampingNumber, double mass, double stiffness, double speed);

/// Largest overlap of an undamped impact [m].
double impactOverlap(const NormalExponents&, double mass, double stiffness, double speed);

}  // namespace talus::dem
