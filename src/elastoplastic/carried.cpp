// SPDX-License-Identifier: Apache-2.0
#include "elastoplastic/carried.h"

#include "core/svd.h"

#include <algorithm>
#include <cmath>

namespace talus::elastoplastic {
namespace {

Sym product(const Sym& a, const Sym& b) {   // of matrices that commute
    return {a[0] * b[0] + a[3] * b[3] + a[5] * b[5], a[3] * b[3] + a[1] * b[1] + a[4] * b[4], a[5] * b[5] + a[4] * b[4] + a[2] * b[2],
            a[0] * b[3] + a[3] * b[1] + a[5] * b[4], a[3] * b[5] + a[1] * b[4] + a[4] * b[2], a[0] * b[5] + a[3] * b[4] + a[5] * b[2]};
}

/// τ = J σ, H = (τ − λ tr H 1)/(2μ), J = exp(tr H), b = exp(2H).
Carried byHencky(const Elasticity& e, const Sym& sigma) {
    const double perTrace = (sigma[0] + sigma[1] + sigma[2]) / (3 * e.lambda + 2 * e.mu);
    double trace = perTrace;
    for (int i = 0; i < 50; ++i) trace = perTrace * std::exp(trace);   // |tr H| is small: each turn gains its digits
    Carried c;
    Sym twoH{};
    for (std::size_t i = 0; i < 6; ++i) {
        c.tau[i] = std::exp(trace) * sigma[i];
        twoH[i] = (c.tau[i] - (i < 3 ? e.lambda * trace : 0)) / e.mu;
    }
    c.strain = twoH;
    Sym term = twoH;
    for (int k = 2; k < 30; ++k) {   // exp(2H) − 1 as its series
        term = product(term, twoH);
        for (std::size_t i = 0; i < 6; ++i) {
            term[i] /= k;
            c.strain[i] += term[i];
        }
    }
    return c;
}

/// Newton on the principal logarithmic stretches h: τ_i/J = s_i with τ_i = 2μ (σ_i² − σ_i) + λ (J − 1) J, σ_i = exp h_i.
Vec3 stretchesOfFixedCorotated(const Elasticity& e, const Vec3& s) {
    const double trace = (s.x + s.y + s.z) / (3 * e.lambda + 2 * e.mu);
    Vec3 h;
    for (int i = 0; i < 3; ++i) h[i] = std::clamp((s[i] - e.lambda * trace) / (2 * e.mu), -1.0, 1.0);
    constexpr double kLongestStep = 0.5, kMost = 4;   // e⁴ is a stretch of 55
    for (int round = 0; round < 60; ++round) {
        const double j = std::exp(h.x + h.y + h.z);
        Vec3 miss;
        Mat3 slope;
        for (int i = 0; i < 3; ++i) {
            const double stretch = std::exp(h[i]), tau = 2 * e.mu * (stretch * stretch - stretch) + e.lambda * (j - 1) * j;
            miss[i] = s[i] - tau / j;
            for (int k = 0; k < 3; ++k) slope(i, k) = (e.lambda * (2 * j * j - j) - tau + (i == k ? 2 * e.mu * (2 * stretch * stretch - stretch) : 0)) / j;
        }
        if (!(std::abs(determinant(slope)) > 0)) break;
        Vec3 step = inverse(slope) * miss;
        const double longest = std::max({std::abs(step.x), std::abs(step.y), std::abs(step.z)});
        if (longest > kLongestStep) step *= kLongestStep / longest;
        for (int i = 0; i < 3; ++i) h[i] = std::clamp(h[i] + step[i], -kMost, kMost);
        if (longest < 1e-15) break;
    }
    return h;
}

Carried byFixedCorotated(const Elasticity& e, const Sym& sigma) {
    using W = Wide<double>;
    WideVec3<double> values;
    WideMat3<double> q;
    symmetricEigen(WideSym3<double>{W(sigma[0]), W(sigma[1]), W(sigma[2]), W(sigma[3]), W(sigma[4]), W(sigma[5])}, values, q);
    const Vec3 h = stretchesOfFixedCorotated(e, extractLane(values, 0));
    const Mat3 axes = extractLane(q, 0);
    constexpr int kEntry[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    Carried c{};
    for (std::size_t i = 0; i < 6; ++i) {
        c.tau[i] = std::exp(h.x + h.y + h.z) * sigma[i];
        for (int k = 0; k < 3; ++k) c.strain[i] += std::expm1(2 * h[k]) * axes(kEntry[i][0], k) * axes(kEntry[i][1], k);
    }
    return c;
}

}  // namespace

Carried carried(const Matter& matter, const Sym& sigma) {
    return matter.law == Law::fixedCorotated ? byFixedCorotated(matter.elasticity, sigma) : byHencky(matter.elasticity, sigma);
}

}  // namespace talus::elastoplastic
