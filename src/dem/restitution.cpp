// SPDX-License-Identifier: Apache-2.0
#include "dem/restitution.h"

#include <algorithm>
#include <cmath>

namespace talus::dem {
namespace {

constexpr double kStep = 1e-3;   // of dimensionless time; a contact lasts about 3
constexpr double kLongest = 60;

struct State {
    double y, rate;
};

double force(const NormalExponents& e, double damping, const State& s) {
    const double y = std::max(s.y, 0.0);
    return -damping * std::pow(y, e.alpha) * s.rate - std::pow(y, e.beta);
}

State advanced(const NormalExponents& e, double damping, const State& s, double h) {   // classical Runge–Kutta
    const auto at = [&](const State& d, double t) { return State{s.y + t * d.y, s.rate + t * d.rate}; };
    const auto slope = [&](const State& q) { return State{q.rate, force(e, damping, q)}; };
    const State a = slope(s), b = slope(at(a, h / 2)), c = slope(at(b, h / 2)), d = slope(at(c, h));
    return {s.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y), s.rate + h / 6 * (a.rate + 2 * b.rate + 2 * c.rate + d.rate)};
}

}  // namespace

double restitution(const NormalExponents& e, double damping, bool attraction) {
    // Strong damping stops the sphere while it is hardly in: the step must resolve the time 1/D of that.
    const double h = kStep / std::max(1.0, damping);
    State s{0, 1};
    s = advanced(e, damping, s, h);
    for (double time = 2 * h; time < kLongest; time += h) {
        const State next = advanced(e, damping, s, h);
        const bool over = attraction ? next.y <= 0 : next.rate < 0 && force(e, damping, next) >= 0;
        if (over || next.y <= 0) {
            // Zero of what ends the contact, between the two states.
            const double before = attraction ? s.y : -force(e, damping, s), after = attraction ? next.y : -force(e, damping, next);
            const double part = before == after ? 1 : std::clamp(before / (before - after), 0.0, 1.0);
            return -(s.rate + part * (next.rate - s.rate));
        }
        s = next;
    }
    return 0;   // it creeps out
}

double dampingNumber(const NormalExponents& e, double wanted, bool attraction) {
    if (wanted >= 1) return 0;
    wanted = std::max(wanted, kLeastRestitution);
    double low = 0, high = 1;
    while (restitution(e, high, attraction) > wanted) high *= 2;
    for (int i = 0; i < 26; ++i) {
        const double middle = 0.5 * (low + high);
        (restitution(e, middle, attraction) > wanted ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

double dampingCoefficient(const NormalExponents& e, double number, double mass, double stiffness, double speed) {
    if (number == 0) return 0;
    return number * mass * speed * std::pow(stiffness / (mass * speed * speed), (e.alpha + 1) / (e.beta + 1));
}

double impactOverlap(const NormalExponents& e, double mass, double stiffness, double speed) {
    return std::pow(0.5 * (e.beta + 1) * mass * speed * speed / stiffness, 1 / (e.beta + 1));
}

}  // namespace talus::dem
