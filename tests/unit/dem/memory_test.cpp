// SPDX-License-Identifier: Apache-2.0
// Memories of pairs that come and go, and columns whose rows share a value, against the plain way to keep them.
#include "core/rng.h"
#include "dem/grains.h"
#include "dem/pair_memory.h"

#include <gtest/gtest.h>

#include <map>

namespace talus::dem {
namespace {

constexpr std::uint32_t kSpheres = 40, kPairsOfEach = 5;

/// Two slabs of spheres with as many pairs each; none of them acts.
PairContacts listOfPairs() {
    PairContacts pairs;
    pairs.first.clear();
    for (std::uint32_t s = 0; s <= kSpheres; ++s) pairs.first.push_back(kPairsOfEach * s);
    pairs.second.assign(kPairsOfEach * kSpheres, 7);
    pairs.slabs.firstGrain = {0, 15, kSpheres};
    pairs.firstSphere = {0, 15, kSpheres};
    return pairs;
}
MemoryOf<Vec3> memoryOf(double number) { return {{number, number + 0.25, number + 0.5}, {-number, 1, 2 * number}, 3 * number}; }

/// What PairForces does in a step: pairs that acted come in the order of the list, and new ones take places behind them.
void step(PairContacts& pairs, PairMemory<double>& memories, std::map<std::size_t, double>& expected, Rng& rng) {
    for (std::size_t slab = 0; slab < pairs.slabs.size(); ++slab) {
        auto& kept = memories.of(slab);
        const std::size_t first = pairs.firstPair(slab), last = pairs.firstPair(slab + 1);
        std::vector<std::pair<std::size_t, std::size_t>> parted, begun;   // pairs and places
        std::size_t place = 0;
        for (std::size_t p = first; p < last; ++p) {
            const bool acted = pairs.acts(p);
            const std::size_t at = acted ? place++ : 0;
            if (rng.uniform() > 0.2) continue;
            if (acted) parted.emplace_back(p, at);
            else begun.emplace_back(p, kept.begin(p));
        }
        for (const auto& [p, at] : begun) {
            expected[p] = rng.uniform();
            kept.put(at, memoryOf(expected[p]));
            pairs.set(p, PairState::touching);
        }
        for (const auto& [p, at] : parted) {
            expected.erase(p);
            kept.end(at);
            pairs.set(p, PairState::apart);
        }
        kept.settle(pairs, first);
    }
}

TEST(PairMemory, followsThePairsThatTouch) {
    PairContacts pairs = listOfPairs();
    PairMemory<double> memories;
    memories.reset(pairs, {.spring = true, .turning = true, .twisting = true});
    std::map<std::size_t, double> expected;
    Rng rng(3, 0, 0);
    for (int i = 0; i < 200; ++i) {
        step(pairs, memories, expected, rng);
        std::size_t found = 0;
        for (std::size_t slab = 0; slab < 2; ++slab)
            for (std::size_t p = pairs.firstPair(slab), place = 0; p < pairs.firstPair(slab + 1); ++p) {
                if (!pairs.acts(p)) continue;
                const MemoryOf<Vec3> memory = memories.of(slab).get(place++), wanted = memoryOf(expected.at(p));
                ASSERT_EQ(memory.spring, wanted.spring);
                ASSERT_EQ(memory.turn, wanted.turn);
                ASSERT_EQ(memory.twist, wanted.twist);
                ++found;
            }
        ASSERT_EQ(found, expected.size());
        ASSERT_EQ(memories.of(0).size() + memories.of(1).size(), expected.size());
    }
}

TEST(PairMemory, hasAPlaceForEveryPairWhereThatIsAskedFor) {
    const PairContacts pairs = listOfPairs();
    PairMemory<float> memories;
    memories.reset(pairs, {.spring = true, .everyPair = true});
    for (std::size_t p = 0; p < pairs.size(); ++p) memories.put(pairs, p, {{static_cast<double>(p), 0, 1}, {}, 0});
    for (std::size_t p = 0; p < pairs.size(); ++p) EXPECT_EQ(memories.get(pairs, p).spring, (Vec3{static_cast<double>(p), 0, 1}));
}

TEST(SharedColumn, givesRowsTheirOwnValueWhenOneDiffers) {
    const Exec exec(1);
    Grains grains(false);
    grains.resize(3);
    for (std::size_t i = 0; i < 3; ++i) grains.diameter.set(i, 0.5);
    EXPECT_TRUE(grains.diameter.shared());
    grains.resize(5);
    grains.diameter.set(3, 0.5);
    grains.diameter.set(4, 0.75);
    EXPECT_FALSE(grains.diameter.shared());
    grains.reorder(exec, std::array<std::uint32_t, 4>{4, 0, 3, 1});
    EXPECT_EQ(grains.diameter(0), 0.75);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(grains.diameter(i), 0.5);

    MemoryArchive archive;
    grains.save(archive);
    Grains loaded(false);
    loaded.load(archive);
    EXPECT_FALSE(loaded.diameter.shared());
    EXPECT_EQ(loaded.diameter(0), 0.75);
    grains.reorder(exec, std::array<std::uint32_t, 2>{1, 2});
    MemoryArchive alike;
    grains.save(alike);
    loaded.load(alike);
    EXPECT_TRUE(loaded.diameter.shared());
    EXPECT_EQ(loaded.diameter(1), 0.5);
}

TEST(SharedColumn, forgetsTheValueOfRowsThatAreGone) {
    Grains grains(false);
    grains.resize(1);
    grains.material.set(0, 3);
    grains.resize(0);
    grains.resize(2);
    grains.material.set(0, 1);
    grains.material.set(1, 1);
    EXPECT_TRUE(grains.material.shared());
    EXPECT_EQ(grains.material(0), 1);
}

}  // namespace
}  // namespace talus::dem
