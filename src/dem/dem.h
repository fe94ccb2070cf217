// SPDX-License-Identifier: Apache-2.0
// Discrete elements [Bell2005] as a method: grains are rigid clumps of spheres that push and rub each other where they overlap.
#pragma once

#include "dem/clump_template.h"
#include "dem/cohesion.h"
#include "dem/contact_law.h"
#include "dem/cover.h"
#include "dem/restitution.h"
#include "dem/sizes.h"
#include "world/method.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::dem {

enum class Normal { hertz, linear };
inline constexpr std::array<std::string_view, 2> kNormalNames{"hertz", "linear"};
enum class Shear { spring, capped, coulomb, viscous };   // in the order of ShearLaw
inline constexpr std::array<std::string_view, 4> kShearNames{"spring", "capped", "coulomb", "viscous"};
/// Whether the coefficients of shear are constants, as in the paper, or grow with the width √(R x) of the contact, as Mindlin's do.
enum class ShearGrowth { constant, contact };
inline constexpr std::array<std::string_view, 2> kShearGrowthNames{"constant", "contact"};
/// Which velocity contact forces at the end of a step see: that of the same instant, v + Δt a, or that of half a step before, v + ½ Δt a.
enum class ContactVelocity { endOfStep, halfStep };
inline constexpr std::array<std::string_view, 2> kContactVelocityNames{"end_of_step", "half_step"};
enum class Integrator { verlet, rkf45 };
inline constexpr std::array<std::string_view, 2> kIntegratorNames{"verlet", "rkf45"};
inline constexpr double kTolerance = 1e-4;   // of RKF45 unless given
enum class DeepOverlap { count, stop };
inline constexpr std::array<std::string_view, 2> kDeepOverlapNames{"count", "stop"};

/// One kind of grain of a mixture.
struct TemplateSettings {
    Shape shape = Shape::sphere;
    double spacing = 0.8;                 // of neighbouring spheres over their diameter
    std::vector<double> spheres;          // x, y, z, r, x, … of shape "spheres", in any unit of length
    double fraction = 1;                  // of the mass
    void keys(KeyVisitor&);
};

/// Coefficients of two materials, of grains or of a grain and a body, that other keys say for all.
struct PairSettings {
    std::vector<std::string> between;
    std::optional<double> rollingFriction, twistingFriction;
    void keys(KeyVisitor&);
};

struct Settings final : world::MethodSettings {
    std::vector<TemplateSettings> templates;   // empty: spheres
    SizeDistribution sizes;
    std::optional<double> diameter;       // of a sphere of the grain's volume [m]; from the scene's resolution unless given

    Normal normal = Normal::hertz;
    double dampingExponent = 0.5;         // α of the Hertz law
    double youngsModulus = 1e7;           // of the grains [Pa]
    double poissonRatio = 0.3;
    std::optional<double> bodyYoungsModulus;   // [Pa]; that of the grains unless given
    std::optional<double> stiffness;      // k_r [N/m^β], instead of the modulus
    std::optional<double> contactTime;    // of the linear law [s], instead of k_r
    double restitution = 0.5;             // of pairs that [[contacts]] does not give one
    double referenceSpeed = 0.1;          // at which restitution is meant [m/s]
    std::optional<double> damping;        // k_d, instead of restitution
    std::optional<double> dampingRate;    // γ_n: k_d = γ_n m √R of each pair, instead of restitution [1/(m s)]
    bool attraction = false;              // whether damping may pull while a contact opens

    Shear shear = Shear::spring;
    ShearGrowth shearGrowth = ShearGrowth::constant;
    double shearRatio = 2.0 / 7;          // k_t over the normal stiffness at the reference speed
    std::optional<double> shearStiffness; // k_t of the spring [N/m]
    std::optional<double> shearViscosity; // k_t of the viscous and the capped law [N s/m]
    double shearDamping = 0.3;            // of the spring, over its critical damping
    std::optional<double> shearDampingRate;   // γ_t: dashpot γ_t m √(R x) of each pair, where shear grows with the contact [1/(m s)]
    std::optional<double> contactFriction, rollingFriction;   // between grains; from the friction angle unless given

    double twistingFriction = 0;
    std::vector<PairSettings> pairs;      // of two materials, instead of those of all
    std::vector<CohesionSettings> cohesion;   // empty: none
    std::vector<CoverSettings> covered;   // bodies that grains touch by spheres instead of their surface

    Integrator integrator = Integrator::verlet;
    std::optional<double> tolerance;      // error of a substep of RKF45: of velocities over the reference speed or the grain's own, of places over the way at it in half a period
    double stepFraction = 0.05;           // of half a period of the stiffest contact
    std::optional<double> dt;             // [s]
    ContactVelocity contactVelocity = ContactVelocity::endOfStep;
    double skin = 0.12;                   // of the list of neighbours, over the diameter
    DeepOverlap deepOverlap = DeepOverlap::count;

    void keys(KeyVisitor&) override;
    NormalExponents exponents() const { return normal == Normal::linear ? NormalExponents{0, 1} : NormalExponents{dampingExponent, 1.5}; }
    NormalLaw normalLaw() const;
    ShearLaw shearLaw() const;
};

extern const world::MethodInfo info;

/// Diameter that the scene's resolution asks for; 0 where it asks for none [m].
double wantedDiameter(const Settings&, const world::World&);
std::vector<ClumpTemplate> makeTemplates(const Settings&);

}  // namespace talus::dem
