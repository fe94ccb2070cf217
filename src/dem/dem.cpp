// SPDX-License-Identifier: Apache-2.0
#include "dem/dem.h"

#include "dem/dem_check.h"
#include "dem/dem_method.h"
#include "dem/friction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {

void TemplateSettings::keys(KeyVisitor& v) {
    v.choice({"shape", "of the grain: one sphere, a clump of 4, 6, 8 or 9, or \"spheres\" with a list"}, kShapeNames, shape);
    v.number({"spacing", "distance of neighbouring spheres of a clump over their diameter; 1: they touch", Dimension::none, between(0.3, 1)}, spacing);
    v.rows({"spheres", "[x, y, z, radius] of each sphere, in any unit: the diameter of the grain scales it"}, 4, spheres);
    v.number({"fraction", "share of the mass of a mixture", Dimension::none, positive()}, fraction);
    if (shape == Shape::spheres && spheres.empty()) v.problem("spheres", "shape = \"spheres\" needs the list `spheres` of rows [x, y, z, radius]");
    if (shape != Shape::spheres && !spheres.empty()) v.problem("spheres", "a list of spheres belongs to shape = \"spheres\"");
    for (std::size_t i = 3; i < spheres.size(); i += 4)
        if (!(spheres[i] > 0)) v.problem("spheres", fmt::format("sphere {} has the radius {:g}; it must be above 0", i / 4 + 1, spheres[i]));
}

void PairSettings::keys(KeyVisitor& v) {
    v.texts({.name = "between", .help = "names of two materials", .required = true}, between);
    v.number({"rolling_friction", "torque against rolling over normal force and radius", Dimension::none, nonNegative()}, rollingFriction);
    v.number({"twisting_friction", "torque against spin about the normal, over normal force and radius", Dimension::none, nonNegative()}, twistingFriction);
    if (between.size() != 2) v.problem("between", "give the names of two materials, such as between = [\"sand\", \"steel\"]");
    if (!rollingFriction && !twistingFriction) v.problem("between", "the pair has neither rolling_friction nor twisting_friction; friction and restitution stand in [[contacts]]");
}

