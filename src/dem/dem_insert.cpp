// SPDX-License-Identifier: Apache-2.0
// How grains come: a region is packed, listed grains are taken as they are or where there is room.
#include "dem/dem_check.h"
#include "dem/dem_method.h"
#include "dem/packing.h"
#include "dem/room.h"

#include "core/rng.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::dem {
namespace {

/// Uniform over all rotations [Shoemake1992].
Quat randomOrientation(Rng& rng) {
    const double u = rng.uniform(), a = 2 * std::numbers::pi * rng.uniform(), b = 2 * std::numbers::pi * rng.uniform();
    return {std::sqrt(u) * std::cos(b), std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a), std::sqrt(u) * std::sin(b)};
}

/// Streams of random numbers of a source (core/rng.h): emitters and fills number their sources from 0.
constexpr std::uint32_t kGrainStream = 0x10000, kPackingStream = 0x20000, kTurnStream = 0x30000;
constexpr double kLeastOfMass = 0.8;   // in a region, over that of its material's packing fraction: below it there is a warning
constexpr std::uint64_t kTurns = 8;   // orientations that an emitted clump tries

}  // namespace

/// Of lattice places. Clumps and large grains stick out of theirs: where they would overlap the emitter leaves one out.
double DemMethod::grainSpacing() const { return diameter_ * std::cbrt(meanCube_); }

NewGrain DemMethod::drawGrain(const world::World& world, const world::Fill& fill, std::uint64_t index, std::optional<double> diameter) const {
    Rng rng(world.seed, kGrainStream + static_cast<std::uint32_t>(fill.source), index);
    NewGrain grain{.position = {}, .velocity = fill.velocity, .orientation = {}, .spin = {}, .material = fill.material};
    double left = rng.uniform();
    if (templates_.size() > 1) {   // all templates of a diameter have the same mass
        double sum = 0;
        for (const TemplateSettings& t : settings_.templates) sum += t.fraction;
        left *= sum;
        while (grain.shape + 1 < static_cast<int>(templates_.size()) && (left -= settings_.templates[static_cast<std::size_t>(grain.shape)].fraction) >= 0) ++grain.shape;
    }
    const double size = drawSize(settings_.sizes, rng);
    grain.diameter = diameter ? *diameter : diameter_ * size;
    if (!templates_[static_cast<std::size_t>(grain.shape)].isSphere()) grain.orientation = randomOrientation(rng);
    return grain;
}

std::vector<NewGrain> DemMethod::packedGrains(const Exec& exec, const world::World& world, const world::Fill& fill) {
    const auto phase = exec.phase("packing");
    const world::Material& material = world.materials[static_cast<std::size_t>(fill.material)];
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    double fraction = material.packingFraction, farthest = 0;
    for (const ClumpTemplate& shape : templates_) {
        fraction = std::min(fraction, reachableFraction(shape));
        farthest = std::max(farthest, shape.boundingRadius * diameter_ * largestSize(settings_.sizes));
    }
    const double mean = sphereVolume(diameter_) * meanCube_, volume = fill.region->volume();
    std::vector<PackedGrain> obstacles;
    const Aabb box = geometry::grown(fill.region->bounds(), 2 * farthest);
    for (std::size_t i = 0; i < grains_.rows(); ++i)
        if (box.contains(wrapped(i)) || domain_.periodic(0) || domain_.periodic(1) || domain_.periodic(2))
            obstacles.push_back({wrapped(i), orientationOf(i), grains_.diameter(i), grains_.shape(i)});
    const PackingPlace place{domain_, *fill.region, bodies, templates_, obstacles};
    const std::vector<Vec3> points = throwPoints(place, fraction * volume / mean, world.seed, kPackingStream + 2 * static_cast<std::uint32_t>(fill.source));
    std::vector<PackedGrain> thrown;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const NewGrain grain = drawGrain(world, fill, i, {});
        thrown.push_back({points[i], grain.orientation, grain.diameter, grain.shape});
    }
    std::vector<NewGrain> grains;
    double solid = 0;
    for (const PackedGrain& p : pack(exec, place, std::move(thrown))) {
        grains.push_back({p.position, fill.velocity, p.orientation, {}, p.diameter, p.shape, fill.material});
        solid += sphereVolume(p.diameter);
    }
    if (solid < kLeastOfMass * material.packingFraction * volume)
        warnings_.push_back(fmt::format("grains[{}] holds {:.0f} % less mass than its material's packing fraction of {:g} would give: a random packing has less, and walls and bodies take room from large grains", fill.source,
                                        100 * (1 - solid / (material.packingFraction * volume)), material.packingFraction));
    filledSolid_ += solid;
    filledRegion_ += volume;
    return grains;
}

