// SPDX-License-Identifier: Apache-2.0
#include "dem/packing.h"

#include "core/rng.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace talus::dem {
namespace {

/// Grains are packed this much larger than they are, and may then overlap by twice as much: so they touch at most.
constexpr double kMargin = 1.5e-3, kTolerance = 2 * kMargin;   // of a radius
constexpr int kMostSweeps = 900, kSweepsBeforeRemoval = 200, kSweepsBetween = 50;
/// Heavy-ball descent of the energy Σ ½ overlap²: v ← β v + h F, x ← x + v. Stable while h times the largest curvature is below 2 (1 + β);
/// that is about 10 for spheres and 20 for clumps, which also turn.
constexpr double kLooserAtWalls = 0.17;   // part of the grains of a layer half a diameter thick that finds no room
constexpr double kInertia = 0.75, kStepSphere = 0.3, kStepClump = 0.14;

/// Where a region reaches from one periodic face to the other it has no end there: seen from some radii inside the face.
Vec3 insidePeriods(const PackingPlace& place, Vec3 x, double radius) {
    const Aabb box = place.region.bounds();
    for (int axis = 0; axis < 3; ++axis) {
        const double low = place.domain.min[axis], high = place.domain.max[axis], slack = 1e-6 * (high - low);
        if (!place.domain.periodic(axis) || box.min[axis] > low + slack || box.max[axis] < high - slack) continue;
        const double margin = std::min(2 * radius, 0.5 * (high - low));
        x[axis] = std::clamp(x[axis] - (high - low) * std::floor((x[axis] - low) / (high - low)), low + margin, high - margin);
    }
    return x;
}

class Packer {
public:
    Packer(const Exec& exec, const PackingPlace& place, std::vector<PackedGrain> grains)
        : exec_(exec), place_(place), corner_(place.region.bounds().min), grains_(std::move(grains)), obstacles_(place.obstacles.begin(), place.obstacles.end()) {
        double smallest = 1;
        for (const PackedGrain& grain : grains_) smallest = std::min(smallest, grain.diameter);
        grid_ = std::exp2(std::floor(std::log2(1e-7 * smallest)));
    }

    std::vector<PackedGrain> run() {
        for (PackedGrain& grain : grains_) grain.position -= corner_;
        for (PackedGrain& grain : obstacles_) grain.position -= corner_;
        start();
        for (int sweep = 1; sweep <= kMostSweeps && movable_ > 0; ++sweep) {
            const double deepest = relax();
            if (deepest <= 1) return result();
            if (sweep >= kSweepsBeforeRemoval && sweep % kSweepsBetween == 0) removeWorst(std::max(1.0, 0.4 * deepest));
        }
        while (movable_ > 0 && measure() > 1) removeWorst(1);
        return result();
    }

private:
    const ClumpTemplate& shape(std::size_t i) const { return place_.templates[static_cast<std::size_t>(at(i).shape)]; }
    const PackedGrain& at(std::size_t i) const { return i < movable_ ? grains_[i] : obstacles_[i - movable_]; }

    // Positions are relative to the corner of the region and lie on a grid of 1e-7 diameters, so that a region packs alike wherever it is:
    // pushing grains apart would make rounding errors grow.
    Vec3 snapped(const Vec3& x) const { return {std::round(x.x / grid_) * grid_, std::round(x.y / grid_) * grid_, std::round(x.z / grid_) * grid_}; }
    Vec3 wrappedHere(const Vec3& x) const { return place_.domain.wrap(x + corner_) - corner_; }

