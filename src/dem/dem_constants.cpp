// SPDX-License-Identifier: Apache-2.0
// The coefficients of all listed contacts: one set for all pairs, one for two kinds of spheres, or one for each pair.
#include "dem/dem_method.h"

#include <algorithm>
#include <utility>

namespace talus::dem {

/// A contact acts through the centre of a sphere: 1/m + (arm × n)·I⁻¹(arm × n), with the longest arm.
Side DemMethod::sideOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grainOf(s);
    const ClumpTemplate& shape = shapeOf(i);
    const double mass = massOf(i);
    return {.radius = radiusOf(s), .mass = mass, .perMass = (1 + shape.sphereReach * shape.sphereReach / shape.smallestInertia()) / mass};
}

namespace {

constexpr std::size_t kMostKinds = 32;
constexpr std::size_t kBlock = 256;   // spheres of a task

/// Kinds of spheres: their side of a contact and their material.
struct Kinds {
    std::vector<std::pair<Side, int>> known;
    std::size_t last = 0;
    std::size_t of(const Side& side, int material) {
        const std::pair kind{side, material};
        if (last < known.size() && known[last] == kind) return last;
        last = static_cast<std::size_t>(std::ranges::find(known, kind) - known.begin());
        if (last == known.size()) known.push_back(kind);
        return last;
    }
};

template <class Real>
PairConstantsOf<Real> inPrecision(const PairConstants& c) {
    return {static_cast<Real>(c.stiffness), static_cast<Real>(c.damping), static_cast<Real>(c.shear), static_cast<Real>(c.shearDamping),
            static_cast<Real>(c.friction), static_cast<Real>(c.rolling), static_cast<Real>(c.radius), static_cast<Real>(c.perMass)};
}
template <class Real>
HoldConstantsOf<Real> inPrecision(const HoldConstants& c) {
    return {static_cast<Real>(c.pull), static_cast<Real>(c.perGap), static_cast<Real>(c.rupture), static_cast<Real>(c.twisting)};
}

}  // namespace

template <class Real>
void DemMethod::setPairConstants(const Exec& exec, PairForces<Real>& forces) {
    using By = typename ConstantsTable<Real>::By;
    const auto material = [&](std::uint32_t sphere) { return int{at(grains_.material, spheres_.grainOf(sphere))}; };
    Kinds kinds;
    ConstantsTable<Real>& table = forces.constants;
    table.kind.resize(spheres_.size());
    for (std::size_t i = 0; i < grains_.rows() && kinds.known.size() <= kMostKinds; ++i) {
        const std::uint32_t first = spheres_.firstOf(i), count = spheres_.firstOf(i + 1) - first;
        const auto likeLast = [&](const auto& column) { return at(column, i) == at(column, i - 1); };
        const bool like = i > 0 && likeLast(grains_.shape) && likeLast(grains_.material) && likeLast(grains_.diameter);
        for (std::uint32_t s = first; s < first + count; ++s) table.kind[s] = like ? table.kind[s - count] : static_cast<std::uint8_t>(kinds.of(sideOf(s), material(s)));
    }
    const bool holds = laws_.manner().holds();
    table.sets.clear();
    table.holds.clear();
    table.kinds = static_cast<std::int32_t>(kinds.known.size());
    table.by = kinds.known.size() == 1 ? By::all : kinds.known.size() <= kMostKinds ? By::kinds : By::pair;
    if (table.by != By::kinds) std::exchange(table.kind, {});
    if (table.by == By::pair) {
        table.sets.resize(pairs_.size());
        if (holds) table.holds.resize(pairs_.size());
        std::vector<Side> sides(pairs_.first.size() - 1);   // of listed spheres: others may have come since
        exec.forBlocks(sides.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            for (std::size_t s = begin; s < end; ++s) sides[s] = sideOf(static_cast<std::uint32_t>(s));
        });
        exec.forBlocks(sides.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            for (auto a = static_cast<std::uint32_t>(begin); a < end; ++a)
                for (std::size_t p = pairs_.first[a]; p < pairs_.first[a + 1]; ++p) {
                    const std::uint32_t b = pairs_.sphere(p);
                    table.sets[p] = inPrecision<Real>(laws_.grainPair(material(a), sides[a], material(b), sides[b]));
                    if (holds) table.holds[p] = inPrecision<Real>(laws_.grainHold(material(a), sides[a].radius, material(b), sides[b].radius));
                }
        });
        return;
    }
    for (const auto& [a, materialA] : kinds.known)
        for (const auto& [b, materialB] : kinds.known) {
            table.sets.push_back(inPrecision<Real>(laws_.grainPair(materialA, a, materialB, b)));
            if (holds) table.holds.push_back(inPrecision<Real>(laws_.grainHold(materialA, a.radius, materialB, b.radius)));
        }
}

/// One set for contacts of one kind, as long as there are few of them.
void DemMethod::setBodyConstants() {
    struct Kind {
        Side side;
        int grain, body;
        double covering;   // radius of a sphere that covers the body; 0: the surface itself
        bool operator==(const Kind&) const = default;
    };
    std::vector<Kind> known;
    const bool holds = laws_.manner().holds();
    bodies_.kind.resize(bodies_.size());
    bodies_.constants.clear();
    bodies_.holds.clear();
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const Kind kind{sideOf(bodies_.sphere[c]), grains_.material(spheres_.grainOf(bodies_.sphere[c])), bodyMaterial_[covers_.bodyOf(bodies_.body[c])], covers_.radiusOf(bodies_.body[c])};
        if (known.size() <= kMostKinds)
            if (const auto found = std::ranges::find(known, kind); found != known.end()) {
                bodies_.kind[c] = static_cast<std::uint32_t>(found - known.begin());
                continue;
            }
        known.push_back(kind);
        bodies_.kind[c] = static_cast<std::uint32_t>(bodies_.constants.size());
        bodies_.constants.push_back(laws_.bodyPair(kind.grain, kind.side, kind.body, kind.covering));
        if (holds) bodies_.holds.push_back(laws_.bodyHold(kind.grain, kind.side.radius, kind.body, kind.covering));
    }
}

void DemMethod::setConstants(const Exec& exec) {
    std::visit([&](auto& forces) { setPairConstants(exec, forces); }, forces_);
    setBodyConstants();
}

}  // namespace talus::dem
