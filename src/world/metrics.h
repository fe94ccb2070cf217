// SPDX-License-Identifier: Apache-2.0
// Totals over all grains: the columns of series.csv that every method has.
#pragma once

#include "world/simulation.h"

#include <optional>

namespace talus::world {

struct Totals {
    std::int64_t grains = 0;
    double mass = 0;                            // [kg]
    Vec3 momentum;                              // [kg m/s]
    Vec3 centreOfMass;                          // [m]
    double kineticEnergy = 0;                   // spin included where the method has it [J]
    std::optional<double> potentialEnergy;      // −Σ m g·x; unknown where gravity acts along a periodic axis [J]
    std::optional<double> elasticEnergy;        // unknown where the method does not store it [J]
    double bodyWork = 0;                        // done by bodies on grains since the start [J]
    double maxSpeed = 0;                        // [m/s]

    /// Kinetic + potential + elastic, where all are known [J].
    std::optional<double> energy() const;
};

/// Sums in a fixed order: the same bits for any number of threads.
Totals totals(const Exec&, const Simulation&);

}  // namespace talus::world
