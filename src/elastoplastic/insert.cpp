// SPDX-License-Identifier: Apache-2.0
// Points put into the method: a region, or grains given one by one.
#include "elastoplastic/carried.h"
#include "elastoplastic/method.h"

#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "mpm/start_points.h"

#include <algorithm>
#include <cmath>

namespace talus::elastoplastic {
namespace {

/// Cells by which a weight is known at least.
constexpr double kWeightStep = 0.1;

/// Weight per area of what the fills of the world put above a point, up to the first gap [Pa]. Within a region the distance to its surface
/// is a step that stays inside.
double overburden(const world::World& world, const Vec3& gravity, Vec3 x, double shortest) {
    const double g = norm(gravity);
    const Vec3 up = gravity / -g;
    double weight = 0;
    while (true) {
        const auto inside = std::ranges::find_if(world.fills, [&](const world::Fill& fill) { return fill.region && fill.region->distance(x) <= 0; });
        if (inside == world.fills.end()) return weight;
        const double step = std::max(shortest, -inside->region->distance(x));
        weight += world.materials[static_cast<std::size_t>(inside->material)].bulkDensity() * g * step;
        x += step * up;
    }
}
/// The stress of grains at rest under a weight: that along gravity, and k0 times as much across.
Sym stressAtRest(const Vec3& gravity, double weight, double k0) {
    const Vec3 up = gravity / norm(gravity);
    const double rest = (1 - k0) * weight;
    return {-rest * up.x * up.x - k0 * weight, -rest * up.y * up.y - k0 * weight, -rest * up.z * up.z - k0 * weight, -rest * up.x * up.y, -rest * up.y * up.z, -rest * up.x * up.z};
}

}  // namespace

template <class Real>
double ElastoplasticMethod<Real>::grainSpacing() const {
    return std::cbrt(frame_.cellVolume() / static_cast<double>(settings_.pointsPerCell));
}

template <class Real>
world::Inserted ElastoplasticMethod<Real>::insert(const Exec& exec, world::World& world, const world::Fill& fill) {
    refresh(world);
    return fill.listed ? insertListed(exec, world, fill) : insertRegion(exec, world, fill);
}

// Points of the region that no body covers.
template <class Real>
world::Inserted ElastoplasticMethod<Real>::insertRegion(const Exec& exec, world::World& world, const world::Fill& fill) {
    mpm::StartPoints start = mpm::startPoints(settings_.start, settings_.pointsPerCell, frame_, world, fill);
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    std::erase_if(start.positions, [&](const Vec3& x) { return mpm::insideAny(bodies, x); });
    std::vector<Sym> stresses;
    const Vec3 gravity = world.gravityOverTime ? world.gravityOverTime->at(world.time) : world.gravity;
    if (settings_.k0 && norm(gravity) > 0 && !matter_[static_cast<std::size_t>(fill.material)].solid()) {
        stresses.resize(start.positions.size());
        exec.forBlocks(stresses.size(), 1024, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                stresses[i] = stressAtRest(gravity, overburden(world, gravity, start.positions[i], kWeightStep * frame_.smallestSpacing()), *settings_.k0);
        });
    }
    return add(exec, world, fill, start.positions.size(),
               [&](std::size_t i) { return NewPoint{start.positions[i], fill.velocity, start.volume, fill.material, stresses.empty() ? nullptr : &stresses[i], nullptr}; });
}

// A table is taken as it is, but for what lies in bodies; an emitter's places only where there is room.
template <class Real>
world::Inserted ElastoplasticMethod<Real>::insertListed(const Exec& exec, world::World& world, const world::Fill& fill) {
    const world::ListedGrains& list = *fill.listed;
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    const double ownVolume = frame_.cellVolume() / static_cast<double>(settings_.pointsPerCell);
    const auto point = [&](std::size_t i) {
        return NewPoint{list.positions[i], list.velocities.empty() ? fill.velocity : list.velocities[i], list.volumes.empty() ? ownVolume : list.volumes[i],
                        list.materials.empty() ? fill.material : list.materials[i], list.stresses.empty() ? nullptr : &list.stresses[i],
                        ownFriction(list) ? &list.muHats[i] : nullptr};
    };
    const auto mass = [&](std::size_t i) {
        const NewPoint p = point(i);
        return static_cast<double>(static_cast<Real>(bulkDensity_[static_cast<std::size_t>(p.material)] * p.volume));
    };
    const auto volume = [&](std::size_t i) { return point(i).volume; };
    const auto there = [&](mpm::Room& room) { fillRoom(list.positions, room); };
    const std::vector<std::size_t> taken = mpm::takenPlaces(frame_, list, bodies, {ownVolume, mass, volume, there});
    return add(exec, world, fill, taken.size(), [&](std::size_t i) { return point(taken[i]); });
}

