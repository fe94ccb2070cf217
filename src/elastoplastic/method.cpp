// SPDX-License-Identifier: Apache-2.0
// Points in and out of the method; step.cpp has the step.
#include "elastoplastic/method.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::elastoplastic {
namespace {

/// Δt |∇v| that keeps 1 + Δt ∇v far from inversion.
constexpr double kMostGradientStep = 0.3;

}  // namespace

template <class Real>
ElastoplasticMethod<Real>::ElastoplasticMethod(const Settings& settings, const world::World& world)
    : settings_(settings), domain_(world.domain), frame_(mpm::makeFrame(world.domain, wantedSpacing(settings, world))) {
    refresh(world);
}

template <class Real>
void ElastoplasticMethod<Real>::refresh(const world::World& world) {
    if (revision_ == world.revision) return;
    revision_ = world.revision;
    matter_.clear();
    kappa_.clear();
    tip_.clear();
    kappaPerSlope_.clear();
    bulkDensity_.clear();
    for (const world::Material& material : world.materials) {
        const Elasticity elasticity = matter_.emplace_back(matterOf(settings_, material)).elasticity;
        kappa_.push_back(static_cast<Real>(elasticity.kappa(material.muHat)));
        tip_.push_back(static_cast<Real>(elasticity.tip(material.cohesion, material.muHat)));
        kappaPerSlope_.push_back(static_cast<Real>(elasticity.kappa(1)));
        bulkDensity_.push_back(material.bulkDensity());
    }
    several_ = severalLaws();
    usedMaterials_ = world.grainMaterials();
    blocksChanged_ = true;   // bodies are placed anew
    clearance_.clear();
}

template <class Real>
bool ElastoplasticMethod<Real>::severalLaws() const {
    return settings_.fastMuHat || frictionByPoint() || std::ranges::any_of(matter_, [&](const Matter& matter) { return matter.solid() || matter.elasticity != matter_.front().elasticity; });
}

template <class Real>
void ElastoplasticMethod<Real>::setClockBack(double by) {
    for (const mpm::PointBlock& block : blocks_.points)
        for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup} + block.points; ++row)
            points_.birthTime(row) -= by;
}

template <class Real>
bool ElastoplasticMethod<Real>::atPeriod(const mpm::PointBlock& block) const {
    for (int axis = 0; axis < 3; ++axis) {
        const int period = frame_.periodBlocks[static_cast<std::size_t>(axis)];
        if (period != 0 && (block.coord[axis] == 0 || block.coord[axis] == period - 1)) return true;
    }
    return false;
}

template <class Real>
bool ElastoplasticMethod<Real>::outOfReach(const mpm::PointBlock& block, const world::Region& region) const {
    constexpr double kMiddle = 0.5 * (mpm::kBlockSide - 1);
    if (atPeriod(block)) return false;
    const double reach = (0.5 * mpm::kBlockSide + drift_) * norm(frame_.spacing);
    const double distance = region.shape->distance(frame_.toWorld(block.coord, {kMiddle, kMiddle, kMiddle}));
    return region.inside ? distance > reach : distance < -reach;
}

// Called after every step where there are open faces or sinks: blocks out of the region's reach are passed over, and the
// points that go leave their block's groups closed up, without a sort.
template <class Real>
world::Removed ElastoplasticMethod<Real>::erase(const Exec& exec, const world::Region& region, world::ChunkSink* taken) {
    const auto phase = exec.phase("erase");
    RowsOfBlocks found(blocks_.points.size());
    exec.forBlocks(found.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const mpm::PointBlock& block = blocks_.points[b];
            if (outOfReach(block, region)) continue;
            for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup} + block.points; ++row)
                if (region.contains(worldPosition(block, row))) found[b].push_back(row);
        }
    });
    world::Removed removed;
    for (const std::vector<std::size_t>& rows : found)
        for (const std::size_t row : rows) {
            const auto mass = static_cast<double>(points_.mass(row));
            ++removed.count;
            removed.mass += mass;
            removed.momentum += mass * Vec3{points_.velocity(row, 0), points_.velocity(row, 1), points_.velocity(row, 2)};
        }
    if (removed.count == 0) return removed;
    if (taken) readRows(world::kPromisedNames, *taken, &found);
    for (std::size_t b = 0; b < found.size(); ++b) {
        if (found[b].empty()) continue;
        mpm::PointBlock& block = blocks_.points[b];
        const std::size_t first = 8 * std::size_t{block.firstGroup};
        points_.closeUp(first, first + block.points, found[b]);
        block.points -= static_cast<std::uint32_t>(found[b].size());
    }
    count_ -= removed.count;
    clearance_.clear();   // points have changed their groups
    if (count_ == 0) sort(exec, recentre(exec, points_.rows()));   // drops the blocks, which nothing would move on
    return removed;
}

