// SPDX-License-Identifier: Apache-2.0
// Points and bodies. Nodes are stopped at surfaces (updateNodes); here points that came into a body all the same are put out.
// Most points are far from all bodies: a group of them is looked at again when points and bodies may have come as near to each
// other as is left free between them.
#include "elastoplastic/method.h"
#include "mpm/points_in_bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::elastoplastic {
namespace {

/// A point leaves a body by no more than this beyond what it moved in the step [cells].
constexpr double kMostCellsOut = 0.25;

/// Distances of the nearest body and of the one after it, or less.
struct Distances {
    double nearest = std::numeric_limits<double>::max(), next = nearest;

    void add(double distance) {
        next = std::min(next, std::max(nearest, distance));
        nearest = std::min(nearest, distance);
    }
    /// What a point may move before it comes to a surface, or into a gap between two.
    double freeWay(double spacing) const { return std::min(nearest, 0.5 * (nearest + next - mpm::kNarrowestGap * spacing)); }
};

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// Furthest that a point of the body's surface within the domain moves between two poses.
double shift(const world::Domain& domain, const world::Pose& a, const world::Pose& b) {
    double radius = 0;
    for (int corner = 0; corner < 8; ++corner)
        radius = std::max(radius, norm(Vec3{corner & 1 ? domain.max.x : domain.min.x, corner & 2 ? domain.max.y : domain.min.y, corner & 4 ? domain.max.z : domain.min.z} - a.position));
    const Quat turn = b.rotation * a.rotation.conjugate();
    return norm(b.position - a.position) + 2 * std::asin(std::min(1.0, std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z))) * radius;
}

}  // namespace

// Distances to bodies change by no more than one moves: from the middle of a block follows what all its points have.
template <class Real>
double ElastoplasticMethod<Real>::blockClearance(const mpm::PointBlock& block) const {
    constexpr double kMiddle = 0.5 * (mpm::kBlockSide - 1);
    if (atPeriod(block)) return 0;
    const Vec3 x = frame_.toWorld(block.coord, {kMiddle, kMiddle, kMiddle});
    Distances distances;
    for (const world::BodySnapshot& body : movedBodies_) distances.add(body.distance(x));
    return std::max(0.0, distances.freeWay(frame_.smallestSpacing()) - (0.5 * mpm::kBlockSide + drift_) * norm(frame_.spacing));
}

template <class Real>
void ElastoplasticMethod<Real>::moveBodies(const Exec& exec, const world::World& world, double dt) {
    movedBodies_ = mpm::bodiesAfter(world, freeBodies_, dt);
    bodyShift_ = 0;
    std::vector<const world::Body*> active;
    for (const world::BodySnapshot& body : movedBodies_) {
        active.push_back(&body.body());
        if (!body.body().fixed()) bodyShift_ = std::max(bodyShift_, shift(domain_, body.body().pose(world.time), body.pose()));
    }
    if (clearance_.size() == blocks_.groups() && lookedAt_ == active) return;
    lookedAt_ = std::move(active);
    clearance_.resize(blocks_.groups());
    exec.forBlocks(blocks_.points.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (const mpm::PointBlock& block : std::span(blocks_.points).subspan(begin, end - begin))
            std::fill_n(clearance_.begin() + block.firstGroup, block.groups, blockClearance(block));
    });
}

template <class Real>
bool ElastoplasticMethod<Real>::mayMeetBodies(const mpm::PointBlock& block, double furthest) const {
    return std::any_of(clearance_.begin() + block.firstGroup, clearance_.begin() + block.firstGroup + block.groups, [&](double clearance) { return clearance <= furthest; });
}

