// SPDX-License-Identifier: Apache-2.0
// The answer of one contact: forces by the laws of contact_law.h, with position, normal and velocities of the same instant. (A spring
// that is half a step older than the rest makes small grains stick to large ones.)
#pragma once

#include "dem/contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace talus::dem {

/// Two surfaces that touch, seen from the first.
struct Touch {
    double overlap = 0;            // [m]; negative only where a bond is stretched
    Vec3 normal{};                 // from the second to the first
    Vec3 velocity{};               // of the first against the second, at the contact point [m/s]
    Vec3 spin{};                   // the same for angular velocities [rad/s]
    double radius = 0;             // effective [m]
    bool growing = false;          // coefficients of shear are over √x
    bool bonded = false;           // may not part
    bool stuck = false;            // nor slide, nor turn
};

struct Response {
    Vec3 moment;                   // of rolling friction on the first [N m]
    double slipWork = 0;           // what friction has dissipated in the step [J]
};

/// Couple of rolling friction: a spring with the angle, or where the shear law has none, a viscous couple; at most μ_r R |f_n|.
template <class ShearKind>
Vec3 rollingMoment(const PairConstants& c, double most, const Touch& t, double dt, Vec3& turn) {
    const Vec3 rate = t.stuck ? t.spin : t.spin - dot(t.spin, t.normal) * t.normal;
    const double lever = t.radius * t.radius;
    if constexpr (ShearKind::kSpring) {
        if (!t.stuck) turn -= dot(turn, t.normal) * t.normal;
        turn += dt * rate;
        Vec3 moment = (-c.shear * lever) * turn - (c.shearDamping * lever) * rate;
        if (const double size = norm(moment); size > most) {
            moment *= most / size;
            turn = (-1 / (c.shear * lever)) * (moment + c.shearDamping * lever * rate);
        }
        return moment;
    } else {
        const Vec3 moment = (-c.shear * lever) * rate;
        const double size = norm(moment);
        return size > most ? (most / size) * moment : moment;
    }
}

template <class NormalKind, class ShearKind>
Response respond(PairConstants c, const Rubbing& rub, const Touch& t, double dt, bool attraction, ContactState& state) {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    const double approach = -dot(t.velocity, t.normal), depth = std::abs(t.overlap);
    double push = c.stiffness * std::copysign(NormalKind::elastic(depth), t.overlap) + c.damping * NormalKind::viscous(depth) * approach;
    if (t.growing) {
        c.shear *= std::sqrt(depth);
        c.shearDamping *= std::sqrt(depth);
    }
    if (!attraction && !t.bonded) push = std::max(0.0, push);
    const Vec3 slide = t.velocity + approach * t.normal;
    const double grip = rub.friction * std::abs(push);
    Vec3 spring = state.spring - dot(state.spring, t.normal) * t.normal;
    Vec3 along;
    Response response;
    if (t.stuck) {
        if constexpr (ShearKind::kSpring) along = SpringShear::force(c, kEndless, slide, dt, spring);
        else along = ViscousShear::force(c, kEndless, slide, dt, spring);
    } else {
        const Vec3 before = spring;
        along = ShearKind::force(c, grip, slide, dt, spring);
        if constexpr (ShearKind::kSpring) response.slipWork = -dot(along, before + dt * slide - spring);   // what the spring let go
        else response.slipWork = -dt * dot(along, slide);
    }
    if (rub.rolling > 0 || t.stuck)
        response.moment = rollingMoment<ShearKind>(c, t.stuck ? kEndless : rub.rolling * t.radius * std::abs(push), t, dt, state.turn);
    state.spring = spring;
    state.force = push * t.normal + along;
    state.touching = true;
    return response;
}

}  // namespace talus::dem