/// Positions relative to the block of the nearest node, and the keys to sort by; padding rows have none.
template <class Real>
std::vector<std::uint64_t> ElastoplasticMethod<Real>::recentre(const Exec& exec, std::size_t rows) {
    std::vector<std::uint64_t> keys(rows, mpm::kNoKey);
    exec.forTasks(blocks_.points.size(), [&](std::size_t b, int) {
        const mpm::PointBlock& block = blocks_.points[b];
        for (std::size_t row = 8 * std::size_t{block.firstGroup}; row < 8 * std::size_t{block.firstGroup} + block.points; ++row) {
            const mpm::Place place = frame_.recentre(block.coord, {points_.position(row, 0), points_.position(row, 1), points_.position(row, 2)});
            for (int axis = 0; axis < 3; ++axis) points_.position(row, axis) = static_cast<Real>(place.position[axis]);
            keys[row] = mpm::cellKey(place.block, mpm::cellOf(place.position));
        }
    });
    return keys;
}

template <class Real>
void ElastoplasticMethod<Real>::sort(const Exec& exec, std::vector<std::uint64_t> keys) {
    const auto phase = exec.phase("sort");
    blocks_ = mpm::sortPoints(exec, frame_, std::move(keys), points_.id, points_);
    count_ = 0;
    for (const mpm::PointBlock& block : blocks_.points) count_ += block.points;
    drift_ = 0;
    clearance_.clear();
    blocksChanged_ = true;
    ++sorts_;
}

/// How fast grains and bodies move [cells/s].
template <class Real>
double ElastoplasticMethod<Real>::movingRate(const world::World& world) const {
    double rate = pace_.cellRate;
    for (const world::Body& body : world.bodies) rate = std::max(rate, body.fastest(world.time, {domain_.min, domain_.max}) / frame_.smallestSpacing());
    return rate;
}

/// The longest step of the explicit update, by sound and motion.
template <class Real>
double ElastoplasticMethod<Real>::explicitStep(const world::World& world) const {
    return settings_.cfl / (std::max(waveSpeed_, pace_.soundSpeed) / frame_.smallestSpacing() + movingRate(world));
}

template <class Real>
double ElastoplasticMethod<Real>::stableStep(const world::World& world) const {
    double longest = explicitStep(world);
    if (implicit()) longest = std::min(settings_.implicitStep * longest, settings_.cfl / movingRate(world));
    double dt = std::min(longest, world::longestBodyStep(world));
    if (pace_.gradient > 0) dt = std::min(dt, kMostGradientStep / pace_.gradient);
    return settings_.dt ? std::min(dt, *settings_.dt) : dt;
}

template <class Real>
Vec3 ElastoplasticMethod<Real>::worldPosition(const mpm::PointBlock& block, std::size_t row) const {
    return domain_.wrap(frame_.toWorld(block.coord, {points_.position(row, 0), points_.position(row, 1), points_.position(row, 2)}));
}

template <class Real>
world::Failed ElastoplasticMethod<Real>::failure(std::int64_t row, std::string_view what) const {
    const auto r = static_cast<std::size_t>(row);
    const auto block = std::ranges::upper_bound(blocks_.points, row, {}, [](const mpm::PointBlock& b) { return 8 * std::int64_t{b.firstGroup}; }) - 1;
    const bool lost = !std::isfinite(points_.position(r, 0)) || !std::isfinite(points_.position(r, 1)) || !std::isfinite(points_.position(r, 2));
    return {std::string(what), points_.id(r), worldPosition(*block, r), lost ? "position" : "stress"};
}

template <class Real>
std::vector<world::Metric> ElastoplasticMethod<Real>::metrics() const {
    std::vector<world::Metric> metrics{{"blocks", static_cast<double>(blocks_.points.size())}, {"sorts", static_cast<double>(sorts_)}};
    if (settings_.reseed) metrics.insert(metrics.end(), {{"splits", static_cast<double>(splits_)}, {"merges", static_cast<double>(merges_)}});
    if (implicit()) {
        metrics.push_back({"newton_iterations", static_cast<double>(system_.totals.newton)});
        metrics.push_back({"krylov_iterations", static_cast<double>(system_.totals.krylov)});
        metrics.push_back({"residual", system_.totals.residual});
    }
    return metrics;
}

template <class Real>
std::vector<world::Metric> ElastoplasticMethod<Real>::fallbacks() const {
    std::vector<world::Metric> counts{{"inverted_points", static_cast<double>(inverted_)}, {"crushed_points", static_cast<double>(crushed_)},
                                      {"unsettled_body_steps", static_cast<double>(contact_.unsettled())}};
    if (implicit()) counts.push_back({"unsettled_implicit_steps", static_cast<double>(system_.totals.unsettled)});
    return counts;
}

