// SPDX-License-Identifier: Apache-2.0
#include "core/table.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace talus {
namespace {

struct Points : Table {
    explicit Points(int width) : Table(width) {}
    Column<std::int64_t> id{*this, "id", -1};
    Column<float, 3> position{*this, "position"};
    Column<double, 2> pair{*this, "pair", 0.5};
};

void fill(Points& points, std::size_t rows) {
    points.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        points.id(i) = static_cast<std::int64_t>(1000 + i);
        for (int c = 0; c < 3; ++c) points.position(i, c) = static_cast<float>(i) + 0.25f * static_cast<float>(c);
        for (int c = 0; c < 2; ++c) points.pair(i, c) = -static_cast<double>(i) - 0.25 * c;
    }
}

TEST(Table, resizeRoundsUpToGroupsAndPads) {
    Points points(8);
    EXPECT_EQ(points.rows(), 0u);
    fill(points, 13);
    EXPECT_EQ(points.rows(), 16u);
    EXPECT_EQ(points.groups(), 2u);
    EXPECT_EQ(points.id(12), 1012);
    for (std::size_t i = 13; i < 16; ++i) {
        EXPECT_EQ(points.id(i), -1);
        EXPECT_EQ(points.position(i, 2), 0.0f);
        EXPECT_EQ(points.pair(i, 1), 0.5);
    }
    points.resize(20);
    EXPECT_EQ(points.id(12), 1012);
    EXPECT_EQ(points.id(23), -1);
    EXPECT_EQ(points.bytesPerRow(), 8u + 12u + 16u);
}

TEST(Table, aGroupHoldsEachComponentInOneRun) {
    Points wide(8), narrow(1);
    fill(wide, 24);
    fill(narrow, 24);
    for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(wide.position.group(i / 8)[8 * c + i % 8], wide.position(i, static_cast<int>(c)));
            EXPECT_EQ(narrow.position.group(i)[c], narrow.position(i, static_cast<int>(c)));
        }
    for (std::size_t g = 0; g < wide.groups(); ++g) {   // fit for aligned loads of eight
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.position.group(g)) % (8 * sizeof(float)), 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.pair.group(g)) % (8 * sizeof(double)), 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.id.group(g)) % (8 * sizeof(std::int64_t)), 0u);
    }
}

TEST(Table, closesUpOverRowsThatAreGone) {
    Points points(8);
    fill(points, 24);
    const std::vector<std::size_t> gone{9, 10, 15, 19};
    points.closeUp(8, 20, gone);
    const std::array<std::int64_t, 8> left{8, 11, 12, 13, 14, 16, 17, 18};
    for (std::size_t i = 0; i < left.size(); ++i) {
        EXPECT_EQ(points.id(8 + i), 1000 + left[i]);
        EXPECT_EQ(points.position(8 + i, 2), static_cast<float>(left[i]) + 0.5f);
    }
    for (std::size_t i = 16; i < 20; ++i) EXPECT_EQ(points.id(i), -1);
    for (const std::size_t i : {std::size_t{7}, std::size_t{20}}) EXPECT_EQ(points.id(i), static_cast<std::int64_t>(1000 + i)) << "outside";
}

struct PlainPoint {
    std::int64_t id = -1;
    std::array<float, 3> position{};
    std::array<double, 2> pair{0.5, 0.5};
    friend bool operator==(const PlainPoint&, const PlainPoint&) = default;
};
std::vector<PlainPoint> plain(const Points& points) {
    std::vector<PlainPoint> rows(points.rows());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = {points.id(i), {points.position(i, 0), points.position(i, 1), points.position(i, 2)},
                   {points.pair(i, 0), points.pair(i, 1)}};
    return rows;
}

TEST(Table, removeAgreesWithAListOfStructs) {
    for (const int width : {1, 8})
        for (const int threads : {1, 3}) {
            Points points(width);
            fill(points, 4000);
            std::vector<PlainPoint> expected = plain(points);
            std::vector<std::size_t> gone{17, 18};
            for (std::size_t row = 40; row < 3990; row += 1 + row * 7919 % 13) gone.push_back(row);
            gone.insert(gone.end(), {3998, 3999});
            for (std::size_t i = gone.size(); i-- > 0;) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(gone[i]));
            points.remove(Exec(threads), gone);
            expected.resize(points.rows());   // whole groups
            EXPECT_TRUE(plain(points) == expected) << "width " << width << ", " << threads << " threads";
            points.remove(Exec(threads), {});
            EXPECT_TRUE(plain(points) == expected);
        }
}

TEST(Table, reorderAgreesWithAListOfStructs) {
    for (const int width : {1, 8})
        for (const int threads : {1, 3}) {
            const Exec exec(threads);
            Points points(width);
            fill(points, 40000);
            std::vector<std::uint32_t> from(24000);   // drops some rows, repeats some, pads some
            Rng rng(3, 0, 0);
            for (std::uint32_t& f : from) f = rng.uniform() < 0.1 ? Table::kPadding : rng.bits() % 40000;
            const std::vector<PlainPoint> before = plain(points);
            std::vector<PlainPoint> expected;
            for (const std::uint32_t f : from) expected.push_back(f == Table::kPadding ? PlainPoint{} : before[f]);
            points.reorder(exec, from);
            EXPECT_EQ(points.rows(), from.size());
            EXPECT_TRUE(plain(points) == expected);
        }
    Points points(8);
    fill(points, 16);
    EXPECT_THROW(points.reorder(Exec(1), std::vector<std::uint32_t>(5, 0)), std::logic_error);
}

TEST(Table, savesAndLoads) {
    Points points(8), loaded(8);
    fill(points, 21);
    MemoryArchive archive;
    {
        const auto group = archive.group("points");
        points.save(archive);
        loaded.load(archive);
    }
    EXPECT_TRUE(archive.contains("points/position"));
    EXPECT_EQ(loaded.rows(), 24u);
    EXPECT_TRUE(plain(loaded) == plain(points));

    MemoryArchive again;
    const auto group = again.group("points");
    loaded.save(again);
    EXPECT_TRUE(again.entries() == archive.entries());
}

TEST(Table, refusesAnUnfitArchive) {
    Points points(8);
    fill(points, 16);
    MemoryArchive shortColumn, missingColumn, otherType, brokenGroup;
    for (MemoryArchive* archive : {&shortColumn, &otherType, &brokenGroup}) points.save(*archive);
    shortColumn.put("position", std::vector<float>(47));
    missingColumn.put("rows", std::uint64_t{16});
    otherType.put("position", std::vector<double>(48));
    brokenGroup.put("rows", std::uint64_t{5});
    brokenGroup.put("id", std::vector<std::int64_t>(5));
    brokenGroup.put("position", std::vector<float>(15));
    brokenGroup.put("pair", std::vector<double>(10));
    for (const MemoryArchive* archive : {&shortColumn, &missingColumn, &otherType, &brokenGroup})
        EXPECT_THROW(Points(8).load(*archive), ArchiveError);
    EXPECT_NO_THROW(Points(1).load(brokenGroup));
}

}  // namespace
}  // namespace talus
