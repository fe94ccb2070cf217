// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/elastoplastic.h"

#include "core/rng.h"
#include "elastoplastic/check.h"
#include "elastoplastic/method.h"
#include "elastoplastic/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace talus::elastoplastic {

void Settings::keys(KeyVisitor& v) {
    v.number({"youngs_modulus", "stiffness of the bulk; softer allows longer steps, stiffer compresses less", Dimension::pressure, positive()}, youngsModulus);
    v.number({"poisson_ratio", "of the bulk", Dimension::none, openBetween(-1, 0.5)}, poissonRatio);
    v.list({"materials", "what materials have for themselves: their law and stiffness"}, materials);
    v.table({"hardening", "friction angle of all grains by their plastic strain q, h0 + (h1 q - h3) exp(-h2 q), instead of the materials' own"}, hardening.present,
            [this](KeyVisitor& table) { hardening.keys(table); });
    v.number({"friction_spread_deg", "points differ at random from the friction angle of their material, by up to this", Dimension::none, between(0, 45)}, frictionSpreadDeg);
    v.number({"fast_mu_hat", "friction of fast shear: mu_hat + (fast_mu_hat - mu_hat)/(1 + inertial_scale/I), I the inertial number; the same at any speed unless given", Dimension::none, nonNegative()}, fastMuHat);
    v.number({"inertial_scale", "inertial number at which friction is half-way to that of fast shear", Dimension::none, positive()}, inertialScale);
    v.integer({"points_per_cell", "material points in a full cell; a cube (1, 8, 27, 64) for the lattice start", Dimension::none, between(1, 1000)}, pointsPerCell);
    v.choice({"start", "where points start within their cells"}, mpm::kStartNames, start);
    v.number({"k0", "ratio of horizontal to vertical stress under their own weight with which filled regions start; without it they start without stress", Dimension::none, between(0, 3)}, k0);
    v.choice({"transfer", "what a point keeps of its velocity: pic what the grid gives back, apic its gradient too, flip its own velocity, aflip both"}, kTransferNames, transfer);
    v.choice({"kernel", "B-spline between points and grid: quadratic, or cubic, which is smoother, reaches further and costs about twice as much"}, mpm::kKernelNames, kernel);
    v.number({"relaxation_time", "of velocities finer than the grid where sand lies or shears slowly, with transfer aflip or flip; unless given, that of sound through a cell for aflip, endless for flip", Dimension::time, positive()}, relaxationTime);
    v.number({"flow_relaxation_time", "the same where sand flows fast, if longer; with sqrt(h/g)/2 openings let through nearly what Beverloo's law says, and thin fronts spray", Dimension::time, positive()}, flowRelaxationTime);
    v.flag({"match_volumes", "let points that lie looser than packed close up before they press on each other, and crowded ones move apart as they are sheared"}, matchVolumes);
    v.flag({"reseed", "halve points in cells inside the sand that hold at most half of points_per_cell, and put points of crowded cells together"}, reseed);
    v.number({"bulk_viscosity", "damps sound in packed sand: viscosity over density, speed of sound and grid spacing", Dimension::none, between(0, 0.5)}, bulkViscosity);
    v.number({"cfl", "part of the stable step to take: dt = cfl h / (c + |v|)", Dimension::none, {.min = 0, .max = 1, .minExcluded = true}}, cfl);
    v.choice({"integration", "explicit: steps that sound allows; implicit: longer ones, with velocities that are solved for"}, kIntegrationNames, integration);
    v.number({"implicit_step", "with integration implicit, the longest step over the explicit one", Dimension::none, between(1, 1000)}, implicitStep);
    v.number({"implicit_tolerance", "with integration implicit, forces left per face of a cell over the weight of a column as high as the grains: rho g L", Dimension::none, {.min = 1e-6, .max = 0.1}}, implicitTolerance);
    v.number({"spacing", "of the grid; from the scene's resolution unless given", Dimension::length, positive()}, spacing);
    v.number({"dt", "longest time step to take; the stable step unless given", Dimension::time, positive()}, dt);
    if (integration == Integration::implicit && kernel == mpm::Kernel::cubic) v.problem("kernel", "an implicit update knows the quadratic kernel only: leave kernel out, or take integration = \"explicit\"");
}

void MaterialLaw::keys(KeyVisitor& v) {
    v.text({.name = "name", .help = "of the material, as in [[materials]]", .required = true}, name);
    v.choice({"law", "sand, or an elastic solid: hencky (linear in logarithmic strain) or fixed_corotated (linear in stretch)"}, kLawNames, law);
    v.number({"youngs_modulus", "its stiffness; that of [elastoplastic] unless given", Dimension::pressure, positive()}, youngsModulus);
    v.number({"poisson_ratio", "that of [elastoplastic] unless given", Dimension::none, openBetween(-1, 0.5)}, poissonRatio);
}

