// SPDX-License-Identifier: Apache-2.0
#include "world/body_rates.h"

namespace talus::world {
namespace {

/// From the body's position to the point that the numbers are of.
Vec3 toPoint(const FreeBody& body, const Quat& rotation) { return movesFreely(body) ? rotation.rotate(body.centre) : Vec3{}; }

Quat rotationOf(const BodyNumbers& n) { return Quat{n[6], n[7], n[8], n[9]}.normalizedQuat(); }

}  // namespace

BodyNumbers bodyNumbers(const FreeBody& body, const Pose& pose) {
    const Vec3 x = pose.position + toPoint(body, pose.rotation), v = pose.velocityAt(x), w = pose.angularVelocity;
    const Quat& q = pose.rotation;
    return {x.x, x.y, x.z, v.x, v.y, v.z, q.w, q.x, q.y, q.z, w.x, w.y, w.z};
}

Pose bodyPose(const FreeBody& body, const BodyNumbers& n) {
    Pose pose;
    pose.rotation = rotationOf(n);
    pose.angularVelocity = {n[10], n[11], n[12]};
    const Vec3 arm = toPoint(body, pose.rotation);
    pose.position = Vec3{n[0], n[1], n[2]} - arm;
    pose.velocity = Vec3{n[3], n[4], n[5]} - cross(pose.angularVelocity, arm);
    return pose;
}

BodyNumbers bodyRates(const FreeBody& body, const BodyNumbers& n, const Vec6& wrench, const Vec6& jump) {
    const Quat q = rotationOf(n);
    const Vec3 v{n[3], n[4], n[5]}, w{n[10], n[11], n[12]}, arm = q.rotate(body.centre), turning = body.mass * cross(w, cross(w, arm));
    const Mat3 r = q.matrix(), inertia = r * body.inertia * transpose(r);
    const Vec6 change = mobility(body, q) * (wrench - Vec6{turning, cross(w, inertia * w) + cross(arm, turning)});
    const Vec3 a = (movesFreely(body) ? wrench.linear / body.mass : change.linear) + jump.linear, turn = change.angular + jump.angular;
    const Quat spin = Quat{0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * q;
    return {v.x, v.y, v.z, a.x, a.y, a.z, spin.w, spin.x, spin.y, spin.z, turn.x, turn.y, turn.z};
}

Vec6 atPoint(const FreeBody& body, const Quat& rotation, const Vec6& change) { return {change.linear + cross(change.angular, toPoint(body, rotation)), change.angular}; }

}  // namespace talus::world
