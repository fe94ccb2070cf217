// SPDX-License-Identifier: Apache-2.0
// The law of nonsmooth/cone.h for eight sites at a time. Only the first two tangential parts couple with the normal one: the axes
// are those of G, and shears stand alone there.
#pragma once

#include "core/wide.h"
#include "nonsmooth/cone.h"

#include <array>
#include <limits>

namespace talus::nonsmooth {

template <class T, std::size_t K = 5>
struct WideSplit {
    Wide<T> normal;
    std::array<Wide<T>, K> tangential;
};

template <class T, std::size_t K = 5>
struct WideOperator {
    Wide<T> normal, inverseNormal;           // W_NN
    std::array<Wide<T>, 2> coupling;         // w
    std::array<Wide<T>, K> reduced;          // eigenvalues of Ŵ

    [[gnu::always_inline]] WideSplit<T, K> apply(const WideSplit<T, K>& r) const {
        WideSplit<T, K> u;
        const Wide<T> along = mulAdd(coupling[1], r.tangential[1], coupling[0] * r.tangential[0]);
        u.normal = mulAdd(normal, r.normal, along);
        const Wide<T> pushed = mulAdd(along, inverseNormal, r.normal);
        for (std::size_t k = 0; k < K; ++k) u.tangential[k] = reduced[k] * r.tangential[k];
        for (std::size_t k = 0; k < 2; ++k) u.tangential[k] = mulAdd(coupling[k], pushed, u.tangential[k]);
        return u;
    }
    LocalOperator<K> lane(int i) const {
        LocalOperator<K> w{double(normal.lane(i)), {double(coupling[0].lane(i)), double(coupling[1].lane(i))}, {}};
        for (std::size_t k = 0; k < K; ++k) w.reduced[k] = double(reduced[k].lane(i));
        return w;
    }
};

/// r_T(α), r_N(α), |r_T| and derivatives in α, as in solveCone.
template <class T, std::size_t K>
struct WideTrial {
    WideSplit<T, K> r;
    Wide<T> size, sizeSlope, normalSlope;

