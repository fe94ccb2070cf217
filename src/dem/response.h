// SPDX-License-Identifier: Apache-2.0
// The answer of contacts: forces by the laws of contact_law.h, with position and normal of the same instant, and velocities of the instant that
// Settings::contactVelocity says. (A spring that is half a step older than the rest makes small grains stick to large ones.)
#pragma once

#include "dem/cohesion.h"
#include "dem/contact_law.h"

#include <limits>

namespace talus::dem {

/// Two surfaces that touch, seen from the first; or eight such pairs.
template <class N, class V>
struct TouchOf {
    N overlap = N(0);              // [m]; negative only where a bond or a bridge of liquid is stretched
    V normal{};                    // from the second to the first
    V velocity{};                  // of the first against the second, at the contact point [m/s]
    V spin{};                      // the same for angular velocities [rad/s]
    bool bonded = false;           // may not part
    bool stuck = false;            // nor slide, nor turn
};
using Touch = TouchOf<double, Vec3>;

/// What holds for all contacts of a run.
struct Manner {
    bool attraction = false;       // damping may pull
    bool growing = false;          // coefficients of shear are over √x
    bool rolling = false;          // some pairs resist rolling
    bool cohesive = false;         // some are pulled together
    bool bridges = false;          // some of them by bridges of liquid, beyond contact
    bool twisting = false;         // pairs resist twisting
    bool turns() const { return rolling || twisting; }
    bool holds() const { return cohesive || twisting; }
};

template <class N, class V>
struct ResponseOf {
    V force;                       // on the first [N]
    V moment;                      // of rolling and twisting friction on it [N m]
    N slipWork;                    // what friction has dissipated in the step [J]
};
using Response = ResponseOf<double, Vec3>;

/// What a contact remembers.
template <class V>
struct MemoryOf {
    V spring{};                    // displacement along the surface of the first against the second since they touched [m]
    V turn{};                      // rotation since then that rolling friction has not let go [rad]
    decltype(V::x) twist = decltype(V::x)(0);   // the same about the normal, for twisting friction [rad]
};

/// Couple of rolling friction: a spring with the angle, or where the shear law has none, a viscous couple; at most μ_r R |f_n|.
template <class ShearKind, class N, class V>
[[gnu::always_inline]] inline V rollingMoment(const PairConstantsOf<N>& c, const N& most, const TouchOf<N, V>& t, const N& dt, V& turn) {
    const V rate = t.stuck ? t.spin : t.spin - dot(t.spin, t.normal) * t.normal;
    const N lever = c.radius * c.radius;
    if constexpr (ShearKind::kSpring) {
        if (!t.stuck) turn = turn - dot(turn, t.normal) * t.normal;
        turn = turn + dt * rate;
        const V moment = (-c.shear * lever) * turn - (c.shearDamping * lever) * rate;
        const N size = norm(moment);
        const auto slips = size > most;
        const V held = select(slips, most / size, N(1)) * moment;
        turn = select(slips, (N(-1) / (c.shear * lever)) * (held + c.shearDamping * lever * rate), turn);
        return held;
    } else {
        const V moment = (-c.shear * lever) * rate;
        const N size = norm(moment);
        return select(size > most, most / size, N(1)) * moment;
    }
}

/// Couple about the normal against relative spin: as for rolling, at most μ_w R |f_n|.
template <class ShearKind, class N, class V>
[[gnu::always_inline]] inline N twistingMoment(const PairConstantsOf<N>& c, const N& most, const TouchOf<N, V>& t, const N& dt, N& twist) {
    const N rate = dot(t.spin, t.normal), lever = c.radius * c.radius;
    if constexpr (ShearKind::kSpring) {
        twist = twist + dt * rate;
        const N moment = (-c.shear * lever) * twist - (c.shearDamping * lever) * rate;
        const auto slips = abs(moment) > most;
        const N held = select(slips, copysign(most, moment), moment);
        twist = select(slips, (N(-1) / (c.shear * lever)) * (held + c.shearDamping * lever * rate), twist);
        return held;
    } else {
        const N moment = (-c.shear * lever) * rate;
        return select(abs(moment) > most, copysign(most, moment), moment);
    }
}

/// Friction counts what pushes the surfaces together, so that the pull of cohesion makes grains harder to slide and to roll.
template <class NormalKind, class ShearKind, class N, class V>
[[gnu::always_inline]] inline ResponseOf<N, V> respond(PairConstantsOf<N> c, const HoldConstantsOf<N>& hold, const Manner& manner, const TouchOf<N, V>& t, const std::type_identity_t<N>& dt, MemoryOf<V>& memory) {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    const N approach = -dot(t.velocity, t.normal), depth = abs(t.overlap);
    if (manner.growing) {
        c.shear = c.shear * sqrt(depth);
        c.shearDamping = c.shearDamping * sqrt(depth);
    }
    N push = c.stiffness * copysign(NormalKind::elastic(depth), t.overlap) + c.damping * NormalKind::viscous(depth) * approach;
    if (!manner.attraction && !t.bonded) push = max(push, N(0));
    const auto apart = t.overlap < N(0);
    if (manner.bridges && !t.bonded) push = select(apart, N(0), push);
    const V slide = t.velocity + approach * t.normal;
    const N grip = c.friction * abs(push);
    ResponseOf<N, V> response{};
    V along;
    if (t.stuck) {
        memory.spring = memory.spring - dot(memory.spring, t.normal) * t.normal;
        if constexpr (ShearKind::kSpring) along = SpringShear::force(c, N(kEndless), slide, dt, memory.spring);
        else along = ViscousShear::force(c, N(kEndless), slide, dt, memory.spring);
    } else if constexpr (ShearKind::kSpring) {
        const V before = memory.spring - dot(memory.spring, t.normal) * t.normal;
        memory.spring = before;
        along = ShearKind::force(c, grip, slide, dt, memory.spring);
        response.slipWork = -dot(along, before + dt * slide - memory.spring);   // what the spring let go
    } else {
        along = ShearKind::force(c, grip, slide, dt, memory.spring);
        response.slipWork = -dt * dot(along, slide);
    }
    if (manner.rolling || t.stuck) response.moment = rollingMoment<ShearKind>(c, t.stuck ? N(kEndless) : c.rolling * c.radius * abs(push), t, N(dt), memory.turn);
    if (manner.twisting && !t.stuck) response.moment = response.moment + twistingMoment<ShearKind>(c, N(hold.twisting * c.radius * abs(push)), t, N(dt), memory.twist) * t.normal;
    if (manner.bridges && !t.bonded) {   // what is apart neither rubs nor remembers
        along = select(apart, V{}, along);
        response.moment = select(apart, V{}, response.moment);
        response.slipWork = select(apart, N(0), response.slipWork);
        memory.spring = select(apart, V{}, memory.spring);
        memory.turn = select(apart, V{}, memory.turn);
        memory.twist = select(apart, N(0), memory.twist);
    }
    if (manner.cohesive && !t.bonded) push = push - pullTogether(hold, t.overlap);
    response.force = push * t.normal + along;
    return response;
}

}  // namespace talus::dem
