// SPDX-License-Identifier: Apache-2.0
// Points in and out of the method, and its state; step.cpp has the step.
#include "nonsmooth/method.h"

#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "mpm/reseed.h"
#include "nonsmooth/frames.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

/// Longest step over √(h/g): in longer ones slopes at rest creep.
constexpr double kPartOfFall = 0.1;

}  // namespace

NonsmoothMethod::NonsmoothMethod(const Settings& settings, const world::World& world, world::Precision precision)
    : settings_(settings), single_(solvesInSingle(settings, precision)), domain_(world.domain), frame_(gridFrame(settings, world)), solver_(makeSolver(settings.solver)) {
    if (settings_.anisotropy > 0) points_.layFlat();
    if (settings_.frames != PointFrames::none) points_.followVolumes();
    refresh(world);
}

void NonsmoothMethod::refresh(const world::World& world) {
    if (revision_ == world.revision) return;
    revision_ = world.revision;
    materials_ = world.materials;
    rheology_.clear();
    for (const world::Material& material : materials_) {
        Rheology r{settings_.maxVolumeFraction ? material.packingFraction / *settings_.maxVolumeFraction : 1.0, chiFriction(material.muHat)};
        r.fastFriction = chiFriction(settings_.fastMuHat.value_or(material.muHat));
        r.inertia = 2 * material.grainDiameter * std::sqrt(material.density) / settings_.inertialScale;
        r.cohesion = material.muHat > 0 ? material.cohesion / material.muHat : 0;
        rheology_.push_back(r);
    }
    if (!points_.bonds && std::ranges::any_of(rheology_, [](const Rheology& r) { return r.cohesion > 0; })) points_.bindTogether();
}

double NonsmoothMethod::grainSpacing() const { return std::cbrt(frame_.cellVolume() / static_cast<double>(settings_.pointsPerCell)); }

void NonsmoothMethod::setClockBack(double by) {
    for (std::size_t row = 0; row < points_.rows(); ++row) points_.birthTime(row) -= by;
}

void NonsmoothMethod::bringIntoOrder(const Exec& exec, std::span<const std::uint32_t> order) {
    constexpr std::size_t kBlock = 16384;
    const bool ordered = exec.reduce(
        order.size(), kBlock, 1,
        [&](std::size_t begin, std::size_t end) { return static_cast<int>(std::ranges::is_sorted(order.subspan(begin, std::min(end + 1, order.size()) - begin))); },
        [](int a, int b) { return a & b; });
    if (!ordered) points_.reorder(exec, order);
}

world::Inserted NonsmoothMethod::insert(const Exec& exec, world::World& world, const world::Fill& fill) {
    refresh(world);
    const std::vector<world::BodySnapshot> bodies = world.bodiesAt(world.time);
    if (!fill.listed) {
        mpm::StartPoints start = mpm::startPoints(settings_.start, settings_.pointsPerCell, frame_, world, fill);
        leftOut_ += static_cast<std::int64_t>(std::erase_if(start.positions, [&](const Vec3& x) { return mpm::insideAny(bodies, x); }));
        return add(exec, world, fill, start.positions.size(), [&](std::size_t i) { return NewPoint{start.positions[i], fill.velocity, start.volume, fill.material, nullptr}; });
    }
    const world::ListedGrains& list = *fill.listed;
    const double ownVolume = wholeVolume();
    const auto point = [&](std::size_t i) {
        return NewPoint{list.positions[i], list.velocities.empty() ? fill.velocity : list.velocities[i], list.volumes.empty() ? ownVolume : list.volumes[i],
                        list.materials.empty() ? fill.material : list.materials[i], list.stresses.empty() ? nullptr : &list.stresses[i]};
    };
    const auto mass = [&](std::size_t i) { return materials_[static_cast<std::size_t>(point(i).material)].bulkDensity() * point(i).volume; };
    const auto volume = [&](std::size_t i) { return point(i).volume; };
    const auto there = [&](mpm::Room& room) {
        Aabb box;
        for (const Vec3& x : list.positions) box.extend(x);
        box = geometry::grown(box, 3 * maxComponent(frame_.spacing));
        bool periodic = false;
        for (int axis = 0; axis < 3; ++axis) periodic |= domain_.periodic(axis);
        constexpr std::size_t kRowsPerTask = 4096;
        const auto near = mpm::findEach<std::size_t>(exec, points_.rows(), kRowsPerTask, [&](std::size_t row, std::vector<std::size_t>& found) {
            if (periodic || box.contains(points_.positionOf(row))) found.push_back(row);
        });
        for (const std::size_t row : near) room.take(points_.positionOf(row), points_.volume(row));
    };
    const std::vector<std::size_t> taken = mpm::takenPlaces(frame_, list, bodies, {ownVolume, mass, volume, there});
    return add(exec, world, fill, taken.size(), [&](std::size_t i) { return point(taken[i]); });
}