void Settings::keys(KeyVisitor& v) {
    v.list({.name = "templates", .help = "kinds of grains: a mixture by mass; spheres unless given", .shorthand = "shape"}, templates);
    v.oneOf({"sizes", "how diameters are distributed"}, sizes, [](auto& kind, KeyVisitor& inside) { kind.keys(inside); });
    v.number({"diameter", "of a sphere of the grain's volume; from the scene's resolution unless given", Dimension::length, positive()}, diameter);
    v.choice({"normal_law", "force of an overlap x: hertz, k_r x^1.5, or linear, k_r x"}, kNormalNames, normal);
    v.number({"damping_exponent", "a in the damping k_d x^a of the hertz law: 0.5, 0.25 or 0", Dimension::none, between(0, 0.5)}, dampingExponent);
    v.number({"youngs_modulus", "of the grains; softer allows longer steps", Dimension::pressure, positive()}, youngsModulus);
    v.number({"poisson_ratio", "of the grains", Dimension::none, openBetween(-1, 0.5)}, poissonRatio);
    v.number({"body_youngs_modulus", "of bodies; that of the grains unless given", Dimension::pressure, positive()}, bodyYoungsModulus);
    v.number({"stiffness", "k_r in N/m^1.5 (hertz) or N/m (linear) for all pairs, instead of the moduli", Dimension::none, positive()}, stiffness);
    v.number({"contact_time", "how long an impact lasts under the linear law, instead of its stiffness", Dimension::time, positive()}, contactTime);
    v.number({"restitution", "of an impact at reference_speed, of pairs that [[contacts]] gives none", Dimension::none, between(0, 1)}, restitution);
    v.number({"reference_speed", "of the impacts that restitution, shear stiffness and step are made for", Dimension::velocity, positive()}, referenceSpeed);
    v.number({"damping", "k_d for all pairs, instead of restitution", Dimension::none, nonNegative()}, damping);
    v.number({"damping_rate", "g in 1/(m s) of the damping g m sqrt(R) x^0.5 of each pair with effective mass m and radius R, instead of restitution", Dimension::none, nonNegative()}, dampingRate);
    v.flag({"attraction", "whether damping may pull grains together while they part"}, attraction);
    v.choice({"shear_law", "spring: with history, holds a heap (19); capped: the smaller of viscous and Coulomb (18); coulomb (17); viscous (16)"}, kShearNames, shear);
    v.choice({"shear_growth", "constant: shear stiffness and damping as the paper has them; contact: they grow with the width sqrt(R x) of the contact, stiffness 8 G sqrt(R x) as Mindlin's"}, kShearGrowthNames, shearGrowth);
    v.number({"shear_ratio", "stiffness of the shear spring over that of the normal force at reference_speed", Dimension::none, positive()}, shearRatio);
    v.number({"shear_stiffness", "of the shear spring for all pairs, instead of shear_ratio", Dimension::stiffness, positive()}, shearStiffness);
    v.number({"shear_viscosity", "k_t in N s/m of the viscous and the capped law; from mass and stiffness unless given", Dimension::none, positive()}, shearViscosity);
    v.number({"shear_damping", "of the shear spring, over its critical damping", Dimension::none, between(0, 2)}, shearDamping);
    v.number({"shear_damping_rate", "g in 1/(m s) of the shear damping g m sqrt(R x) of each pair, with shear_growth = \"contact\"", Dimension::none, nonNegative()}, shearDampingRate);
    v.number({"contact_friction", "Coulomb coefficient between grains; from the friction angle of their material unless given", Dimension::none, nonNegative()}, contactFriction);
    v.number({"rolling_friction", "torque against rolling over normal force and radius; from the friction angle unless given", Dimension::none, nonNegative()}, rollingFriction);
    v.number({"twisting_friction", "torque against spin about the normal of a contact, over normal force and radius", Dimension::none, nonNegative()}, twistingFriction);
    v.list({"pairs", "rolling and twisting friction of two materials, instead of those of all"}, pairs);
    v.list({"cohesion", "what holds grains together, and to bodies, for pairs of materials"}, cohesion);
    v.list({"covered", "bodies covered with spheres, which grains touch instead of their surface"}, covered);
    v.choice({"integrator", "verlet: velocity Verlet, one evaluation of forces a step; rkf45: adaptive Runge-Kutta-Fehlberg, six for each of the substeps that it divides a step into, with forces in double precision"}, kIntegratorNames, integrator);
    v.number({"tolerance", "largest error of a substep of rkf45: of a velocity over reference_speed, or over the grain's own if it is faster; 1e-4 unless given", Dimension::none, {.min = 1e-12, .max = 0.01}}, tolerance);
    v.number({"step_fraction", "step over half a period of the stiffest contact", Dimension::none, {.min = 0, .max = 0.2, .minExcluded = true}}, stepFraction);
    v.number({"dt", "time step; chosen by step_fraction unless given", Dimension::time, positive()}, dt);
    v.choice({"contact_velocity", "velocity that contact forces see: end_of_step, that of the same instant; half_step, that of half a step before, as LAMMPS has it: stands twice the damping, small grains may stick to large ones"}, kContactVelocityNames, contactVelocity);
    v.number({"skin", "by which the list of neighbours reaches further than contacts, over the diameter", Dimension::none, between(0.01, 1)}, skin);
    v.choice({"deep_overlap", "what to do about overlaps of more than half a radius: count them in run.json, or stop"}, kDeepOverlapNames, deepOverlap);
    if (normal == Normal::hertz && dampingExponent != 0 && dampingExponent != 0.25 && dampingExponent != 0.5)
        v.problem("damping_exponent", fmt::format("the damping exponent is {:g}; it is 0.5, 0.25 or 0", dampingExponent));
    if (normal == Normal::hertz && contactTime) v.problem("contact_time", "a contact time belongs to normal_law = \"linear\"; a hertz contact lasts shorter the faster it is");
    if (dampingRate && damping) v.problem("damping_rate", "damping and damping_rate are both given; keep one of them");
    if (dampingRate && exponents().alpha != 0.5) v.problem("damping_rate", "a damping rate belongs to normal_law = \"hertz\" with damping_exponent = 0.5");
    if (shearGrowth == ShearGrowth::constant && shearDampingRate) v.problem("shear_damping_rate", "a shear damping rate belongs to shear_growth = \"contact\"");
    if (shearGrowth == ShearGrowth::contact && (shearStiffness || shearViscosity))
        v.problem(shearStiffness ? "shear_stiffness" : "shear_viscosity", "shear_growth = \"contact\" takes the stiffness from the moduli and damping from shear_damping_rate; leave this key out");
    if (tolerance && integrator != Integrator::rkf45) v.problem("tolerance", "a tolerance belongs to integrator = \"rkf45\"; with \"verlet\" step_fraction or dt sets the accuracy");
    if (contactVelocity == ContactVelocity::halfStep && integrator == Integrator::rkf45) v.problem("contact_velocity", "\"half_step\" belongs to integrator = \"verlet\"; a stage of rkf45 has all at one instant");
    if (stiffness && contactTime) v.problem("contact_time", "stiffness and contact_time are both given; keep one of them");
}

NormalLaw Settings::normalLaw() const {
    if (normal == Normal::linear) return LinearNormal{};
    if (dampingExponent == 0.25) return HertzQuarter{};
    if (dampingExponent == 0) return HertzZero{};
    return HertzHalf{};
}
ShearLaw Settings::shearLaw() const {
    switch (shear) {
        case Shear::spring: return SpringShear{};
        case Shear::capped: return CappedShear{};
        case Shear::coulomb: return CoulombShear{};
        default: return ViscousShear{};
    }
}

