// SPDX-License-Identifier: Apache-2.0
#include "world/free_body.h"

#include "world/body_rates.h"

#include <algorithm>
#include <cmath>

namespace talus::world {
namespace {

constexpr double kMostTurn = 0.1;   // of a piece of a drift [rad]
constexpr int kRounds = 6;          // of the midpoint rule: each gains a factor of kMostTurn

Mat3 worldInertia(const FreeBody& body, const Quat& rotation) {
    const Mat3 r = rotation.matrix();
    return r * body.inertia * transpose(r);
}

Vec3 centreOf(const FreeBody& body, const Pose& pose) { return pose.position + pose.rotation.rotate(body.centre); }
Vec3 momentumOf(const FreeBody& body, const Pose& pose) { return body.mass * pose.velocityAt(centreOf(body, pose)); }
/// About the body's position.
Vec3 angularMomentumOf(const FreeBody& body, const Pose& pose) {
    return worldInertia(body, pose.rotation) * pose.angularVelocity + cross(pose.rotation.rotate(body.centre), momentumOf(body, pose));
}

/// A body at `start` that moves with the velocities of `rate` for a time: its centre of mass goes straight if nothing holds it.
Pose moved(const FreeBody& body, const Pose& start, const Pose& rate, double dt) {
    Pose end = rate;
    end.rotation = (Quat::fromRotationVector(dt * rate.angularVelocity) * start.rotation).normalizedQuat();
    end.position = start.position + dt * rate.velocity;
    if (movesFreely(body)) end.position = centreOf(body, start) + (dt / body.mass) * momentumOf(body, start) - end.rotation.rotate(body.centre);
    return end;
}

/// Velocities at the pose `at` that keep the momenta of `start`; `between` carries the momentum on the way.
void keepMomenta(const FreeBody& body, const Pose& start, const Vec3& between, Pose& at) {
    const Vec3 p = momentumOf(body, start);
    const Vec3 h = angularMomentumOf(body, start) - cross(at.position - start.position, between);
    const Vec6 u = mobility(body, at.rotation) * Vec6{p, h};
    at.velocity = u.linear;
    at.angularVelocity = u.angular;
}

Pose driftedPiece(const FreeBody& body, const Pose& start, double dt) {
    Pose middle = start;
    for (int round = 0; round < kRounds; ++round) {
        middle = moved(body, start, middle, 0.5 * dt);
        keepMomenta(body, start, 0.5 * (momentumOf(body, start) + momentumOf(body, middle)), middle);
    }
    Pose end = moved(body, start, middle, dt);
    keepMomenta(body, start, momentumOf(body, middle), end);
    return end;
}

}  // namespace

FreeBody freeBody(const geometry::MassProperties& solid, double density) {
    FreeBody body;
    body.mass = density * solid.volume;
    body.centre = solid.centre;
    body.inertia = density * solid.inertia;
    return body;
}

Mat6 massMatrix(const FreeBody& body, const Quat& rotation) {
    const Mat3 arm = crossMatrix(rotation.rotate(body.centre));
    return Mat6::blocks(body.mass * Mat3::identity(), -body.mass * arm, body.mass * arm, worldInertia(body, rotation) - body.mass * (arm * arm));
}

Mat6 mobility(const FreeBody& body, const Quat& rotation) { return inverseWithout(body.locked, massMatrix(body, rotation)); }

Vec6 appliedImpulse(const FreeBody& body, const Vec3& gravity, double from, double to) {
    const Vec3 weight = (body.mass * (to - from)) * gravity, push = body.force.integral(from, to);
    return {weight + push, cross(body.pose.rotation.rotate(body.centre), weight) + cross(body.pose.rotation.rotate(body.at), push) + body.torque.integral(from, to)};
}

Pose drifted(const FreeBody& body, const Pose& start, double dt) {
    Pose pose = start;
    if (start.angularVelocity == Vec3{}) {
        pose.position += dt * pose.velocity;
        return pose;
    }
    const int pieces = std::max(1, static_cast<int>(std::min(1e4, std::ceil(norm(start.angularVelocity) * dt / kMostTurn))));
    for (int piece = 0; piece < pieces; ++piece) pose = driftedPiece(body, pose, dt / pieces);
    return pose;
}

Vec3 momentum(const FreeBody& body) { return momentumOf(body, body.pose); }
Vec3 angularMomentum(const FreeBody& body) { return angularMomentumOf(body, body.pose) + cross(body.pose.position, momentum(body)); }
double kineticEnergy(const FreeBody& body) {
    const Vec6 u{body.pose.velocity, body.pose.angularVelocity}, p = massMatrix(body, body.pose.rotation) * u;
    return 0.5 * (dot(u.linear, p.linear) + dot(u.angular, p.angular));
}

}  // namespace talus::world
