// SPDX-License-Identifier: Apache-2.0
// The law DP(μ) [Daviet2016, eq. 13] at one place, solved exactly. Forces r and rates u = W r + b have a normal part and T
// tangential ones. Either nothing is pressed (r = 0, u_N ≥ 0), or it sticks (u = 0, |r_T| ≤ μ r_N), or it slides
// (u_N = 0, |r_T| = μ r_N, u_T = −α r_T with α ≥ 0): Coulomb's law, in six dimensions for grains and in three at a wall.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace talus::nonsmooth {

template <std::size_t T>
struct Split {
    double normal = 0;
    std::array<double, T> tangential{};
};

/// W in a tangential basis in which Ŵ = W_TT − w wᵀ/W_NN is diagonal.
template <std::size_t T>
struct LocalOperator {
    double normal = 1;                     // W_NN
    std::array<double, T> coupling{};      // w
    std::array<double, T> reduced{};       // eigenvalues of Ŵ

    Split<T> apply(const Split<T>& r) const {
        Split<T> u;
        double along = 0;
        for (std::size_t k = 0; k < T; ++k) along += coupling[k] * r.tangential[k];
        u.normal = normal * r.normal + along;
        for (std::size_t k = 0; k < T; ++k) u.tangential[k] = reduced[k] * r.tangential[k] + coupling[k] * (r.normal + along / normal);
        return u;
    }
};

/// Diagonalises a symmetric 2x2 matrix: (p, q) → (c p + s q, −s p + c q) leaves `first` and `second`.
struct PlaneRotation {
    double c = 1, s = 0, first = 0, second = 0;

    PlaneRotation(double pp, double pq, double qq) {
        const double half = 0.5 * (pp - qq), radius = std::hypot(half, pq), mean = 0.5 * (pp + qq);
        first = mean + radius;
        second = mean - radius;
        if (radius == 0) return;
        const double cos2 = half / radius;
        c = std::sqrt(0.5 * (1 + cos2));
        s = std::sqrt(0.5 * (1 - cos2));
        if (pq < 0) s = -s;
    }
};

/// Sliding is one equation in α: with b̂ = b_T − w b_N/W_NN,
///     r_T(α) = −(Ŵ + α)⁻¹ b̂,   r_N(α) = −(b_N + w·r_T(α))/W_NN,   |r_T(α)| = μ r_N(α).
/// Newton's method on 1/|r_T| − 1/(μ r_N), which is almost a straight line in α, kept inside a bracket that bisection
/// narrows where it leaves it; so it ends for any input.
template <std::size_t T>
Split<T> solveCone(const LocalOperator<T>& w, double mu, const Split<T>& b) {
    Split<T> r;
    if (!(b.normal < 0)) return r;
    if (!(mu > 0)) {
        r.normal = -b.normal / w.normal;
        return r;
    }
    std::array<double, T> rest;   // b̂
    double restSquared = 0, couplingSquared = 0, smallest = w.reduced[0];
    for (std::size_t k = 0; k < T; ++k) {
        rest[k] = b.tangential[k] - w.coupling[k] * (b.normal / w.normal);
        restSquared += rest[k] * rest[k];
        couplingSquared += w.coupling[k] * w.coupling[k];
        smallest = w.reduced[k] < smallest ? w.reduced[k] : smallest;
    }
    double size = 0, sizeSlope = 0, normalSlope = 0;   // |r_T|, and derivatives in α
    const auto at = [&](double alpha) {
        double squared = 0, slope = 0, along = 0;
        normalSlope = 0;
        for (std::size_t k = 0; k < T; ++k) {
            const double inverse = 1 / (w.reduced[k] + alpha), t = -rest[k] * inverse;
            r.tangential[k] = t;
            squared += t * t;
            slope -= t * t * inverse;
            along += w.coupling[k] * t;
            normalSlope += w.coupling[k] * t * inverse;
        }
        size = std::sqrt(squared);
        sizeSlope = size > 0 ? slope / size : 0;
        r.normal = -(b.normal + along) / w.normal;
        normalSlope /= w.normal;
    };
    at(0);
    if (size <= mu * r.normal) return r;

    constexpr int kMostRounds = 100;
    constexpr double kRounding = 1e-15;
    double low = 0, high = std::sqrt(restSquared) * (w.normal + mu * std::sqrt(couplingSquared)) / (mu * -b.normal) - smallest;
    high = high > 0 ? high * (1 + 1e-12) + 1e-300 : smallest;
    double alpha = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        const double excess = size - mu * r.normal;
        (excess > 0 ? low : high) = alpha;
        double next = -1;
        if (r.normal > 0 && size > 0) {
            const double value = 1 / size - 1 / (mu * r.normal);
            const double slope = -sizeSlope / (size * size) + normalSlope / (mu * r.normal * r.normal);
            next = alpha - value / slope;
        }
        if (!(next > low && next < high)) {
            const double floor = low > smallest ? low : smallest;   // where they are far apart, halve the digits between them
            next = high > 4 * floor ? std::sqrt(high) * std::sqrt(floor) : 0.5 * (low + high);
        }
        const double change = std::abs(next - alpha);
        alpha = next;
        at(alpha);
        if (change <= kRounding * (alpha + smallest) || std::abs(size - mu * r.normal) <= kRounding * size) break;
    }
    return r;
}

/// How far (r, u) is from the law: |r̃ + ũ − (r̃² + ũ²)^{1/2}|² in the algebra of the second-order cone (Fischer and Burmeister),
/// with De Saxcé's shift û_N = u_N + μ |u_T| and r̃ = (μ r_N, r_T), ũ = (û_N, μ u_T). Zero exactly for solutions; r and u must
/// have been scaled alike. Without friction, that of the normal parts.
template <std::size_t T>
double complementaritySquared(double mu, const Split<T>& r, const Split<T>& u) {
    if (!(mu > 0)) {
        const double f = r.normal + u.normal - std::hypot(r.normal, u.normal);
        return f * f;
    }
    double rate = 0;
    for (const double t : u.tangential) rate += t * t;
    const double x0 = mu * r.normal, y0 = u.normal + mu * std::sqrt(rate);
    double z0 = x0 * x0 + y0 * y0, along = 0;
    std::array<double, T> z;   // ½ of the vector part of r̃² + ũ²
    for (std::size_t k = 0; k < T; ++k) {
        const double x = r.tangential[k], y = mu * u.tangential[k];
        z0 += x * x + y * y;
        z[k] = x0 * x + y0 * y;
        along += z[k] * z[k];
    }
    along = std::sqrt(along);
    const double more = std::sqrt(z0 + 2 * along), less = std::sqrt(std::fmax(0.0, z0 - 2 * along));
    const double f0 = x0 + y0 - 0.5 * (more + less);
    double squared = f0 * f0;
    for (std::size_t k = 0; k < T; ++k) {
        const double f = r.tangential[k] + mu * u.tangential[k] - (along > 0 ? 0.5 * (more - less) * z[k] / along : 0);
        squared += f * f;
    }
    return squared;
}

}  // namespace talus::nonsmooth
