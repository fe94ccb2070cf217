// SPDX-License-Identifier: Apache-2.0
// The search against all pairs.
#include "core/rng.h"
#include "dem/neighbours.h"
#include "dem/packing.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <set>

namespace talus::dem {
namespace {

struct Cloud {
    world::Domain domain;
    Spheres spheres;
    std::vector<Vec3> centres;
    std::vector<double> reach;
};

/// Clumps of one to four spheres with sizes 1:10 in a box, some of them a little outside.
Cloud randomCloud(std::uint64_t seed, int grains, std::array<bool, 3> periodic) {
    Cloud cloud;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const std::size_t face : {2 * axis, 2 * axis + 1}) cloud.domain.faces[face] = periodic[axis] ? world::FaceType::periodic : world::FaceType::wall;
    cloud.spheres.first = {0};
    for (int i = 0; i < grains; ++i) {
        Rng rng(seed, 0, static_cast<std::uint64_t>(i));
        const double radius = 0.006 * std::pow(10.0, rng.uniform());
        const Vec3 x = cloud.domain.wrap({rng.uniform(-0.02, 1.02), rng.uniform(-0.02, 1.02), rng.uniform(-0.02, 1.02)});
        const int count = 1 + static_cast<int>(4 * rng.uniform());
        double reach = 0;
        for (int k = 0; k < count; ++k) {
            const Vec3 arm = radius * Vec3{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
            const double r = radius * rng.uniform(0.3, 1);
            cloud.spheres.grain.push_back(static_cast<std::uint32_t>(i));
            cloud.spheres.centre.push_back(x + arm);
            cloud.spheres.radius.push_back(r);
            reach = std::max(reach, norm(arm) + r);
        }
        cloud.spheres.first.push_back(static_cast<std::uint32_t>(cloud.spheres.grain.size()));
        cloud.centres.push_back(x);
        cloud.reach.push_back(reach);
    }
    return cloud;
}

TEST(Neighbours, areThoseOfAllPairs) {
    int round = 0;
    for (const std::array<bool, 3>& periodic : {std::array{false, false, false}, std::array{true, false, true}, std::array{true, true, true}})
        for (const double skin : {0.0, 0.02}) {
            const Cloud cloud = randomCloud(static_cast<std::uint64_t>(++round), 700, periodic);
            const PairList list = findPairs(Exec(3), cloud.domain, {cloud.centres, cloud.reach}, cloud.spheres, skin);
            const SecondsIndex seconds(list, cloud.spheres);
            std::set<std::pair<std::uint32_t, std::uint32_t>> expected, found;
            for (std::uint32_t a = 0; a < cloud.spheres.size(); ++a)
                for (std::uint32_t b = a + 1; b < cloud.spheres.size(); ++b)
                    if (cloud.spheres.grain[a] != cloud.spheres.grain[b] &&
                        norm(cloud.domain.nearestImage(cloud.spheres.centre[a] - cloud.spheres.centre[b])) < cloud.spheres.radius[a] + cloud.spheres.radius[b] + skin)
                        expected.insert({a, b});
            for (std::size_t p = 0; p < list.size(); ++p) {
                found.insert({list.first(p), list.b[p]});
                EXPECT_EQ(list.find(list.first(p), list.b[p]), p);
                if (p > 0) {
                    EXPECT_LT(std::pair(list.first(p - 1), list.b[p - 1]), std::pair(list.first(p), list.b[p]));
                }
            }
            EXPECT_EQ(found.size(), list.size()) << "each once";
            EXPECT_EQ(found, expected);
            EXPECT_GT(expected.size(), 250u);
            std::size_t incident = 0;
            for (std::size_t g = 0; g < cloud.centres.size(); ++g)
                for (std::size_t k = seconds.firstOfGrain[g]; k < seconds.firstOfGrain[g + 1]; ++k, ++incident) {
                    EXPECT_EQ(cloud.spheres.grain[seconds.b[k]], g);
                    EXPECT_TRUE(found.contains({seconds.a[k], seconds.b[k]}));
                }
            EXPECT_EQ(incident, list.size());
        }
}

TEST(Neighbours, inADomainOfTwoCellsAreFoundOnce) {
    Cloud cloud = randomCloud(9, 60, {true, true, true});
    for (double& r : cloud.spheres.radius) r *= 3;
    for (double& r : cloud.reach) r = 0.22;
    const PairList list = findPairs(Exec(1), cloud.domain, {cloud.centres, cloud.reach}, cloud.spheres, 0.01);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::size_t p = 0; p < list.size(); ++p) EXPECT_TRUE(found.insert({list.first(p), list.b[p]}).second);
    EXPECT_GT(list.size(), 50u);
}

TEST(Packing, isDenseRandomAndWithoutOverlaps) {
    world::Domain domain;
    const auto region = std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{1, 1, 1}), RigidTransform{{}, {0.5, 0.5, 0.5}});
    // In a box of 16 diameters, of which walls keep grains off; random close packing of spheres is 0.64 without walls.
    for (const auto& [shape, least] : {std::pair{Shape::sphere, 0.535}, std::pair{Shape::tetra4, 0.535}, std::pair{Shape::cube8, 0.505}}) {
        const std::vector<ClumpTemplate> templates{makeTemplate("a", builtInSpheres(shape, 0.8))};
        const PackingPlace place{domain, *region, {}, templates, {}};
        const double diameter = 0.06, volume = std::numbers::pi / 6 * std::pow(diameter, 3);
        std::vector<PackedGrain> thrown;
        for (const Vec3& x : throwPoints(place, reachableFraction(templates[0]) / volume, 1, 2)) {
            Rng rng(4, 5, thrown.size());
            thrown.push_back({x, Quat::fromRotationVector({rng.uniform(0, 3), rng.uniform(0, 3), rng.uniform(0, 3)}), diameter, 0});
        }
        const std::vector<PackedGrain> packed = pack(Exec(2), place, thrown);
        const double fraction = static_cast<double>(packed.size()) * volume;
        std::printf("    %s: %zu of %zu grains, packing fraction %.3f\n", std::string(kShapeNames[static_cast<std::size_t>(shape)]).c_str(), packed.size(), thrown.size(), fraction);
        EXPECT_GT(fraction, least);
        std::vector<Vec3> centres(templates[0].spheres.size()), others = centres;
        for (std::size_t i = 0; i < packed.size(); ++i) {
            placeSpheres(templates[0], diameter, packed[i].position, packed[i].orientation, centres.data());
            for (std::size_t s = 0; s < centres.size(); ++s) EXPECT_LT(region->distance(centres[s]), -0.998 * diameter * templates[0].spheres[s].radius);
            for (std::size_t j = i + 1; j < packed.size(); ++j) {
                if (norm(packed[i].position - packed[j].position) > 2 * diameter * templates[0].boundingRadius) continue;
                placeSpheres(templates[0], diameter, packed[j].position, packed[j].orientation, others.data());
                for (std::size_t s = 0; s < centres.size(); ++s)
                    for (std::size_t t = 0; t < centres.size(); ++t)
                        ASSERT_GT(norm(centres[s] - others[t]), (1 - 1e-9) * diameter * (templates[0].spheres[s].radius + templates[0].spheres[t].radius)) << i << " " << j;
            }
        }
    }
}

}  // namespace
}  // namespace talus::dem