/// Grains whose spheres may be in the way of spheres at these places, all of them as large as the largest bounding sphere at most.
Room DemMethod::roomAround(std::span<const Vec3> places, std::span<const world::BodySnapshot> bodies) const {
    double farthest = 0;
    for (const ClumpTemplate& shape : templates_) farthest = std::max(farthest, shape.boundingRadius * diameter_ * largestSize(settings_.sizes));
    for (std::size_t i = 0; i < grains_.rows(); ++i) farthest = std::max(farthest, reachOf(i));
    Aabb box;
    for (const Vec3& x : places) box.extend(x);
    const Vec3 middle = 0.5 * (box.min + box.max);
    const Aabb near = geometry::grown({box.min - middle, box.max - middle}, 4 * farthest);
    Room room(domain_, bodies, farthest);
    for (std::uint32_t i = 0; i < grains_.rows(); ++i) {
        if (!near.contains(domain_.nearestImage(get(grains_.position, i) - middle))) continue;
        for (std::uint32_t s = spheres_.firstOf(i); s < spheres_.firstOf(i + 1); ++s) room.add(centreOf(s), radiusOf(s));
    }
    return room;
}

/// Turns the grain, if it is a clump, until there is room for it, and takes that.
bool DemMethod::fits(const world::World& world, const world::Fill& fill, std::size_t number, NewGrain& grain, Room& room) const {
    const ClumpTemplate& shape = templates_[static_cast<std::size_t>(grain.shape)];
    std::vector<Vec3> centres(shape.spheres.size());
    for (std::uint64_t attempt = 0; attempt < (shape.isSphere() ? 1 : kTurns); ++attempt) {
        if (attempt > 0) {
            Rng rng(world.seed, kTurnStream + static_cast<std::uint32_t>(fill.source), (static_cast<std::uint64_t>(world.nextId) + number) * kTurns + attempt);
            grain.orientation = randomOrientation(rng);
        }
        placeSpheres(shape, grain.diameter, grain.position, grain.orientation, centres.data());
        const auto radius = [&](std::size_t s) { return grain.diameter * shape.spheres[s].radius; };
        bool free = true;
        for (std::size_t s = 0; s < centres.size() && free; ++s) free = room.has(centres[s], radius(s));
        if (!free) continue;
        for (std::size_t s = 0; s < centres.size(); ++s) room.add(centres[s], radius(s));
        return true;
    }
    return false;
}

bool DemMethod::reachesInto(std::span<const world::BodySnapshot> bodies, const NewGrain& grain) const {
    const ClumpTemplate& shape = templates_[static_cast<std::size_t>(grain.shape)];
    std::vector<Vec3> centres(shape.spheres.size());
    placeSpheres(shape, grain.diameter, domain_.wrap(grain.position), grain.orientation, centres.data());
    for (std::size_t s = 0; s < centres.size(); ++s) {
        const double least = (1 - kMostListedOverlap) * grain.diameter * shape.spheres[s].radius;
        if (std::ranges::any_of(bodies, [&](const world::BodySnapshot& body) { return body.distance(centres[s]) < least; })) return true;
    }
    return false;
}

