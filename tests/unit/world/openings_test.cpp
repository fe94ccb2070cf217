// SPDX-License-Identifier: Apache-2.0
#include "world/openings.h"

#include "geometry/lathe.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/world.h"

#include <gtest/gtest.h>

namespace talus::world {
namespace {

using geometry::Box;
using geometry::Placed;
using geometry::ShapePtr;

ShapePtr boxAt(const Vec3& size, const Vec3& middle) { return std::make_shared<Placed>(std::make_shared<Box>(size), RigidTransform{{}, middle}); }

std::vector<Opening> openingsOf(const std::vector<ShapePtr>& shapes, const Domain& domain, const Aabb& grains, double size) {
    std::vector<Body> bodies = domainFaces(domain);
    for (const ShapePtr& shape : shapes) {
        Body body;
        body.shape = shape;
        bodies.push_back(body);
    }
    std::vector<BodySnapshot> all;
    for (const Body& body : bodies) all.emplace_back(body, 0.0);
    return findOpenings(all, domain, [&](const Vec3& x) { return grains.contains(x); }, size);
}

/// A plate across a box of 1 x 1 x 2 m, with a round hole of 0.3 m off the middle.
ShapePtr holedPlate(double z, double diameter) {
    return std::make_shared<geometry::Difference>(boxAt({1.2, 1.2, 0.1}, {0.5, 0.5, z}),
                                                  std::vector<ShapePtr>{std::make_shared<Placed>(std::make_shared<geometry::Cylinder>(0.5 * diameter, 0.4), RigidTransform{{}, {0.4137, 0.561, z - 0.2}})});
}

TEST(Openings, aHoleInAPlateIsAsWideAsItIs) {
    const Domain domain{{0, 0, 0}, {1, 1, 2}, {}};
    const auto found = openingsOf({holedPlate(1, 0.3)}, domain, {{0, 0, 1.2}, {1, 1, 1.8}}, 0.02);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].width, 0.3, 6e-3);
    EXPECT_NEAR(found[0].place.x, 0.4137, 1e-2);
    EXPECT_NEAR(found[0].place.z, 1, 0.11);
}

TEST(Openings, theNarrowestComesFirstAndOnlyThoseOfGrainsCount) {
    const Domain domain{{0, 0, 0}, {1, 1, 3}, {}};
    const std::vector<ShapePtr> plates{holedPlate(1, 0.2), holedPlate(2, 0.3)};
    const auto found = openingsOf(plates, domain, {{0, 0, 2.2}, {1, 1, 2.8}}, 0.03);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(found[0].width, 0.2, 4e-3);
    EXPECT_NEAR(found[1].width, 0.3, 6e-3);
    EXPECT_TRUE(openingsOf(plates, domain, {{5, 5, 5}, {6, 6, 6}}, 0.03).empty());
    EXPECT_TRUE(openingsOf({}, domain, {{0, 0, 0}, {1, 1, 1}}, 0.03).empty()) << "a box has none";
}

// Two cones tip to tip: the neck of an hourglass, 24 mm wide, and leaning.
TEST(Openings, aNeckThatLeansIsMeasuredAcross) {
    const geometry::Profile profile{{0, -0.3}, {0.2, -0.3}, {0.012, 0}, {0.2, 0.3}, {0, 0.3}};
    const Quat turn = Quat::fromAxisAngle({1, 0, 0}, 0.5);
    const ShapePtr vessel = std::make_shared<geometry::Difference>(boxAt({2, 2, 2}, {0, 0, 0}), std::vector<ShapePtr>{std::make_shared<Placed>(std::make_shared<geometry::Lathe>(profile), RigidTransform{turn, {0.01, 0.02, 0.013}})});
    const Domain domain{{-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, {}};
    const auto found = openingsOf({vessel}, domain, {{-0.4, -0.4, 0.1}, {0.4, 0.4, 0.4}}, 0.008);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].width, 0.024, 5e-4);
}

TEST(Openings, periodicSidesLeadOn) {
    Domain domain{{0, 0, 0}, {1, 1, 1}, {}};
    domain.faces[0] = domain.faces[1] = FaceType::periodic;
    // A wall in the middle of x: both sides are one space, so that its hole leads nowhere else.
    const ShapePtr wall = std::make_shared<geometry::Difference>(boxAt({0.1, 1.2, 1.2}, {0.5, 0.5, 0.5}), std::vector<ShapePtr>{boxAt({0.4, 0.2, 0.2}, {0.5, 0.5, 0.5})});
    EXPECT_TRUE(openingsOf({wall}, domain, {{0, 0, 0}, {1, 1, 1}}, 0.02).empty());
    domain.faces[0] = domain.faces[1] = FaceType::wall;
    EXPECT_EQ(openingsOf({wall}, domain, {{0, 0, 0}, {1, 1, 1}}, 0.02).size(), 1u);
}

TEST(Openings, aLayerIsAsThickAsTheBallThatFitsIn) {
    const Domain domain{{0, 0, 0}, {1, 1, 1}, {}};
    EXPECT_NEAR(thickness(*boxAt({1, 1, 0.05}, {0.5, 0.5, 0.025}), domain), 0.05, 0.002);
    EXPECT_NEAR(thickness(geometry::Sphere(0.2), {{-1, -1, -1}, {1, 1, 1}, {}}), 0.4, 0.02);
    EXPECT_NEAR(thickness(*boxAt({3, 3, 3}, {1.4, 0.5, 0.5}), domain), 1, 0.04) << "what lies in the domain counts";
    EXPECT_EQ(thickness(*boxAt({1, 1, 1}, {5, 5, 5}), domain), 0);
}

}  // namespace
}  // namespace talus::world
