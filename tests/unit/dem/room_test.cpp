// SPDX-License-Identifier: Apache-2.0
// Room for spheres against all that are there.
#include "core/rng.h"
#include "dem/room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace talus::dem {
namespace {

// Periods of 2, 3 and a bit, 5 and three quarters largest grains, and one less than two.
TEST(Room, isWhereNoSphereIsAcrossPeriodicFacesToo) {
    constexpr double kRadius = 0.005;
    for (const double period : {0.018, 0.02, 0.031, 0.0575, 0.055, 0.0525}) {
        world::Domain domain{{0.3, -0.1, 0}, Vec3{0.3, -0.1, 0} + Vec3{0.05, period, 0.04}, {}};
        domain.faces[2] = domain.faces[3] = world::FaceType::periodic;
        Room room(domain, {}, kRadius);
        std::vector<std::pair<Vec3, double>> all;
        std::int64_t across = 0;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            Rng rng(7, 0, i);
            const Vec3 x = domain.min + componentProduct(domain.size(), {rng.uniform(), rng.uniform(), rng.uniform()});
            const double radius = kRadius * rng.uniform(0.6, 1);
            const auto overlaps = [&](const auto& other) { return norm(domain.nearestImage(x - other.first)) < radius + other.second; };
            across += std::ranges::any_of(all, [&](const auto& other) { return overlaps(other) && norm(x - other.first) > 2 * kRadius; });
            const bool free = std::ranges::none_of(all, overlaps);
            ASSERT_EQ(room.has(x, radius), free) << "period " << period << ", sphere " << i;
            if (!free) continue;
            room.add(x, radius);
            all.emplace_back(x, radius);
        }
        EXPECT_GT(across, 20) << period;
    }
}

}  // namespace
}  // namespace talus::dem