template <class Real>
void ElastoplasticMethod<Real>::leaveBodies(const world::World& world, const mpm::PointBlock& block, std::span<const Real> before, double dt, BlockReport& report) {
    const double narrowest = mpm::kNarrowestGap * frame_.smallestSpacing(), travelled = dt * report.pace.cellRate * norm(frame_.spacing) + bodyShift_;
    if (before.empty()) {   // too far from all bodies
        for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) clearance_[g] -= travelled;
        return;
    }
    // Of bodies further than two cells from all points of the block no point needs to know more.
    constexpr double kMiddle = 0.5 * (mpm::kBlockSide - 1);
    const double cell = norm(frame_.spacing), radius = (0.5 * mpm::kBlockSide + drift_ + dt * report.pace.cellRate) * cell;
    const Vec3 middle = frame_.toWorld(block.coord, {kMiddle, kMiddle, kMiddle});
    Distances ofOthers;
    std::vector<const world::BodySnapshot*> around, near;
    for (const world::BodySnapshot& body : movedBodies_) {
        const double least = atPeriod(block) ? 0 : body.distance(middle) - radius;
        if (least < 2 * cell + narrowest) around.push_back(&body);
        else ofOthers.add(least);
    }
    std::vector<double> distances(around.size());
    for (std::uint32_t g = block.firstGroup; g < block.firstGroup + block.groups; ++g) {
        clearance_[g] -= travelled;
        if (clearance_[g] > 0) continue;
        double clearance = std::numeric_limits<double>::max();
        for (int p = 0; p < mpm::pointsInGroup(block, g); ++p) {
            const std::size_t row = 8 * std::size_t{g} + static_cast<std::size_t>(p);
            const Vec3 x = worldPosition(block, row);
            Vec3 moved;
            for (int axis = 0; axis < 3; ++axis) {
                const Real old = before[24 * std::size_t{g - block.firstGroup} + static_cast<std::size_t>(8 * axis + p)];
                moved[axis] = static_cast<double>(points_.position(row, axis) - old) * frame_.spacing[axis];
            }
            Distances all = ofOthers;
            for (std::size_t i = 0; i < around.size(); ++i) all.add(distances[i] = around[i]->distance(x));
            const double free = all.freeWay(frame_.smallestSpacing());
            clearance = std::min(clearance, free);
            if (free > norm(moved)) continue;
            near.clear();
            for (std::size_t i = 0; i < distances.size(); ++i)
                if (distances[i] < norm(moved) + narrowest) near.push_back(around[i]);
            leaveBodies(world, near, row, x, moved, dt, report);
            clearance = std::min(clearance, 0.0);   // it may have been put on a surface
        }
        clearance_[g] = clearance;
    }
}

// Points are put on the surface and lose the velocity with which they came; those that a body covered at once come out slowly.
template <class Real>
void ElastoplasticMethod<Real>::leaveBodies(const world::World& world, std::span<const world::BodySnapshot* const> near, std::size_t row, const Vec3& now, const Vec3& moved, double dt, BlockReport& report) {
    Vec3 x = now;
    mpm::leave(near, mpm::kNarrowestGap * frame_.smallestSpacing(), now - moved, x, [&](const mpm::Meeting& meeting) {
        Vec3 v{points_.velocity(row, 0), points_.velocity(row, 1), points_.velocity(row, 2)};
        report.met.push_back(mpm::stop(meeting, contact_.friction(world, meeting.body.body()), now, static_cast<double>(points_.mass(row)), dt, v));
        for (int axis = 0; axis < 3; ++axis) points_.velocity(row, axis) = static_cast<Real>(v[axis]);
    });
    Vec3 cells;
    for (int axis = 0; axis < 3; ++axis) cells[axis] = (x[axis] - now[axis]) / frame_.spacing[axis];
    const double far = largest(cells), most = kMostCellsOut + largest(moved) / frame_.smallestSpacing();
    if (far == 0) return;
    if (far > most) cells *= most / far;
    for (int axis = 0; axis < 3; ++axis) points_.position(row, axis) += static_cast<Real>(cells[axis]);
    report.pace.cellsOut = std::max(report.pace.cellsOut, std::min(far, most));
}

template void ElastoplasticMethod<float>::moveBodies(const Exec&, const world::World&, double);
template bool ElastoplasticMethod<float>::mayMeetBodies(const mpm::PointBlock&, double) const;
template void ElastoplasticMethod<float>::leaveBodies(const world::World&, const mpm::PointBlock&, std::span<const float>, double, BlockReport&);
template void ElastoplasticMethod<double>::moveBodies(const Exec&, const world::World&, double);
template bool ElastoplasticMethod<double>::mayMeetBodies(const mpm::PointBlock&, double) const;
template void ElastoplasticMethod<double>::leaveBodies(const world::World&, const mpm::PointBlock&, std::span<const double>, double, BlockReport&);

}  // namespace talus::elastoplastic
