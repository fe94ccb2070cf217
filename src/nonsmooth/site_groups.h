// SPDX-License-Identifier: Apache-2.0
// Sites of a friction problem as the sweeps read them: eight of one colour at a time, which share no node, in the axes of their G.
#pragma once

#include "core/table.h"
#include "core/wide_mat.h"
#include "nonsmooth/friction_problem.h"
#include "nonsmooth/wide_cone.h"

#include <cstdint>
#include <vector>

namespace talus::nonsmooth {

template <class T>
struct SiteGroup {
    WideMat3<T> axes;                  // of G, as columns
    Wide<T> c, s;                      // turn the deviators b, c to those of Ŵ
    WideOperator<T> w;
    Wide<T> friction, slack;           // slack in χ
    WideSplit<T> force, before;        // λ in these numbers; at the end of the sweep before
    Wide<T> alpha;                     // of the last visit

    /// From a tensor in world axes to these numbers, and back.
    [[gnu::always_inline]] WideSplit<T> local(const WideSym3<T>& tensor) const;
    [[gnu::always_inline]] WideSym3<T> world(const WideSplit<T>&) const;
};

/// What resists the patterns of eight cells (nonsmooth/hourglass.h).
template <class T>
struct PatternGroup {
    using Stress = std::array<WideVec3<T>, kPatterns>;
    std::array<Wide<T>, kPatterns> scale;   // V c_α/8 [m²]
    Wide<T> mobility;                       // bound of its own W
    Stress force, before;                   // s; at the end of the sweep before
};

template <class T>
struct SiteGroups {
    static constexpr std::uint32_t kNone = 0xffffffff;

    std::size_t width = 8;
    AlignedVector<SiteGroup<T>> groups;
    AlignedVector<Wide<T>> vectors;           // g: 3 x width a group
    AlignedVector<PatternGroup<T>> patterns;  // empty: nothing resists them
    std::vector<std::uint32_t> nodes;         // 8 x width a group, by pair and lane
    std::vector<std::uint32_t> sites;         // 8 a group; kNone in lanes that pad
    std::vector<std::size_t> firstOfColour;   // group; one past the end last

    /// Nodes of lanes that pad are one past the problem's own, which must be there.
    void build(const Exec&, const FrictionProblem&);
    /// Visits the colours in order, from forces extrapolated by `beta`. Σ (start − end)·(end − before) over the sites, in sizes of W: positive
    /// where the sweep went against the direction of extrapolation.
    template <std::size_t Width>
    double sweep(const Exec&, std::vector<Node>&, T beta);
    template <std::size_t Width>
    double residualSquared(const Exec&, const std::vector<Node>&) const;
    /// Friction of the sites that start from no stress: none, or their own.
    void smoothen(const FrictionProblem&, bool smooth);
    void takeStress(const Exec&, FrictionProblem&) const;

private:
    /// The exact forces of a group, from `from`.
    template <std::size_t Width>
    WideSplit<T> visit(std::size_t group, const WideSplit<T>& from, Node* all);
    /// The same of cells whose patterns share the cone, from forces extrapolated by `beta`; Σ as in sweep().
    Wide<T> visitPatterned(std::size_t group, T beta, Node* all);
    template <std::size_t Width>
    Wide<T> visitPlain(std::size_t group, T beta, Node* all);
    Wide<T> patternedResidual(std::size_t group, const Node* all) const;
    void buildGroup(const FrictionProblem&, std::size_t group);
    void buildPatterns(const FrictionProblem&, std::size_t group);
};

}  // namespace talus::nonsmooth
