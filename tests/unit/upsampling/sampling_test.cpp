// SPDX-License-Identifier: Apache-2.0
#include "upsampling/sampling.h"

#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace talus::upsampling {
namespace {

constexpr Birth kGuide{.id = 7, .position = {1, 2, 3}, .velocity = {}, .radius = 0.2, .mass = 5, .volume = 0.1};

// A uniform density in a sphere has ⟨r⟩ = 3/4 R and ⟨r²⟩ = 3/5 R²; the deviations of r and r² of one sample are 0.194 R and 0.262 R².
TEST(Sampling, isUniformInTheBoundingSphere) {
    constexpr std::size_t kSamples = 200000;
    std::vector<Vec3> places(kSamples);
    sample(1, kGuide, sampledVolume(kGuide, false), 0, {}, places);
    double r1 = 0, r2 = 0;
    Vec3 mean;
    for (const Vec3& x : places) {
        const double r = norm(x - kGuide.position) / kGuide.radius;
        ASSERT_LE(r, 1);
        r1 += r / kSamples;
        r2 += r * r / kSamples;
        mean += (x - kGuide.position) / (kGuide.radius * kSamples);
    }
    const double sigma = 1 / std::sqrt(static_cast<double>(kSamples));
    EXPECT_NEAR(r1, 0.75, 4 * 0.194 * sigma);
    EXPECT_NEAR(r2, 0.6, 4 * 0.262 * sigma);
    EXPECT_LT(norm(mean), 5 * std::sqrt(0.2) * sigma);
}

TEST(Sampling, isUniformInTheCubeOfAPoint) {
    std::vector<Vec3> places(100000);
    const SampledVolume cube = sampledVolume(kGuide, true);
    EXPECT_NEAR(8 * determinant(cube.axes), kGuide.volume, 1e-12);
    sample(1, kGuide, cube, 0, {}, places);
    Vec3 squares;
    for (const Vec3& x : places) {
        const Vec3 d = inverse(cube.axes) * (x - kGuide.position);
        ASSERT_LE(maxComponent(talus::max(d, -d)), 1);
        squares += componentProduct(d, d) / static_cast<double>(places.size());
    }
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(squares[axis], 1.0 / 3, 5e-3);
}

// ⟨x xᵀ⟩ = A Aᵀ/5 in an ellipsoid with semi-axes that are the columns of A.
TEST(Sampling, isUniformInTheEllipsoidOfAGuide) {
    constexpr std::size_t kSamples = 100000;
    Birth guide = kGuide;
    guide.frame = Mat3{{0.3, 0, -0.05, 0, 0.1, 0.05, 0.1, 0, 0.2}};
    std::vector<Vec3> places(kSamples);
    const SampledVolume volume = sampledVolume(guide, true);
    sample(1, guide, volume, 0, {}, places);
    const Mat3 back = inverse(*guide.frame);
    Mat3 moments;
    for (const Vec3& x : places) {
        const Vec3 d = x - guide.position;
        ASSERT_LE(volume.outness(back, d), 1 + 1e-12);
        ASSERT_LE(norm(d), volume.extent());
        moments += Mat3::outer(d, d) * (1.0 / kSamples);
    }
    const Mat3 expected = *guide.frame * transpose(*guide.frame) * 0.2;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(moments(i, j), expected(i, j), 0.02 * std::sqrt(expected(i, i) * expected(j, j)));
    const Mat3 tensor = *guide.frame * transpose(*guide.frame);
    const std::optional<Mat3> factor = frameOf(std::array{tensor(0, 0), tensor(1, 1), tensor(2, 2), tensor(0, 1), tensor(1, 2), tensor(0, 2)});
    ASSERT_TRUE(factor);
    EXPECT_LT(frobeniusNorm(*factor * transpose(*factor) - tensor), 1e-15) << "the same ellipsoid from six numbers";
    EXPECT_FALSE(frameOf(std::array{1.0, 1.0, 1.0, 2.0, 0.0, 0.0})) << "not positive";
    EXPECT_FALSE(frameOf(std::array{1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0})) << "a frame that is flat";
}

TEST(Sampling, isAFunctionOfSeedAndGuide) {
    const auto places = [](std::uint64_t seed, std::int64_t id) {
        Birth guide = kGuide;
        guide.id = id;
        std::vector<Vec3> found(32);
        sample(seed, guide, sampledVolume(guide, false), 0, {}, found);
        return found;
    };
    EXPECT_EQ(places(1, 7), places(1, 7));
    EXPECT_NE(places(1, 7), places(1, 8));
    EXPECT_NE(places(1, 7), places(2, 7));
}

TEST(Sampling, keepsOutOfBodies) {
    world::Body ball{.name = "ball", .shape = std::make_shared<geometry::Sphere>(0.1), .motion = world::Motion({1.15, 2, 3}, {}), .load = {}};
    world::Body around{.name = "around", .shape = std::make_shared<geometry::Sphere>(0.3), .motion = world::Motion({1, 2, 3}, {}), .load = {}};
    std::vector<Vec3> places(5000);
    const world::BodySnapshot one[] = {{ball, 0}};
    sample(1, kGuide, sampledVolume(kGuide, false), 0.01, one, places);
    for (const Vec3& x : places) EXPECT_GE(one[0].distance(x), 0.01);
    const world::BodySnapshot whole[] = {{around, 0}};
    sample(1, kGuide, sampledVolume(kGuide, false), 0.01, whole, std::span(places).first(50));
    for (const Vec3& x : std::span(places).first(50)) EXPECT_NEAR(whole[0].distance(x), 0.01, 1e-12) << "there was no room in the guide";
}

TEST(Sampling, sharesMassAndSolidVolume) {
    const Origin origin = originOf(kGuide, 2500, 32);
    EXPECT_EQ(32 * origin.mass, kGuide.mass);
    EXPECT_NEAR(32 * 4 * std::numbers::pi / 3 * std::pow(origin.radius, 3), kGuide.mass / 2500, 1e-12);
    EXPECT_EQ(32 * origin.volume, kGuide.volume);
    EXPECT_EQ(origin.guide, 7);
}

}  // namespace
}  // namespace talus::upsampling
