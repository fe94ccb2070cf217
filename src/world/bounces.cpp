// SPDX-License-Identifier: Apache-2.0
#include "world/bounces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace talus::world {
namespace {

/// Speed at which the bodies come nearer to each other [m/s].
double approachOf(const BodyTouch& t, std::span<const ContactBody> bodies) {
    return -dot(bodies[t.memory.a].pose.velocityAt(t.point) - bodies[t.memory.b].pose.velocityAt(t.point) + t.surfaceVelocity, t.normal);
}

}  // namespace

// With the approach u and its rate a, gap = u τ + ½ a τ² gives the time τ of the impact, and e (u + a τ) the speed after it. Positions follow from the velocity
// at the end of each step, so those of a flight lie on a parabola whose speed is that of the step's middle: ahead of the velocity by half a step.
void timeBounces(std::span<BodyTouch> touches, std::span<const ContactBody> bodies, double dt) {
    for (BodyTouch& t : touches) {
        if (!(t.bounce > 0)) continue;
        const double before = t.bounce / t.restitution, a = (approachOf(t, bodies) - before) / dt, ahead = 0.5 * a * dt;
        const double u = std::max(0.0, before + ahead), gap = std::max(t.gap, 0.0);
        const double met = gap > 0 ? std::min(dt, 2 * gap / (u + std::sqrt(std::max(0.0, u * u + 2 * a * gap)))) : 0, left = dt - met;
        const double speed = t.restitution * std::max(0.0, u + a * met);
        t.bounce = speed - a * left + ahead;
        if (t.bounce > 0) t.gap = std::max(0.0, (speed - 0.5 * a * left) * left);
    }
}

// Along the mean normal of the places where two bodies met, without turning them.
void placeBounces(std::span<const BodyTouch> touches, std::span<ContactBody> bodies) {
    for (std::size_t first = 0, next = 0; first < touches.size(); first = next) {
        const BodyContact& pair = touches[first].memory;
        ContactBody &a = bodies[pair.a], &b = bodies[pair.b];
        Vec3 normal;
        double missing = 0, count = 0;
        for (; next < touches.size() && touches[next].memory.a == pair.a && touches[next].memory.b == pair.b; ++next) {
            const BodyTouch& t = touches[next];
            if (!(t.bounce > 0) || !(dot(t.impulse, t.normal) > 0)) continue;
            const Vec3 x = a.pose.position + a.pose.rotation.rotate(t.local) - b.pose.position;
            const geometry::Surface surface = b.body->shape->surface(b.pose.rotation.conjugate().rotate(x));
            normal += b.pose.rotation.rotate(surface.normal);
            missing += t.gap - (surface.distance - t.radius - t.skin);
            count += 1;
        }
        if (count == 0 || !(norm(normal) > 0)) continue;
        normal = normalized(normal);
        const Vec3 moveA = a.free ? (a.mobility * Vec6{normal, {}}).linear : Vec3{}, moveB = b.free ? (b.mobility * Vec6{normal, {}}).linear : Vec3{};
        const double k = dot(normal, moveA + moveB);
        if (!(k > 0)) continue;
        a.pose.position += (missing / count / k) * moveA;
        b.pose.position -= (missing / count / k) * moveB;
    }
}

}  // namespace talus::world
