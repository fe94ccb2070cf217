// SPDX-License-Identifier: Apache-2.0
#include "dem/dem_check.h"

#include "dem/friction_table.h"
#include "dem/grains.h"
#include "dem/neighbours.h"
#include "dem/contacts.h"
#include "dem/sphere_records.h"
#include "dem/pair_laws.h"
#include "dem/stages.h"
#include "world/many_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

constexpr double kMostGrains = 4e8;              // pairs are counted in 32 bits
constexpr double kMostSpheres = PairContacts::kSphere;
constexpr double kCoarsestFraction = 0.2;        // of half a period: beyond it a contact is not resolved

double largestBoundingRadius(const Settings& settings, double diameter) {
    double most = 0;
    for (const ClumpTemplate& shape : makeTemplates(settings)) most = std::max(most, shape.boundingRadius);
    return most * diameter * largestSize(settings.sizes);
}

/// Gap up to which pairs are listed: the skin, or the longest bridge of liquid [m].
double listedGap(const Settings& settings, double diameter) {
    const double largest = largestBoundingRadius(settings, diameter);
    double gap = settings.skin * diameter;
    for (const CohesionSettings& entry : settings.cohesion) gap = std::max(gap, std::visit([&](const auto& law) { return holdConstants(law, largest, largest).rupture; }, entry.law));
    return gap;
}

/// Diameter of the largest sphere that grains of a diameter are made of [m].
double largestSphere(const Settings& settings, double diameter) {
    double radius = 0;
    for (const ClumpTemplate& shape : makeTemplates(settings)) radius = std::max(radius, shape.largestSphere());
    return 2 * radius * diameter;
}

/// On the average.
double spheresOfGrain(const Settings& settings) {
    const std::vector<ClumpTemplate> shapes = makeTemplates(settings);
    double spheres = 0, shares = 0;
    for (std::size_t t = 0; t < shapes.size(); ++t) {
        const double share = settings.templates.empty() ? 1 : settings.templates[t].fraction;
        spheres += share * static_cast<double>(shapes[t].spheres.size());
        shares += share;
    }
    return spheres / shares;
}

void checkSizes(const Settings& settings, const world::World& world, double diameter, Problems& problems) {
    const std::string origin = settings.diameter ? "dem.diameter" : "resolution";
    const double widest = 2 * largestBoundingRadius(settings, diameter);
    const double longest = Lattice<float>::kMostSpans * Lattice<float>::kReaches * (largestSphere(settings, diameter) * largestSize(settings.sizes) + listedGap(settings, diameter));
    if (const double length = maxComponent(world.domain.size()); length > longest)
        problems.error(origin, fmt::format("the domain is {:.3g} m long, and contacts of grains of {:.3g} m can be told apart in one of {:.3g} m at most: make the domain smaller, or the grains larger", length, diameter, longest));
    for (int axis = 0; axis < 3; ++axis) {
        constexpr std::string_view kAxes = "xyz";
        const double length = world.domain.size()[axis], least = 2 * (widest + listedGap(settings, diameter));
        if (world.domain.periodic(axis) && length < least)
            problems.error(fmt::format("domain.{}", kAxes[static_cast<std::size_t>(axis)]),
                           fmt::format("the periodic length {:.4g} m is too short for grains {:.4g} m wide: dem needs at least {:.4g} m; make it longer, or the grains smaller", length, widest, least));
        else if (!world.domain.periodic(axis) && length < widest)
            problems.error(origin, fmt::format("grains {:.4g} m wide do not fit into the domain, which is {:.4g} m long along {}", widest, length, kAxes[static_cast<std::size_t>(axis)]));
    }
    for (const world::Fill& fill : world.fills) {
        if (!fill.region) continue;
        const Vec3 size = fill.region->bounds().size();
        if (minComponent(size) < widest * (1 - 1e-9))
            problems.error(fmt::format("grains[{}].region", fill.source),
                           fmt::format("the region is too small: it is {:.3g} m thick and grains are {:.3g} m wide; make it larger or the resolution finer", minComponent(size), widest));
    }
    const double grains = (world.fillVolume() + world.emittedVolume()) * 0.6 / (sphereVolume(diameter) * meanCube(settings.sizes));
    if (const double each = spheresOfGrain(settings); grains <= kMostGrains && grains * each > kMostSpheres)
        problems.error(origin, fmt::format("{:.3g} grains of {:.3g} spheres each are more than dem can hold, {:.3g} spheres; lower resolution.grains or raise resolution.size", grains, each, kMostSpheres));
    if (grains > kMostGrains) problems.error(origin, fmt::format("{:.3g} grains are more than dem can hold, {:.0g}; lower resolution.grains or raise resolution.size", grains, kMostGrains));
}