void Hardening::keys(KeyVisitor& v) {
    v.number({"h0_deg", "friction angle in the end", Dimension::none, between(0, 90)}, finalDeg);
    v.number({"h1_deg", "what a plastic strain of 1 adds at first", Dimension::none, between(-1000, 1000)}, riseDeg);
    v.number({"h2", "plastic strain over which both die out, inverted", Dimension::none, between(0, 1000)}, decay);
    v.number({"h3_deg", "what the friction angle lacks at the start", Dimension::none, between(-90, 90)}, deficitDeg);
    v.choice({"match", "how the angle becomes the slope of the friction cone"}, world::kFrictionMatchNames, match);
}

mpm::Resolution resolution(const Settings& settings) { return {"elastoplastic", settings.spacing, settings.pointsPerCell}; }
double wantedSpacing(const Settings& settings, const world::World& world) { return mpm::wantedSpacing(resolution(settings), world); }

Matter matterOf(const Settings& settings, const world::Material& material) {
    const auto own = std::ranges::find(settings.materials, material.name, &MaterialLaw::name);
    const MaterialLaw law = own == settings.materials.end() ? MaterialLaw{} : *own;
    Matter matter{law.law, Elasticity::fromYoung(law.youngsModulus.value_or(settings.youngsModulus), law.poissonRatio.value_or(settings.poissonRatio))};
    matter.soundSpeed = matter.elasticity.waveSpeed(material.bulkDensity());
    matter.grainInertia = material.grainDiameter * std::sqrt(material.density);
    return matter;
}

double frictionRatio(double spreadDeg, double muHat, std::uint64_t seed, std::int64_t id) {
    if (spreadDeg == 0 || muHat == 0) return 1;
    constexpr std::uint32_t kStream = 0x66726963;   // apart from those of fills and emitters
    const double spread = spreadDeg * std::numbers::pi / 180;
    return std::tan(std::atan(muHat) + Rng(seed, kStream, static_cast<std::uint64_t>(id)).uniform(-spread, spread)) / muHat;
}

double settlingTime(double spacing) { return 0.5 * std::sqrt(spacing / 9.81); }

VelocityMemory velocityMemory(const Settings& settings, double soundCrossing, double dt) {
    if (settings.transfer == Transfer::apic || settings.transfer == Transfer::pic) return {0, 0};
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    const double atRest = settings.relaxationTime.value_or(settings.transfer == Transfer::flip ? kEndless : soundCrossing);
    const double inFlow = std::max(atRest, settings.flowRelaxationTime.value_or(atRest));
    return {std::exp(-dt / atRest), std::exp(-dt / inFlow)};
}

