// SPDX-License-Identifier: Apache-2.0
#include "world/materials.h"

#include <cmath>
#include <numbers>

namespace talus::world {

double muHatFromAngle(double angleDeg, FrictionMatch match) {
    const double angle = angleDeg * std::numbers::pi / 180;
    const double s = std::sin(angle);
    constexpr double kRoot12 = 2 * std::numbers::sqrt3;
    switch (match) {
        case FrictionMatch::tan: return std::tan(angle);
        case FrictionMatch::sin: return s;
        case FrictionMatch::inscribed: return s / std::sqrt(1 + s * s / 3);
        case FrictionMatch::middle: return kRoot12 * s / (3 + s);          // triaxial extension
        case FrictionMatch::circumscribed: return kRoot12 * s / (3 - s);   // triaxial compression, eq. (31) of [Klar2016]
    }
    return std::tan(angle);
}

}  // namespace talus::world
