// SPDX-License-Identifier: Apache-2.0
// What holds grains together: a pull over the area of contact, or bridges of liquid. The laws are written once, for one pair and for eight.
#pragma once

#include "core/keys.h"
#include "dem/contact_law.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus::dem {

/// Simplified Johnson–Kendall–Roberts [Johnson1971], as LIGGGHTS has it: a pull k A with the area A = 2 π R x in which two spheres cut each
/// other, to first order in x/R.
struct SjkrCohesion {
    static constexpr std::string_view kType = "sjkr";
    double energyDensity = 0;             // k [Pa]
    void keys(KeyVisitor&);
};

/// A pendular bridge of liquid [Willett2000]: with R twice the effective radius, the gap s and s⁺ = s √(R/V)
///     F = 2 π R γ cos θ / (1 + 1.05 s⁺ + 2.5 s⁺²), the value of s = 0 where the grains touch.
/// It forms when they touch and breaks beyond (1 + θ/2) V^⅓ [Lian1993].
struct BridgeCohesion {
    static constexpr std::string_view kType = "liquid_bridge";
    double surfaceTension = 0.0728;       // γ [N/m]; water at 20 °C
    double contactAngleDeg = 0;           // θ
    double liquid = 0.01;                 // V over the volume of the smaller sphere
    void keys(KeyVisitor&);
};

struct CohesionSettings {
    std::vector<std::string> between;     // two materials; empty: all pairs that no other entry names
    std::variant<SjkrCohesion, BridgeCohesion> law;
    void keys(KeyVisitor&);
};

/// What few runs have, of one pair of spheres or of eight: cohesion and resistance to twisting.
template <class N>
struct HoldConstantsOf {
    N pull = N(0);        // of a bridge while the spheres touch [N]; where there is none 2 π k R [N/m]
    N perGap = N(0);      // √(R/V) of a bridge [1/m]
    N rupture = N(0);     // gap at which it breaks [m]; 0: no bridge
    N twisting = N(0);    // torque that resists twisting, over normal force and effective radius
};
using HoldConstants = HoldConstantsOf<double>;

/// Of two spheres of radii a and b; of a sphere and a body, which is flat, where b is 0 [m].
HoldConstants holdConstants(const SjkrCohesion&, double a, double b);
HoldConstants holdConstants(const BridgeCohesion&, double a, double b);

inline constexpr double kWillettLinear = 21.0 / 20, kWillettSquare = 2.5;   // 1.05 is no float

/// How strongly a pair is pulled together [N]; a negative overlap is a gap.
template <class N>
[[gnu::always_inline]] inline N pullTogether(const HoldConstantsOf<N>& hold, const std::type_identity_t<N>& overlap) {
    const N gap = max(-overlap, N(0)) * hold.perGap;
    const N bridge = hold.pull / (N(1) + gap * (N(21) / N(20) + N(kWillettSquare) * gap));
    return select(hold.rupture > N(0), bridge, hold.pull * max(overlap, N(0)));
}

/// Work of that pull from the instant at which the spheres touch: what a stretched bridge holds, and loses when it breaks; negative below [J].
double heldEnergy(const HoldConstants&, double overlap);

}  // namespace talus::dem