std::vector<NewGrain> DemMethod::listedGrains(const world::World& world, const world::Fill& fill) const {
    const world::ListedGrains& list = *fill.listed;
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    std::optional<Room> room;
    if (list.onlyWhereRoom) room.emplace(roomAround(list.positions, bodies));
    std::vector<NewGrain> grains;
    double mass = 0;
    for (std::size_t i = 0; i < list.positions.size() && static_cast<std::int64_t>(grains.size()) < list.mostCount; ++i) {
        const Vec3 x = domain_.wrap(list.positions[i]);
        if (std::ranges::any_of(bodies, [&](const world::BodySnapshot& body) { return body.distance(x) < 0; })) continue;
        const int materialIndex = list.materials.empty() ? fill.material : list.materials[i];
        const world::Material& material = world.materials[static_cast<std::size_t>(materialIndex)];
        std::optional<double> diameter;   // solid volume is packing fraction times packed volume
        if (!list.volumes.empty()) diameter = std::cbrt(6 / std::numbers::pi * material.packingFraction * list.volumes[i]);
        NewGrain grain = drawGrain(world, fill, static_cast<std::uint64_t>(world.nextId) + grains.size(), diameter);
        grain.position = list.positions[i];
        if (!list.velocities.empty()) grain.velocity = list.velocities[i];
        grain.material = materialIndex;
        if (!list.shapes.empty() && list.shapes[i] >= 0 && list.shapes[i] < static_cast<int>(templates_.size())) grain.shape = list.shapes[i];
        if (!list.orientations.empty()) {
            grain.orientation = list.orientations[i];
            grain.spin = list.spins[i];
        }
        if (list.keepClear && reachesInto(bodies, grain)) continue;
        const double own = material.density * sphereVolume(grain.diameter);
        if (mass + own > list.mostMass) break;
        if (room && !fits(world, fill, i, grain, *room)) continue;
        mass += own;
        grains.push_back(grain);
    }
    return grains;
}

void DemMethod::put(std::size_t i, const NewGrain& grain) {
    set(grains_.position, i, domain_.wrap(grain.position));
    set(grains_.velocity, i, grain.velocity);
    if (grains_.orientation.present()) set(grains_.orientation.values(), i, grain.orientation);
    grains_.diameter.set(i, grain.diameter);
    grains_.shape.set(i, static_cast<std::int8_t>(grain.shape));
    grains_.material.set(i, static_cast<std::int8_t>(grain.material));
}

world::Inserted DemMethod::insert(const Exec& exec, world::World& world, const world::Fill& fill) {
    refresh(exec, world);
    const std::vector<NewGrain> grains = fill.listed ? listedGrains(world, fill) : packedGrains(exec, world, fill);
    world::Inserted inserted;
    std::size_t row = grains_.rows();
    // Room for so many is taken with it as holds all of these, and no more: most scenes never have more grains than at first.
    if (row == 0) grains_.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(grains.size()) / Table::kRoom)));
    grains_.resize(row + grains.size());
    if (!grains.empty()) births_.add({world.nextId, world.time, fill.source});
    for (const NewGrain& grain : grains) {
        grains_.id(row) = world.nextId++;
        put(row, grain);
        set(grains_.spin, row, angularMomentum(shapeOf(row), massOf(row), grain.diameter, grain.orientation, grain.spin));
        atRest_.include(laws_.stiffness(shapeOf(row), grain.diameter, massOf(row), grain.material));
        fastest_ = std::max(fastest_, norm(grain.velocity));
        ++inserted.count;
        inserted.mass += massOf(row++);
    }
    if (!grains.empty()) {
        stale_ = true;
        touched_ = touched_ || (fill.listed && !fill.listed->onlyWhereRoom);
        derive();
    }
    return inserted;
}

}  // namespace talus::dem
