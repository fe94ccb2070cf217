// SPDX-License-Identifier: Apache-2.0
// Friction that changes with the plastic strain q [Klar2016, §7.3]:
//     φ = h₀ + (h₁ q − h₃) e^(−h₂ q)   in degrees (30),     μ̂ from sin φ, by (31) unless the settings choose another match.
#pragma once

#include "core/keys.h"
#include "core/wide.h"
#include "world/materials.h"

#include <array>
#include <cmath>
#include <numbers>

namespace talus::elastoplastic {

struct Hardening {
    bool present = false;
    double finalDeg = 35;    // h₀
    double riseDeg = 9;      // h₁, per plastic strain
    double decay = 0.2;      // h₂, per plastic strain
    double deficitDeg = 10;  // h₃: sand starts at h₀ − h₃
    world::FrictionMatch match = world::FrictionMatch::circumscribed;

    void keys(KeyVisitor&);

    double angleDeg(double q) const { return finalDeg + (riseDeg * q - deficitDeg) * std::exp(-decay * q); }
    /// Of all q ≥ 0 the largest and the smallest angle: at the start, in the end, or where the slope vanishes.
    double largestDeg() const { return std::max({angleDeg(0), finalDeg, turningDeg()}); }
    double smallestDeg() const { return std::min({angleDeg(0), finalDeg, turningDeg()}); }

    /// μ̂ of eight points.
    template <class Real>
    Wide<Real> muHat(const Wide<Real>& q) const {
        using W = Wide<Real>;
        const auto real = [](double x) { return static_cast<Real>(x); };
        const W degrees = mulAdd(mulAdd(W(real(riseDeg)), q, W(real(-deficitDeg))), exp(q * real(-decay)), W(real(finalDeg)));
        const W s = sine(degrees * real(std::numbers::pi / 180)), one(Real(1));
        const W root12(real(2 * std::numbers::sqrt3));
        switch (match) {
            case world::FrictionMatch::tan: return s / sqrt(one - s * s);
            case world::FrictionMatch::sin: return s;
            case world::FrictionMatch::inscribed: return s / sqrt(mulAdd(s * s, W(real(1.0 / 3)), one));
            case world::FrictionMatch::middle: return root12 * s / (Real(3) + s);
            case world::FrictionMatch::circumscribed: return root12 * s / (Real(3) - s);
        }
        return s;
    }

private:
    double turningDeg() const {
        const double q = decay > 0 && riseDeg != 0 ? 1 / decay + deficitDeg / riseDeg : 0;
        return angleDeg(std::max(0.0, q));
    }
    /// For angles up to π/2: its series, whose first term left out is below 2e-18.
    template <class Real>
    static Wide<Real> sine(const Wide<Real>& x) {
        constexpr int kTerms = 11;
        std::array<double, kTerms> c{1};
        for (std::size_t k = 1; k < kTerms; ++k) c[k] = -c[k - 1] / static_cast<double>(2 * k * (2 * k + 1));
        const Wide<Real> square = x * x;
        Wide<Real> sum(static_cast<Real>(c[kTerms - 1]));
        for (std::size_t k = kTerms - 1; k-- > 0;) sum = mulAdd(sum, square, Wide<Real>(static_cast<Real>(c[k])));
        return sum * x;
    }
};

}  // namespace talus::elastoplastic