// Out of the measured range nobody knows what friction would make such a heap.
void checkFriction(const Settings& settings, const world::World& world, Problems& problems) {
    if (settings.contactFriction) return;
    Shape shape = Shape::sphere;
    if (!settings.templates.empty()) shape = std::ranges::max_element(settings.templates, {}, &TemplateSettings::fraction)->shape;
    const std::optional<ReposeRange> range = reposeRange(shape);
    const std::string name(kShapeNames[static_cast<std::size_t>(shape)]);
    for (const int m : world.grainMaterials()) {
        const world::Material& material = world.materials[static_cast<std::size_t>(m)];
        const double degrees = std::atan(material.muHat) * 180 / std::numbers::pi;
        if (world.contacts.find(m, m) || (range && degrees >= range->low - 1e-9 && degrees <= range->high + 1e-9)) continue;
        const std::string known = range ? fmt::format("heaps of '{}' were measured between {:g} and {:g} degrees, not at {:.4g}", name, range->low, range->high, degrees)
                                        : fmt::format("at which angle heaps of '{}' stand was not measured", name);
        problems.error(fmt::format("materials[{}].friction_angle_deg", m),
                       fmt::format("{}; give dem.contact_friction, or [[contacts]] between \"{}\" and itself, to set the coefficient of friction instead", known, material.name));
    }
}

/// How deep two grains of the diameter, or a grain and a body, sink into each other by cohesion alone, over the effective radius.
double sunkByCohesion(const Settings& settings, const PairConstants& pair, const HoldConstants& hold) {
    const double ratio = hold.pull / pair.stiffness;
    const double overlap = hold.rupture > 0 ? std::pow(ratio, 1 / settings.exponents().beta) : ratio * ratio;   // k_r x^β = F, or k_r x^{3/2} = 2 π k R x
    return overlap / pair.radius;
}

/// Whether every entry of a list names materials that there are, and no two entries the same.
template <class Entry>
bool pairsAreRight(std::string_view list, const std::vector<Entry>& entries, const world::World& world, Problems& problems) {
    std::vector<std::vector<std::string>> seen;
    bool right = true;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", list, i);
        for (const std::string& name : entries[i].between) {
            if (std::ranges::any_of(world.materials, [&](const world::Material& m) { return m.name == name; })) continue;
            std::string known;
            for (const world::Material& m : world.materials) known += (known.empty() ? "'" : ", '") + m.name + "'";
            problems.error(path + ".between", fmt::format("there is no material '{}'; there are {}", name, known));
            right = false;
        }
        std::vector<std::string> pair = entries[i].between;
        std::ranges::sort(pair);
        if (std::ranges::find(seen, pair) != seen.end()) {
            problems.error(path, pair.empty() ? fmt::format("two entries of {} hold for all pairs; name two materials with `between` in one of them", list)
                                              : fmt::format("another entry of {} names the same two materials; keep one of them", list));
            right = false;
        }
        seen.push_back(pair);
    }
    return right;
}

// Grains that cohesion presses deep into each other are not what contact laws are made for; a linear contact is only softened by a pull
// that grows with its overlap.
void checkCohesion(const Settings& settings, const world::World& world, double diameter, Problems& problems) {
    constexpr double kMostSunk = 0.1;
    for (const int m : world.grainMaterials())
        if (const world::Material& material = world.materials[static_cast<std::size_t>(m)]; material.cohesion > 0)
            problems.error("materials", fmt::format("dem does not know the cohesion of a bulk, which material '{}' asks for: leave it out and say with [[dem.cohesion]] what holds grains together, or take method = \"elastoplastic\"", material.name));
    bool wrong = !pairsAreRight("dem.cohesion", settings.cohesion, world, problems);
    for (std::size_t i = 0; i < settings.cohesion.size(); ++i) {
        const CohesionSettings& entry = settings.cohesion[i];
        const std::string path = fmt::format("dem.cohesion[{}]", i);
        if (settings.normal == Normal::linear && std::holds_alternative<SjkrCohesion>(entry.law)) {
            problems.error(path + ".type", "\"sjkr\" only softens a linear contact, which then holds nothing; take normal_law = \"hertz\", or \"liquid_bridge\"");
            wrong = true;
        }
    }
    if (settings.cohesion.empty() || wrong) return;
    const PairLaws laws(settings, world);
    const std::vector<int> materials = world.grainMaterials();
    const double radius = 0.5 * diameter * smallestSize(settings.sizes);
    for (const int a : materials) {
        const Side side{.radius = radius, .mass = world.materials[static_cast<std::size_t>(a)].density * 4.0 / 3 * std::numbers::pi * radius * radius * radius};
        for (const int b : materials) {
            const double sunk = sunkByCohesion(settings, laws.grainPair(a, side, b, side), laws.grainHold(a, radius, b, radius));
            if (!(sunk > kMostSunk)) continue;
            problems.error("dem.cohesion", fmt::format("cohesion presses grains of '{}' and '{}' {:.3g} of their effective radius into each other, more than {:g}: lower it, or make dem.youngs_modulus at least {:.3g} Pa",
                                                       world.materials[static_cast<std::size_t>(a)].name, world.materials[static_cast<std::size_t>(b)].name, sunk, kMostSunk,
                                                       settings.youngsModulus * std::pow(sunk / kMostSunk, laws.manner().bridges && laws.grainHold(a, radius, b, radius).rupture > 0 ? settings.exponents().beta : 0.5)));
            return;
        }
    }
}

