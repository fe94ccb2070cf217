// SPDX-License-Identifier: Apache-2.0
// What pairs that touch remember: the springs of friction, and where something resists turning, of rolling and twisting.
#pragma once

#include "core/table.h"
#include "dem/contacts.h"
#include "dem/response.h"

#include <cstddef>
#include <span>
#include <vector>

namespace talus::dem {

/// What there is to remember.
struct MemoryKinds {
    bool spring = false, turning = false, twisting = false;
    bool everyPair = false;        // has a place, whether it acts or not
    /// Of those of a MemoryOf, in its order, the first that mean something.
    std::size_t numbers() const { return !spring ? 0 : twisting ? 7 : turning ? 6 : 3; }
    friend bool operator==(const MemoryKinds&, const MemoryKinds&) = default;
};

/// Of each slab the memories of those pairs that acted at the end of the last step, in the order of the list: pairs that are near but do not act take no room, and
/// memories are read and written one after the other. The n-th pair of a slab that acts has its memory at place n. The adaptive integrator, whose stages set contacts back,
/// has a place for every pair of the list.
template <class Real>
class PairMemory {
public:
    class OfSlab;

    /// Of these pairs, nothing remembered yet.
    void reset(const PairContacts&, const MemoryKinds&);
    const MemoryKinds& kinds() const { return kinds_; }
    OfSlab& of(std::size_t slab) { return slabs_[slab]; }
    const OfSlab& of(std::size_t slab) const { return slabs_[slab]; }
    void clear() { slabs_.clear(); }
    // Of any pair, where every pair has a place.
    MemoryOf<Vec3> get(const PairContacts&, std::size_t pair) const;
    void put(const PairContacts&, std::size_t pair, const MemoryOf<Vec3>&);

private:
    MemoryKinds kinds_;
    std::vector<OfSlab> slabs_;
};

template <class Real>
class PairMemory<Real>::OfSlab {
public:
    void reset(std::size_t places, const MemoryKinds&);
    std::size_t size() const { return places_; }
    bool everyPair() const { return everyPair_; }

    MemoryOf<Vec3> get(std::size_t place) const;
    void put(std::size_t place, const MemoryOf<Vec3>&);
    // Numbers of a place; what lies behind the last may be read, not written.
    const Real* spring(std::size_t place) const { return springs_.data() + kSpring * place; }
    Real* spring(std::size_t place) { return springs_.data() + kSpring * place; }
    const Real* turn(std::size_t place) const { return turns_.data() + turnNumbers_ * place; }
    Real* turn(std::size_t place) { return turns_.data() + turnNumbers_ * place; }
    bool twists() const { return turnNumbers_ == kTwist; }

    /// A place for a pair that begins to act in this step, behind those of all that acted before.
    std::size_t begin(std::size_t pair);
    /// The pair at this place has parted.
    void end(std::size_t place) { parted_.push_back(place); }
    /// At the end of a step: memories in the order of the list again. `firstPair`: of the slab.
    void settle(const PairContacts&, std::size_t firstPair);
    /// Takes out these places, ascending.
    void drop(std::span<const std::size_t> places);

    static constexpr std::size_t kSpring = 3, kTurn = 3, kTwist = 4;

private:
    void makeRoom(std::size_t places);
    void insertBegun(const PairContacts&, std::size_t firstPair);

    AlignedVector<Real> springs_, turns_;        // and one more number, which the last load of four reads
    std::size_t places_ = 0, turnNumbers_ = 0;   // turnNumbers_: 0: nothing resists turning
    bool springy_ = false, everyPair_ = false;
    std::vector<std::size_t> begun_, parted_;    // in this step: pairs, places
};

}  // namespace talus::dem
