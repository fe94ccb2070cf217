// SPDX-License-Identifier: Apache-2.0
// Sites whose cells resist the patterns of nonsmooth/hourglass.h too. Stress is in the numbers of χ, in which the work of a site is 2 r·u: so
// the stresses s_α of patterns go with ½ V γ_α.
#include "nonsmooth/hourglass.h"
#include "nonsmooth/site_access.h"

#include <limits>

namespace talus::nonsmooth {
namespace {

/// Amplitudes of the patterns yz, xz, xy, xyz times 8, of velocities at the corners 4 dx + 2 dy + dz.
template <class T>
[[gnu::always_inline]] inline std::array<WideVec3<T>, kPatterns> patternsOf(const std::array<WideVec3<T>, kCorners>& u) {
    std::array<WideVec3<T>, 4> across, along;
    for (std::size_t k = 0; k < 4; ++k) {
        across[k] = u[2 * k + 1] - u[2 * k];
        along[k] = u[2 * k + 1] + u[2 * k];
    }
    const WideVec3<T> far = across[3] - across[2], near = across[1] - across[0];
    return {far + near, across[2] + across[3] - across[0] - across[1], along[3] - along[2] - along[1] + along[0], far - near};
}

/// What they give the corners.
template <class T>
[[gnu::always_inline]] inline std::array<WideVec3<T>, kCorners> cornersOf(const std::array<WideVec3<T>, kPatterns>& f) {
    std::array<WideVec3<T>, kCorners> corner;
    for (std::size_t k = 0; k < 4; ++k) {
        const WideVec3<T> xz = k & 2 ? f[1] : -f[1], yz = k & 1 ? f[0] : -f[0], xyz = (k == 0 || k == 3) ? f[3] : -f[3], even = (k == 0 || k == 3) ? f[2] : -f[2];
        const WideVec3<T> odd = yz + xz + xyz;
        corner[2 * k] = even - odd;
        corner[2 * k + 1] = even + odd;
    }
    return corner;
}

/// sym(Σ g uᵀ) over the corners; the first is at rest.
template <class T>
[[gnu::always_inline]] inline WideSym3<T> rateOf(const std::array<WideVec3<T>, kCorners>& u, const Wide<T>* g) {
    const Wide<T> zero = T(0);
    WideSym3<T> sum{zero, zero, zero, zero, zero, zero};
    for (std::size_t p = 1; p < kCorners; ++p) addRate(g + 3 * p, u[p], sum);
    return halved(sum);
}

/// Velocities of the corners of eight cells, less those of the first.
template <class T>
[[gnu::always_inline]] inline std::array<WideVec3<T>, kCorners> gatherCorners(const std::uint32_t* node, const Node* nodes) {
    std::array<Quad<double>, 8> from;
    for (std::size_t i = 0; i < 8; ++i) from[i] = Quad<double>::loadUnaligned(&nodes[node[i]].velocity.x);
    std::array<WideVec3<T>, kCorners> u;
    const Wide<T> zero = T(0);
    u[0] = {zero, zero, zero};
    for (std::size_t p = 1; p < kCorners; ++p) u[p] = gatherNodes<T>(node + 8 * p, from, nodes);
    return u;
}

}  // namespace

// W of the patterns, ½ V² k_α k_β Σ_i Γ_αi Γ_βi/m_i with k_α = c_α/8, by the largest sum of a row: exact where nodes weigh the same.
template <class T>
void SiteGroups<T>::buildPatterns(const FrictionProblem& problem, std::size_t group) {
    alignas(64) T scale[kPatterns][8], mobility[8], stress[3 * kPatterns][8];
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::uint32_t j = sites[8 * group + lane];
        const double volume = j == kNone ? 0 : problem.patterns.volume[j];
        std::array<double, kCorners> inverseMass{};
        for (std::size_t p = 0; j != kNone && p < kCorners; ++p) inverseMass[p] = problem.nodes[problem.pairNode[j * width + p]].inverseMass;
        const double bound = 0.5 * volume * volume * largestMobility(problem.patterns.scale, inverseMass);
        mobility[lane] = static_cast<T>(bound > 0 ? bound : 1);
        for (std::size_t a = 0; a < kPatterns; ++a) {
            scale[a][lane] = static_cast<T>(bound > 0 ? volume * problem.patterns.scale[a] : 0);
            for (int axis = 0; axis < 3; ++axis) stress[3 * a + static_cast<std::size_t>(axis)][lane] = static_cast<T>(bound > 0 ? problem.patterns.stress[j][a][axis] : 0);
        }
    }
    PatternGroup<T>& to = patterns[group];
    to.mobility = Wide<T>::load(mobility);
    for (std::size_t a = 0; a < kPatterns; ++a) {
        to.scale[a] = Wide<T>::load(scale[a]);
        to.force[a] = {Wide<T>::load(stress[3 * a]), Wide<T>::load(stress[3 * a + 1]), Wide<T>::load(stress[3 * a + 2])};
    }
    to.before = to.force;
}