    void start() {
        movable_ = grains_.size();
        for (PackedGrain& grain : grains_) grain.position = snapped(grain.position);
        const std::size_t count = movable_ + obstacles_.size();
        spheres_ = {};
        spheres_.first.assign(1, 0);
        reach_.clear();
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            for (const TemplateSphere& s : shape(i).spheres) {
                spheres_.grain.push_back(static_cast<std::uint32_t>(i));
                spheres_.radius.push_back((1 + kMargin) * at(i).diameter * s.radius);
            }
            spheres_.first.push_back(static_cast<std::uint32_t>(spheres_.size()));
            reach_.push_back((1 + kMargin) * at(i).diameter * shape(i).boundingRadius);
            sum += at(i).diameter;
        }
        skin_ = count > 0 ? 0.2 * sum / static_cast<double>(count) : 0;
        spheres_.centre.resize(spheres_.size());
        velocity_.resize(movable_);
        rate_.resize(movable_);
        depth_.resize(movable_);
        for (std::size_t i = movable_; i < count; ++i) placeOne(i);
        list();
    }

    void placeOne(std::size_t i) { placeSpheres(shape(i), at(i).diameter, at(i).position, at(i).orientation, spheres_.centre.data() + spheres_.first[i]); }

    void list() {
        std::vector<Vec3> centres(reach_.size());
        for (std::size_t i = 0; i < movable_; ++i) {
            grains_[i].position = snapped(wrappedHere(grains_[i].position));
            placeOne(i);
        }
        for (std::size_t i = 0; i < centres.size(); ++i) centres[i] = place_.domain.wrap(at(i).position);   // any origin will do
        pairs_ = findPairs(exec_, place_.domain, {centres, reach_}, spheres_, skin_);
        seconds_ = SecondsIndex(pairs_, spheres_);
        built_ = spheres_.centre;
        nearWall_.assign(spheres_.size(), 0);
        exec_.forBlocks(spheres_.first[movable_], 1024, [&](std::size_t begin, std::size_t end) {
            for (std::size_t s = begin; s < end; ++s) {
                const double reach = spheres_.radius[s] + skin_;
                const Vec3 x = spheres_.centre[s] + corner_;
                bool near = place_.region.distance(insidePeriods(place_, x, spheres_.radius[s])) > -reach;
                for (std::size_t b = 0; b < place_.bodies.size() && !near; ++b) near = place_.bodies[b].distance(x) < reach;
                nearWall_[s] = near;
            }
        });
    }

    struct Push {
        Vec3 force, torque;
        double deepest = 0;   // over what is allowed
    };

    void pushPair(std::uint32_t s, std::uint32_t other, const Vec3& centre, Push& push) const {
        const double ra = spheres_.radius[s], rb = spheres_.radius[other], reach = ra + rb;
        const Vec3 apart = place_.domain.nearestImage(spheres_.centre[s] - spheres_.centre[other]);
        const double squared = normSquared(apart);
        if (squared >= reach * reach) return;
        const double distance = std::sqrt(squared), overlap = reach - distance;
        const Vec3 normal = distance > 0 ? apart / distance : Vec3{0, 0, s < other ? 1.0 : -1.0};
        push.force += overlap * normal;
        push.torque += overlap * cross(spheres_.centre[s] - centre, normal);
        push.deepest = std::max(push.deepest, overlap / (kTolerance * std::min(ra, rb)));
    }

    void pushWall(std::uint32_t s, const Vec3& centre, Push& push) const {
        const double radius = spheres_.radius[s];
        const Vec3 x = spheres_.centre[s] + corner_;
        const auto add = [&](double overlap, const Vec3& normal) {
            if (overlap <= 0) return;
            push.force += overlap * normal;
            push.torque += overlap * cross(spheres_.centre[s] - centre, normal);
            push.deepest = std::max(push.deepest, overlap / (kMargin * radius));
        };
        const geometry::Surface edge = place_.region.surface(insidePeriods(place_, x, radius));
        add(edge.distance + radius, -edge.normal);
        for (const world::BodySnapshot& body : place_.bodies) {
            if (body.distance(x) >= radius) continue;
            const world::SurfacePoint surface = body.surface(x);
            add(radius - surface.distance, surface.normal);
        }
    }

