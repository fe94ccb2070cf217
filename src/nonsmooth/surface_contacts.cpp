// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/surface_contacts.h"

#include "mpm/points_in_bodies.h"
#include "world/world.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kNodesPerTask = 256, kCellsPerTask = 256;
/// Part of a cell: a node that round-off puts this far outside lies on the surface.
constexpr double kTouchingCells = 1e-6;
/// Part of a cell within which a point lies on a surface that is composed of others; and the steps that may lead there.
constexpr double kOnSurfaceCells = 0.02;
constexpr int kMostSteps = 4;
/// A surface in a cell is that which a node of the cell stands for where normals agree and it lies this near in its plane [cells].
constexpr double kSameNormal = 0.95, kSamePlaneCells = 0.05;
/// Part of a cell by which a node on a surface is moved off it to see whether it lies on another face too.
constexpr double kOffSurfaceCells = 0.01;
constexpr std::size_t kMostFaces = 3;
/// Of owners of contacts that are cells, not nodes.
constexpr std::uint64_t kCellOwner = std::uint64_t{1} << 63;

struct NearBody {
    std::uint32_t index;
    world::BodySnapshot snapshot;
    Aabb box;
    int free = -1;               // k of FreeBodies
};

std::vector<NearBody> bodiesNow(const world::World& world, const world::FreeBodies& free, double reach) {
    std::vector<NearBody> bodies;
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
        if (!world.bodies[i].activeAt(world.time)) continue;
        NearBody body{i, {world.bodies[i], world.time}, {}};
        for (std::size_t k = 0; k < free.size(); ++k)
            if (free.body(k) == i) {
                body.free = static_cast<int>(k);
                body.snapshot = free.snapshot(i, world.time);
            }
        body.box = geometry::grown(world::worldBounds(body.snapshot), reach);
        bodies.push_back(body);
    }
    return bodies;
}

/// Part of ∫N around x that bodies cover, from 4 x 4 x 4 samples. Along an axis each stands for a quarter of the hat function, at the
/// quarter's centre of mass.
double coveredPart(const mpm::GridFrame& frame, const Vec3& x, std::span<const NearBody* const> near) {
    constexpr std::array<double, 4> kQuarter{-0.52860, -0.13807, 0.13807, 0.52860};   // in cells
    const double perDistance = 0.5 / (kQuarter[2] * std::cbrt(frame.cellVolume()));    // so that a wall through the node cuts between samples
    double covered = 0;
    for (const double a : kQuarter)
        for (const double b : kQuarter)
            for (const double c : kQuarter) {
                const Vec3 at = x + componentProduct(frame.spacing, Vec3{a, b, c});
                double distance = 1e300;
                for (const NearBody* body : near) distance = std::min(distance, body->snapshot.distance(at));
                covered += std::clamp(0.5 - perDistance * distance, 0.0, 1.0) / 64;
            }
    return covered;
}

}  // namespace

// (corrected §6.1) The volume that is left to grains is φ_max (1 − φ_RB), with φ_RB at the end of the step.
std::vector<double> freeFractions(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const world::World& world, const world::FreeBodies& free, double dt) {
    const double reach = norm(frame.spacing);
    std::vector<NearBody> bodies = bodiesNow(world, free, reach);
    for (NearBody& body : bodies) {
        if (body.free < 0 && world.bodies[body.index].fixed()) continue;
        world::Pose pose = body.snapshot.pose();
        pose.position += dt * pose.velocity;
        pose.rotation = (Quat::fromRotationVector(dt * pose.angularVelocity) * pose.rotation).normalizedQuat();
        body.snapshot = {world.bodies[body.index], pose, world.time};
        body.box = geometry::grown(world::worldBounds(body.snapshot), reach);
    }
    std::vector<double> fractions(grid.nodes.size(), 1.0);
    exec.forBlocks(grid.nodes.size(), kNodesPerTask, [&](std::size_t begin, std::size_t end) {
        std::vector<const NearBody*> near;
        for (std::size_t n = begin; n < end; ++n) {
            const Vec3 x = nodePosition(frame, grid.nodes[n]);
            near.clear();
            for (const NearBody& body : bodies)
                if (body.box.contains(x) && body.snapshot.distance(x) < reach) near.push_back(&body);
            if (!near.empty()) fractions[n] = 1 - coveredPart(frame, x, near);
        }
    });
    return fractions;
}