// The patterns have one mobility: as a sixth tangential part along their b. Their own W is bounded and their coupling with the mean strain, which
// there is where nodes differ in mass, is left to the sweeps.
template <class T>
Wide<T> SiteGroups<T>::visitPatterned(std::size_t group, T beta, Node* all) {
    SiteGroup<T>& site = groups[group];
    PatternGroup<T>& pattern = patterns[group];
    const std::uint32_t* node = &nodes[group * kCorners * 8];
    const Wide<T>* g = &vectors[group * kCorners * 3];
    const Wide<T> extrapolation = beta, half = T(0.5);
    WideSplit<T> from = site.force;
    from.normal = mulAdd(extrapolation, site.force.normal - site.before.normal, from.normal);
    for (std::size_t k = 0; k < 5; ++k) from.tangential[k] = mulAdd(extrapolation, site.force.tangential[k] - site.before.tangential[k], from.tangential[k]);
    const std::array<WideVec3<T>, kCorners> u = gatherCorners<T>(node, all);
    const WideSplit<T> rate = site.local(rateOf(u, g)), own = site.w.apply(from);
    std::array<WideVec3<T>, kPatterns> rest = patternsOf(u), start;   // b of the patterns
    Wide<T> squared = T(0);
    for (std::size_t a = 0; a < kPatterns; ++a) {
        start[a] = mulAdd(extrapolation, pattern.force[a] - pattern.before[a], pattern.force[a]);
        rest[a] = (half * pattern.scale[a]) * rest[a] - pattern.mobility * start[a];
        squared += dot(rest[a], rest[a]);
    }
    const Wide<T> size = sqrt(squared);
    WideOperator<T, 6> w{site.w.normal, site.w.inverseNormal, site.w.coupling, {}};
    WideSplit<T, 6> b;
    b.normal = rate.normal + site.slack - own.normal;
    for (std::size_t k = 0; k < 5; ++k) {
        w.reduced[k] = site.w.reduced[k];
        b.tangential[k] = rate.tangential[k] - own.tangential[k];
    }
    w.reduced[5] = pattern.mobility;
    b.tangential[5] = size;
    const WideSplit<T, 6> solved = solveCone(w, site.friction, b, site.alpha);
    const Wide<T> along = solved.tangential[5] / max(size, Wide<T>(std::numeric_limits<T>::min()));
    WideSplit<T> force{solved.normal, {}}, change;
    change.normal = force.normal - from.normal;
    Wide<T> product = -change.normal * (force.normal - site.force.normal);
    for (std::size_t k = 0; k < 5; ++k) {
        force.tangential[k] = solved.tangential[k];
        change.tangential[k] = force.tangential[k] - from.tangential[k];
        product = negMulAdd(change.tangential[k], force.tangential[k] - site.force.tangential[k], product);
    }
    std::array<WideVec3<T>, kPatterns> given;
    for (std::size_t a = 0; a < kPatterns; ++a) {
        const WideVec3<T> next = along * rest[a];
        product -= dot(next - start[a], next - pattern.force[a]);
        given[a] = pattern.scale[a] * (next - start[a]);
        pattern.before[a] = pattern.force[a];
        pattern.force[a] = next;
    }
    const std::array<WideVec3<T>, kCorners> corner = cornersOf(given);
    const WideSym3<T> f = site.world(change);
    for (std::size_t p = 0; p < kCorners; ++p) scatterNodes<T>(corner[p] + forceAlong(f, g + 3 * p), node + 8 * p, all);
    site.before = site.force;
    site.force = force;
    return product * site.w.normal;
}

template <class T>
Wide<T> SiteGroups<T>::patternedResidual(std::size_t group, const Node* all) const {
    constexpr std::size_t kAll = 5 + 3 * kPatterns;
    const SiteGroup<T>& site = groups[group];
    const PatternGroup<T>& pattern = patterns[group];
    const std::array<WideVec3<T>, kCorners> corners = gatherCorners<T>(&nodes[group * kCorners * 8], all);
    const WideSplit<T> mean = site.local(rateOf(corners, &vectors[group * kCorners * 3]));
    const std::array<WideVec3<T>, kPatterns> rates = patternsOf(corners);
    WideSplit<T, kAll> u, r;
    u.normal = (mean.normal + site.slack) * site.w.inverseNormal;
    r.normal = site.force.normal;
    for (std::size_t k = 0; k < 5; ++k) {
        u.tangential[k] = mean.tangential[k] * site.w.inverseNormal;
        r.tangential[k] = site.force.tangential[k];
    }
    for (std::size_t a = 0; a < kPatterns; ++a)
        for (int axis = 0; axis < 3; ++axis) {
            const std::size_t k = 5 + 3 * a + static_cast<std::size_t>(axis);
            u.tangential[k] = Wide<T>(T(0.5)) * pattern.scale[a] * rates[a][axis] * site.w.inverseNormal;
            r.tangential[k] = pattern.force[a][axis];
        }
    return complementaritySquared(site.friction, r, u);
}

template void SiteGroups<float>::buildPatterns(const FrictionProblem&, std::size_t);
template void SiteGroups<double>::buildPatterns(const FrictionProblem&, std::size_t);
template Wide<float> SiteGroups<float>::visitPatterned(std::size_t, float, Node*);
template Wide<double> SiteGroups<double>::visitPatterned(std::size_t, double, Node*);
template Wide<float> SiteGroups<float>::patternedResidual(std::size_t, const Node*) const;
template Wide<double> SiteGroups<double>::patternedResidual(std::size_t, const Node*) const;

}  // namespace talus::nonsmooth
