// SPDX-License-Identifier: Apache-2.0
// What points of a material are: sand, or a solid that only ever deforms elastically; and how stiff.
#pragma once

#include "core/keys.h"
#include "elastoplastic/elasticity.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace talus::elastoplastic {

/// sand: Hencky elasticity within the Drucker–Prager cone (sand.h); the others are elastic solids (solid.h).
enum class Law { sand, hencky, fixedCorotated };
inline constexpr std::array<std::string_view, 3> kLawNames{"sand", "hencky", "fixed_corotated"};

/// An entry of [[elastoplastic.materials]]: what a material of the scene has for itself.
struct MaterialLaw {
    std::string name;
    Law law = Law::sand;
    std::optional<double> youngsModulus;   // [Pa]; that of [elastoplastic] unless given
    std::optional<double> poissonRatio;

    void keys(KeyVisitor&);
};

/// The same for every material of the world, with what it takes from [elastoplastic].
struct Matter {
    Law law = Law::sand;
    Elasticity elasticity{};
    double soundSpeed = 0;     // [m/s]
    double grainInertia = 0;   // d √ρ of a grain: I = γ̇ d √(ρ/p) [√Pa s]

    bool solid() const { return law != Law::sand; }
};

}  // namespace talus::elastoplastic
