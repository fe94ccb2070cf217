// SPDX-License-Identifier: Apache-2.0
// The coefficients of all listed contacts: one set for all pairs, one for two kinds of spheres, or one for each pair.
#include "dem/dem_method.h"

#include <algorithm>
#include <utility>

namespace talus::dem {

/// A contact acts through the centre of a sphere: 1/m + (arm × n)·I⁻¹(arm × n), with the longest arm.
Side DemMethod::sideOf(std::uint32_t s) const {
    const std::uint32_t i = spheres_.grain[s];
    const ClumpTemplate& shape = shapeOf(i);
    const double mass = at(grains_.mass, i);
    return {.radius = radiusOf(s), .mass = mass, .perMass = (1 + shape.sphereReach * shape.sphereReach / shape.smallestInertia()) / mass};
}

namespace {

constexpr std::size_t kMostKinds = 32;

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
void DemMethod::setPairConstants(PairForces<Real>& forces) {
    using By = typename ConstantsTable<Real>::By;
    const auto material = [&](std::uint32_t sphere) { return at(grains_.material, spheres_.grain[sphere]); };
    Kinds kinds;
    ConstantsTable<Real>& table = forces.constants;
    table.kind.resize(spheres_.size());
    for (std::size_t i = 0; i < grains_.rows() && kinds.known.size() <= kMostKinds; ++i) {
        const std::uint32_t first = spheres_.first[i], count = spheres_.first[i + 1] - first;
        const auto likeLast = [&](const auto& column) { return at(column, i) == at(column, i - 1); };
        const bool like = i > 0 && likeLast(grains_.shape) && likeLast(grains_.material) && likeLast(grains_.diameter) && likeLast(grains_.mass);
        for (std::uint32_t s = first; s < first + count; ++s) table.kind[s] = like ? table.kind[s - count] : static_cast<std::uint8_t>(kinds.of(sideOf(s), material(s)));
    }
    const bool holds = laws_.manner().holds();
    table.sets.clear();
    table.holds.clear();
    table.kinds = static_cast<std::int32_t>(kinds.known.size());
    table.by = kinds.known.size() == 1 ? By::all : kinds.known.size() <= kMostKinds ? By::kinds : By::pair;
    if (table.by != By::kinds) table.kind.clear();
    if (table.by == By::pair) {
        table.sets.resize(pairs_.list.size());
        if (holds) table.holds.resize(pairs_.list.size());
        for (std::size_t p = 0; p < pairs_.list.size(); ++p) {
            const std::uint32_t a = pairs_.list.a[p], b = pairs_.list.b[p];
            table.sets[p] = inPrecision<Real>(laws_.grainPair(material(a), sideOf(a), material(b), sideOf(b)));
            if (holds) table.holds[p] = inPrecision<Real>(laws_.grainHold(material(a), radiusOf(a), material(b), radiusOf(b)));
        }
        return;
    }
    for (const auto& [a, materialA] : kinds.known)
        for (const auto& [b, materialB] : kinds.known) {
            table.sets.push_back(inPrecision<Real>(laws_.grainPair(materialA, a, materialB, b)));
            if (holds) table.holds.push_back(inPrecision<Real>(laws_.grainHold(materialA, a.radius, materialB, b.radius)));
        }
}

void DemMethod::setConstants() {
    std::visit([&](auto& forces) { setPairConstants(forces); }, forces_);
    bodies_.constants.resize(bodies_.size());
    const bool holds = laws_.manner().holds();
    bodies_.holds.resize(holds ? bodies_.size() : 0);
    for (std::size_t c = 0; c < bodies_.size(); ++c) {
        const int grain = grains_.material(spheres_.grain[bodies_.sphere[c]]), body = bodyMaterial_[covers_.bodyOf(bodies_.body[c])];
        const double covering = covers_.radiusOf(bodies_.body[c]);   // 0: the surface itself
        bodies_.constants[c] = laws_.bodyPair(grain, sideOf(bodies_.sphere[c]), body, covering);
        if (holds) bodies_.holds[c] = laws_.bodyHold(grain, radiusOf(bodies_.sphere[c]), body, covering);
    }
}

}  // namespace talus::dem
