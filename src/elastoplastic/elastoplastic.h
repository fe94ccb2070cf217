// SPDX-License-Identifier: Apache-2.0
// Drucker–Prager MPM [Klar2016] as a method.
#pragma once

#include "mpm/start_points.h"
#include "world/method.h"

#include <optional>

namespace talus::elastoplastic {

using mpm::Start;

struct Settings final : world::MethodSettings {
    double youngsModulus = 3.537e5;          // of the bulk [Pa]
    double poissonRatio = 0.3;
    std::int64_t pointsPerCell = 8;
    Start start = Start::lattice;
    double cfl = 0.4;                        // Δt ≤ cfl h/(c + |v|)
    std::optional<double> spacing;           // of the grid [m]; from the scene's resolution unless given
    std::optional<double> dt;                // longest step to take [s]

    void keys(KeyVisitor&) override;
};

extern const world::MethodInfo info;

/// Grid spacing that the scene's resolution asks for, before it adapts to periodic axes [m].
double wantedSpacing(const Settings&, const world::World&);

}  // namespace talus::elastoplastic