template <class PointAt>
world::Inserted NonsmoothMethod::add(const Exec& exec, world::World& world, const world::Fill& fill, std::size_t added, const PointAt& pointAt) {
    world::Inserted inserted;
    if (added == 0) return inserted;
    const std::size_t first = points_.rows();
    points_.resize(first + added);
    const Vec3 n = settings_.grainNormals ? normalized(*settings_.grainNormals) : Vec3{};
    const SymTensor normals = settings_.grainNormals ? SymTensor{n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.y * n.z, n.x * n.z} : Normals::kAtRandom;
    for (std::size_t i = 0; i < added; ++i) {
        const std::size_t row = first + i;
        const NewPoint p = pointAt(i);
        const auto m = static_cast<std::size_t>(p.material);
        points_.setPosition(row, domain_.wrap(p.position));
        points_.setVelocity(row, p.velocity);
        if (p.stress) {
            const auto& s = *p.stress;   // its part of a point's packed volume is λ's of the volume at φ_max
            points_.setStress(row, (-1 / rheology_[m].crowding) * SymTensor{s[0], s[1], s[2], s[3], s[4], s[5]});
        }
        if (points_.normals) points_.normals->set(row, normals);
        if (points_.frames) points_.frames->set(row, ballOf(p.volume));
        if (points_.bonds) points_.bonds->gap(row) = static_cast<float>(std::max(0.0, 1 / rheology_[m].crowding - 1));
        points_.volume(row) = p.volume;
        points_.mass(row) = materials_[m].bulkDensity() * p.volume;
        points_.fraction(row) = static_cast<float>(materials_[m].packingFraction);
        points_.material(row) = p.material;
        points_.source(row) = fill.source;
        points_.id(row) = world.nextId++;
        points_.birthTime(row) = world.time;
        grainMaterial_ = p.material;
        for (int axis = 0; axis < 3; ++axis) cellRate_ = std::max(cellRate_, std::abs(p.velocity[axis]) / frame_.spacing[axis]);
        ++inserted.count;
        inserted.mass += points_.mass(row);
    }
    const auto phase = exec.phase("sort");
    bringIntoOrder(exec, cellOrder(exec, frame_, points_, first));
    return inserted;
}

world::Removed NonsmoothMethod::erase(const Exec& exec, const world::Region& region, world::ChunkSink* taken) {
    const auto phase = exec.phase("erase");
    constexpr std::size_t kBlock = 4096;
    std::vector<std::vector<std::size_t>> found((points_.rows() + kBlock - 1) / kBlock);
    exec.forBlocks(points_.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            if (region.contains(points_.positionOf(row))) found[begin / kBlock].push_back(row);
    });
    std::vector<std::size_t> gone;
    for (const auto& part : found) gone.insert(gone.end(), part.begin(), part.end());
    world::Removed removed;
    for (const std::size_t row : gone) {
        ++removed.count;
        removed.mass += points_.mass(row);
        removed.momentum += points_.mass(row) * points_.velocityOf(row);
    }
    if (gone.empty()) return removed;
    if (taken) readRows(world::kPromisedNames, *taken, &gone);
    points_.remove(exec, gone);
    return removed;
}