double wantedDiameter(const Settings& settings, const world::World& world) {
    if (settings.diameter) return *settings.diameter;
    if (world.resolution.size) return *world.resolution.size;
    if (!world.resolution.grains) return 0;
    double solid = 0;
    for (const world::Fill& fill : world.fills) {
        const double packing = world.materials[static_cast<std::size_t>(fill.material)].packingFraction;
        if (fill.region) solid += packing * fill.region->volume();
        if (fill.listed)
            for (const double volume : fill.listed->volumes) solid += packing * volume;
    }
    if (!(solid > 0)) return maxComponent(world.domain.size()) / 64;   // nothing will be simulated at it
    return std::cbrt(6 / std::numbers::pi * solid / (static_cast<double>(*world.resolution.grains) * meanCube(settings.sizes)));
}

std::vector<ClumpTemplate> makeTemplates(const Settings& settings) {
    std::vector<ClumpTemplate> made;
    for (const TemplateSettings& t : settings.templates) {
        std::vector<TemplateSphere> spheres = builtInSpheres(t.shape, t.spacing);
        for (std::size_t i = 0; i + 3 < t.spheres.size(); i += 4) spheres.push_back({{t.spheres[i], t.spheres[i + 1], t.spheres[i + 2]}, t.spheres[i + 3]});
        made.push_back(makeTemplate(std::string(kShapeNames[static_cast<std::size_t>(t.shape)]), std::move(spheres)));
    }
    if (made.empty()) made.push_back(makeTemplate("sphere", {TemplateSphere{}}));
    return made;
}

namespace {

using namespace world::field;
using world::FieldInfo, world::FieldType;
constexpr std::array kFields{id, position, velocity, radius, mass, volume, material, source, birthTime, stress, elasticEnergy, rotationalEnergy,
                             FieldInfo{"orientation", "1", FieldType::real, 3, "vector part of the quaternion that turns the template"},
                             FieldInfo{"orientation_w", "1", FieldType::real, 1, "scalar part of that quaternion"},
                             FieldInfo{"angular_velocity", "rad/s", FieldType::real, 3, ""},
                             FieldInfo{"template", "1", FieldType::integer, 1, "index of the kind of grain: dem.templates"},
                             FieldInfo{"coordination", "1", FieldType::integer, 1, "contacts of the grain's spheres with others and with bodies"},
                             FieldInfo{"contact_force", "N", FieldType::real, 1, "sum of the sizes of its contact forces"}};

constexpr std::array kContactFields{FieldInfo{"from", "m", FieldType::real, 3, "centre of a grain"}, FieldInfo{"to", "m", FieldType::real, 3, "that of another, or a point of a body"},
                                    FieldInfo{"force", "N", FieldType::real, 3, "on the first"}, FieldInfo{"normal_force", "N", FieldType::real, 1, "positive where it pushes"},
                                    FieldInfo{"shear_force", "N", FieldType::real, 1, ""}};
constexpr std::array kSecondOutputs{
    world::SecondOutput{"contacts", "whether to write the forces between grains with each frame (dem): contacts_*.vtp, for talus render --chains and ParaView", kContactFields, true}};

void check(const world::MethodSettings& given, const world::World& world, Problems& problems) { checkDem(static_cast<const Settings&>(given), world, problems); }

}  // namespace

const world::MethodInfo info{
    .name = "dem",
    .summary = "grains as rigid clumps of spheres that push and rub each other (discrete elements)",
    .citation = "Bell2005",
    .fields = kFields,
    .settings = [] { return std::unique_ptr<world::MethodSettings>(std::make_unique<Settings>()); },
    .check = check,
    .estimate = [](const world::MethodSettings& s, const world::World& world, world::Precision precision) { return estimateDem(static_cast<const Settings&>(s), world, precision); },
    .create = [](const world::MethodSettings& s, const world::World& world, world::Precision precision) -> std::unique_ptr<world::Method> {
        return std::make_unique<DemMethod>(static_cast<const Settings&>(s), world, precision);
    },
    .slabWidth = [](const world::MethodSettings& s, const world::World& world, int) { return slabWidth(static_cast<const Settings&>(s), world); },
    .bodyReach = [](const world::MethodSettings& s, const world::World& world) { return bodyReach(static_cast<const Settings&>(s), world) * Vec3{1, 1, 1}; },
    .drawnFields = [](const world::MethodSettings& s) -> std::vector<std::string_view> {
        const std::vector<ClumpTemplate> shapes = makeTemplates(static_cast<const Settings&>(s));
        if (shapes.size() == 1 && shapes.front().isSphere()) return {};
        return {"orientation", "orientation_w", "template", "angular_velocity"};   // the last for velocities of single spheres
    },
    .secondOutputs = kSecondOutputs,
};

}  // namespace talus::dem