namespace {

using namespace world::field;
constexpr std::array kFields{id, position, velocity, radius, mass, volume, material, source, birthTime, stress, elasticEnergy,
                             world::FieldInfo{"pressure", "Pa", world::FieldType::real, 1, "mean pressure, compression positive"},
                             world::FieldInfo{"shear_stress", "Pa", world::FieldType::real, 1, "square root of J2 of the stress"},
                             world::FieldInfo{"volume_ratio", "1", world::FieldType::real, 1, "volume now over volume at the start"},
                             world::FieldInfo{"expansion", "1", world::FieldType::real, 1, "logarithm of the volume gained in tension and not yet pushed back"},
                             world::FieldInfo{"plastic_strain", "1", world::FieldType::real, 1, "shear strain lost to sliding, summed up: q of hardening"},
                             world::FieldInfo{"friction_angle", "deg", world::FieldType::real, 1, "angle whose tangent is the slope of the cone now"},
                             world::FieldInfo{"plastic_case", "1", world::FieldType::integer, 1, "1: elastic, 2: separating without stress, 3: sheared along the yield surface"}};

/// Blocks that a region fills, and with one more around: exact for a box, scaled by how full its box is for others.
struct BlockCount {
    double points = 0, nodes = 0;
};
BlockCount countBlocks(const geometry::Shape& region, const mpm::GridFrame& frame) {
    const Aabb box = region.bounds();
    const Vec3 extent = box.size();
    Vec3 n;   // blocks along each axis beyond the first
    for (int axis = 0; axis < 3; ++axis) {
        const auto block = [&](double x) { return std::floor(((x - frame.origin[axis]) / frame.spacing[axis] + 0.5) / mpm::kBlockSide); };
        const double half = 0.25 * frame.spacing[axis];   // points of a lattice stay off the border
        n[axis] = std::max(0.0, block(box.max[axis] - half) - block(box.min[axis] + half));
    }
    const double fullness = std::min(1.0, region.volume() / (extent.x * extent.y * extent.z));   // of its bounding box
    const double volume = fullness * n.x * n.y * n.z, area = std::pow(fullness, 2.0 / 3) * (n.x * n.y + n.y * n.z + n.z * n.x);
    const double edges = std::cbrt(fullness) * (n.x + n.y + n.z);
    return {volume + area + edges + 1, volume + 3 * area + 9 * edges + 27};
}

/// Bodies near a block around the region, on average.
double bodiesNear(const world::World& world, const geometry::Shape& region, const Vec3& blockSize) {
    constexpr int kPerAxis = 12;
    const Aabb box = geometry::grown(region.bounds(), maxComponent(blockSize));
    const double reach = 0.5 * norm(blockSize);
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    double near = 0;
    for (int i = 0; i < kPerAxis * kPerAxis * kPerAxis; ++i) {
        const Vec3 part{i % kPerAxis + 0.5, i / kPerAxis % kPerAxis + 0.5, i / (kPerAxis * kPerAxis) + 0.5};
        const Vec3 x = box.min + componentProduct(box.size(), part) / kPerAxis;
        near += static_cast<double>(std::ranges::count_if(bodies, [&](const world::BodySnapshot& body) { return body.distance(x) <= reach; }));
    }
    return near / (kPerAxis * kPerAxis * kPerAxis);
}

// Points and their groups' padding with the room that their columns take to grow, the sort's keys, orders and scratch memory, tiles and
// nodes of the blocks, and the surfaces of bodies at nodes.
world::Estimate estimate(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    const auto& settings = static_cast<const Settings&>(given);
    const double h = wantedSpacing(settings, world);
    if (!(h > 0)) return {};
    const mpm::GridFrame frame = mpm::makeFrame(world.domain, h);
    const bool single = precision == world::Precision::float32;
    const double real = single ? 4 : 8;
    const auto perRow = static_cast<double>(single ? Points<float>().bytesPerRow() : Points<double>().bytesPerRow());
    const double sorting = 3 * real + 2 * 8 + 3 * 4;
    const double perBlock = sizeof(mpm::PointBlock) + sizeof(mpm::Reach) + sizeof(std::uint32_t);
    const double perNodeBlock = mpm::kBlockNodes * (mpm::kNodeReals + 2) * real + sizeof(mpm::NodeBlock);
    // Of the implicit update, see node_system.h: tangents and nodes with the directions of GMRES; blocks
    // that are reached later count more than in the explicit one.
    const bool implicit = settings.integration == Integration::implicit;
    const double perGroup = implicit ? 31 * 8 * real : 0;
    const double perSolvedNodeBlock = implicit ? 1.2 * mpm::kBlockNodes * (6 * 4 + 1 + 8 + 12 + 4 * (Gmres<float>::kRestart + 4)) * real : 0;
    const double perContact = mpm::kBlockNodes * sizeof(geometry::Surface) + sizeof(world::BodyLoad) + (implicit ? mpm::kBlockNodes * sizeof(Mat3) : 0);

    double points = 0, bytes = 0;
    for (const world::Fill& fill : world.fills) {
        if (!fill.region) continue;
        const Vec3 blockSize = mpm::kBlockSide * frame.spacing;
        const double own = fill.region->volume() * static_cast<double>(settings.pointsPerCell) / frame.cellVolume();
        const BlockCount blocks = countBlocks(*fill.region, frame);
        const double rows = own + 3.5 * blocks.points;   // half a group of padding a block
        points += own;
        bytes += rows * (Table::kRoom * perRow + sorting + perGroup / 8) + blocks.points * perBlock + blocks.nodes * (perNodeBlock + perSolvedNodeBlock + bodiesNear(world, *fill.region, blockSize) * perContact);
    }
    // What is listed or emitted has no shape to count blocks of: as many as would hold it packed, twice, with nodes around them.
    double loose = world.emittedVolume() * static_cast<double>(settings.pointsPerCell) / frame.cellVolume();
    for (const world::Fill& fill : world.fills)
        if (fill.listed) loose += static_cast<double>(fill.listed->positions.size());
    const double looseBlocks = 2 * loose / static_cast<double>(mpm::kBlockNodes * settings.pointsPerCell);
    points += loose;
    bytes += (loose + 3.5 * looseBlocks) * (Table::kRoom * perRow + sorting + perGroup / 8) + looseBlocks * (perBlock + 3 * (perNodeBlock + perSolvedNodeBlock));
    return {static_cast<std::int64_t>(points), bytes, h};
}

std::unique_ptr<world::Method> create(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    const auto& settings = static_cast<const Settings&>(given);
    if (precision == world::Precision::float32) return std::make_unique<ElastoplasticMethod<float>>(settings, world);
    return std::make_unique<ElastoplasticMethod<double>>(settings, world);
}

}  // namespace

const world::MethodInfo info{
    .name = "elastoplastic",
    .summary = "sand as an elastoplastic continuum on material points (Drucker-Prager MPM)",
    .citation = "Klar2016",
    .fields = kFields,
    .settings = [] { return std::unique_ptr<world::MethodSettings>(std::make_unique<Settings>()); },
    .check = check,
    .estimate = estimate,
    .create = create,
    .continuum = true,
    .slabWidth = [](const world::MethodSettings& given, const world::World& world, int) { return mpm::slabWidth(resolution(static_cast<const Settings&>(given)), world); },
    .bodyReach = [](const world::MethodSettings& given, const world::World& world) { return mpm::bodyReach(wantedSpacing(static_cast<const Settings&>(given), world) * Vec3{1, 1, 1}); },
    .frictionByGrain = [](const world::MethodSettings&) { return true; },
};

}  // namespace talus::elastoplastic
