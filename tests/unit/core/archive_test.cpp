// SPDX-License-Identifier: Apache-2.0
#include "core/archive.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace talus {
namespace {

template <class T>
class ArchiveTest : public ::testing::Test {};
using Elements = ::testing::Types<std::int8_t, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ArchiveTest, Elements);

TYPED_TEST(ArchiveTest, givesBackWhatWasPut) {
    using T = TypeParam;
    EXPECT_EQ(elementSize(elementType<T>()), sizeof(T));
    const std::vector<T> values{T(0), T(7), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
    MemoryArchive archive;
    archive.put("values", values);
    archive.put("none", std::vector<T>{});
    archive.put("one", T(42));
    EXPECT_EQ(archive.template get<T>("values"), values);
    EXPECT_TRUE(archive.template get<T>("none").empty());
    EXPECT_EQ(archive.template value<T>("one"), T(42));
    EXPECT_THROW(archive.template value<T>("values"), ArchiveError);
    EXPECT_THROW(archive.template value<T>("none"), ArchiveError);
}

TEST(Archive, keepsText) {
    MemoryArchive archive;
    archive.put("name", "sand, 30°");
    archive.put("empty", "");
    EXPECT_EQ(archive.text("name"), "sand, 30°");
    EXPECT_EQ(archive.text("empty"), "");
}

TEST(Archive, groupsNestAndEnd) {
    MemoryArchive archive;
    archive.put("a", 1);
    {
        const auto outer = archive.group("outer");
        archive.put("a", 2);
        {
            const auto inner = archive.group("inner");
            archive.put("a", 3);
            EXPECT_EQ(archive.value<int>("a"), 3);
        }
        EXPECT_EQ(archive.value<int>("a"), 2);
        EXPECT_TRUE(archive.contains("a"));
        EXPECT_FALSE(archive.contains("outer/a"));
    }
    EXPECT_EQ(archive.value<int>("a"), 1);
    EXPECT_EQ(archive.value<int>("outer/inner/a"), 3);
    EXPECT_EQ(archive.entries().size(), 3u);
}

std::string complaint(const MemoryArchive& archive, std::string_view name) {
    try {
        archive.get<float>(name);
    } catch (const ArchiveError& error) {
        return error.what();
    }
    return {};
}

TEST(Archive, saysWhatIsMissingOrOfAnotherType) {
    MemoryArchive archive;
    const auto group = archive.group("points");
    archive.put("mass", 1.0);
    EXPECT_EQ(complaint(archive, "volume"), "'points/volume' is missing");
    EXPECT_EQ(complaint(archive, "mass"), "'points/mass' has another type than expected");
    EXPECT_FALSE(archive.contains("volume"));
}

TEST(Archive, aSecondPutReplacesTheFirst) {
    MemoryArchive archive;
    archive.put("a", std::vector<int>{1, 2, 3});
    archive.put("a", 4.5f);
    EXPECT_EQ(archive.value<float>("a"), 4.5f);
    EXPECT_EQ(archive.entries().size(), 1u);
}

}  // namespace
}  // namespace talus
