// SPDX-License-Identifier: Apache-2.0
#include "upsampling/body_surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus::upsampling {
namespace {

/// Passes over the bodies near a grain: out of one it may be pushed into the next.
constexpr int kMostPasses = 6;
/// A grain pushed out by less than this part of its radius only touches a surface, and is looked at no more.
constexpr double kTouching = 1e-3;
constexpr std::size_t kBatch = 8;

}  // namespace

void BodySurfaces::begin(const world::World& world, double time, double quiet) {
    bodies_ = world.bodiesAt(time);
    materials_ = world.materials.size();
    quiet_ = quiet;
    anyMoves_ = false;
    fixed_.assign(bodies_.size(), false);
    laws_.assign(bodies_.size() * materials_, {});
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        fixed_[b] = world.bodies[b].fixed();
        anyMoves_ |= !fixed_[b] && bodies_[b].active();
        for (std::size_t m = 0; m < materials_; ++m) {
            const world::Contact& contact = world.contacts.between(static_cast<int>(m), world.bodies[b].material);
            laws_[b * materials_ + m] = {contact.friction, contact.restitution.value_or(0)};
        }
    }
}

double BodySurfaces::near(const Aabb& box, double margin, bool fixedToo, std::vector<std::uint32_t>& found) const {
    const Vec3 centre = box.centre();
    const double half = 0.5 * norm(box.size());
    double clearance = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (!bodies_[b].active() || (fixed_[b] && !fixedToo)) continue;
        const double distance = bodies_[b].distance(centre) - half;   // |distance| grows no faster than the way
        if (fixed_[b]) clearance = std::min(clearance, distance);
        if (distance < margin) found.push_back(static_cast<std::uint32_t>(b));
    }
    return clearance;
}

std::uint64_t BodySurfaces::touching(std::uint32_t body, std::span<const Vec3> points, std::span<const double> radii) const {
    const world::BodySnapshot& snapshot = bodies_[body];
    const geometry::Shape& shape = *snapshot.body().shape;
    std::uint64_t bits = 0;
    if (!shape.ownMesh()) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (snapshot.distance(points[i]) < radii[i]) bits |= std::uint64_t{1} << i;
        return bits;
    }
    std::array<Vec3, kBatch> local;
    std::array<geometry::Surface, kBatch> surfaces;
    for (std::size_t i = 0; i < points.size(); ++i) local[i] = snapshot.toLocal(points[i]);
    shape.surfaces(std::span(local).first(points.size()), std::span(surfaces).first(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        if (surfaces[i].distance < radii[i]) bits |= std::uint64_t{1} << i;
    return bits;
}

void BodySurfaces::respond(std::uint32_t body, const world::SurfacePoint& surface, TouchingGrain& grain) const {
    const Vec3 relative = grain.velocity - surface.velocity;
    const double approach = -dot(relative, surface.normal);
    const world::ContactMode mode = bodies_[body].body().contact;
    if (mode == world::ContactMode::sticky) {
        grain.velocity = surface.velocity;
        return;
    }
    const bool slips = mode == world::ContactMode::slip;
    if (approach <= 0 && !slips) return;
    const Law& law = laws_[body * materials_ + static_cast<std::size_t>(grain.material)];
    const double restitution = slips || approach < quiet_ ? 0 : law.restitution;
    Vec3 sliding = relative + approach * surface.normal;
    const double speed = norm(sliding), most = law.friction * (1 + restitution) * std::abs(approach);
    sliding *= speed > most ? 1 - most / speed : 0.0;
    grain.velocity = surface.velocity + sliding + restitution * approach * surface.normal;
}

bool BodySurfaces::push(std::span<const std::uint32_t> bodies, std::span<double> rooms, TouchingGrain& grain) const {
    for (int pass = 0; pass < kMostPasses; ++pass) {
        bool clear = true;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (rooms[i] > 0) continue;
            const world::SurfacePoint surface = bodies_[bodies[i]].surface(grain.position);
            const double way = grain.radius - surface.distance;
            rooms[i] = std::max(-way, 0.0);
            if (way <= 0) continue;
            if (way > kTouching * grain.radius) clear = false;
            grain.position += way * surface.normal;
            for (double& room : rooms) room -= way;
            respond(bodies[i], surface, grain);
        }
        if (clear) return true;
    }
    return !inside(bodies, grain.position);
}

bool BodySurfaces::inside(std::span<const std::uint32_t> bodies, const Vec3& x) const {
    return std::ranges::any_of(bodies, [&](std::uint32_t b) { return bodies_[b].distance(x) < 0; });
}

}  // namespace talus::upsampling