// Points move at most `cfl` of a cell in a step, those that gravity lets go of too, and bodies no further; and what nothing resists within
// a cell falls by g Δt in every step.
double NonsmoothMethod::stableStep(const world::World& world) const {
    const double g = norm(world.gravity), h = frame_.smallestSpacing();
    double dt = settings_.dt.value_or(kPartOfFall * std::sqrt(h / g));
    double bodyRate = 0;
    for (const world::Body& body : world.bodies) bodyRate = std::max(bodyRate, body.fastest(world.time, {domain_.min, domain_.max}) / frame_.smallestSpacing());
    if (settings_.fixedStep) return std::min(dt, 1 / std::max(bodyRate, 1e-300));   // bodies that go through a cell in less take it in turns
    const double rate = std::max(cellRate_, bodyRate);
    // The longest Δt with Δt (v + g Δt) ≤ cfl h.
    const double v = rate * h;
    constexpr double kRest = 1e-3;   // of free fall through a cell, where nothing moves or falls
    const double root = std::sqrt(v * v + 4 * std::max(g, kRest * 9.81) * settings_.cfl * h);
    dt = std::min(dt, 2 * settings_.cfl * h / (v + root));
    return world.bodyContacts.empty() ? dt : std::min(dt, world::longestBodyStep(world));
}

std::vector<world::Metric> NonsmoothMethod::metrics() const {
    return {{"sweeps", last_.sweeps},  {"residual_Pa", last_.residual}, {"tolerance_Pa", last_.tolerance}, {"cells", last_.cells}, {"nodes", last_.nodes},
            {"packed_volume_m3", last_.packedVolume}, {"overfull_volume_m3", last_.overfullVolume}, {"viscosity_rounds", last_.rounds},
            {"correction_volume_m3", last_.excessVolume}, {"correction_energy_J", correctionEnergy_},
            {"splits", static_cast<double>(splits_)}, {"merges", static_cast<double>(merges_)}};
}

std::vector<world::Metric> NonsmoothMethod::fallbacks() const { return {{"missed_tolerances", static_cast<double>(missed_)}, {"left_out_in_bodies", static_cast<double>(leftOut_)}}; }

void NonsmoothMethod::save(Archive& archive) const {
    {
        const auto group = archive.group("points");
        points_.save(archive);
    }
    {
        const auto group = archive.group("free_contacts");
        contacts_.save(archive);
    }
    {
        const auto group = archive.group("hourglass");
        patterns_.save(archive);
    }
    archive.put("grain_material", static_cast<std::int32_t>(grainMaterial_));
    archive.put("cell_rate", cellRate_);
    archive.put("missed", missed_);
    archive.put("sweeps", sweeps_);
    archive.put("counts", std::vector<std::int64_t>{splits_, merges_, leftOut_});
    archive.put("last", std::vector<double>{last_.sweeps, last_.residual, last_.tolerance, last_.cells, last_.nodes, last_.packedVolume, last_.overfullVolume, last_.rounds, last_.excessVolume});
    archive.put("correction_energy", correctionEnergy_);
}

void NonsmoothMethod::load(const Exec&, const Archive& archive) {
    grid_ = {};   // that of another step
    problem_ = {};
    {
        const auto group = archive.group("points");
        points_.load(archive);
    }
    for (std::size_t row = 0; row < points_.rows(); ++row)
        if (points_.material(row) < 0 || static_cast<std::size_t>(points_.material(row)) >= materials_.size()) throw ArchiveError("a point is of a material that there is not");
    {
        const auto group = archive.group("free_contacts");
        contacts_.load(archive);
    }
    {
        const auto group = archive.group("hourglass");
        patterns_.load(archive);
    }
    grainMaterial_ = archive.value<std::int32_t>("grain_material");
    cellRate_ = archive.value<double>("cell_rate");
    missed_ = archive.value<std::int64_t>("missed");
    sweeps_ = archive.value<std::int64_t>("sweeps");
    const std::vector<std::int64_t> counts = archive.get<std::int64_t>("counts");
    if (counts.size() != 3) throw ArchiveError("'counts' has a wrong length");
    splits_ = counts[0];
    merges_ = counts[1];
    leftOut_ = counts[2];
    const std::vector<double> last = archive.get<double>("last");
    if (last.size() != 9) throw ArchiveError("'last' has a wrong length");
    last_ = {last[0], last[1], last[2], last[3], last[4], last[5], last[6], last[7], last[8]};
    correctionEnergy_ = archive.value<double>("correction_energy");
}

}  // namespace talus::nonsmooth
