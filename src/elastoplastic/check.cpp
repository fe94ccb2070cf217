// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/check.h"
#include "world/many_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace talus::elastoplastic {
namespace {

void checkMaterials(const Settings& settings, const world::World& world, Problems& problems) {
    for (std::size_t i = 0; i < settings.materials.size(); ++i) {
        const std::string& name = settings.materials[i].name;
        const std::string path = fmt::format("elastoplastic.materials[{}].name", i);
        if (std::ranges::find(world.materials, name, &world::Material::name) == world.materials.end()) {
            std::vector<std::string> names;
            for (const world::Material& material : world.materials) names.push_back(fmt::format("'{}'", material.name));
            problems.error(path, fmt::format("the scene has no material '{}'; it has {}", name, fmt::join(names, ", ")));
        } else if (std::ranges::find(settings.materials, name, &MaterialLaw::name) != settings.materials.begin() + static_cast<std::ptrdiff_t>(i)) {
            problems.error(path, fmt::format("material '{}' is listed twice; keep one of the entries", name));
        }
    }
}

void checkFrictionSpread(const Settings& settings, const world::World& world, Problems& problems) {
    if (settings.frictionSpreadDeg == 0) return;
    for (const int m : world.grainMaterials()) {
        const world::Material& material = world.materials[static_cast<std::size_t>(m)];
        const double angle = std::atan(material.muHat) * 180 / std::numbers::pi, spread = settings.frictionSpreadDeg;
        if (matterOf(settings, material).solid()) continue;
        if (angle - spread < 0 || angle + spread >= 90)
            problems.error("elastoplastic.friction_spread_deg", fmt::format("friction angles of material '{}' would run from {:.4g} to {:.4g} degrees; they must stay between 0 and 90", material.name, angle - spread, angle + spread));
        else if (std::tan((angle + spread) * std::numbers::pi / 180) > world::kMostMuHat && material.muHat <= world::kMostMuHat)
            problems.warn("elastoplastic.friction_spread_deg", fmt::format("points of material '{}' with more than {:.3g} degrees carry tension though they are dry", material.name, std::atan(world::kMostMuHat) * 180 / std::numbers::pi));
    }
}

void checkFastFriction(const Settings& settings, const world::World& world, Problems& problems) {
    if (!settings.fastMuHat) return;
    const auto refuse = [&](double atRest, const std::string& whose) {
        if (atRest > *settings.fastMuHat)
            problems.error("elastoplastic.fast_mu_hat", fmt::format("friction of fast shear, {:g}, is below that of {}, {:.4g}: a flow that resists less the faster it is runs away; give at least that", *settings.fastMuHat, whose, atRest));
    };
    if (settings.hardening.present) return refuse(world::muHatFromAngle(settings.hardening.largestDeg(), settings.hardening.match), "elastoplastic.hardening at its largest angle");
    for (const int m : world.grainMaterials())
        if (const world::Material& material = world.materials[static_cast<std::size_t>(m)]; !matterOf(settings, material).solid()) refuse(material.muHat, fmt::format("material '{}' at rest", material.name));
}

/// Friction that points bring from tables.
void checkOwnFriction(const Settings& settings, const world::World& world, Problems& problems) {
    for (const world::Fill& fill : world.fills) {
        if (!fill.listed || fill.listed->muHats.empty()) continue;
        const std::string path = fmt::format("grains[{}].table", fill.source);
        if (settings.hardening.present) {
            problems.warn(path, "friction follows the plastic strain (elastoplastic.hardening): that of the table is left out");
            continue;
        }
        const double steepest = std::ranges::max(fill.listed->muHats);
        if (settings.fastMuHat && steepest > *settings.fastMuHat)
            problems.error("elastoplastic.fast_mu_hat", fmt::format("friction of fast shear, {:g}, is below that of a grain in the table of grains[{}], {:.4g}: a flow that resists less the faster it is runs away; give at least that", *settings.fastMuHat, fill.source, steepest));
        if (steepest > world::kMostMuHat)
            problems.warn(path, fmt::format("grains with a mu_hat above {:.3f} carry tension though they are dry and stand as cliffs; the largest is {:.4g}", world::kMostMuHat, steepest));
    }
}

/// The longest step that sound allows [s].
double stableStep(const Settings& settings, const world::World& world, double h) {
    double fastest = 0;
    for (const int m : world.grainMaterials()) fastest = std::max(fastest, matterOf(settings, world.materials[static_cast<std::size_t>(m)]).soundSpeed);
    return (settings.integration == Integration::implicit ? settings.implicitStep : 1) * settings.cfl * h / fastest;
}

/// Steps get shorter where a scripted body goes through a cell in less than the stable step.
void checkBodySpeeds(const world::World& world, double h, double stable, Problems& problems) {
    constexpr int kInstants = 4000;   // a blow that lasts a thousandth of the run is seen
    const Aabb domain{world.domain.min, world.domain.max};
    for (const world::Body& body : world.bodies) {
        if (body.source < 0 || body.free() || body.fixed()) continue;
        double fastest = 0;
        for (int i = 0; i <= kInstants; ++i) fastest = std::max(fastest, body.fastest(world.time + (world.end - world.time) * i / kInstants, domain));
        if (fastest * stable > h)
            problems.warn(fmt::format("bodies[{}].motion", body.source), fmt::format("body '{}' moves with up to {:.3g} m/s, more than a cell of {:.3g} m in a stable step of {:.3g} s: steps get shorter while it does", body.name, fastest, h, stable));
    }
}

/// The strain of the lowest layer of a bed, ρ g d/(λ + 2μ).
void checkSoftness(const Settings& settings, const world::World& world, Problems& problems) {
    constexpr double kMostStrain = 0.25, kGoodStrain = 0.02;
    for (const world::Fill& fill : world.fills) {
        const world::Material& material = world.materials[static_cast<std::size_t>(fill.material)];
        const Matter matter = matterOf(settings, material);
        const double pressure = world.pressureBelow(fill), strain = pressure / (matter.elasticity.lambda + 2 * matter.elasticity.mu);
        if (matter.solid() || !(strain > kMostStrain)) continue;
        const auto law = std::ranges::find(settings.materials, material.name, &MaterialLaw::name);
        const bool own = law != settings.materials.end() && law->youngsModulus;
        const double youngsModulus = own ? *law->youngsModulus : settings.youngsModulus;
        problems.warn(fmt::format("grains[{}].region", fill.source), fmt::format("the weight above its lowest layer, {:.3g} Pa, is {:.2g} of the modulus that resists compression: it would be squeezed together; take {} = {:.2g}",
                                                                                 pressure, strain, own ? fmt::format("youngs_modulus of '{}' in elastoplastic.materials", material.name) : "elastoplastic.youngs_modulus",
                                                                                 strain / kGoodStrain * youngsModulus));
        return;
    }
}

/// Relaxation times are of velocities finer than the grid, which points keep with aflip and flip alone.
void checkRelaxation(const Settings& settings, Problems& problems) {
    if (settings.transfer == Transfer::aflip || settings.transfer == Transfer::flip) return;
    const auto warn = [&](const char* key) {
        problems.warn(fmt::format("elastoplastic.{}", key), fmt::format("'{}' has no effect with transfer = \"{}\"; leave it out, or take \"aflip\" or \"flip\"", key, kTransferNames[static_cast<std::size_t>(settings.transfer)]));
    };
    if (settings.relaxationTime) warn("relaxation_time");
    if (settings.flowRelaxationTime) warn("flow_relaxation_time");
}

}  // namespace

