// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/nonsmooth.h"

#include "nonsmooth/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {

void Settings::keys(KeyVisitor& v) {
    v.integer({"points_per_cell", "material points in a full cell; a cube (1, 8, 27, 64) for the lattice start", Dimension::none, between(1, 1000)}, pointsPerCell);
    v.choice({"start", "where points start within their cells"}, mpm::kStartNames, start);
    v.choice({"frames", "follow: every point carries the ellipsoid that the flow makes of its volume; split: those that become long are halved, and small ones put together where they crowd"}, kPointFramesNames, frames);
    v.number({"spacing", "of the grid; from the scene's resolution unless given", Dimension::length, positive()}, spacing);
    v.vector({"cells", "cells along x, y, z of the domain, instead of one spacing for all axes", Dimension::none, {.min = 1, .max = kMostCells}}, cells);
    v.choice({"stress_basis", "constant: one stress tensor a cell; trilinear: between nodes as in the paper, with odd and even layers coming apart"}, kStressBasisNames, stressBasis);
    v.flag({"hourglass_friction", "friction also against patterns of velocity within cells that their mean strain does not know, so that slopes creep and flow less; on unless given where it can be: with constant stress, gauss_seidel and the exact cone without anisotropy"}, hourglassFriction);
    v.choice({"constraint", "volume_fraction: grains may be compressed until they are packed; divergence: never compressed, however loose"}, kConstraintNames, constraint);
    v.number({"max_volume_fraction", "volume fraction that grains cannot exceed; the packing fraction of each material unless given", Dimension::none, positiveUpTo(1)}, maxVolumeFraction);
    v.number({"volume_correction", "rate at which the volume that grains take up beyond what there is moves apart, in positions alone; 0: it does not", Dimension::frequency, nonNegative()}, volumeCorrection);
    v.number({"fast_mu_hat", "friction of fast shear: mu_hat + (fast_mu_hat - mu_hat)/(1 + inertial_scale/I), I the inertial number; the same at any speed unless given", Dimension::none, nonNegative()}, fastMuHat);
    v.number({"inertial_scale", "inertial number at which friction is half-way to that of fast shear", Dimension::none, positive()}, inertialScale);
    v.choice({"cone", "exact: the Drucker-Prager cone; linf: a bound for every component of the deviator on its own, up to sqrt(5) as much friction and by the axes, for comparison"}, kConeShapeNames, cone);
    v.number({"anisotropy", "how much friction depends on the way flat grains lie: (1 - a)^2 of it in their plane, (1 + 2a)(1 - a) where layers slide; 0: not at all", Dimension::none, {.min = 0, .max = 0.95}}, anisotropy);
    v.number({"grain_aspect", "thickness over width of flat grains, which shear turns into its planes the better the flatter they are; with anisotropy", Dimension::none, positiveUpTo(1)}, grainAspect);
    v.vector({"grain_normals", "direction in which the normals of flat grains point at the start; at random unless given; with anisotropy", Dimension::none, {}}, grainNormals);
    v.number({"cohesion_decay", "how fast shear undoes the cohesion of a material: 1/e of it is left after a strain of one over this; 0: it stays", Dimension::none, nonNegative()}, cohesionDecay);
    v.number({"viscosity", "of the Newtonian part of the stress [Pa s]", Dimension::none, nonNegative()}, viscosity);
    v.number({"cfl", "part of a cell that grains may move in a step", Dimension::none, positiveUpTo(1)}, cfl);
    v.number({"dt", "longest time step to take; 0.1 sqrt(cell/g) unless given, in longer ones slopes at rest creep", Dimension::time, positive()}, dt);
    v.flag({"fixed_step", "take steps of dt, divided evenly between frames, whatever the speed"}, fixedStep);
    v.choice({"solver", "of the friction problem; gauss_seidel: site by site, exact; cadoux_apgd, cadoux_spg: convex problems one after the other, by accelerated or spectral projected gradients"}, kSolverNames, solver);
    v.number({"tolerance", "of the friction problem: root mean square of its residual, in density times gravity times the height of the grains", Dimension::none, positiveUpTo(0.1)}, tolerance);
    v.integer({"most_sweeps", "of the friction solver in a step; what misses the tolerance then is counted and warned of", Dimension::none, between(1, 1000000)}, mostSweeps);
    v.flag({"strict", "stop when the friction solver misses its tolerance"}, strict);
    if (fixedStep && !dt) v.problem("fixed_step", "steps of fixed length need their length: give dt");
    if (cone == ConeShape::box && anisotropy > 0) v.problem("cone", "linf bounds components along the axes and knows no anisotropy: leave one of them out");
    if (grainNormals && !(norm(*grainNormals) > 0)) v.problem("grain_normals", "a direction of no length: leave it out for normals at random");
    if (solver != Solver::gaussSeidel && (cone == ConeShape::box || anisotropy > 0)) v.problem("solver", "only gauss_seidel knows cone = \"linf\" and anisotropy: leave solver out, or those");
    if (rubsWithin() && (cone != ConeShape::exact || anisotropy > 0)) v.problem("hourglass_friction", "only for cone = \"exact\" without anisotropy: leave those out, or this");
    if (rubsWithin() && (stressBasis != StressBasis::constant || solver != Solver::gaussSeidel)) v.problem("hourglass_friction", "only for stress_basis = \"constant\" and solver = \"gauss_seidel\": leave those out, or this");
    if (grainNormals && !(anisotropy > 0)) v.problem("grain_normals", "without anisotropy it does not matter how grains lie: give anisotropy too");
    if (spacing && cells) v.problem("cells", "give either cells or spacing, not both");
}

