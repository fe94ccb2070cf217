// SPDX-License-Identifier: Apache-2.0
#include "mpm/resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace talus::mpm {

double wantedSpacing(const Resolution& settings, const world::World& world) {
    if (settings.spacing) return *settings.spacing;
    if (world.resolution.size) return *world.resolution.size;
    if (!world.resolution.grains) return 0;
    if (world.fills.empty() && world.emitters.empty()) return maxComponent(world.domain.size()) / 64;   // nothing will be simulated at it
    const double pointVolume = world.fillVolume() / static_cast<double>(*world.resolution.grains);
    return std::cbrt(pointVolume * static_cast<double>(settings.pointsPerCell));
}

double slabWidth(const Resolution& settings, const world::World& world) { return kBlockSide * wantedSpacing(settings, world); }

namespace {

/// A grain of a table is one point, which feels bodies and other grains within a cell.
void warnOfBoulders(const world::World& world, const GridFrame& frame, Problems& problems) {
    constexpr double kMostCells = 2;
    for (const world::Fill& fill : world.fills) {
        if (!fill.listed || fill.listed->volumes.empty()) continue;
        const auto large = std::ranges::count_if(fill.listed->volumes, [&](double volume) { return volume > kMostCells * frame.cellVolume(); });
        if (large > 0)
            problems.warn(fmt::format("grains[{}].table", fill.source), fmt::format("{} of its grains take up more than {:g} cells, the largest {:.3g}, and each is one point: they sink into what is beside them; take a body, or dem", large,
                                                                                   kMostCells, std::ranges::max(fill.listed->volumes) / frame.cellVolume()));
    }
}

}  // namespace

void checkResolution(const Resolution& settings, const world::World& world, Problems& problems) {
    const double h = wantedSpacing(settings, world);
    if (!(h > 0)) {
        problems.error("resolution", "the scene does not say how fine to simulate: give resolution.grains (a number of grains in the regions of [[grains]]) or resolution.size (the grid spacing)");
        return;
    }
    const std::string origin = settings.spacing ? fmt::format("{}.spacing", settings.method) : "resolution";
    const double mostCells = kBlockSide * static_cast<double>(kMostBlocks) / 2;   // along an axis
    if (const double longest = maxComponent(world.domain.size()); longest / h > mostCells) {
        problems.error(origin, fmt::format("a grid spacing of {:.4g} m makes {:.3g} cells along {:.4g} m of the domain; at most {:.0f} are possible, so it must be at least {:.3g} m", h,
                                           longest / h, longest, mostCells, 1.001 * longest / mostCells));
        return;
    }
    const GridFrame frame = makeFrame(world.domain, h);
    for (const world::Fill& fill : world.fills) {
        if (!fill.region) continue;
        const Vec3 size = fill.region->bounds().size();
        if (const double most = size.x * size.y * size.z * static_cast<double>(settings.pointsPerCell) / frame.cellVolume(); most < 1)
            problems.error(fmt::format("grains[{}].region", fill.source),
                           fmt::format("the region is too small: at a grid spacing of {:.3g} m it holds {:.2g} grains; make it larger or the resolution finer", h, most));
    }
    warnOfBoulders(world, frame, problems);
    for (int axis = 0; axis < 3; ++axis) {
        constexpr std::string_view kAxes = "xyz";
        const double length = world.domain.size()[axis];
        const double ratio = frame.spacing[axis] / h;
        if (world.domain.periodic(axis) && (ratio < 0.7 || ratio > 1.4))
            problems.error(fmt::format("domain.{}", kAxes[static_cast<std::size_t>(axis)]),
                           fmt::format("the periodic length {:.4g} m is {:.2g} grid cells of {:.4g} m; {} needs a multiple of 4 cells: make it at least {:.4g} m, or the resolution finer",
                                       length, length / h, h, settings.method, 4 * h));
    }
    constexpr double kMostPoints = 4e9;   // rows of a table are counted in 32 bits
    const double points = (world.fillVolume() + world.emittedVolume()) * static_cast<double>(settings.pointsPerCell) / frame.cellVolume();
    if (problems.ok() && points > kMostPoints)
        problems.error("resolution", fmt::format("{:.3g} points are more than {} can hold, {:.0g}; lower resolution.grains or raise resolution.size", points, settings.method, kMostPoints));
}

void checkFriction(std::string_view method, const world::World& world, Problems& problems) {
    const std::vector<int> materials = world.grainMaterials();
    for (const world::Body& body : world.bodies)
        for (const int material : materials) {
            const double first = world.contacts.between(materials.front(), body.material).friction;
            const double other = world.contacts.between(material, body.material).friction;
            if (first != other) {
                problems.error("contacts", fmt::format("{} needs one friction coefficient between body '{}' and all grains; materials '{}' and '{}' have {:g} and {:g}", method, body.name,
                                                       world.materials[static_cast<std::size_t>(materials.front())].name,
                                                       world.materials[static_cast<std::size_t>(material)].name, first, other));
                break;
            }
        }
}

}  // namespace talus::mpm