// Under the pressure p contacts of a random packing (φ = 0.58, 5 contacts a grain) carry f = π p d²/(5 φ).
void checkSoftness(const Settings& settings, const world::World& world, double diameter, Problems& problems) {
    constexpr double kMostOverlap = 0.25, kGoodOverlap = 0.05;   // of a radius
    const PairLaws laws(settings, world);
    const double radius = 0.5 * diameter, beta = settings.exponents().beta;
    for (const world::Fill& fill : world.fills) {
        const double pressure = world.pressureBelow(fill), force = std::numbers::pi / (5 * 0.58) * pressure * diameter * diameter;
        const Side side{.radius = radius, .mass = world.materials[static_cast<std::size_t>(fill.material)].density * sphereVolume(diameter)};
        const double overlap = std::pow(force / laws.grainPair(fill.material, side, fill.material, side).stiffness, 1 / beta) / radius;
        if (!(overlap > kMostOverlap)) continue;
        const double factor = std::pow(overlap / kGoodOverlap, beta);
        const std::string remedy = settings.stiffness ? fmt::format("dem.stiffness = {:.2g}", factor * *settings.stiffness)
                                   : settings.contactTime ? fmt::format("dem.contact_time = {:.2g}", *settings.contactTime / std::sqrt(factor))
                                                          : fmt::format("dem.youngs_modulus = {:.2g}", factor * settings.youngsModulus);
        problems.warn(fmt::format("grains[{}].region", fill.source), fmt::format("the lowest of its grains would sink {:.2g} radii into each other under the {:.3g} Pa above them; take {}", overlap, pressure, remedy));
        return;
    }
}

void checkStep(const Settings& settings, const world::World& world, Problems& problems) {
    world::warnOfManySteps(world, settings.dt.value_or(plannedStep(settings, world, settings.stepFraction)), settings.dt ? "dem.dt" : "", "grains are small, or contacts stiff or strongly damped", problems);
    if (!settings.dt || settings.integrator == Integrator::rkf45) return;   // which divides it
    const double longest = plannedStep(settings, world, kCoarsestFraction), good = plannedStep(settings, world, settings.stepFraction);
    if (*settings.dt > longest)
        problems.error("dem.dt", fmt::format("a step of {:.4g} s is too long for contacts of this stiffness, which it would not resolve; it may be {:.4g} s at most, and {:.4g} s is right", *settings.dt,
                                             longest, good));
}

// A grain that overlaps a plate by half its thickness is pushed out on the other side.
void checkThinBodies(const Settings& settings, const world::World& world, double diameter, Problems& problems) {
    const std::vector<int> materials = world.grainMaterials();
    if (materials.empty()) return;
    const PairLaws laws(settings, world);
    const double mass = world.materials[static_cast<std::size_t>(materials.front())].density * sphereVolume(diameter);
    const double radius = 0.5 * largestSphere(settings, diameter);   // the last that a plate stops
    int warned = -1;   // copies share one shape, and one warning
    for (const world::Body& body : world.bodies) {
        if (!body.shape->bounded() || body.source == warned) continue;
        const double half = 0.5 * minComponent(body.shape->bounds().size());
        if (half >= radius) continue;
        warned = body.source;
        const PairConstants c = laws.bodyPair(materials.front(), {.radius = radius, .mass = mass}, body.material);
        const double beta = settings.exponents().beta;
        const double speed = std::sqrt(2 / (beta + 1) * c.stiffness / mass * std::pow(half, beta + 1));
        problems.warn(fmt::format("bodies[{}].shape", std::max(0, body.source)),
                      fmt::format("body '{}' is {:.3g} m thick, thinner than a {} of {:.3g} m: grains faster than {:.3g} m/s go through it", body.name, 2 * half, settings.templates.empty() ? "grain" : "sphere", 2 * radius, speed));
    }
}

