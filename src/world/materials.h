// SPDX-License-Identifier: Apache-2.0
// What grains and bodies are made of, and how two materials rub.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus::world {

/// How a friction angle φ becomes the slope μ̂ of the Drucker–Prager cone √J₂ ≤ μ̂ p.
/// tan: a heap stands at φ (default). The others match the Mohr–Coulomb hexagon in the deviatoric plane.
enum class FrictionMatch { tan, sin, inscribed, middle, circumscribed };
inline constexpr std::array<std::string_view, 5> kFrictionMatchNames{"tan", "sin", "inscribed", "middle", "circumscribed"};

double muHatFromAngle(double angleDeg, FrictionMatch);

/// Above this the cone lets dry grains carry tension (it contains uniaxial tension states): μ̂ = √3/2.
inline constexpr double kMostMuHat = 0.8660254037844386;

struct Material {
    std::string name;
    double density = 2600;           // of a grain [kg/m³]
    double packingFraction = 0.6;    // of the packed bulk
    double muHat = 0.5773502691896257;   // slope of the cone, tan 30°
    double grainDiameter = 5e-4;     // physical [m]
    double cohesion = 0;             // k of the cone √J₂ ≤ μ̂ p + k [Pa]

    double bulkDensity() const { return density * packingFraction; }
};

/// Coefficients between two materials.
struct Contact {
    double friction = 0.5;      // Coulomb
    std::optional<double> restitution = {};   // of an impact; where a pair has none, bodies do not bounce and a method has its own
};

class ContactTable {
public:
    void set(int a, int b, const Contact& contact) { contacts_[ordered(a, b)] = contact; }
    /// Pairs that the scene does not name have the defaults of Contact.
    const Contact& between(int a, int b) const {
        static constexpr Contact kUnnamed;
        const Contact* named = find(a, b);
        return named ? *named : kUnnamed;
    }
    /// Null where the scene does not name the pair.
    const Contact* find(int a, int b) const {
        const auto found = contacts_.find(ordered(a, b));
        return found == contacts_.end() ? nullptr : &found->second;
    }

private:
    static std::pair<int, int> ordered(int a, int b) { return a < b ? std::pair{a, b} : std::pair{b, a}; }
    std::map<std::pair<int, int>, Contact> contacts_;
};

}  // namespace talus::world