void check(const world::MethodSettings& given, const world::World& world, Problems& problems) {
    const auto& settings = static_cast<const Settings&>(given);
    mpm::checkResolution(resolution(settings), world, problems);
    mpm::checkFriction("elastoplastic", world, problems);
    checkMaterials(settings, world, problems);
    checkFrictionSpread(settings, world, problems);
    checkFastFriction(settings, world, problems);
    checkOwnFriction(settings, world, problems);
    checkSoftness(settings, world, problems);
    checkRelaxation(settings, problems);
    const auto perAxis = std::lround(std::cbrt(static_cast<double>(settings.pointsPerCell)));
    if (settings.start == Start::lattice && perAxis * perAxis * perAxis != settings.pointsPerCell)
        problems.error("elastoplastic.points_per_cell", fmt::format("a lattice has a cube of points in a cell: 1, 8, 27 or 64, not {}; or choose start = \"jittered\"", settings.pointsPerCell));
    if (settings.hardening.present) {
        const Hardening& hardening = settings.hardening;
        if (!(hardening.smallestDeg() >= 0 && hardening.largestDeg() < 90))
            problems.error("elastoplastic.hardening", fmt::format("the friction angle would run from {:.4g} to {:.4g} degrees; it must stay between 0 and 90", hardening.smallestDeg(), hardening.largestDeg()));
        else if (world::muHatFromAngle(hardening.largestDeg(), hardening.match) > world::kMostMuHat)
            problems.warn("elastoplastic.hardening", fmt::format("at its largest friction angle, {:.4g} degrees, the cone lets dry sand carry tension", hardening.largestDeg()));
    }
    if (const double h = wantedSpacing(settings, world); h > 0 && !world.grainMaterials().empty()) {
        const double stable = stableStep(settings, world, h);
        if (settings.dt && *settings.dt > stable) problems.warn("elastoplastic.dt", fmt::format("{:.3g} s is longer than the stable step, {:.3g} s, which is taken", *settings.dt, stable));
        const double step = settings.dt ? std::min(*settings.dt, stable) : stable;
        world::warnOfManySteps(world, step, step < stable ? "elastoplastic.dt" : "", "cells are small, or the sand stiff or light", problems);
        checkBodySpeeds(world, h, step, problems);
    }
    if (settings.pointsPerCell < 4)
        problems.warn("elastoplastic.points_per_cell", "fewer than 4 points in a cell leave holes in the flow; 8 is usual");
}

}  // namespace talus::elastoplastic
