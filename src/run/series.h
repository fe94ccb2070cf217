// SPDX-License-Identifier: Apache-2.0
// The rows that a frame adds to series.csv and frames/bodies.csv. Numbers are the shortest that read back the same.
#pragma once

#include "world/metrics.h"
#include "world/simulation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace talus::run {

/// What the grains had at frame 0, from which what they lost is reckoned.
struct StartEnergy {
    std::optional<double> energy;    // [J], where all parts of it are known
    std::int64_t inserted = 0;       // grains put in until then
};

/// Whether bodies alone work on the grains. Gravity that changes in time does so too, as does moving air, and nobody adds that up.
bool bodiesAloneWork(const world::World&);

/// E(0) + work of bodies − E; unknown once grains were put in or taken out, for their energy is not kept.
std::optional<double> dissipated(const StartEnergy&, const world::Totals&, const world::Account&);

std::string seriesHeader(const world::Simulation&);
std::string seriesRow(const world::Simulation&, const world::Totals&, const StartEnergy&);

/// What emitters let in and sinks and open faces took out, a row per frame.
std::string flowsHeader(const world::World&);
std::string flowsRow(const world::World&);

std::string bodiesHeader();
/// A row for each body that is there and not a face of the domain.
std::string bodiesRows(const world::Simulation&, std::int64_t frameNumber);

}  // namespace talus::run