template <class Real>
void ElastoplasticMethod<Real>::save(Archive& archive) const {
    {
        const auto group = archive.group("points");
        points_.save(archive);
    }
    std::vector<std::int32_t> coords, counts, groups;
    for (const mpm::PointBlock& block : blocks_.points) {
        coords.insert(coords.end(), {block.coord.x, block.coord.y, block.coord.z});
        counts.push_back(static_cast<std::int32_t>(block.points));
        groups.push_back(static_cast<std::int32_t>(block.groups));
    }
    archive.put("block_coords", coords);
    archive.put("block_points", counts);
    archive.put("block_groups", groups);
    archive.put("wave_speed", waveSpeed_);
    archive.put("sand_wave_speed", sandSpeed_);
    archive.put("grain_material", static_cast<std::int32_t>(grainMaterial_));
    if (!steepest_.empty()) archive.put("steepest_own_friction", steepest_);
    archive.put("drift", drift_);
    archive.put("since_match", sinceMatch_);
    archive.put("cell_rate", pace_.cellRate);
    archive.put("gradient", pace_.gradient);
    archive.put("sound_speed", pace_.soundSpeed);
    archive.put("inverted", inverted_);
    archive.put("crushed", crushed_);
    archive.put("sorts", sorts_);
    if (settings_.reseed) archive.put("reseeded", std::vector<std::int64_t>{splits_, merges_});
    archive.put("unsettled_body_steps", contact_.unsettled());
    archive.put("newton_iterations", system_.totals.newton);
    archive.put("krylov_iterations", system_.totals.krylov);
    archive.put("unsettled_implicit_steps", system_.totals.unsettled);
    archive.put("residual", system_.totals.residual);
}

template <class Real>
void ElastoplasticMethod<Real>::load(const Exec& exec, const Archive& archive) {
    {
        const auto group = archive.group("points");
        points_.load(archive);
    }
    for (std::size_t row = 0; row < points_.rows(); ++row)
        if (points_.material(row) < 0 || static_cast<std::size_t>(points_.material(row)) >= kappa_.size()) throw ArchiveError("a point is of a material that there is not");
    const auto coords = archive.get<std::int32_t>("block_coords"), counts = archive.get<std::int32_t>("block_points"),
               groups = archive.get<std::int32_t>("block_groups");
    if (coords.size() != 3 * counts.size() || groups.size() != counts.size()) throw ArchiveError("block_coords and block_points do not fit together");
    if (std::ranges::any_of(coords, [](std::int32_t c) { return c < -mpm::kMostBlocks || c >= mpm::kMostBlocks; })) throw ArchiveError("a block lies outside of any grid");
    std::vector<mpm::PointBlock> blocks;
    count_ = 0;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        blocks.push_back({.coord = {coords[3 * b], coords[3 * b + 1], coords[3 * b + 2]},
                          .groups = static_cast<std::uint32_t>(groups[b]),
                          .points = static_cast<std::uint32_t>(counts[b])});
        count_ += counts[b];
    }
    for (const std::int32_t count : counts)
        if (count < 0) throw ArchiveError("a block has a negative number of points");
    blocks_ = mpm::connectBlocks(exec, frame_, std::move(blocks), points_.groupWidth());
    blocksChanged_ = true;
    clearance_.clear();
    if (blocks_.groups() != points_.groups()) throw ArchiveError("block_points and the points do not fit together");
    waveSpeed_ = archive.value<double>("wave_speed");
    sandSpeed_ = archive.value<double>("sand_wave_speed");
    grainMaterial_ = archive.value<std::int32_t>("grain_material");
    steepest_.clear();
    if (archive.contains("steepest_own_friction")) steepest_ = archive.get<double>("steepest_own_friction");
    if (!steepest_.empty() && steepest_.size() != matter_.size()) throw ArchiveError("'steepest_own_friction' has a wrong length");
    several_ = severalLaws();
    drift_ = archive.value<double>("drift");
    sinceMatch_ = archive.value<double>("since_match");
    pace_ = {.cellRate = archive.value<double>("cell_rate"), .gradient = archive.value<double>("gradient"), .soundSpeed = archive.value<double>("sound_speed")};
    inverted_ = archive.value<std::int64_t>("inverted");
    crushed_ = archive.value<std::int64_t>("crushed");
    sorts_ = archive.value<std::int64_t>("sorts");
    if (settings_.reseed) {
        const auto reseeded = archive.get<std::int64_t>("reseeded");
        if (reseeded.size() != 2) throw ArchiveError("'reseeded' has a wrong length");
        splits_ = reseeded[0];
        merges_ = reseeded[1];
    }
    contact_.setUnsettled(archive.value<std::int64_t>("unsettled_body_steps"));
    system_.totals = {archive.value<std::int64_t>("newton_iterations"), archive.value<std::int64_t>("krylov_iterations"), archive.value<std::int64_t>("unsettled_implicit_steps")};
    system_.totals.residual = archive.value<double>("residual");
}

template class ElastoplasticMethod<float>;
template class ElastoplasticMethod<double>;

}  // namespace talus::elastoplastic
