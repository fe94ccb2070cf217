// SPDX-License-Identifier: Apache-2.0
#include "nonsmooth/site_access.h"

#include "core/svd.h"

#include <algorithm>
#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr std::size_t kGroupsPerTask = 16;
/// Ŵ is never smaller than this part of W: a site whose grains lie in one plane still has an answer.
constexpr double kLeastEigenvalue = 1e-12;
/// In float a part of W that is rounding must not count as an eigenvalue.
template <class T>
constexpr double kLeast = sizeof(T) == 4 ? 1e-6 : kLeastEigenvalue;

/// sym(Σ g uᵀ) over the pairs of a group.
template <std::size_t Width, class T>
[[gnu::always_inline]] inline WideSym3<T> gatherRate(const std::uint32_t* node, const Wide<T>* g, const Node* nodes) {
    std::array<Quad<double>, 8> from;
    for (std::size_t i = 0; i < 8; ++i) from[i] = Quad<double>::loadUnaligned(&nodes[node[i]].velocity.x);
    const Wide<T> zero = T(0);
    WideSym3<T> sum{zero, zero, zero, zero, zero, zero};
    for (std::size_t p = 1; p < Width; ++p) {
        const WideVec3<T> u = gatherNodes<T>(node + 8 * p, from, nodes);
        addRate(g + 3 * p, u, sum);
    }
    return halved(sum);
}

template <std::size_t Width, class T>
[[gnu::always_inline]] inline void scatterForce(const WideSym3<T>& f, const std::uint32_t* node, const Wide<T>* g, Node* nodes) {
    for (std::size_t p = 0; p < Width; ++p) scatterNodes<T>(forceAlong(f, g + 3 * p), node + 8 * p, nodes);
}

}  // namespace

template <class T>
void SiteGroups<T>::build(const Exec& exec, const FrictionProblem& problem) {
    width = problem.width;
    firstOfColour.assign(1, 0);
    sites.clear();
    for (const std::vector<std::uint32_t>& colour : problem.colours) {
        sites.insert(sites.end(), colour.begin(), colour.end());
        sites.resize((sites.size() + 7) / 8 * 8, kNone);
        firstOfColour.push_back(sites.size() / 8);
    }
    groups.resize(sites.size() / 8);
    vectors.resize(groups.size() * width * 3);
    nodes.resize(groups.size() * width * 8);
    patterns.resize(problem.patterns.any() ? groups.size() : 0);
    exec.forBlocks(groups.size(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t group = begin; group < end; ++group) buildGroup(problem, group);
        if (!patterns.empty())
            for (std::size_t group = begin; group < end; ++group) buildPatterns(problem, group);
    });
}

