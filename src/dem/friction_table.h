// SPDX-License-Identifier: Apache-2.0
// Which friction between grains makes a heap stand at an angle. Measured; `talus calibrate` makes the table again.
#pragma once

#include "dem/clump_template.h"
#include "dem/contact_law.h"

#include <optional>

namespace talus::dem {

/// Angles of repose that a kind of grain reaches [degrees]; none where no heap of it was measured.
struct ReposeRange {
    double low = 0, high = 0;
};
std::optional<ReposeRange> reposeRange(Shape);

/// Contact friction and, beyond what the shape reaches, rolling friction; none where the angle is out of reach.
std::optional<Rubbing> frictionForAngle(Shape, double degrees);

}  // namespace talus::dem
