// SPDX-License-Identifier: Apache-2.0
#include "dem/pair_memory.h"

#include <algorithm>
#include <utility>

namespace talus::dem {
namespace {

constexpr std::size_t kFewChanges = 64;   // of a slab in a step

/// Takes places out of numbers that lie `width` to a place.
template <class Real>
void takeOut(AlignedVector<Real>& numbers, std::size_t width, std::size_t places, std::span<const std::size_t> gone) {
    const auto at = [&](std::size_t place) { return numbers.begin() + static_cast<std::ptrdiff_t>(width * place); };
    auto to = at(gone.front());
    for (std::size_t k = 0; k < gone.size(); ++k) to = std::copy(at(gone[k] + 1), at(k + 1 < gone.size() ? gone[k + 1] : places), to);
}

/// Puts values in so that they are at these places afterwards, from the last to the first.
template <class Real>
void putIn(AlignedVector<Real>& numbers, std::size_t width, std::size_t places, std::span<const std::size_t> wanted, std::span<const Real> values) {
    const auto at = [&](std::size_t place) { return numbers.begin() + static_cast<std::ptrdiff_t>(width * place); };
    std::size_t end = places;
    for (std::size_t k = wanted.size(); k-- > 0;) {
        const std::size_t after = wanted[k] - k;   // the first of those that come behind it
        std::copy_backward(at(after), at(end), at(end + k + 1));
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(width * k), width, at(wanted[k]));
        end = after;
    }
}

}  // namespace

template <class Real>
void PairMemory<Real>::reset(const PairContacts& pairs, const MemoryKinds& kinds) {
    kinds_ = kinds;
    slabs_.resize(kinds.spring ? pairs.slabs.size() : 0);
    for (std::size_t slab = 0; slab < slabs_.size(); ++slab) {
        const std::size_t first = pairs.firstPair(slab), last = pairs.firstPair(slab + 1);
        slabs_[slab].reset(kinds.everyPair ? last - first : pairs.acting(first, last), kinds);
    }
}

template <class Real>
MemoryOf<Vec3> PairMemory<Real>::get(const PairContacts& pairs, std::size_t pair) const {
    const std::size_t slab = pairs.slabOf(pair);
    return slabs_[slab].get(pair - pairs.firstPair(slab));
}

template <class Real>
void PairMemory<Real>::put(const PairContacts& pairs, std::size_t pair, const MemoryOf<Vec3>& memory) {
    const std::size_t slab = pairs.slabOf(pair);
    slabs_[slab].put(pair - pairs.firstPair(slab), memory);
}

template <class Real>
void PairMemory<Real>::OfSlab::reset(std::size_t places, const MemoryKinds& kinds) {
    springy_ = kinds.spring;
    everyPair_ = kinds.everyPair;
    turnNumbers_ = kinds.twisting ? kTwist : kinds.turning ? kTurn : 0;
    places_ = places;
    std::exchange(springs_, {});
    std::exchange(turns_, {});
    makeRoom(places);
}

template <class Real>
void PairMemory<Real>::OfSlab::makeRoom(std::size_t places) {
    const auto fit = [&](AlignedVector<Real>& numbers, std::size_t width) {
        if (width == 0) return;
        if (numbers.capacity() < width * places + 1) numbers.reserve(width * (places + places / 32 + 4) + 1);   // a few pairs more may touch soon
        numbers.resize(width * places + 1, Real(0));
    };
    fit(springs_, springy_ ? kSpring : 0);
    fit(turns_, turnNumbers_);
}

template <class Real>
MemoryOf<Vec3> PairMemory<Real>::OfSlab::get(std::size_t place) const {
    MemoryOf<Vec3> memory;
    const Real* s = spring(place);
    memory.spring = {s[0], s[1], s[2]};
    if (turnNumbers_ == 0) return memory;
    const Real* t = turn(place);
    memory.turn = {t[0], t[1], t[2]};
    if (twists()) memory.twist = t[3];
    return memory;
}

template <class Real>
void PairMemory<Real>::OfSlab::put(std::size_t place, const MemoryOf<Vec3>& memory) {
    const auto keep = [](Real* to, const Vec3& v) {
        for (int axis = 0; axis < 3; ++axis) to[axis] = static_cast<Real>(v[axis]);
    };
    keep(spring(place), memory.spring);
    if (turnNumbers_ == 0) return;
    keep(turn(place), memory.turn);
    if (twists()) turn(place)[3] = static_cast<Real>(memory.twist);
}

template <class Real>
std::size_t PairMemory<Real>::OfSlab::begin(std::size_t pair) {
    begun_.push_back(pair);
    const std::size_t place = places_ + begun_.size() - 1;
    makeRoom(place + 1);
    put(place, {});
    return place;
}

template <class Real>
void PairMemory<Real>::OfSlab::settle(const PairContacts& pairs, std::size_t firstPair) {
    if (begun_.empty() && parted_.empty()) return;
    std::ranges::sort(parted_);
    // What begins in a step is known to act in it; were it not so, its place would be behind the others and vanish with it.
    while (!parted_.empty() && parted_.back() >= places_) parted_.pop_back();
    insertBegun(pairs, firstPair);
    for (std::vector<std::size_t>* changes : {&begun_, &parted_}) {
        if (changes->capacity() > kFewChanges) std::exchange(*changes, {});   // where grains have just come all begin at once
        changes->clear();
    }
}

template <class Real>
void PairMemory<Real>::OfSlab::drop(std::span<const std::size_t> places) {
    if (places.empty()) return;
    takeOut(springs_, kSpring, places_, places);
    if (turnNumbers_ > 0) takeOut(turns_, turnNumbers_, places_, places);
    places_ -= places.size();
}

/// Drops those that have parted, and puts those that begin where the pairs before them in the list, by the state that they have now, leave them.
template <class Real>
void PairMemory<Real>::OfSlab::insertBegun(const PairContacts& pairs, std::size_t firstPair) {
    std::vector<std::size_t> wanted;
    std::vector<Real> springs, turns;
    std::size_t counted = firstPair, before = 0;
    for (std::size_t k = 0; k < begun_.size(); ++k) {
        if (!pairs.acts(begun_[k])) continue;
        before += pairs.acting(counted, begun_[k]);
        counted = begun_[k];
        wanted.push_back(before);
        springs.insert(springs.end(), spring(places_ + k), spring(places_ + k) + kSpring);
        if (turnNumbers_ > 0) turns.insert(turns.end(), turn(places_ + k), turn(places_ + k) + turnNumbers_);
    }
    drop(parted_);
    putIn<Real>(springs_, kSpring, places_, wanted, springs);
    if (turnNumbers_ > 0) putIn<Real>(turns_, turnNumbers_, places_, wanted, turns);
    places_ += wanted.size();
    makeRoom(places_);
}

template class PairMemory<float>;
template class PairMemory<double>;

}  // namespace talus::dem