namespace {

mpm::Resolution resolution(const Settings& settings) { return {"nonsmooth", settings.spacing, settings.pointsPerCell}; }

Vec3 cellsOf(const Settings& settings) { return {std::round(settings.cells->x), std::round(settings.cells->y), std::round(settings.cells->z)}; }

}  // namespace

mpm::GridFrame gridFrame(const Settings& settings, const world::World& world) {
    if (!settings.cells) return mpm::makeFrame(world.domain, mpm::wantedSpacing(resolution(settings), world));
    mpm::GridFrame frame{world.domain.min, {}, {}};
    for (int axis = 0; axis < 3; ++axis) {
        frame.spacing[axis] = world.domain.size()[axis] / cellsOf(settings)[axis];
        if (world.domain.periodic(axis)) frame.periodBlocks[static_cast<std::size_t>(axis)] = static_cast<int>(cellsOf(settings)[axis]) / mpm::kBlockSide;
    }
    return frame;
}

namespace {

using namespace world::field;
constexpr std::array kFields{id, position, velocity, radius, mass, volume, material, source, birthTime, stress,
                             world::FieldInfo{"pressure", "Pa", world::FieldType::real, 1, "mean pressure, compression positive"},
                             world::FieldInfo{"volume_fraction", "1", world::FieldType::real, 1, "part of the cell around that grains fill"},
                             world::FieldInfo{"strain_rate", "1/s", world::FieldType::real, 1, "square root of half the square of the strain rate tensor"},
                             world::FieldInfo{"inertial_number", "1", world::FieldType::real, 1, "of the flow, from strain rate, pressure and grain diameter; 0 where nothing presses"},
                             world::FieldInfo{"frame", "m^2", world::FieldType::real, 6, "sum of a a^T over the half axes a of the ellipsoid that a point fills: xx, yy, zz, xy, yz, xz; 0 where points carry none"},
                             world::FieldInfo{"orientation", "1", world::FieldType::real, 6, "mean of n n^T over the normals of flat grains: xx, yy, zz, xy, yz, xz; 0 where grains are not flat"},
                             world::FieldInfo{"cohesion", "Pa", world::FieldType::real, 1, "k that is left of the material's, 0 where grains do not touch"}};

using world::FieldInfo, world::FieldType;
constexpr std::array kNodeFields{FieldInfo{"position", "m", FieldType::real, 3, ""}, FieldInfo{"velocity", "m/s", FieldType::real, 3, "at the end of the step"},
                                 FieldInfo{"mass", "kg", FieldType::real, 1, "lumped"}, FieldInfo{"fullness", "1", FieldType::real, 1, "volume fraction over the largest, of what bodies leave free"}};
constexpr std::array kSiteFields{FieldInfo{"position", "m", FieldType::real, 3, "middle of a cell, or a node with trilinear stress"},
                                 FieldInfo{"residual", "Pa", FieldType::real, 1, "complementarity function that the solver left"},
                                 FieldInfo{"pressure", "Pa", FieldType::real, 1, "of grains where they are packed, compression positive"},
                                 FieldInfo{"root_j2", "Pa", FieldType::real, 1, "square root of the second invariant of the deviator of that stress"},
                                 FieldInfo{"fullness", "1", FieldType::real, 1, "that decides how much room the site has"}, FieldInfo{"shear_rate", "1/s", FieldType::real, 1, "that of simple shear"}};
constexpr std::array kSecondOutputs{
    world::SecondOutput{kNodes, "whether to write the nodes of the grid with each frame (nonsmooth): nodes_*.vtp with velocity, mass and fullness, for ParaView", kNodeFields},
    world::SecondOutput{kSites, "whether to write the places where stress lives with each frame (nonsmooth): sites_*.vtp with residual, pressure, root_j2, fullness and shear_rate, for ParaView", kSiteFields}};

void checkCells(const Settings& settings, const world::World& world, Problems& problems) {
    constexpr std::string_view kAxes = "xyz";
    for (int axis = 0; axis < 3; ++axis) {
        const double n = (*settings.cells)[axis];
        const char name = kAxes[static_cast<std::size_t>(axis)];
        if (n != std::round(n)) problems.error("nonsmooth.cells", fmt::format("{:g} cells along {} are not a whole number", n, name));
        else if (world.domain.periodic(axis) && static_cast<int>(n) % mpm::kBlockSide != 0)
            problems.error("nonsmooth.cells", fmt::format("{} is periodic and needs a multiple of 4 cells, not {:g}", name, n));
    }
}

void checkPacking(const Settings& settings, const world::World& world, Problems& problems) {
    if (!settings.maxVolumeFraction) return;
    for (const int m : world.grainMaterials())
        if (const world::Material& material = world.materials[static_cast<std::size_t>(m)]; material.packingFraction > *settings.maxVolumeFraction)
            problems.warn("nonsmooth.max_volume_fraction",
                          fmt::format("material '{}' starts packed to {:g}, above the {:g} that grains can be packed to; it {}", material.name, material.packingFraction, *settings.maxVolumeFraction,
                                      settings.volumeCorrection > 0 ? "is moved apart in the first steps and takes up more room then" : "is not moved apart without nonsmooth.volume_correction, and keeps more in a place than it should"));
}

void checkFastFriction(const Settings& settings, const world::World& world, Problems& problems) {
    if (!settings.fastMuHat) return;
    for (const int m : world.grainMaterials())
        if (const world::Material& material = world.materials[static_cast<std::size_t>(m)]; material.muHat > *settings.fastMuHat)
            problems.error("nonsmooth.fast_mu_hat", fmt::format("friction of fast shear, {:g}, is below that of material '{}' at rest, {:g}: a flow that resists less the faster it is runs away; give at least that",
                                                                 *settings.fastMuHat, material.name, material.muHat));
}

// The tolerance counts a hundredth of the cohesion, so that what holds hard is solved to less than its own weight.
void checkTolerance(const Settings& settings, const world::World& world, Problems& problems) {
    constexpr double kMostOfWeight = 3e-3, kGood = 1e-3;
    for (const world::Fill& fill : world.fills) {
        const world::Material& material = world.materials[static_cast<std::size_t>(fill.material)];
        const double weight = world.pressureBelow(fill), held = material.muHat > 0 ? kPartOfCohesion * material.cohesion / material.muHat : 0;
        if (!(weight > 0 && settings.tolerance * held > kMostOfWeight * weight)) continue;
        problems.warn("nonsmooth.tolerance", fmt::format("material '{}' holds together so hard ({:.3g} Pa, its weight presses {:.3g} Pa) that the tolerance leaves {:.2g} of its weight unsolved: take {:.1g}, or a body", material.name,
                                                         material.cohesion, weight, settings.tolerance * held / weight, kGood * weight / held));
        return;
    }
}

void check(const world::MethodSettings& given, const world::World& world, Problems& problems) {
    const auto& settings = static_cast<const Settings&>(given);
    if (settings.cells) checkCells(settings, world, problems);
    else mpm::checkResolution(resolution(settings), world, problems);
    mpm::checkFriction("nonsmooth", world, problems);
    checkPacking(settings, world, problems);
    checkFastFriction(settings, world, problems);
    checkTolerance(settings, world, problems);
    const auto perAxis = std::lround(std::cbrt(static_cast<double>(settings.pointsPerCell)));
    if (settings.start == mpm::Start::lattice && perAxis * perAxis * perAxis != settings.pointsPerCell)
        problems.error("nonsmooth.points_per_cell", fmt::format("a lattice has a cube of points in a cell: 1, 8, 27 or 64, not {}; or choose start = \"jittered\"", settings.pointsPerCell));
    if (settings.constraint == Constraint::divergence && settings.volumeCorrection > 0 && settings.volumeCorrection != Settings().volumeCorrection)
        problems.warn("nonsmooth.volume_correction", "'volume_correction' has no effect with constraint = \"divergence\"; leave it out, or take \"volume_fraction\"");
    if (settings.pointsPerCell < 4) problems.warn("nonsmooth.points_per_cell", "fewer than 4 points in a cell leave holes in the flow; 8 is usual");
}

/// Cells that a region fills, and their nodes.
struct Counts {
    double cells = 0, nodes = 0;
};
Counts countCells(const geometry::Shape& region, const mpm::GridFrame& frame) {
    const Aabb box = region.bounds();
    const Vec3 size = box.size();
    double cells = 1, nodes = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double n = std::max(1.0, size[axis] / frame.spacing[axis]);
        cells *= n;
        nodes *= n + 1;
    }
    const double fullness = std::min(1.0, region.volume() / (size.x * size.y * size.z));   // of its bounding box
    return {fullness * cells, fullness * nodes};
}