// W of a site in the axes of G, G = Σ g gᵀ/m = diag(G₁, G₂, G₃): the shears have (G_a + G_b)/2; the diagonal entries, in the directions
// n = (1,1,1)/√3, b = (1,−1,0)/√2, c = (−1,−1,2)/√6 of χ, the full matrix of diag(G₁, G₂, G₃).
template <class T>
void SiteGroups<T>::buildGroup(const FrictionProblem& problem, std::size_t group) {
    alignas(64) double gramian[6][8] = {};
    alignas(64) T g[3][8];
    for (std::size_t p = 0; p < width; ++p) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const std::uint32_t j = sites[8 * group + lane];
            const Vec3 v = j == kNone ? Vec3{} : problem.pairVector[j * width + p];
            const std::uint32_t n = j == kNone ? static_cast<std::uint32_t>(problem.nodes.size() - 1) : problem.pairNode[j * width + p];
            nodes[(group * width + p) * 8 + lane] = n;
            const double s = problem.nodes[n].inverseMass, terms[6] = {v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.y * v.z, v.x * v.z};
            for (std::size_t k = 0; k < 6; ++k) gramian[k][lane] += s * terms[k];
            for (int axis = 0; axis < 3; ++axis) g[axis][lane] = static_cast<T>(v[axis]);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) vectors[(group * width + p) * 3 + axis] = Wide<T>::load(g[axis]);
    }
    const auto wide = [&](int k) { return Wide<double>::load(gramian[k]); };
    WideVec3<double> values;
    WideMat3<double> axes;
    symmetricEigen(WideSym3<double>{.xx = wide(0), .yy = wide(1), .zz = wide(2), .xy = wide(3), .yz = wide(4), .xz = wide(5)}, values, axes);
    const std::array<double, 8> g1 = values.x.lanes(), g2 = values.y.lanes(), g3 = values.z.lanes();
    alignas(64) T numbers[13][8];   // c, s, W_NN, its inverse, w (2), Ŵ (5), friction, slack
    alignas(64) T stress[6][8];
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::uint32_t j = sites[8 * group + lane];
        const double sum = g1[lane] + g2[lane] + g3[lane];
        const bool solid = !(sum > 0);   // all of its nodes are held, or the lane pads: nothing to find
        const double a = g1[lane], b = g2[lane], c = std::max(g3[lane], 0.0), n = solid ? 1.0 : sum / 3;
        const double wb = (a - b) / std::sqrt(6.0), wc = (2 * c - a - b) / std::sqrt(18.0);
        const PlaneRotation turn(0.5 * (a + b) - wb * wb / n, (b - a) / std::sqrt(12.0) - wb * wc / n, (a + b + 4 * c) / 6 - wc * wc / n);
        const double reduced[5] = {turn.first, turn.second, 0.5 * (a + b), 0.5 * (a + c), 0.5 * (b + c)};
        const double all[13] = {turn.c, turn.s, n, 1 / n, turn.c * wb + turn.s * wc, turn.c * wc - turn.s * wb, 0, 0, 0, 0, 0, solid ? 0.0 : problem.friction[j],
                                solid ? 1.0 : problem.slack[j] / std::sqrt(6.0)};
        for (std::size_t k = 0; k < 13; ++k) numbers[k][lane] = static_cast<T>(all[k]);
        for (std::size_t k = 0; k < 5; ++k) numbers[6 + k][lane] = static_cast<T>(std::max(reduced[k], kLeast<T> * n));
        const SymTensor s = solid ? SymTensor{} : problem.stress[j];
        const double entry[6] = {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz};
        for (std::size_t k = 0; k < 6; ++k) stress[k][lane] = static_cast<T>(entry[k]);
    }
    const auto number = [&](int k) { return Wide<T>::load(numbers[k]); };
    SiteGroup<T>& to = groups[group];
    for (std::size_t k = 0; k < 9; ++k) {
        if constexpr (sizeof(T) == 4) to.axes.m[k] = convert<float>(axes.m[k]);
        else to.axes.m[k] = axes.m[k];
    }
    to.c = number(0);
    to.s = number(1);
    to.w = {number(2), number(3), {number(4), number(5)}, {number(6), number(7), number(8), number(9), number(10)}};
    to.friction = number(11);
    to.slack = number(12);
    to.alpha = T(0);
    to.force = to.local({Wide<T>::load(stress[0]), Wide<T>::load(stress[1]), Wide<T>::load(stress[2]), Wide<T>::load(stress[3]), Wide<T>::load(stress[4]), Wide<T>::load(stress[5])});
    to.before = to.force;
}

template <class T>
template <std::size_t Width>
[[gnu::always_inline]] inline WideSplit<T> SiteGroups<T>::visit(std::size_t group, const WideSplit<T>& from, Node* all) {
    SiteGroup<T>& site = groups[group];
    const std::uint32_t* node = &nodes[group * Width * 8];
    const Wide<T>* g = &vectors[group * Width * 3];
    WideSplit<T> b = site.local(gatherRate<Width>(node, g, all));
    const WideSplit<T> own = site.w.apply(from);
    b.normal = b.normal + site.slack - own.normal;
    for (std::size_t k = 0; k < 5; ++k) b.tangential[k] -= own.tangential[k];
    const WideSplit<T> force = solveCone(site.w, site.friction, b, site.alpha);
    WideSplit<T> change;
    change.normal = force.normal - from.normal;
    for (std::size_t k = 0; k < 5; ++k) change.tangential[k] = force.tangential[k] - from.tangential[k];
    scatterForce<Width>(site.world(change), node, g, all);
    return force;
}

template <class T>
template <std::size_t Width>
[[gnu::always_inline]] inline Wide<T> SiteGroups<T>::visitPlain(std::size_t group, T beta, Node* all) {
    SiteGroup<T>& site = groups[group];
    WideSplit<T> from = site.force;
    from.normal = mulAdd(Wide<T>(beta), site.force.normal - site.before.normal, from.normal);
    for (std::size_t k = 0; k < 5; ++k) from.tangential[k] = mulAdd(Wide<T>(beta), site.force.tangential[k] - site.before.tangential[k], from.tangential[k]);
    const WideSplit<T> force = visit<Width>(group, from, all);
    Wide<T> product = (from.normal - force.normal) * (force.normal - site.force.normal);
    for (std::size_t k = 0; k < 5; ++k) product = mulAdd(from.tangential[k] - force.tangential[k], force.tangential[k] - site.force.tangential[k], product);
    site.before = site.force;
    site.force = force;
    return product * site.w.normal;
}