    [[gnu::always_inline]] WideTrial(const WideOperator<T, K>& w, const Wide<T>& bNormal, const std::array<Wide<T>, K>& rest, const Wide<T>& alpha) {
        Wide<T> squared = T(0), slope = T(0), along = T(0);
        normalSlope = T(0);
        for (std::size_t k = 0; k < K; ++k) {
            const Wide<T> inverse = Wide<T>(T(1)) / (w.reduced[k] + alpha), t = -rest[k] * inverse;
            r.tangential[k] = t;
            squared = mulAdd(t, t, squared);
            slope = negMulAdd(t * t, inverse, slope);
            if (k < 2) {
                along = mulAdd(w.coupling[k], t, along);
                normalSlope = mulAdd(w.coupling[k] * t, inverse, normalSlope);
            }
        }
        size = sqrt(squared);
        sizeSlope = slope / max(size, Wide<T>(std::numeric_limits<T>::min()));
        r.normal = -(bNormal + along) * w.inverseNormal;
        normalSlope = normalSlope * w.inverseNormal;
    }
};

/// solveCone, eight at a time: Newton's method from the α of the last visit. A lane that it leaves, or that takes long, is handed to
/// solveCone itself.
template <class T, std::size_t K>
[[gnu::always_inline]] inline WideSplit<T, K> solveCone(const WideOperator<T, K>& w, const Wide<T>& mu, const WideSplit<T, K>& b, Wide<T>& alpha) {
    constexpr int kMostRounds = 8;
    constexpr T kAccuracy = sizeof(T) == 4 ? T(2e-6) : T(1e-14);
    const Wide<T> zero = T(0);
    const WideMask<T> pressed = b.normal < zero;
    WideSplit<T, K> nothing;
    nothing.normal = zero;
    nothing.tangential.fill(zero);
    WideSplit<T, K> result = nothing;
    if (!any(pressed)) return result;
    std::array<Wide<T>, K> rest = b.tangential;
    for (std::size_t k = 0; k < 2; ++k) rest[k] = negMulAdd(w.coupling[k], b.normal * w.inverseNormal, rest[k]);
    const WideTrial<T, K> stuck(w, b.normal, rest, zero);
    const auto take = [&](const WideMask<T>& where, const WideSplit<T, K>& r) {
        result.normal = select(where, r.normal, result.normal);
        for (std::size_t k = 0; k < K; ++k) result.tangential[k] = select(where, r.tangential[k], result.tangential[k]);
    };
    const WideMask<T> smooth = !(mu > zero);
    take(pressed, stuck.r);
    nothing.normal = -b.normal * w.inverseNormal;
    take(pressed & smooth, nothing);
    WideMask<T> sliding = pressed & !smooth & !(stuck.size <= mu * stuck.r.normal);
    if (!any(sliding)) return result;
    // Newton's method on 1/|r_T| − 1/(μ r_N); where nothing presses, α is too small: on by a size of W.
    const auto stepFrom = [&](const WideTrial<T, K>& trial, const Wide<T>& most, const Wide<T>& from) {
        const Wide<T> slope = trial.normalSlope * mu * trial.size / most - trial.sizeSlope * most / trial.size;
        return select(most > zero, max(from - (most - trial.size) / slope, zero), mulAdd(Wide<T>(T(4)), from, w.normal));
    };
    alpha = select(sliding & (alpha > zero), alpha, select(sliding, stepFrom(stuck, mu * stuck.r.normal, zero), zero));
    for (int round = 0; round < kMostRounds; ++round) {
        const WideTrial<T, K> trial(w, b.normal, rest, alpha);
        const Wide<T> most = mu * trial.r.normal;
        const WideMask<T> settled = sliding & (abs(trial.size - most) <= kAccuracy * trial.size) & (most > zero);
        take(settled, trial.r);
        sliding = sliding & !settled;
        if (!any(sliding)) return result;
        alpha = select(sliding, stepFrom(trial, most, alpha), alpha);
    }
    for (int i = 0; i < 8; ++i) {
        if (!(select(sliding, Wide<T>(T(1)), zero).lane(i) > T(0))) continue;
        Split<K> single{double(b.normal.lane(i)), {}};
        for (std::size_t k = 0; k < K; ++k) single.tangential[k] = double(b.tangential[k].lane(i));
        const Split<K> r = solveCone(w.lane(i), double(mu.lane(i)), single);
        const auto put = [i](Wide<T>& wide, double value) {
            std::array<T, 8> lanes = wide.lanes();
            lanes[static_cast<std::size_t>(i)] = static_cast<T>(value);
            wide = Wide<T>::loadUnaligned(lanes.data());
        };
        put(result.normal, r.normal);
        for (std::size_t k = 0; k < K; ++k) put(result.tangential[k], r.tangential[k]);
        put(alpha, 0);
    }
    return result;
}

/// complementaritySquared of nonsmooth/cone.h.
template <class T, std::size_t K>
[[gnu::always_inline]] inline Wide<T> complementaritySquared(const Wide<T>& mu, const WideSplit<T, K>& r, const WideSplit<T, K>& u) {
    const Wide<T> zero = T(0);
    const Wide<T> alone = r.normal + u.normal - sqrt(mulAdd(r.normal, r.normal, u.normal * u.normal));
    Wide<T> rate = zero;
    for (const Wide<T>& t : u.tangential) rate = mulAdd(t, t, rate);
    const Wide<T> x0 = mu * r.normal, y0 = mulAdd(mu, sqrt(rate), u.normal);
    Wide<T> z0 = mulAdd(x0, x0, y0 * y0), along = zero;
    std::array<Wide<T>, K> z;
    for (std::size_t k = 0; k < K; ++k) {
        const Wide<T> x = r.tangential[k], y = mu * u.tangential[k];
        z0 = mulAdd(x, x, mulAdd(y, y, z0));
        z[k] = mulAdd(x0, x, y0 * y);
        along = mulAdd(z[k], z[k], along);
    }
    along = sqrt(along);
    const Wide<T> more = sqrt(mulAdd(Wide<T>(T(2)), along, z0)), less = sqrt(max(zero, negMulAdd(Wide<T>(T(2)), along, z0)));
    const Wide<T> half = T(0.5), f0 = x0 + y0 - half * (more + less), side = select(along > zero, half * (more - less) / along, zero);
    Wide<T> squared = f0 * f0;
    for (std::size_t k = 0; k < K; ++k) {
        const Wide<T> f = mulAdd(mu, u.tangential[k], r.tangential[k]) - side * z[k];
        squared = mulAdd(f, f, squared);
    }
    return select(mu > zero, squared, alone * alone);
}

}  // namespace talus::nonsmooth
