// SPDX-License-Identifier: Apache-2.0
// When and from where grains came, and columns that only clumps have.
#include "dem/births.h"
#include "dem/grains.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace talus::dem {
namespace {

Births threeBirths() {
    Births births;
    births.add({5, 0.5, 1});
    births.add({8, 0.75, 0});
    births.add({9, 1.5, 2});
    return births;
}

TEST(Births, followFromIds) {
    Births births = threeBirths();
    for (const std::int64_t id : {5, 6, 7}) EXPECT_EQ(births.of(id).time, 0.5);
    EXPECT_EQ(births.of(8).source, 0);
    EXPECT_EQ(births.of(9).source, 2);
    EXPECT_EQ(births.of(1000000).time, 1.5);
    births.setClockBack(0.5);
    EXPECT_EQ(births.of(8).time, 0.25);
}

TEST(Births, ofGrainsThatAreGoneAreForgotten) {
    Births births = threeBirths();
    const std::array<std::int64_t, 3> left{12, 7, 9};
    births.keep(left);
    EXPECT_EQ(births.size(), 2u);
    EXPECT_EQ(births.of(7).source, 1);
    EXPECT_EQ(births.of(9).source, 2);
    EXPECT_EQ(births.of(12).time, 1.5);
}

TEST(Births, areSaved) {
    MemoryArchive archive;
    threeBirths().save(archive);
    Births back;
    const std::array<std::int64_t, 2> ids{9, 6};
    back.load(archive, ids);
    EXPECT_EQ(back.size(), 3u);
    EXPECT_EQ(back.of(6).time, 0.5);
    EXPECT_EQ(back.of(9).source, 2);
    const std::array<std::int64_t, 1> unknown{4};
    EXPECT_THROW(back.load(archive, unknown), ArchiveError);
}

TEST(Grains, ofSpheresHaveNoOrientation) {
    Grains spheres(false), clumps(true);
    EXPECT_EQ(clumps.bytesPerRow(), spheres.bytesPerRow() + 4 * sizeof(double));
    spheres.resize(3);
    MemoryArchive archive;
    spheres.save(archive);
    EXPECT_FALSE(archive.contains("orientation"));
    EXPECT_TRUE(archive.contains("diameter"));
    Grains back(false);
    back.load(archive);
    EXPECT_EQ(back.rows(), 3u);
}

TEST(Grains, areSortedTheSameWithLentMemory) {
    constexpr std::size_t kRows = 100;
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < kRows; i += 3) order.push_back(kRows - 1 - i);
    AlignedVector<std::byte> lent(kRows * sizeof(Vec3));
    for (const bool clumps : {false, true}) {
        Grains own(clumps), other(clumps);
        for (Grains* grains : {&own, &other}) {
            grains->resize(kRows);
            for (std::size_t i = 0; i < kRows; ++i) {
                const auto x = static_cast<double>(i);
                grains->id(i) = static_cast<std::int64_t>(i);
                set(grains->position, i, Vec3{x, x + 0.25, x + 0.5});
                grains->shape.set(i, static_cast<std::int8_t>(i));
                if (clumps) set(grains->orientation.values(), i, Quat{x, x, x, -x});
            }
        }
        own.reorder(Exec(2), order);
        other.reorderWith(Exec(2), order, lent);
        MemoryArchive first, second;
        own.save(first);
        other.save(second);
        EXPECT_EQ(first.entries(), second.entries());
        EXPECT_EQ(other.rows(), order.size());
        EXPECT_EQ(other.id(1), static_cast<std::int64_t>(kRows - 4));
    }
}

}  // namespace
}  // namespace talus::dem