/// What a step needs besides the points [bytes]: what is kept for it, and the most that it needs for a while.
double stepBytes(const Settings& settings, world::Precision precision, const Counts& counts, double points, bool cohesive) {
    constexpr double kSpread = 1.5;   // grains that flow are in more cells than those that were filled in
    const bool constant = settings.stressBasis == StressBasis::constant, general = settings.cone != ConeShape::exact || settings.anisotropy > 0;
    const double sites = constant ? counts.cells : counts.nodes, width = constant ? 8 : 27;
    const double perSite = width * (sizeof(Vec3) + 4) + 2 * sizeof(double) + sizeof(SymTensor) + 4 + (cohesive ? 5 : 4) * sizeof(double);
    const double perCell = (settings.rubsWithin() ? PatternMemory::bytesPerCell() : 0) + sizeof(Vec3i) + 4 + kCorners * 4;
    const double perNode = sizeof(Node) + 2 * sizeof(double) + sizeof(Vec3) + 1 + sizeof(Vec3i) + kCorners * 4;
    constexpr double kPadding = 27 * 4;   // lanes of groups that stay empty: half a group in each colour
    const double grouped = (sites + kPadding) * (general ? GeneralGaussSeidel::bytesPerSite() : GaussSeidel::bytesPerSite(constant ? 8 : 27, solvesInSingle(settings, precision), settings.rubsWithin()));
    const double kept = sites * perSite + counts.cells * perCell + counts.nodes * perNode + (general ? grouped : 0);
    const double summing = counts.cells * sizeof(CornerSums) + counts.nodes * (2 * sizeof(double) + sizeof(Vec3));
    const double solving = (general ? 0 : grouped) + 2 * counts.nodes * sizeof(Node);
    const double sorting = points * (4 + Table::kRoom * 3 * sizeof(double));
    return kSpread * kept + std::max(kSpread * std::max(summing, solving), sorting);
}

