// SPDX-License-Identifier: Apache-2.0
// Bodies that touch bodies: where, and the impulses that keep them apart, with Coulomb friction and restitution.
#pragma once

#include "core/vec6.h"
#include "world/body.h"
#include "world/materials.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::world {

/// What a contact of two bodies carried in the last step: the solver starts from it. In World, hence in checkpoints.
struct BodyContact {
    std::uint32_t a = 0, b = 0;   // the body whose feature touches, and the body whose surface it touches
    std::uint32_t feature = 0;    // of a
    Vec3 force;                   // on a [N]
    std::array<std::uint32_t, 3> key() const { return {a, b, feature}; }
};

/// A body as the solver sees it. Fixed and scripted ones have no mobility.
struct ContactBody {
    const Body* body;
    Pose pose;          // velocities are solved for
    Mat6 mobility{};
    bool free = false;
    Aabb bounds{};      // of the whole body; endless where its shape is
};

/// Velocities after an impulse at a point; none but a free body heeds it.
void push(ContactBody&, const Vec3& point, const Vec3& impulse);

/// A point where two bodies touch or may touch within a step.
struct BodyTouch {
    BodyContact memory;
    Vec3 local;                // of the feature's line, in a's coordinates
    double radius = 0;         // around it [m]
    double skin = 0;           // gap at which they rest [m]
    double gap = 0;            // beyond the skin, at the start of the step; of one that bounces at its end [m]
    Vec3 normal, point;        // from b to a; on the surface of a
    double friction = 0, restitution = 0;
    double bounce = 0;         // speed of separation after an impact [m/s]
    Vec3 impulse;              // on a, so far [N s]
    Mat3 response;             // K: relative velocity per impulse
    Vec3 surfaceVelocity;      // of belts: a's against b's, beyond the motion of the bodies
};

/// All places where one of two bodies is free and they may touch within dt.
std::vector<BodyTouch> findTouches(std::span<const ContactBody>, const ContactTable&, double time, double dt, double restSpeed);

/// Sequential impulses: a's and b's velocities change until touching bodies neither approach nor slide beyond friction.
void solveTouches(std::span<BodyTouch>, std::span<ContactBody>, double dt);

/// Moves bodies that are closer than their skin apart, a part of the way, without changing velocities.
void separate(std::span<const BodyTouch>, std::span<ContactBody>);

}  // namespace talus::world