    Push pushOn(std::size_t i) const {
        Push push;
        const Vec3 centre = grains_[i].position;
        for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) {
            for (std::size_t p = pairs_.firstOfSphere[s]; p < pairs_.firstOfSphere[s + 1]; ++p) pushPair(s, pairs_.b[p], centre, push);
            if (nearWall_[s]) pushWall(s, centre, push);
        }
        for (std::size_t k = seconds_.firstOfGrain[i]; k < seconds_.firstOfGrain[i + 1]; ++k) pushPair(seconds_.b[k], seconds_.a[k], centre, push);
        return push;
    }

    /// How deep the worst overlap is, over what is allowed; of each grain in depth_.
    double measure() {
        return exec_.reduce(
            movable_, 512, 0.0,
            [&](std::size_t begin, std::size_t end) {
                double deepest = 0;
                for (std::size_t i = begin; i < end; ++i) deepest = std::max(deepest, depth_[i] = pushOn(i).deepest);
                return deepest;
            },
            [](double a, double b) { return std::max(a, b); });
    }

    double relax() {
        std::vector<Push> pushes(movable_);
        const double deepest = exec_.reduce(
            movable_, 512, 0.0,
            [&](std::size_t begin, std::size_t end) {
                double most = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    pushes[i] = pushOn(i);
                    most = std::max(most, depth_[i] = pushes[i].deepest);
                }
                return most;
            },
            [](double a, double b) { return std::max(a, b); });
        if (deepest <= 1) return deepest;
        const double moved = exec_.reduce(
            movable_, 512, 0.0,
            [&](std::size_t begin, std::size_t end) {
                double furthest = 0;
                for (std::size_t i = begin; i < end; ++i) move(i, pushes[i], furthest);
                return furthest;
            },
            [](double a, double b) { return std::max(a, b); });
        if (std::sqrt(moved) > 0.4 * skin_) list();
        return deepest;
    }

    void move(std::size_t i, const Push& push, double& furthest) {
        PackedGrain& grain = grains_[i];
        const bool sphere = shape(i).isSphere();
        const double h = sphere ? kStepSphere : kStepClump, most = 0.1 * skin_;
        velocity_[i] = kInertia * velocity_[i] + h * push.force;
        if (const double way = norm(velocity_[i]); way > most) velocity_[i] *= most / way;
        grain.position = snapped(grain.position + velocity_[i]);
        if (!sphere) {   // in the coordinates in which mass and inertia are 1: torque over the square of the radius of gyration
            const double gyration = shape(i).smallestInertia() * grain.diameter * grain.diameter;
            rate_[i] = kInertia * rate_[i] + h / gyration * push.torque;
            if (const double way = norm(rate_[i]) * reach_[i]; way > most) rate_[i] *= most / way;
            grain.orientation = (Quat::fromRotationVector(rate_[i]) * grain.orientation).normalizedQuat();
        }
        placeOne(i);
        for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) furthest = std::max(furthest, normSquared(spheres_.centre[s] - built_[s]));
    }

    /// Those deeper than `limit`, of two that overlap the later one.
    void removeWorst(double limit) {
        measure();
        std::vector<char> gone(movable_, 0);
        for (std::size_t i = 0; i < movable_; ++i) {
            if (depth_[i] <= limit) continue;
            Push rest;   // without the pairs whose other grain goes already
            for (std::uint32_t s = spheres_.first[i]; s < spheres_.first[i + 1]; ++s) {
                for (std::size_t p = pairs_.firstOfSphere[s]; p < pairs_.firstOfSphere[s + 1]; ++p) pushUnlessGone(s, pairs_.b[p], gone, rest);
                if (nearWall_[s]) pushWall(s, grains_[i].position, rest);
            }
            for (std::size_t k = seconds_.firstOfGrain[i]; k < seconds_.firstOfGrain[i + 1]; ++k) pushUnlessGone(seconds_.b[k], seconds_.a[k], gone, rest);
            gone[i] = rest.deepest > limit;
        }
        std::size_t to = 0;
        for (std::size_t i = 0; i < movable_; ++i)
            if (!gone[i]) grains_[to++] = grains_[i];
        grains_.resize(to);
        std::ranges::fill(velocity_, Vec3{});
        std::ranges::fill(rate_, Vec3{});
        start();
    }
    void pushUnlessGone(std::uint32_t s, std::uint32_t other, const std::vector<char>& gone, Push& push) const {
        const std::uint32_t j = spheres_.grain[other];
        if (j >= movable_ || !gone[j]) pushPair(s, other, grains_[spheres_.grain[s]].position, push);
    }

    std::vector<PackedGrain> result() {
        grains_.resize(movable_);
        for (PackedGrain& grain : grains_) grain.position = place_.domain.wrap(grain.position + corner_);
        return std::move(grains_);
    }

    const Exec& exec_;
    const PackingPlace& place_;
    Vec3 corner_;
    std::vector<PackedGrain> grains_, obstacles_;
    double grid_ = 0;
    std::size_t movable_ = 0;
    Spheres spheres_;
    std::vector<double> reach_, depth_;
    std::vector<Vec3> velocity_, rate_, built_;
    std::vector<char> nearWall_;
    PairList pairs_;
    SecondsIndex seconds_;
    double skin_ = 0;
};

}  // namespace

