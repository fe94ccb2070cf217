// SPDX-License-Identifier: Apache-2.0
#include "dem/cohesion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

void SjkrCohesion::keys(KeyVisitor& v) {
    v.number({.name = "energy_density", .help = "k of the pull k A of a contact with the area A = 2 pi R x", .dimension = Dimension::pressure, .range = positive(), .required = true}, energyDensity);
}

void BridgeCohesion::keys(KeyVisitor& v) {
    v.number({"surface_tension", "of the liquid; that of water unless given", Dimension::stiffness, positive()}, surfaceTension);
    v.number({"contact_angle_deg", "of the liquid on the grains", Dimension::angle, between(0, 50)}, contactAngleDeg);
    v.number({"liquid", "volume of a bridge over that of the smaller of its two spheres", Dimension::none, {.min = 0, .max = 0.02, .minExcluded = true}}, liquid);
}

void CohesionSettings::keys(KeyVisitor& v) {
    v.texts({"between", "names of two materials; without it, all pairs of grains, and of grains and bodies, that no other entry names"}, between);
    v.oneOf({"", ""}, law, [](auto& kind, KeyVisitor& inside) { kind.keys(inside); });
    if (!between.empty() && between.size() != 2) v.problem("between", "give the names of two materials, such as between = [\"sand\", \"sand\"]");
}

HoldConstants holdConstants(const SjkrCohesion& law, double a, double b) {
    const double radius = b > 0 ? a * b / (a + b) : a;
    return {.pull = 2 * std::numbers::pi * law.energyDensity * radius};
}

HoldConstants holdConstants(const BridgeCohesion& law, double a, double b) {
    const double mean = b > 0 ? 2 * a * b / (a + b) : 2 * a, smaller = b > 0 ? std::min(a, b) : a;
    const double angle = law.contactAngleDeg * std::numbers::pi / 180, volume = law.liquid * 4.0 / 3 * std::numbers::pi * smaller * smaller * smaller;
    return {.pull = 2 * std::numbers::pi * mean * law.surfaceTension * std::cos(angle), .perGap = std::sqrt(mean / volume), .rupture = (1 + 0.5 * angle) * std::cbrt(volume)};
}

// ∫ du/(1 + b u + c u²) = 2/q (atan((2 c u + b)/q) − atan(b/q)), q = √(4 c − b²).
double heldEnergy(const HoldConstants& hold, double overlap) {
    if (!(hold.rupture > 0)) return overlap > 0 ? -0.5 * hold.pull * overlap * overlap : 0;
    if (overlap >= 0) return -hold.pull * overlap;
    const double q = std::sqrt(4 * kWillettSquare - kWillettLinear * kWillettLinear), gap = -overlap * hold.perGap;
    return hold.pull / hold.perGap * 2 / q * (std::atan((2 * kWillettSquare * gap + kWillettLinear) / q) - std::atan(kWillettLinear / q));
}

}  // namespace talus::dem