/// Points near the places, in the order of blocks and rows.
template <class Real>
void ElastoplasticMethod<Real>::fillRoom(const std::vector<Vec3>& places, mpm::Room& room) const {
    Aabb box;
    for (const Vec3& x : places) box.extend(x);
    box = geometry::grown(box, 3 * maxComponent(frame_.spacing));
    bool periodic = false;
    for (int axis = 0; axis < 3; ++axis) periodic |= domain_.periodic(axis);
    const world::Region near{std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(box.size()), RigidTransform{{}, box.centre()}), true};
    for (const mpm::PointBlock& block : blocks_.points) {
        if (!periodic && outOfReach(block, near)) continue;
        for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup} + block.points; ++row)
            room.take(worldPosition(block, row), static_cast<double>(points_.volume(row)));
    }
}

template <class Real>
template <class PointAt>
world::Inserted ElastoplasticMethod<Real>::add(const Exec& exec, world::World& world, const world::Fill& fill, std::size_t added, const PointAt& pointAt) {
    world::Inserted inserted;
    if (added == 0) return inserted;
    const std::size_t first = points_.rows();
    std::vector<std::uint64_t> keys = recentre(exec, first);
    points_.resize(first + added);
    keys.resize(points_.rows(), mpm::kNoKey);
    for (std::size_t i = 0; i < added; ++i) {
        const std::size_t row = first + i;
        const NewPoint p = pointAt(i);
        const double density = bulkDensity_[static_cast<std::size_t>(p.material)];
        const Matter& matter = matter_[static_cast<std::size_t>(p.material)];
        const mpm::Place place = frame_.toBlock(p.position);
        keys[row] = mpm::cellKey(place.block, mpm::cellOf(place.position));
        for (int axis = 0; axis < 3; ++axis) {
            points_.position(row, axis) = static_cast<Real>(place.position[axis]);
            points_.velocity(row, axis) = static_cast<Real>(p.velocity[axis]);
            pace_.cellRate = std::max(pace_.cellRate, std::abs(p.velocity[axis]) / frame_.spacing[axis]);
        }
        if (p.stress) {
            const Carried c = carried(matter, *p.stress);
            for (int k = 0; k < 6; ++k) {
                points_.stress(row, k) = static_cast<Real>(c.tau[static_cast<std::size_t>(k)]);
                points_.strain(row, k) = static_cast<Real>(c.strain[static_cast<std::size_t>(k)]);
            }
        }
        points_.mass(row) = static_cast<Real>(density * p.volume);
        points_.volume(row) = static_cast<Real>(p.volume);
        points_.material(row) = p.material;
        points_.source(row) = fill.source;
        points_.id(row) = world.nextId++;
        const double muHat = world.materials[static_cast<std::size_t>(p.material)].muHat;
        points_.frictionRatio(row) = static_cast<Real>(p.muHat ? *p.muHat / muHat : frictionRatio(settings_.frictionSpreadDeg, muHat, world.seed, points_.id(row)));
        if (p.muHat && !matter.solid()) {
            steepest_.resize(matter_.size());
            double& steepest = steepest_[static_cast<std::size_t>(p.material)];
            steepest = std::max(steepest, *p.muHat / muHat);
        }
        points_.birthTime(row) = world.time;
        grainMaterial_ = p.material;
        waveSpeed_ = std::max(waveSpeed_, matter.soundSpeed);
        if (!matter.solid()) sandSpeed_ = std::max(sandSpeed_, matter.soundSpeed);
        ++inserted.count;
        inserted.mass += static_cast<double>(points_.mass(row));
    }
    several_ = severalLaws();
    sort(exec, std::move(keys));
    return inserted;
}

template world::Inserted ElastoplasticMethod<float>::insert(const Exec&, world::World&, const world::Fill&);
template world::Inserted ElastoplasticMethod<double>::insert(const Exec&, world::World&, const world::Fill&);
template double ElastoplasticMethod<float>::grainSpacing() const;
template double ElastoplasticMethod<double>::grainSpacing() const;

}  // namespace talus::elastoplastic
