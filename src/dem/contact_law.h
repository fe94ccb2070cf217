// SPDX-License-Identifier: Apache-2.0
// Forces of two spheres that overlap by x, or of a sphere and a body. Equations are those of [Bell2005]. Laws are written once, for one contact
// (N = double, V = Vec3) and for eight (N = Wide<Real>, V = WideVec3<Real>).
#pragma once

#include "core/vec.h"
#include "core/wide_mat.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace talus::dem {

// Numbers with the functions of packs.
inline double sqrt(double a) { return std::sqrt(a); }
inline double abs(double a) { return std::abs(a); }
inline double max(double a, double b) { return std::max(a, b); }
inline double copysign(double a, double sign) { return std::copysign(a, sign); }
inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
inline Vec3 select(bool condition, const Vec3& yes, const Vec3& no) { return condition ? yes : no; }
template <class T>
[[gnu::always_inline]] inline Wide<T> norm(const WideVec3<T>& a) { return sqrt(dot(a, a)); }

/// Normal laws are one family, f_n = k_r x^β + k_d x^α ẋ with ẋ the rate of approach (7): pushes the spheres apart.
struct LinearNormal {                     // α = 0, β = 1 (8)
    static constexpr double kAlpha = 0, kBeta = 1;
    template <class N> static N elastic(const N& x) { return x; }
    template <class N> static N viscous(const N&) { return N(1); }
    template <class N> static N tangent(const N&) { return N(1); }   // d/dx of the elastic part
    static double energy(double x) { return 0.5 * x * x; }
};
struct HertzNormal {                      // β = 3/2 (12)
    static constexpr double kBeta = 1.5;
    template <class N> static N elastic(const N& x) { return x * sqrt(x); }
    template <class N> static N tangent(const N& x) { return N(1.5) * sqrt(x); }
    static double energy(double x) { return 0.4 * x * x * std::sqrt(x); }
};
struct HertzHalf : HertzNormal {          // restitution falls with speed, as in experiments
    static constexpr double kAlpha = 0.5;
    template <class N> static N viscous(const N& x) { return sqrt(x); }
};
struct HertzQuarter : HertzNormal {       // restitution is the same at all speeds
    static constexpr double kAlpha = 0.25;
    template <class N> static N viscous(const N& x) { return sqrt(sqrt(x)); }
};
struct HertzZero : HertzNormal {          // restitution rises with speed
    static constexpr double kAlpha = 0;
    template <class N> static N viscous(const N&) { return N(1); }
};
using NormalLaw = std::variant<HertzHalf, HertzQuarter, HertzZero, LinearNormal>;

/// Coefficients of one pair of spheres, or of eight.
template <class N>
struct PairConstantsOf {
    N stiffness = N(0);        // k_r [N/m^β]
    N damping = N(0);          // k_d [N s/m^{1+α}]
    N shear = N(0);            // k_t: spring [N/m] (19), or viscosity [N s/m] (16), (18)
    N shearDamping = N(0);     // of the spring [N s/m]; both over √x where shear grows with the contact
    N friction = N(0.5);       // μ
    N rolling = N(0);          // torque that resists rolling, over normal force and effective radius
    N radius = N(0);           // effective [m]
    N perMass = N(0);          // 1/m of both sides where they are hardest to move [1/kg]
};
using PairConstants = PairConstantsOf<double>;

/// What a pair of materials has in common.
struct Rubbing {
    double friction = 0.5;     // μ
    double rolling = 0;        // torque that resists rolling, over normal force and effective radius
};

/// Shear laws: the force on the first sphere for the slide velocity v_t, and what is kept of it. `most` is μ |f_n|.
struct ViscousShear {          // F = −k_t v_t (16)
    static constexpr bool kSpring = false;
    template <class N, class V>
    [[gnu::always_inline]] static V force(const PairConstantsOf<N>& c, const std::type_identity_t<N>&, const V& slide, const std::type_identity_t<N>&, V&) { return -c.shear * slide; }
};
struct CoulombShear {          // |F| = μ |f_n| against v_t (17)
    static constexpr bool kSpring = false;
    template <class N, class V>
    [[gnu::always_inline]] static V force(const PairConstantsOf<N>&, const std::type_identity_t<N>& most, const V& slide, const std::type_identity_t<N>&, V&) {
        const N speed = norm(slide);
        return select(speed > N(0), -most / speed, N(0)) * slide;
    }
};
struct CappedShear {           // the smaller of both (18)
    static constexpr bool kSpring = false;
    template <class N, class V>
    [[gnu::always_inline]] static V force(const PairConstantsOf<N>& c, const std::type_identity_t<N>& most, const V& slide, const std::type_identity_t<N>&, V&) {
        const N speed = norm(slide);
        return select(c.shear * speed > most, -most / speed, -c.shear) * slide;
    }
};
/// F = −k_t D with the displacement D since the spheres touched, at most μ |f_n| long (19). The caller has laid D into the
/// contact plane; where it slides it is shortened to what friction holds. Departure: a dashpot beside the spring, without which
/// a heap never comes to rest; shear_damping = 0 takes it out.
struct SpringShear {
    static constexpr bool kSpring = true;
    template <class N, class V>
    [[gnu::always_inline]] static V force(const PairConstantsOf<N>& c, const std::type_identity_t<N>& most, const V& slide, const std::type_identity_t<N>& dt, V& spring) {
        spring = spring + dt * slide;
        const V pull = -c.shear * spring - c.shearDamping * slide;
        const N size = norm(pull);
        const auto slips = size > most;
        const V held = select(slips, most / size, N(1)) * pull;
        spring = select(slips, (N(-1) / c.shear) * (held + c.shearDamping * slide), spring);
        return held;
    }
};
using ShearLaw = std::variant<SpringShear, CappedShear, CoulombShear, ViscousShear>;

}  // namespace talus::dem