// Points with the room that their columns take to grow, and a step.
world::Estimate estimate(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    const auto& settings = static_cast<const Settings&>(given);
    const mpm::GridFrame frame = gridFrame(settings, world);
    const double cellVolume = frame.cellVolume();
    if (!(cellVolume > 0)) return {};
    const auto perCell = static_cast<double>(settings.pointsPerCell);
    double points = world.emittedVolume() * perCell / cellVolume;
    for (const world::Fill& fill : world.fills)
        if (fill.listed) points += static_cast<double>(fill.listed->positions.size());
    Counts counts{points / perCell, 2 * points / perCell};   // what is listed or emitted has no shape: as if packed
    for (const world::Fill& fill : world.fills) {
        if (!fill.region) continue;
        const Counts own = countCells(*fill.region, frame);
        points += fill.region->volume() * perCell / cellVolume;
        counts.cells += own.cells;
        counts.nodes += own.nodes;
    }
    const bool cohesive = std::ranges::any_of(world.grainMaterials(), [&](int m) { return world.materials[static_cast<std::size_t>(m)].cohesion > 0; });
    const double perPoint = static_cast<double>(Points().bytesPerRow() + (cohesive ? Bonds().bytesPerRow() : 0) + ((settings.anisotropy > 0 ? 1 : 0) + (settings.frames != PointFrames::none ? 1 : 0)) * Tensors().bytesPerRow());
    const double halves = settings.frames == PointFrames::split ? 2 : 1;   // seen in flows: most points are halved once
    return {static_cast<std::int64_t>(points), halves * points * Table::kRoom * perPoint + stepBytes(settings, precision, counts, halves * points, cohesive), std::cbrt(cellVolume)};
}