double reachableFraction(const ClumpTemplate& shape) { return shape.isSphere() ? 0.59 : shape.spheres.size() <= 6 ? 0.56 : 0.53; }

std::vector<Vec3> throwPoints(const PackingPlace& place, double count, std::uint64_t seed, std::uint32_t stream) {
    const Aabb box = place.region.bounds();
    const double free = place.region.volume(), edge = std::cbrt(free / std::max(1.0, count));
    std::size_t cells[3];
    Vec3 cell;
    for (int axis = 0; axis < 3; ++axis) {
        const double length = box.size()[axis];
        cells[axis] = static_cast<std::size_t>(std::max(1.0, std::round(length / edge)));
        cell[axis] = length / static_cast<double>(cells[axis]);
    }
    // Cells are not quite of the wanted volume: a share of them gets no point, or some get a second.
    const double perCell = count * cell.x * cell.y * cell.z / free;
    std::vector<Vec3> points;
    double inWall = 0;
    for (std::size_t index = 0; index < cells[0] * cells[1] * cells[2]; ++index) {
        Rng rng(seed, stream, index);
        const Vec3 corner{static_cast<double>(index % cells[0]), static_cast<double>(index / cells[0] % cells[1]), static_cast<double>(index / (cells[0] * cells[1]))};
        for (double left = perCell; left > 0; left -= 1) {
            const Vec3 x = box.min + componentProduct(corner + Vec3{rng.uniform(), rng.uniform(), rng.uniform()}, cell);
            const double distance = rng.uniform() >= left ? 0 : place.region.distance(insidePeriods(place, x, 0.5 * edge));
            if (distance >= 0 || !std::ranges::all_of(place.bodies, [&](const world::BodySnapshot& body) { return body.distance(x) > 0; })) continue;
            points.push_back(x);
            inWall += distance > -0.5 * edge;
        }
    }
    // A wall keeps grains half a diameter away and orders them: beside it a packing is looser.
    const double keep = 1 - kLooserAtWalls * inWall / std::max(1.0, static_cast<double>(points.size()));
    std::size_t to = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (Rng(seed, stream + 1, i).uniform() < keep) points[to++] = points[i];
    points.resize(to);
    return points;
}

std::vector<PackedGrain> pack(const Exec& exec, const PackingPlace& place, std::vector<PackedGrain> grains) { return Packer(exec, place, std::move(grains)).run(); }

}  // namespace talus::dem