namespace {

/// Nodes around a point, with weights; false where one of them is not there.
bool around(const mpm::GridFrame& frame, const Grid& grid, const Vec3& x, std::array<std::uint32_t, kCorners>& node, std::array<double, kCorners>& weight, std::size_t& count) {
    Vec3i base;
    Vec3 f;
    for (int axis = 0; axis < 3; ++axis) {
        const double p = (x[axis] - frame.origin[axis]) / frame.spacing[axis], nearest = std::round(p);
        const double on = std::abs(p - nearest) < kTouchingCells ? nearest : p;   // on a plane of nodes these alone
        base[axis] = static_cast<int>(std::floor(on));
        f[axis] = on - std::floor(on);
    }
    count = 0;
    for (std::size_t corner = 0; corner < kCorners; ++corner) {
        const Vec3i d = cornerOffset(corner);
        const double w = (d.x ? f.x : 1 - f.x) * (d.y ? f.y : 1 - f.y) * (d.z ? f.z : 1 - f.z);
        if (w == 0) continue;
        const Vec3i at = wrapCoord(frame, base + d);
        const auto found = std::ranges::lower_bound(grid.nodes, gridKey(at), {}, gridKey);
        if (found == grid.nodes.end() || *found != at) return false;
        node[count] = static_cast<std::uint32_t>(found - grid.nodes.begin());
        weight[count++] = w;
    }
    return true;
}

/// Whether a corner of the cell around x lies in the body.
bool cornerInside(const mpm::GridFrame& frame, const world::BodySnapshot& body, const Vec3& x) {
    Vec3i cell;
    for (int axis = 0; axis < 3; ++axis) cell[axis] = static_cast<int>(std::floor((x[axis] - frame.origin[axis]) / frame.spacing[axis]));
    for (std::size_t corner = 0; corner < kCorners; ++corner)
        if (body.distance(nodePosition(frame, cell + cornerOffset(corner))) <= 0) return true;
    return false;
}

/// A point of a surface, seen from x.
struct Foot {
    Vec3 at, normal;
    double distance;
};

/// Distances of composed shapes are bounds, so that x − distance normal may be no point of the surface: a few more steps lead there, from
/// outside to an edge for example, or nowhere.
std::optional<Foot> footOf(const world::BodySnapshot& body, const Vec3& x, const world::SurfacePoint& surface, double onSurface) {
    Vec3 at = x - surface.distance * surface.normal;
    if (body.body().shape->exact()) return Foot{at, surface.normal, surface.distance};
    for (int step = 0; step < kMostSteps; ++step) {
        const world::SurfacePoint there = body.surface(at);
        if (std::abs(there.distance) <= onSurface) {
            const double distance = norm(x - at);
            if (step == 0 || distance <= onSurface) return Foot{at, surface.normal, surface.distance};
            return surface.distance > 0 ? Foot{at, (x - at) / distance, distance} : Foot{at, there.normal, -distance};
        }
        at -= there.distance * there.normal;
    }
    return std::nullopt;
}

/// The faces but the first that meet in an inner edge or corner through x: off the faces that are known, x is still on the next.
std::vector<world::SurfacePoint> otherFaces(const world::BodySnapshot& body, const Vec3& x, const Vec3& normal, double off) {
    std::vector<world::SurfacePoint> faces;
    Vec3 away = normal;
    while (faces.size() + 1 < kMostFaces) {
        world::SurfacePoint next = body.surface(x + off * away);
        const auto same = [&](const Vec3& known) { return dot(known, next.normal) > kSameNormal; };
        if (next.distance > 0.5 * off || same(normal) || std::ranges::any_of(faces, same, &world::SurfacePoint::normal)) break;
        next.distance = 0;
        away += next.normal;
        faces.push_back(next);
    }
    return faces;
}

/// What all contacts with a body have in common.
class Finder {
public:
    Finder(const mpm::GridFrame& frame, const Grid& grid, const world::World& world, int grainMaterial) : frame_(frame), grid_(grid), world_(world), grainMaterial_(grainMaterial) {}

    void atNode(std::size_t n, const NearBody&, std::vector<SurfaceContact>& found) const;
    /// `known` are those of nodes, in their order.
    void inCell(std::size_t cell, const NearBody&, std::span<const SurfaceContact> known, std::vector<SurfaceContact>& found) const;

private:
    void add(SurfaceContact&, const NearBody&, std::vector<SurfaceContact>& found) const;