// With given cells, as many of the mean length of the others.
double slabWidth(const world::MethodSettings& given, const world::World& world, int axis) {
    const auto& settings = static_cast<const Settings&>(given);
    if (!settings.cells) return mpm::slabWidth(resolution(settings), world);
    const Vec3 size = world.domain.size(), cells = cellsOf(settings);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    return cells[axis] * 0.5 * (size[a] / cells[a] + size[b] / cells[b]);
}

std::unique_ptr<world::Method> create(const world::MethodSettings& given, const world::World& world, world::Precision precision) {
    return std::make_unique<NonsmoothMethod>(static_cast<const Settings&>(given), world, precision);
}

}  // namespace

const world::MethodInfo info{
    .name = "nonsmooth",
    .summary = "sand as a rigid-plastic continuum on material points, implicit (exact Drucker-Prager cone)",
    .citation = "Daviet2016",
    .fields = kFields,
    .settings = [] { return std::unique_ptr<world::MethodSettings>(std::make_unique<Settings>()); },
    .check = check,
    .estimate = estimate,
    .create = create,
    .continuum = true,
    .slabWidth = slabWidth,
    .bodyReach = [](const world::MethodSettings& given, const world::World& world) {
        const auto& settings = static_cast<const Settings&>(given);
        return mpm::bodyReach(settings.cells ? gridFrame(settings, world).spacing : mpm::wantedSpacing(resolution(settings), world) * Vec3{1, 1, 1});
    },
    .secondOutputs = kSecondOutputs,
};

}  // namespace talus::nonsmooth
