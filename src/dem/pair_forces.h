// SPDX-License-Identifier: Apache-2.0
// Forces of all pairs of grains: eight at a time, added to the spheres in an order that the list alone decides.
#pragma once

#include "core/exec.h"
#include "dem/contacts.h"
#include "dem/dem.h"
#include "dem/pair_laws.h"
#include "dem/pair_memory.h"
#include "dem/response.h"
#include "dem/sphere_records.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// What a pass over contacts finds.
struct Extremes {
    Stiffness stiffness;
    std::int64_t deep = 0;             // contacts deeper than half a radius
    std::int64_t deepSphere = -1;      // the first sphere of the first of them
    void include(const Extremes& other);
};
inline constexpr double kDeep = 0.5;   // overlap over radius that means that something is wrong

/// Coefficients of pairs: one set for all, one for two kinds of spheres, or where there are too many kinds one for each pair.
template <class Real>
struct ConstantsTable {
    enum class By { all, kinds, pair };
    By by = By::all;
    std::int32_t kinds = 1;
    AlignedVector<PairConstantsOf<Real>> sets;
    AlignedVector<HoldConstantsOf<Real>> holds;   // the same, where a Manner holds()

    std::vector<std::uint8_t> kind;               // of each sphere, where they decide

    std::size_t of(std::size_t pair, std::uint32_t a, std::uint32_t b) const {
        return by == By::all ? 0 : by == By::pair ? pair : static_cast<std::size_t>(kind[a]) * static_cast<std::size_t>(kinds) + kind[b];
    }
};

/// Positions, memories and coefficients in the precision of the run.
template <class Real>
class PairForces {
public:
    Lattice<Real> lattice;
    AlignedVector<SphereRecord<Real>> spheres;   // and one more, which the last load reads
    ConstantsTable<Real> constants;
    PairMemory<Real> memories;

    void makeRoom(std::size_t count) { spheres.resize(count + 1); }

    /// Adds to the wrenches of all spheres. A slab of grains meets only itself and the next slab, so that slabs of even number are worked on at
    /// the same time, then those of odd number. Along a periodic axis the first slab also meets the last: it goes first, alone.
    Extremes compute(const Exec&, const Settings&, const Manner&, double dt, PairContacts&, std::span<Wrench>);

private:
    using SlabMemory = typename PairMemory<Real>::OfSlab;
    struct Eight;
    struct Pending;
    struct Found;
    template <class NormalKind, class ShearKind>
    Extremes ofSlab(const Manner&, double dt, PairContacts&, std::span<Wrench>, std::size_t slab);
    template <class NormalKind, class ShearKind>
    void ofEight(const Manner&, double dt, PairContacts&, std::span<Wrench>, const Eight&, const PairConstantsOf<Wide<Real>>& common, SlabMemory*, Found&, Pending& before, Pending& now);
    unsigned touching(const Eight&) const;
    HoldConstantsOf<Wide<Real>> holdOf(const Eight&) const;
    PairConstantsOf<Wide<Real>> constantsOf(const Eight&) const;
    static MemoryOf<WideVec3<Real>> recall(const Manner&, const Eight&, const SlabMemory&);
    static void remember(const Manner&, const Eight&, const MemoryOf<WideVec3<Real>>&, SlabMemory&);

    std::vector<Extremes> found_;          // of each slab
};

}  // namespace talus::dem
