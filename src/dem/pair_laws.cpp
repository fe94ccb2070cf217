// SPDX-License-Identifier: Apache-2.0
#include "dem/pair_laws.h"

#include "dem/friction_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus::dem {
namespace {

/// Of the kind of grain that makes up most of the mass.
Shape mainShape(const Settings& settings) {
    if (settings.templates.empty()) return Shape::sphere;
    return std::ranges::max_element(settings.templates, {}, &TemplateSettings::fraction)->shape;
}

/// A material's friction on itself. Where its angle is out of reach `check` has refused it, unless other keys say what friction is.
Rubbing ownFriction(const Settings& settings, const world::Material& material) {
    const Shape shape = mainShape(settings);
    const std::optional<ReposeRange> range = reposeRange(shape);
    if (!range) return {};
    return *frictionForAngle(shape, std::clamp(std::atan(material.muHat) * 180 / std::numbers::pi, range->low, range->high));
}

/// Effective modulus (14) [Pa].
double effectiveModulus(double modulusA, double modulusB, double poisson) { return 1 / ((1 - poisson * poisson) * (1 / modulusA + 1 / modulusB)); }

/// How long a contact of the linear law lasts in √(m/k_r): y″ = −D y′ − y ends at zero overlap (10) or, without attraction, where
/// the force vanishes, D y′ + y = 0.
double linearContactTime(double damping, bool attraction) {
    const double d = std::min(damping, 1.99), frequency = std::sqrt(1 - 0.25 * d * d);
    return (std::numbers::pi - (attraction ? 0 : std::atan2(d * frequency, 1 - 0.5 * d * d))) / frequency;
}

/// Whether these two names, in any order, are those of the materials. A body may have none (−1).
bool names(const std::vector<std::string>& between, const world::World& world, int a, int b) {
    const auto name = [&](int material) { return material < 0 ? std::string_view() : std::string_view(world.materials[static_cast<std::size_t>(material)].name); };
    return between.size() == 2 && ((between[0] == name(a) && between[1] == name(b)) || (between[0] == name(b) && between[1] == name(a)));
}

/// The entry that names the two materials, else that which names none; −1: no cohesion.
int cohesionBetween(const Settings& settings, const world::World& world, int a, int b) {
    int found = -1;
    for (std::size_t i = 0; i < settings.cohesion.size(); ++i) {
        const std::vector<std::string>& between = settings.cohesion[i].between;
        if (between.empty() && found < 0) found = static_cast<int>(i);
        if (names(between, world, a, b)) return static_cast<int>(i);
    }
    return found;
}

}  // namespace

void Stiffness::include(const Stiffness& other) {
    spring = std::max(spring, other.spring);
    dashpot = std::max(dashpot, other.dashpot);
}

double Stiffness::step(double fraction) const {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    return fraction * std::min(spring > 0 ? std::numbers::pi / std::sqrt(spring) : kEndless, dashpot > 0 ? 2 / dashpot : kEndless);
}

PairLaws::PairLaws(const Settings& settings, const world::World& world) : settings_(settings), materials_(world.materials.size()) {
    const std::size_t pairs = materials_ * (materials_ + 1);
    grains_.resize(pairs);
    bodies_.resize(pairs);
    grainDamping_.resize(pairs);
    bodyDamping_.resize(pairs);
    cohesion_.assign(pairs, -1);
    twisting_.assign(pairs, settings.twistingFriction);
    anyTwisting_ = settings.twistingFriction > 0;
    for (const CohesionSettings& entry : settings.cohesion) anyBridges_ = anyBridges_ || std::holds_alternative<BridgeCohesion>(entry.law);
    std::map<double, double> numbers;   // restitution → damping number
    for (int a = 0; a < static_cast<int>(materials_); ++a)
        for (int b = -1; b < static_cast<int>(materials_); ++b) addPair(settings, world, a, b, numbers);
}

