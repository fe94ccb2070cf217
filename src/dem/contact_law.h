// SPDX-License-Identifier: Apache-2.0
// Forces of two spheres that overlap by x, or of a sphere and a body. Equations are those of [Bell2005].
#pragma once

#include "core/vec.h"

#include <cmath>
#include <variant>

namespace talus::dem {

/// Normal laws are one family, f_n = k_r x^β + k_d x^α ẋ with ẋ the rate of approach (7): pushes the spheres apart.
struct LinearNormal {                     // α = 0, β = 1 (8)
    static constexpr double kAlpha = 0, kBeta = 1;
    static double elastic(double x) { return x; }
    static double viscous(double) { return 1; }
    static double tangent(double) { return 1; }                    // d/dx of the elastic part
    static double energy(double x) { return 0.5 * x * x; }
};
struct HertzNormal {                      // β = 3/2 (12)
    static constexpr double kBeta = 1.5;
    static double elastic(double x) { return x * std::sqrt(x); }
    static double tangent(double x) { return 1.5 * std::sqrt(x); }
    static double energy(double x) { return 0.4 * x * x * std::sqrt(x); }
};
struct HertzHalf : HertzNormal {          // restitution falls with speed, as in experiments
    static constexpr double kAlpha = 0.5;
    static double viscous(double x) { return std::sqrt(x); }
};
struct HertzQuarter : HertzNormal {       // restitution is the same at all speeds
    static constexpr double kAlpha = 0.25;
    static double viscous(double x) { return std::sqrt(std::sqrt(x)); }
};
struct HertzZero : HertzNormal {          // restitution rises with speed
    static constexpr double kAlpha = 0;
    static double viscous(double) { return 1; }
};
using NormalLaw = std::variant<HertzHalf, HertzQuarter, HertzZero, LinearNormal>;

/// Coefficients of one pair of spheres.
struct PairConstants {
    double stiffness = 0;      // k_r [N/m^β]
    double damping = 0;        // k_d [N s/m^{1+α}]
    double shear = 0;          // k_t: spring [N/m] (19), or viscosity [N s/m] (16), (18)
    double shearDamping = 0;   // of the spring [N s/m]; both over √x where shear grows with the contact
};

/// What a pair of materials has in common.
struct Rubbing {
    double friction = 0.5;     // μ
    double rolling = 0;        // torque that resists rolling, over normal force and effective radius
};

/// Shear laws: the force on the first sphere for the slide velocity v_t, and what is kept of it. `most` is μ |f_n|.
struct ViscousShear {          // F = −k_t v_t (16)
    static constexpr bool kSpring = false;
    static Vec3 force(const PairConstants& c, double, const Vec3& slide, double, Vec3&) { return -c.shear * slide; }
};
struct CoulombShear {          // |F| = μ |f_n| against v_t (17)
    static constexpr bool kSpring = false;
    static Vec3 force(const PairConstants&, double most, const Vec3& slide, double, Vec3&) {
        const double speed = norm(slide);
        return speed > 0 ? (-most / speed) * slide : Vec3{};
    }
};
struct CappedShear {           // the smaller of both (18)
    static constexpr bool kSpring = false;
    static Vec3 force(const PairConstants& c, double most, const Vec3& slide, double, Vec3&) {
        const double speed = norm(slide);
        return c.shear * speed > most ? (-most / speed) * slide : -c.shear * slide;
    }
};
/// F = −k_t D with the displacement D since the spheres touched, at most μ |f_n| long (19). The caller has laid D into the
/// contact plane; where it slides it is shortened to what friction holds. Departure: a dashpot beside the spring, without which
/// a heap never comes to rest; shear_damping = 0 takes it out.
struct SpringShear {
    static constexpr bool kSpring = true;
    static Vec3 force(const PairConstants& c, double most, const Vec3& slide, double dt, Vec3& spring) {
        spring += dt * slide;
        Vec3 pull = -c.shear * spring - c.shearDamping * slide;
        if (const double size = norm(pull); size > most) {
            pull *= most / size;
            spring = (-1 / c.shear) * (pull + c.shearDamping * slide);
        }
        return pull;
    }
};
using ShearLaw = std::variant<SpringShear, CappedShear, CoulombShear, ViscousShear>;

}  // namespace talus::dem