    const mpm::GridFrame& frame_;
    const Grid& grid_;
    const world::World& world_;
    int grainMaterial_;
};

void Finder::add(SurfaceContact& c, const NearBody& body, std::vector<SurfaceContact>& found) const {
    const world::Body& is = world_.bodies[body.index];
    c.body = body.index;
    c.free = body.free;
    c.mode = is.contact;
    c.arm = c.at - body.snapshot.pose().position;
    c.friction = world_.contacts.between(grainMaterial_, is.material).friction;
    c.surfaceVelocity = body.free < 0 ? body.snapshot.velocity(c.at, c.normal) : is.beltVelocity(body.snapshot.pose(), c.at, c.normal, world_.time);
    found.push_back(c);
}

// A node in a body or on it stands for the nearest point of the surface, on an inner edge for every face, and for the opposite one where the
// body is thin; a node outside only where the body is so thin that none lies in it.
void Finder::atNode(std::size_t n, const NearBody& body, std::vector<SurfaceContact>& found) const {
    const double reach = maxComponent(frame_.spacing), touching = kTouchingCells * frame_.smallestSpacing();
    const Vec3 x = nodePosition(frame_, grid_.nodes[n]);
    const world::SurfacePoint nearest = body.snapshot.surface(x);
    const bool outside = nearest.distance > touching;
    if (!(nearest.distance < reach) || (outside && cornerInside(frame_, body.snapshot, x - nearest.distance * nearest.normal))) return;
    const auto stand = [&](const world::SurfacePoint& surface) {
        SurfaceContact c;
        c.normal = surface.normal;
        const bool on = std::abs(surface.distance) <= touching;
        const std::optional<Foot> foot = on ? std::nullopt : footOf(body.snapshot, x, surface, kOnSurfaceCells * frame_.smallestSpacing());
        const bool near = foot && foot->distance >= -1.5 * reach;
        if (near) {
            c.at = foot->at;
            c.normal = foot->normal;
        }
        if (!near || !around(frame_, grid_, c.at, c.node, c.weight, c.nodes)) {
            if (outside) return;
            c.at = x;
            c.node[0] = static_cast<std::uint32_t>(n);
            c.weight[0] = 1;
            c.nodes = 1;
        }
        c.owner = gridKey(grid_.nodes[n]);
        add(c, body, found);
    };
    stand(nearest);
    if (std::abs(nearest.distance) <= touching)
        for (const world::SurfacePoint& face : otherFaces(body.snapshot, x, nearest.normal, kOffSurfaceCells * frame_.smallestSpacing())) stand(face);
    if (const auto other = mpm::otherSide(body.snapshot, x, nearest, mpm::kOtherSide * frame_.smallestSpacing())) stand(*other);
}

// Nodes inside stand for the surface as if it were flat between them. Where it bends within a cell, as at the rim of an opening, or has an
// edge there, grains would flow through: the velocity of nodes deep inside is free along the nearest surface, and what lies between is not
// looked at. So the surface next to the middle of such a cell counts too.
void Finder::inCell(std::size_t cell, const NearBody& body, std::span<const SurfaceContact> known, std::vector<SurfaceContact>& found) const {
    const double touching = kTouchingCells * frame_.smallestSpacing();
    const Vec3 first = nodePosition(frame_, grid_.cells[cell]), x = first + 0.5 * frame_.spacing;
    const world::SurfacePoint nearest = body.snapshot.surface(x);
    if (!(std::abs(nearest.distance) < 0.5 * norm(frame_.spacing))) return;
    const std::optional<Foot> foot = footOf(body.snapshot, x, nearest, kOnSurfaceCells * frame_.smallestSpacing());
    if (!foot) return;
    for (int axis = 0; axis < 3; ++axis)
        if (!(foot->at[axis] - first[axis] > touching && first[axis] + frame_.spacing[axis] - foot->at[axis] > touching)) return;
    for (const std::uint32_t n : grid_.cellNodes[cell]) {
        const std::uint64_t owner = gridKey(grid_.nodes[n]);
        for (auto c = std::ranges::lower_bound(known, owner, {}, &SurfaceContact::owner); c != known.end() && c->owner == owner; ++c)
            if (c->body == body.index && dot(c->normal, foot->normal) > kSameNormal && std::abs(dot(c->normal, foot->at - c->at)) < kSamePlaneCells * frame_.smallestSpacing()) return;
    }
    SurfaceContact c;
    c.at = foot->at;
    c.normal = foot->normal;
    if (!around(frame_, grid_, c.at, c.node, c.weight, c.nodes)) return;
    c.owner = kCellOwner | gridKey(grid_.cells[cell]);
    add(c, body, found);
}

/// Appends what `find` finds in 0 … count, in this order.
template <class Find>
void appendInOrder(const Exec& exec, std::size_t count, std::size_t perTask, const Find& find, std::vector<SurfaceContact>& all) {
    std::vector<std::vector<SurfaceContact>> parts((count + perTask - 1) / perTask);
    exec.forBlocks(count, perTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) find(i, parts[begin / perTask]);
    });
    std::size_t found = all.size();
    for (const auto& part : parts) found += part.size();
    all.reserve(found);
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

std::vector<SurfaceContact> findContacts(const Exec& exec, const mpm::GridFrame& frame, const Grid& grid, const world::World& world, const world::FreeBodies& free, int grainMaterial) {
    const std::vector<NearBody> bodies = bodiesNow(world, free, maxComponent(frame.spacing));
    const Finder finder(frame, grid, world, grainMaterial);
    std::vector<SurfaceContact> all;
    appendInOrder(exec, grid.nodes.size(), kNodesPerTask, [&](std::size_t n, std::vector<SurfaceContact>& found) {
        for (const NearBody& body : bodies)
            if (body.box.contains(nodePosition(frame, grid.nodes[n]))) finder.atNode(n, body, found);
    }, all);
    appendInOrder(exec, grid.cells.size(), kCellsPerTask, [&](std::size_t cell, std::vector<SurfaceContact>& found) {
        for (const NearBody& body : bodies)
            if (body.box.contains(nodePosition(frame, grid.cells[cell]))) finder.inCell(cell, body, all, found);
    }, all);
    return all;
}

}  // namespace talus::nonsmooth