void PairLaws::addPair(const Settings& settings, const world::World& world, int a, int b, std::map<double, double>& numbers) {
    const world::Contact& given = world.contacts.between(a, b);
    const double e = given.restitution.value_or(settings.restitution);
    if (!numbers.contains(e)) numbers[e] = dampingNumber(settings.exponents(), e, settings.attraction);
    grainDamping_[index(a, b)] = bodyDamping_[index(a, b)] = numbers[e];
    const Rubbing own = ownFriction(settings, world.materials[static_cast<std::size_t>(a)]);
    const double rolling = settings.rollingFriction.value_or(own.rolling);
    bodies_[index(a, b)] = {given.friction, rolling};
    if (b >= 0) {
        const Rubbing other = ownFriction(settings, world.materials[static_cast<std::size_t>(b)]);
        const double friction = world.contacts.find(a, b) ? given.friction : std::sqrt(own.friction * other.friction);
        grains_[index(a, b)] = {settings.contactFriction.value_or(friction), settings.rollingFriction.value_or(std::sqrt(own.rolling * other.rolling))};
        anyRolling_ = anyRolling_ || grains_[index(a, b)].rolling > 0;
    }
    anyRolling_ = anyRolling_ || rolling > 0;
    cohesion_[index(a, b)] = cohesionBetween(settings, world, a, b);
    for (const PairSettings& pair : settings.pairs) {
        if (!names(pair.between, world, a, b)) continue;
        if (pair.rollingFriction) grains_[index(a, b)].rolling = bodies_[index(a, b)].rolling = *pair.rollingFriction;
        twisting_[index(a, b)] = pair.twistingFriction.value_or(settings.twistingFriction);
        anyRolling_ = anyRolling_ || pair.rollingFriction.value_or(0) > 0;
        anyTwisting_ = anyTwisting_ || twisting_[index(a, b)] > 0;
    }
}

HoldConstants PairLaws::hold(int a, int b, double radiusA, double radiusB) const {
    const int entry = cohesion_[index(a, b)];
    HoldConstants held;
    if (entry >= 0) held = std::visit([&](const auto& law) { return holdConstants(law, radiusA, radiusB); }, settings_.cohesion[static_cast<std::size_t>(entry)].law);
    held.twisting = twisting_[index(a, b)];
    return held;
}

double PairLaws::longestBridge(double largestRadius) const {
    double longest = 0;
    for (const CohesionSettings& entry : settings_.cohesion)
        longest = std::max(longest, std::visit([&](const auto& law) { return holdConstants(law, largestRadius, largestRadius).rupture; }, entry.law));
    return longest;
}

// (11), (13), (15) for spheres; for the linear law (10) with the contact time, or the Hertz stiffness at the reference overlap.
PairConstants PairLaws::constants(const Side& a, const Side& b, double dampingNumber, const Rubbing& rubbing) const {
    const NormalExponents exponents = settings_.exponents();
    const double radius = b.body && !(b.radius > 0) ? a.radius : a.radius * b.radius / (a.radius + b.radius);
    const double mass = b.body ? a.mass : a.mass * b.mass / (a.mass + b.mass);
    const double otherModulus = b.body ? settings_.bodyYoungsModulus.value_or(settings_.youngsModulus) : settings_.youngsModulus;
    const double modulus = effectiveModulus(settings_.youngsModulus, otherModulus, settings_.poissonRatio);
    const double hertz = 4.0 / 3 * modulus * std::sqrt(radius);
    PairConstants pair{.friction = rubbing.friction, .rolling = rubbing.rolling, .radius = radius, .perMass = a.perMass + b.perMass};
    if (settings_.stiffness) {
        pair.stiffness = *settings_.stiffness;
    } else if (settings_.normal == Normal::hertz) {
        pair.stiffness = hertz;
    } else if (settings_.contactTime) {
        pair.stiffness = mass * std::pow(linearContactTime(dampingNumber, settings_.attraction) / *settings_.contactTime, 2);
    } else {   // as soft as a Hertz contact where that is deepest
        pair.stiffness = hertz * std::sqrt(impactOverlap({0.5, 1.5}, mass, hertz, settings_.referenceSpeed));
    }
    if (settings_.dampingRate) pair.damping = *settings_.dampingRate * mass * std::sqrt(radius);
    else pair.damping = settings_.damping.value_or(dampingCoefficient(exponents, dampingNumber, mass, pair.stiffness, settings_.referenceSpeed));

    const double overlap = impactOverlap(exponents, mass, pair.stiffness, settings_.referenceSpeed);
    const double tangent = std::visit([&](auto law) { return pair.stiffness * law.tangent(overlap); }, settings_.normalLaw());
    if (settings_.shearGrowth == ShearGrowth::contact) return withGrowingShear(pair, radius, mass, overlap, settings_.youngsModulus, otherModulus);
    if (settings_.shear == Shear::spring) {
        pair.shear = settings_.shearStiffness.value_or(settings_.shearRatio * tangent);
        pair.shearDamping = settings_.shearDamping * 2 * std::sqrt(pair.shear * 2.0 / 7 * mass);   // a sphere resists with 2/7 of its mass
    } else {
        pair.shear = settings_.shearViscosity.value_or(2.0 / 7 * std::sqrt(mass * tangent));
    }
    return pair;
}

