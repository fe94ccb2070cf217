// SPDX-License-Identifier: Apache-2.0
#include "world/forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::world {
namespace {

Vec3 velocityOf(const Vortex& vortex, const Vec3& x, double time) {
    const Vec3 arm = x - vortex.centre, around = cross(vortex.axis, arm);   // |around| = r
    const double square = normSquared(around) / (vortex.coreRadius * vortex.coreRadius);
    // (1 − exp(−s))/s → 1 on the axis
    const double profile = square < 1e-8 ? 1 - 0.5 * square : -std::expm1(-square) / square;
    return around * (vortex.circulation.at(time) / (2 * std::numbers::pi * vortex.coreRadius * vortex.coreRadius) * profile);
}

/// Root of s (1 + Δt r(s)) = q, which grows with s; it lies in [0, q].
double implicitSpeed(const Air& air, const Material& material, double q, double dt) {
    double low = 0, high = q;
    double s = q / (1 + dt * air.dragRate(material, q));
    constexpr int kMost = 100;
    for (int i = 0; i < kMost && high - low > 1e-14 * q; ++i) {
        const double excess = s * (1 + dt * air.dragRate(material, s)) - q;
        (excess > 0 ? high : low) = s;
        // Secant with the slope at most 1 + 2 Δt r (r grows no faster than s), kept inside the bracket.
        const double next = s - excess / (1 + 2 * dt * air.dragRate(material, s));
        if (next == s) break;
        s = next > low && next < high ? next : 0.5 * (low + high);
    }
    return s;
}

}  // namespace

Vec3 LatticeField::at(const Vec3& x) const {
    const Vec3 p{(x.x - origin.x) / spacing.x, (x.y - origin.y) / spacing.y, (x.z - origin.z) / spacing.z};
    Vec3i cell;
    Vec3 part;
    for (int axis = 0; axis < 3; ++axis) {
        const int last = points[axis] - 1;
        if (last > 0 && !(p[axis] >= 0 && p[axis] <= last)) return {};
        cell[axis] = last > 0 ? std::min(static_cast<int>(p[axis]), last - 1) : 0;   // a lattice one point thick is the same all along
        part[axis] = last > 0 ? p[axis] - cell[axis] : 0;
    }
    Vec3 sum;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        Vec3i at = cell;
        for (int axis = 0; axis < 3; ++axis) {
            const bool upper = (corner >> axis & 1) != 0;
            weight *= upper ? part[axis] : 1 - part[axis];
            if (upper) at[axis] = std::min(at[axis] + 1, points[axis] - 1);
        }
        const auto index = (static_cast<std::size_t>(at.z) * static_cast<std::size_t>(points.y) + static_cast<std::size_t>(at.y)) * static_cast<std::size_t>(points.x) + static_cast<std::size_t>(at.x);
        if (weight != 0) sum += weight * values[index];
    }
    return sum;
}

bool Force::accelerates() const {
    const auto* lattice = std::get_if<LatticeField>(&field);
    return lattice && lattice->acceleration;
}

Vec3 Force::at(const Vec3& x, double time) const {
    if (const auto* wind = std::get_if<Wind>(&field)) return wind->velocity.at(time);
    if (const auto* vortex = std::get_if<Vortex>(&field)) return velocityOf(*vortex, x, time);
    const auto& lattice = std::get<LatticeField>(field);
    return lattice.scale.at(time) * lattice.at(x);
}

double Air::dragRate(const Material& material, double relativeSpeed) const {
    const double d = material.grainDiameter;
    const double perCoefficient = 0.75 * density * relativeSpeed / (material.density * d);
    if (law == DragLaw::constant) return coefficient * perCoefficient;
    constexpr double kNewtonRegime = 1000, kNewtonCoefficient = 0.44;
    const double reynolds = density * relativeSpeed * d / viscosity;
    if (reynolds > kNewtonRegime) return kNewtonCoefficient * perCoefficient;
    return 18 * viscosity / (material.density * d * d) * (1 + 0.15 * std::pow(reynolds, 0.687));
}

Vec3 Forces::velocityChange(const Material& material, const Vec3& x, const Vec3& v, const Vec3& gravity, double time, double dt) const {
    Vec3 acceleration, airVelocity;
    bool inAir = false;
    for (const Force& force : forces) {
        if (time < force.begin || time >= force.end || (force.region && force.region->distance(x) > 0)) continue;
        if (force.accelerates()) {
            acceleration += force.at(x, time);
        } else {
            airVelocity += force.at(x, time);   // of several winds, the sum: the grain meets one air
            inAir = true;
        }
    }
    if (!inAir) return dt * acceleration;
    const Vec3 free = v - airVelocity + dt * (gravity + acceleration);   // w after the step, were there no drag
    const double q = norm(free);
    if (!(q > 0)) return airVelocity - v - dt * gravity;
    return airVelocity - v - dt * gravity + free * (implicitSpeed(air, material, q, dt) / q);
}

}  // namespace talus::world