template <class T>
template <std::size_t Width>
double SiteGroups<T>::sweep(const Exec& exec, std::vector<Node>& all, T beta) {
    double against = 0;
    for (std::size_t colour = 0; colour + 1 < firstOfColour.size(); ++colour) {
        const std::size_t first = firstOfColour[colour];
        against += exec.reduce(
            firstOfColour[colour + 1] - first, kGroupsPerTask, 0.0,
            [&](std::size_t begin, std::size_t end) {
                Wide<T> sum = T(0);
                for (std::size_t group = first + begin; group < first + end; ++group) {
                    if constexpr (Width == kCorners)
                        if (!patterns.empty()) {
                            sum += visitPatterned(group, beta, all.data());
                            continue;
                        }
                    sum += visitPlain<Width>(group, beta, all.data());
                }
                return static_cast<double>(talus::sum(sum));
            },
            [](double a, double b) { return a + b; });
    }
    return against;
}

// Rates are divided by W's size, so that the measure is a stress.
template <class T>
template <std::size_t Width>
double SiteGroups<T>::residualSquared(const Exec& exec, const std::vector<Node>& all) const {
    return exec.reduce(
        groups.size(), kGroupsPerTask, 0.0,
        [&](std::size_t begin, std::size_t end) {
            Wide<T> sum = T(0);
            for (std::size_t group = begin; group < end; ++group) {
                const SiteGroup<T>& site = groups[group];
                if constexpr (Width == kCorners)
                    if (!patterns.empty()) {
                        sum += patternedResidual(group, all.data());
                        continue;
                    }
                WideSplit<T> u = site.local(gatherRate<Width>(&nodes[group * Width * 8], &vectors[group * Width * 3], all.data()));
                u.normal = (u.normal + site.slack) * site.w.inverseNormal;
                for (Wide<T>& t : u.tangential) t *= site.w.inverseNormal;
                sum += complementaritySquared(site.friction, site.force, u);
            }
            return static_cast<double>(talus::sum(sum));
        },
        [](double a, double b) { return a + b; });
}

template <class T>
void SiteGroups<T>::smoothen(const FrictionProblem& problem, bool smooth) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
        std::array<T, 8> friction = groups[group].friction.lanes();
        for (std::size_t lane = 0; lane < 8; ++lane)
            if (const std::uint32_t j = sites[8 * group + lane]; j != kNone && problem.stress[j] == SymTensor{}) friction[lane] = smooth ? T(0) : static_cast<T>(problem.friction[j]);
        groups[group].friction = Wide<T>::loadUnaligned(friction.data());
    }
}

template <class T>
void SiteGroups<T>::takeStress(const Exec& exec, FrictionProblem& problem) const {
    exec.forBlocks(groups.size(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t group = begin; group < end; ++group) {
            const WideSym3<T> s = groups[group].world(groups[group].force);
            const std::array<std::array<T, 8>, 6> entry{s.xx.lanes(), s.yy.lanes(), s.zz.lanes(), s.xy.lanes(), s.yz.lanes(), s.xz.lanes()};
            for (std::size_t lane = 0; lane < 8; ++lane)
                if (const std::uint32_t j = sites[8 * group + lane]; j != kNone) {
                    for (std::size_t a = 0; a < kPatterns && !patterns.empty(); ++a)
                        problem.patterns.stress[j][a] = {double(patterns[group].force[a].x.lane(static_cast<int>(lane))), double(patterns[group].force[a].y.lane(static_cast<int>(lane))), double(patterns[group].force[a].z.lane(static_cast<int>(lane)))};
                    problem.stress[j] = {double(entry[0][lane]), double(entry[1][lane]), double(entry[2][lane]), double(entry[3][lane]), double(entry[4][lane]), double(entry[5][lane])};
                }
        }
    });
}

template struct SiteGroups<float>;
template struct SiteGroups<double>;
template double SiteGroups<float>::sweep<8>(const Exec&, std::vector<Node>&, float);
template double SiteGroups<float>::sweep<27>(const Exec&, std::vector<Node>&, float);
template double SiteGroups<double>::sweep<8>(const Exec&, std::vector<Node>&, double);
template double SiteGroups<double>::sweep<27>(const Exec&, std::vector<Node>&, double);
template double SiteGroups<float>::residualSquared<8>(const Exec&, const std::vector<Node>&) const;
template double SiteGroups<float>::residualSquared<27>(const Exec&, const std::vector<Node>&) const;
template double SiteGroups<double>::residualSquared<8>(const Exec&, const std::vector<Node>&) const;
template double SiteGroups<double>::residualSquared<27>(const Exec&, const std::vector<Node>&) const;

}  // namespace talus::nonsmooth