/// Besides grains whose centres lie in bodies, of which the world's check speaks.
void warnOfReach(const world::Fill& fill, const Spheres& spheres, const std::vector<world::BodySnapshot>& bodies, Problems& problems) {
    std::size_t reaching = 0;
    for (std::size_t i = 0; i < spheres.centre.size(); ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const world::BodySnapshot& body : bodies) nearest = std::min(nearest, body.distance(spheres.centre[i]));
        reaching += nearest >= 0 && nearest < (1 - kMostListedOverlap) * spheres.radius[i];
    }
    if (reaching > 0)
        problems.warn(fmt::format("grains[{}].table", fill.source), fmt::format("{} of its grains reach into bodies by more than {:g} of a radius and are left out", reaching, kMostListedOverlap));
}

void checkListed(const Settings& settings, const world::World& world, Problems& problems) {
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    for (const world::Fill& fill : world.fills) {
        if (!fill.listed || fill.listed->volumes.empty() || fill.listed->onlyWhereRoom || fill.listed->standIn || !settings.templates.empty()) continue;
        const world::ListedGrains& list = *fill.listed;
        Spheres spheres;
        spheres.first.push_back(0);
        std::vector<Vec3> centres;
        for (std::size_t i = 0; i < list.positions.size(); ++i) {
            const int material = list.materials.empty() ? fill.material : list.materials[i];
            const double packing = world.materials[static_cast<std::size_t>(material)].packingFraction;
            spheres.grain.push_back(static_cast<std::uint32_t>(i));
            spheres.radius.push_back(0.5 * std::cbrt(6 / std::numbers::pi * packing * list.volumes[i]));
            centres.push_back(world.domain.wrap(list.positions[i]));
            spheres.first.push_back(static_cast<std::uint32_t>(i + 1));
        }
        spheres.centre = centres;
        if (list.keepClear) warnOfReach(fill, spheres, bodies, problems);
        const PairList pairs = findPairs(Exec(1), world.domain, {centres, spheres.radius}, spheres, 0);
        std::size_t deep = 0, worst = 0;
        double most = 0;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            const std::uint32_t a = pairs.first(p), b = pairs.b[p];
            const double ra = spheres.radius[a], rb = spheres.radius[b];
            const double overlap = (ra + rb - norm(world.domain.nearestImage(centres[a] - centres[b]))) / std::min(ra, rb);
            if (overlap > kMostListedOverlap) ++deep;
            if (overlap > most) {
                most = overlap;
                worst = p;
            }
        }
        if (deep > 0)
            problems.error(fmt::format("grains[{}].table", fill.source), fmt::format("{} pairs of grains overlap by more than {:g} of a radius; rows {} and {} by {:.3g} of it. They would fly apart", deep,
                                                                                    kMostListedOverlap, pairs.first(worst) + 1, pairs.b[worst] + 1, most));
    }
}

}  // namespace

// Five of the widest grains: a contact never meets its own image, and the layers across do not lock.
double slabWidth(const Settings& settings, const world::World& world) {
    constexpr double kGrainsAcross = 5;
    return kGrainsAcross * 2 * largestBoundingRadius(settings, wantedDiameter(settings, world));
}

// A grain is next to the bodies that were near it when the list was built.
double bodyReach(const Settings& settings, const world::World& world) {
    const double diameter = wantedDiameter(settings, world);
    return diameter > 0 ? largestBoundingRadius(settings, diameter) + listedGap(settings, diameter) : 0;
}

double plannedStep(const Settings& settings, const world::World& world, double fraction) {
    const double diameter = wantedDiameter(settings, world) * smallestSize(settings.sizes);
    const PairLaws laws(settings, world);
    Stiffness stiffest;
    for (const int m : world.grainMaterials())
        for (const ClumpTemplate& shape : makeTemplates(settings))
            stiffest.include(laws.stiffness(shape, diameter, world.materials[static_cast<std::size_t>(m)].density * sphereVolume(diameter), m));
    return stiffest.step(fraction);
}

