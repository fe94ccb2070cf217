// SPDX-License-Identifier: Apache-2.0
#include "upsampling/interpolation.h"

#include "core/rng.h"
#include "core/vec.h"
#include "upsampling/guide_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace talus::upsampling {
namespace {

Vec3 randomVector(Rng& rng, double low, double high) { return {rng.uniform(low, high), rng.uniform(low, high), rng.uniform(low, high)}; }

std::vector<GuideState> randomGuides(std::size_t count, const Vec3& size) {
    std::vector<GuideState> guides;
    for (std::size_t i = 0; i < count; ++i) {
        Rng rng(3, 0, i);
        guides.push_back({componentProduct(randomVector(rng, 0, 1), size), randomVector(rng, -1, 1)});
    }
    return guides;
}

double largest(const GuideState& guide) { return guide.position.x + 1e3 * guide.position.y + 1e6 * guide.position.z; }

// Every search against brute force, with and without periods.
TEST(GuideField, findsWhatBruteForceFinds) {
    for (const bool periodic : {false, true}) {
        world::Domain domain{{0, 0, 0}, {1, 0.7, 0.4}, {}};
        if (periodic) domain.faces = {world::FaceType::periodic, world::FaceType::periodic, {}, {}, world::FaceType::periodic, world::FaceType::periodic};
        const std::vector<GuideState> guides = randomGuides(400, domain.size());
        GuideField field(domain);
        for (const double reach : {0.02, 0.11, 0.3}) {
            field.place(guides, reach);
            for (std::uint64_t i = 0; i < 60; ++i) {
                Rng rng(5, 0, i);
                const Vec3 corner = randomVector(rng, -0.2, 1.1), size = randomVector(rng, 0, 0.2);
                const Aabb box{corner, corner + size};
                std::vector<GuideState> found, expected;
                field.near(box, reach, found);
                for (int x = periodic ? -3 : 0; x <= (periodic ? 3 : 0); ++x)
                    for (int z = periodic ? -5 : 0; z <= (periodic ? 5 : 0); ++z)
                        for (const GuideState& guide : guides) {
                            const Vec3 image = guide.position + Vec3{x * 1.0, 0, z * 0.4};
                            const Vec3 d = talus::max(talus::max(box.min - image, image - box.max), Vec3{});
                            if (norm(d) <= reach) expected.push_back({image, guide.velocity});
                        }
                std::ranges::sort(found, {}, largest);
                std::ranges::sort(expected, {}, largest);
                ASSERT_EQ(found.size(), expected.size()) << "reach " << reach;
                for (std::size_t k = 0; k < found.size(); ++k) EXPECT_LT(norm(found[k].position - expected[k].position) + norm(found[k].velocity - expected[k].velocity), 1e-12);
            }
        }
    }
}

TEST(GuideField, hasNothingWhereThereAreNoGuides) {
    GuideField field({{0, 0, 0}, {1, 1, 1}, {}});
    field.place({}, 0.1);
    std::vector<GuideState> found;
    field.near({{0, 0, 0}, {1, 1, 1}}, 0.1, found);
    EXPECT_TRUE(found.empty());
}

// Grains that emitters alone bring in: until the first guide comes nobody knows how large they are.
TEST(GuideField, hasNoReachBeforeTheFirstGuide) {
    constexpr auto kPeriodic = world::FaceType::periodic;
    GuideField field({{0, 0, 0}, {1, 1, 1}, {kPeriodic, kPeriodic, kPeriodic, kPeriodic, {}, {}}});
    field.place({}, 0);
    std::vector<GuideState> found;
    field.near({{0, 0, 0}, {1, 1, 1}}, 0, found);
    EXPECT_TRUE(found.empty());
    field.place(randomGuides(3, {1, 1, 1}), 0.1);
    field.place({}, 0.1);
    EXPECT_EQ(field.count(), 0u);
}

template <class Real>
NearGuide<Real> nearGuide(const Vec3& x, const Vec3& v) {
    return {{static_cast<Real>(x.x), static_cast<Real>(x.y), static_cast<Real>(x.z)}, {static_cast<Real>(v.x), static_cast<Real>(v.y), static_cast<Real>(v.z)}};
}

struct Eight {
    std::array<Vec3, 8> x;
    std::array<Wide<double>, 3> wide;
};
Eight eightPoints(std::uint64_t seed, double low, double high) {
    Eight eight;
    alignas(64) std::array<double, 24> values;
    for (std::size_t p = 0; p < 8; ++p) {
        Rng rng(seed, 1, p);
        eight.x[p] = randomVector(rng, low, high);
        for (int a = 0; a < 3; ++a) values[8 * static_cast<std::size_t>(a) + p] = eight.x[p][a];
    }
    for (std::size_t a = 0; a < 3; ++a) eight.wide[a] = Wide<double>::load(values.data() + 8 * a);
    return eight;
}

TEST(Weighted, isTheFormulaOfThePaper) {
    const double r = 0.3;
    std::vector<NearGuide<double>> guides;
    std::vector<GuideState> states = randomGuides(60, {1, 1, 1});
    for (const GuideState& guide : states) guides.push_back(nearGuide<double>(guide.position, guide.velocity));
    const Eight eight = eightPoints(1, 0, 1);
    const Carried<double> carried = interpolateWeighted<double>(guides, eight.wide, r);
    for (int p = 0; p < 8; ++p) {
        double weight = 0, within = 0;
        Vec3 sum;
        for (const GuideState& guide : states) {
            const double d = norm(guide.position - eight.x[static_cast<std::size_t>(p)]);
            if (d < r) ++within;
            if (d >= 1.5 * r) continue;
            const double w = (3 * r - 2 * d) / (4 * r);
            weight += w;
            sum += w * guide.velocity;
        }
        ASSERT_GT(weight, 0);
        EXPECT_EQ(carried.within.lane(p), within);
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(carried.velocity[static_cast<std::size_t>(a)].lane(p), sum[a] / weight, 1e-14);
    }
}

constexpr Mat3 kGradient{{1, 2, -3, 0.5, -1, 4, 2, 0.3, 0.7}};   // [1/s]

/// Guides on a jittered lattice of unit spacing in a linear field, and points well inside it.
struct LinearField {
    LinearField() {
        for (int k = 0; k < 8; ++k)
            for (int j = 0; j < 8; ++j)
                for (int i = 0; i < 8; ++i) {
                    Rng rng(9, 0, static_cast<std::uint64_t>((k * 8 + j) * 8 + i));
                    const Vec3 x = Vec3{i + 0.0, j + 0.0, k + 0.0} + randomVector(rng, -0.3, 0.3);
                    guides.push_back(nearGuide<double>(x, kGradient * x));
                }
    }
    template <class Method>
    double relativeError(const Method& method, double low, double high) const {
        double squares = 0, scale = 0;
        for (std::uint64_t s = 0; s < 40; ++s) {
            const Eight eight = eightPoints(s, low, high);
            const Carried<double> carried = method(eight.wide);
            for (int p = 0; p < 8; ++p) {
                const Vec3 exact = kGradient * eight.x[static_cast<std::size_t>(p)];
                const Vec3 v{carried.velocity[0].lane(p), carried.velocity[1].lane(p), carried.velocity[2].lane(p)};
                squares += normSquared(v - exact);
                scale += normSquared(exact);
            }
        }
        return std::sqrt(squares / scale);
    }
    std::vector<NearGuide<double>> guides;
};

TEST(Affine, reproducesALinearField) {
    const LinearField field;
    const double affine = field.relativeError([&](const auto& x) { return interpolateAffine<double>(field.guides, x, 1.3); }, 0, 7);   // to the edge of the guides
    const double weighted = field.relativeError([&](const auto& x) { return interpolateWeighted<double>(field.guides, x, 1.3); }, 2, 5);
    std::printf("[ measured ] relative rms error: affine %.2g, weighted %.2g\n", affine, weighted);
    EXPECT_LT(affine, 1e-10);
    EXPECT_GT(weighted, 1e-3) << "the paper's weights do not, or this test could not fail";
}

// Guides in a plane know nothing of what happens across it: the mean stands in.
TEST(Affine, isTheMeanWhereGuidesLieInAPlane) {
    std::vector<NearGuide<double>> guides;
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 6; ++i) guides.push_back(nearGuide<double>({i + 0.0, j + 0.0, 0}, {i + 0.0, 2, 0}));
    const Eight eight = eightPoints(2, 2, 3);
    std::array<Wide<double>, 3> x = eight.wide;
    x[2] = Wide<double>(0.4);
    const Carried<double> affine = interpolateAffine<double>(guides, x, 1.3), mean = interpolateWeighted<double>(guides, x, 1.3);
    for (int p = 0; p < 8; ++p)
        for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(affine.velocity[a].lane(p), mean.velocity[a].lane(p), 1e-12);
}

TEST(Affine, hasNoTroubleWithoutGuides) {
    const Eight eight = eightPoints(2, 0, 1);
    const Carried<double> none = interpolateAffine<double>({}, eight.wide, 1.3);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(none.velocity[a].lane(0), 0);
    EXPECT_EQ(none.within.lane(0), 0);
}

}  // namespace
}  // namespace talus::upsampling