/// k_t = 8 G √(R x) with the effective shear modulus, 1/G = Σ 2 (1 + ν)(2 − ν)/E; what follows is over √x. Without a rate the dashpot is as
/// it would be at the overlap of an impact.
PairConstants PairLaws::withGrowingShear(PairConstants pair, double radius, double mass, double overlap, double modulusA, double modulusB) const {
    const double nu = settings_.poissonRatio, width = std::sqrt(overlap);
    const double spring = 8 / (2 * (1 + nu) * (2 - nu) * (1 / modulusA + 1 / modulusB)) * std::sqrt(radius);
    const double rate = settings_.shearDampingRate.value_or(0) * mass * std::sqrt(radius), resisting = 2.0 / 7 * mass;
    if (settings_.shear == Shear::spring) {
        pair.shear = spring;
        pair.shearDamping = settings_.shearDampingRate ? rate : settings_.shearDamping * 2 * std::sqrt(spring * width * resisting) / width;
    } else {
        pair.shear = settings_.shearDampingRate ? rate : std::sqrt(resisting * spring * width) / width;
    }
    return pair;
}

// A contact acts through the centre of a sphere: 1/m + (arm × n)·I⁻¹(arm × n) with the longest arm; along the surface the arm is the
// bounding radius, so that a sphere resists with 2/7 of its mass.
Stiffness PairLaws::stiffness(const ClumpTemplate& shape, double diameter, double mass, int material) const {
    const double perMass = (1 + shape.sphereReach * shape.sphereReach / shape.smallestInertia()) / mass;
    const double perShearMass = (1 + shape.boundingRadius * shape.boundingRadius / shape.smallestInertia()) / mass;
    const auto largest = std::ranges::max_element(shape.spheres, {}, &TemplateSphere::radius);
    const Side side{.radius = diameter * largest->radius, .mass = mass};
    Stiffness most;
    for (const bool body : {false, true}) {
        const PairConstants c = body ? bodyPair(material, side, -1) : grainPair(material, side, material, side);
        const double sides = body ? 1 : 2, overlap = impactOverlap(settings_.exponents(), mass / sides, c.stiffness, settings_.referenceSpeed);
        std::visit([&](auto law) { most.include({c.stiffness * law.tangent(overlap) * sides * perMass, c.damping * law.viscous(overlap) * sides * perMass}); }, settings_.normalLaw());
        const double width = settings_.shearGrowth == ShearGrowth::contact ? std::sqrt(overlap) : 1, sharing = width * sides * perShearMass;
        if (settings_.shear == Shear::spring) most.include({c.shear * sharing, c.shearDamping * sharing});
        else if (settings_.shear != Shear::coulomb) most.include({0, c.shear * sharing});
        const HoldConstants held = body ? bodyHold(material, side.radius, -1) : grainHold(material, side.radius, material, side.radius);
        most.include({kWillettLinear * held.pull * held.perGap * sides * perMass, 0});   // a bridge is softest where it is longest
    }
    return most;
}

}  // namespace talus::dem