void checkDem(const Settings& settings, const world::World& world, Problems& problems) {
    const double diameter = wantedDiameter(settings, world);
    if (!(diameter > 0)) {
        problems.error("resolution", "the scene does not say how fine to simulate: give resolution.grains (a number of grains in the regions of [[grains]]) or resolution.size (their diameter)");
        return;
    }
    if (world.materials.size() > kMostNumbered) problems.error("materials", fmt::format("dem takes at most {} materials", kMostNumbered));
    if (settings.templates.size() > kMostNumbered) problems.error("dem.templates", fmt::format("at most {} templates", kMostNumbered));
    checkSizes(settings, world, diameter, problems);
    checkFriction(settings, world, problems);
    pairsAreRight("dem.pairs", settings.pairs, world, problems);
    checkCohesion(settings, world, diameter, problems);
    if (!settings.covered.empty()) {
        double smallest = 1;
        for (const ClumpTemplate& shape : makeTemplates(settings)) smallest = std::min(smallest, std::ranges::min_element(shape.spheres, {}, &TemplateSphere::radius)->radius);
        checkCovers(settings.covered, world, smallest * diameter * smallestSize(settings.sizes), problems);
    }
    checkStep(settings, world, problems);
    checkSoftness(settings, world, diameter, problems);
    checkThinBodies(settings, world, diameter, problems);
    checkListed(settings, world, problems);
}

// Grains, spheres, and pairs with what they remember.
world::Estimate estimateDem(const Settings& settings, const world::World& world, world::Precision precision) {
    const double diameter = wantedDiameter(settings, world);
    if (!(diameter > 0)) return {};
    const double mean = sphereVolume(diameter) * meanCube(settings.sizes);
    double grains = 0;
    for (const world::Fill& fill : world.fills) {
        const double packing = std::min(0.59, world.materials[static_cast<std::size_t>(fill.material)].packingFraction);
        if (fill.region) grains += packing * fill.region->volume() / mean;
        if (fill.listed) grains += static_cast<double>(fill.listed->positions.size());
    }
    grains += 0.6 * world.emittedVolume() / mean;
    const double spheresPerGrain = spheresOfGrain(settings);
    // Neighbours within the skin: 0.6 × ((1 + skin)³ − 1) × 8 and the contacts themselves, half of them each; clumps have fewer per sphere.
    const double pairs = (spheresPerGrain > 1 ? 0.45 : 0.82) * (3 + 14 * listedGap(settings, diameter) / diameter);
    const bool adaptive = settings.integrator == Integrator::rkf45, spring = settings.shear == Shear::spring;
    const Manner manner = PairLaws(settings, world).manner();
    const bool clumps = spheresPerGrain > 1, turns = manner.turns();
    const double real = precision == world::Precision::float32 && !adaptive ? 4 : 8, perGrain = static_cast<double>(Grains(clumps).bytesPerRow()) + (clumps ? 4 : 0) + 2;   // 2: template and material, where there are several
    const double perSphere = 10 * real + sizeof(Wrench) + 4 + (clumps ? 4 : 0);
    const bool manySizes = smallestSize(settings.sizes) < largestSize(settings.sizes);   // then each pair has coefficients of its own
    const bool holds = !settings.cohesion.empty() || !settings.pairs.empty() || settings.twistingFriction > 0;
    const double numbers = static_cast<double>((sizeof(PairConstants) + (holds ? sizeof(HoldConstants) : 0)) / sizeof(double));
    const double acting = manner.bridges || spring ? 0.7 : 0.4;   // share of the pairs
    const double remembers = spring ? (manner.twisting ? 7 : turns ? 6 : 3) : 0;   // numbers; of pairs that act
    const double perPair = (adaptive ? 1 : acting) * remembers * real + (manySizes ? numbers * real : 0) + 4;
    // While a list is made: places of grains, the pairs as they are found, and the contacts of the list before.
    const double place = sizeof(Vec3) + sizeof(double), kept = 3 * 4 + 1 + (spring ? (turns ? 7 : 3) * sizeof(double) : 0);
    const double building = 2 * place / spheresPerGrain + (clumps ? place : 0) + pairs * (4 + acting * kept);
    // The start and six rates of each number of a grain, and of a spring (or, where something resists rolling, of all that a pair remembers).
    const double stages = adaptive ? (Fehlberg::kStages + 1) * sizeof(double) : 0, remembered = turns ? Adaptive::kMemoryNumbers : 3;
    const double perAdaptiveSphere = adaptive ? 0.3 * (sizeof(ContactState) + Adaptive::kMemoryNumbers * stages) : 0;   // contacts with bodies
    const double perAdaptivePair = adaptive ? 1 + (spring ? 1 + remembered * stages : 0) : 0;
    return {static_cast<std::int64_t>(grains), grains * (perGrain + (manySizes ? sizeof(double) : 0) + Adaptive::kGrainNumbers * stages + spheresPerGrain * (perSphere + perAdaptiveSphere + pairs * (perPair + perAdaptivePair) + building)), diameter};
}

}  // namespace talus::dem
