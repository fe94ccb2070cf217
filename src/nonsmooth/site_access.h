// SPDX-License-Identifier: Apache-2.0
// How eight sites at a time read and move their nodes, and the numbers in which they compute.
#pragma once

#include "nonsmooth/grid.h"
#include "nonsmooth/site_groups.h"

namespace talus::nonsmooth {

static_assert(sizeof(Node) == 4 * sizeof(double), "a node is a Quad");

/// Velocities of eight nodes less those of `from`: Σ_i g_ji = 0, so that a motion all share drops out before anything is rounded.
template <class T>
[[gnu::always_inline]] inline WideVec3<T> gatherNodes(const std::uint32_t* node, const std::array<Quad<double>, 8>& from, const Node* nodes) {
    alignas(64) T lanes[32];
    for (std::size_t i = 0; i < 8; ++i) {
        const Quad<double> v = Quad<double>::loadUnaligned(&nodes[node[i]].velocity.x) - from[i];
        if constexpr (sizeof(T) == 4) convert<float>(v).store(lanes + 4 * i);
        else v.store(lanes + 4 * i);
    }
    WideVec3<T> u;
    Wide<T> mass;
    loadInterleaved(lanes, u.x, u.y, u.z, mass);
    return u;
}

template <class T>
[[gnu::always_inline]] inline void scatterNodes(const WideVec3<T>& force, const std::uint32_t* node, Node* nodes) {
    alignas(64) T lanes[32];
    storeInterleaved(force.x, force.y, force.z, Wide<T>(T(0)), lanes);
    for (std::size_t i = 0; i < 8; ++i) {
        double* at = &nodes[node[i]].velocity.x;
        const Quad<double> v = Quad<double>::loadUnaligned(at);
        Quad<double> f;
        if constexpr (sizeof(T) == 4) f = convert<double>(Quad<float>::load(lanes + 4 * i));
        else f = Quad<double>::load(lanes + 4 * i);
        mulAdd(broadcastLane<3>(v), f, v).storeUnaligned(at);
    }
}

/// Adds g uᵀ + u gᵀ, its diagonal halved.
template <class T>
[[gnu::always_inline]] inline void addRate(const Wide<T>* g, const WideVec3<T>& u, WideSym3<T>& sum) {
    const Wide<T>&x = g[0], &y = g[1], &z = g[2];
    sum.xx = mulAdd(x, u.x, sum.xx);
    sum.yy = mulAdd(y, u.y, sum.yy);
    sum.zz = mulAdd(z, u.z, sum.zz);
    sum.xy = mulAdd(x, u.y, mulAdd(y, u.x, sum.xy));
    sum.yz = mulAdd(y, u.z, mulAdd(z, u.y, sum.yz));
    sum.xz = mulAdd(x, u.z, mulAdd(z, u.x, sum.xz));
}
/// sym(Σ g uᵀ) of such a sum.
template <class T>
[[gnu::always_inline]] inline WideSym3<T> halved(const WideSym3<T>& sum) {
    const Wide<T> half = T(0.5);
    return {sum.xx, sum.yy, sum.zz, half * sum.xy, half * sum.yz, half * sum.xz};
}

/// f g.
template <class T>
[[gnu::always_inline]] inline WideVec3<T> forceAlong(const WideSym3<T>& f, const Wide<T>* g) {
    const WideVec3<T> v{g[0], g[1], g[2]};
    return {dot(WideVec3<T>{f.xx, f.xy, f.xz}, v), dot(WideVec3<T>{f.xy, f.yy, f.yz}, v), dot(WideVec3<T>{f.xz, f.yz, f.zz}, v)};
}

/// Q S Qᵀ with the rows of Q.
template <class T>
[[gnu::always_inline]] inline WideSym3<T> turned(const WideVec3<T>& r0, const WideVec3<T>& r1, const WideVec3<T>& r2, const WideSym3<T>& s) {
    const auto times = [&](const WideVec3<T>& v) {
        return WideVec3<T>{dot(WideVec3<T>{s.xx, s.xy, s.xz}, v), dot(WideVec3<T>{s.xy, s.yy, s.yz}, v), dot(WideVec3<T>{s.xz, s.yz, s.zz}, v)};
    };
    const WideVec3<T> s0 = times(r0), s1 = times(r1), s2 = times(r2);
    return {dot(r0, s0), dot(r1, s1), dot(r2, s2), dot(r0, s1), dot(r1, s2), dot(r0, s2)};
}

// chiOf and tensorOf of nonsmooth/tensor.h, between turns of the axes.
template <class T>
inline WideSplit<T> SiteGroup<T>::local(const WideSym3<T>& tensor) const {
    const WideSym3<T> t = turned(axes.column(0), axes.column(1), axes.column(2), tensor);
    constexpr double kHalfRoot3 = 0.5 * std::numbers::inv_sqrt3, kInvRoot6 = std::numbers::inv_sqrt3 / std::numbers::sqrt2;
    const Wide<T> b = Wide<T>(T(0.5)) * (t.xx - t.yy), d = Wide<T>(T(kHalfRoot3)) * (t.zz + t.zz - t.xx - t.yy);
    return {Wide<T>(T(kInvRoot6)) * (t.xx + t.yy + t.zz), {mulAdd(c, b, s * d), mulAdd(c, d, -s * b), t.xy, t.xz, t.yz}};
}

template <class T>
inline WideSym3<T> SiteGroup<T>::world(const WideSplit<T>& r) const {
    const auto& t = r.tangential;
    constexpr double kInvRoot3 = std::numbers::inv_sqrt3;
    const Wide<T> b = mulAdd(c, t[0], -s * t[1]), d = Wide<T>(T(kInvRoot3)) * mulAdd(s, t[0], c * t[1]);
    const Wide<T> mean = Wide<T>(T(std::numbers::sqrt2 * kInvRoot3)) * r.normal, side = mean - d;
    return turned(axes.row(0), axes.row(1), axes.row(2), WideSym3<T>{side + b, side - b, mean + d + d, t[2], t[4], t[3]});
}

}  // namespace talus::nonsmooth
