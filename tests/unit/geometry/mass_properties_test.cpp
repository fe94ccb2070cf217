// SPDX-License-Identifier: Apache-2.0
#include "geometry/lathe.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <memory>
#include <numbers>
#include <vector>

namespace talus::geometry {
namespace {

std::vector<ShapePtr> primitives() {
    return {std::make_shared<Box>(Vec3{1, 2, 0.5}), std::make_shared<Sphere>(0.7),       std::make_shared<Cylinder>(0.4, 1.5),
            std::make_shared<Capsule>(0.3, 1.1),    std::make_shared<Cone>(0.8, 0.3, 1), std::make_shared<Cone>(0.5, 0, 1)};
}

TEST(MassProperties, closedFormsAgreeWithQuadrature) {
    for (const ShapePtr& shape : primitives()) {
        const MassProperties exact = shape->massProperties(), measured = measuredMassProperties(*shape);
        EXPECT_NEAR(measured.volume, exact.volume, 2e-3 * exact.volume);
        EXPECT_LT(norm(measured.centre - exact.centre), 1e-3);
        EXPECT_LT(frobeniusNorm(measured.inertia - exact.inertia), 3e-3 * frobeniusNorm(exact.inertia));
        EXPECT_NEAR(exact.volume, shape->volume(), 1e-12 * exact.volume);
    }
}

TEST(MassProperties, ofABoxAreThoseOfTheBook) {
    const MassProperties box = Box({1, 2, 3}).massProperties();
    EXPECT_NEAR(box.inertia(0, 0), 6.0 / 12 * (4 + 9), 1e-12);
    EXPECT_NEAR(box.inertia(1, 1), 6.0 / 12 * (1 + 9), 1e-12);
    const MassProperties ball = Sphere(2).massProperties();
    EXPECT_NEAR(ball.inertia(2, 2), 0.4 * ball.volume * 4, 1e-12 * ball.volume);
    const MassProperties cone = Cone(1, 0, 2).massProperties();
    EXPECT_NEAR(cone.centre.z, 0.5, 1e-12);                                    // a quarter of the height
    EXPECT_NEAR(cone.inertia(2, 2), 0.3 * cone.volume, 1e-12);                 // 3/10 m r²
    EXPECT_NEAR(cone.inertia(0, 0), cone.volume * (3.0 / 20 + 3.0 / 80 * 4), 1e-12);
}

TEST(MassProperties, moveWithTheShape) {
    const ShapePtr box = std::make_shared<Box>(Vec3{1, 2, 3});
    const Placed turned(box, {Quat::fromAxisAngle({0, 0, 1}, 0.5 * std::numbers::pi), {5, 6, 7}});
    const MassProperties p = turned.massProperties(), own = box->massProperties();
    EXPECT_LT(norm(p.centre - Vec3{5, 6, 7}), 1e-12);
    EXPECT_NEAR(p.inertia(0, 0), own.inertia(1, 1), 1e-12);
    EXPECT_NEAR(p.inertia(1, 1), own.inertia(0, 0), 1e-12);
}

TEST(MassProperties, ofAUnionCountOverlapOnce) {
    const ShapePtr box = std::make_shared<Box>(Vec3{1, 1, 1});
    const Union both({box, std::make_shared<Placed>(box, RigidTransform{{}, {0.5, 0, 0}})});
    const MassProperties p = both.massProperties(), whole = Box({1.5, 1, 1}).massProperties();
    EXPECT_NEAR(p.volume, 1.5, 3e-3);
    EXPECT_LT(norm(p.centre - Vec3{0.25, 0, 0}), 1e-3);
    EXPECT_LT(frobeniusNorm(p.inertia - whole.inertia), 5e-3 * frobeniusNorm(whole.inertia));
}

TEST(ContactFeatures, lieInTheSolidAndReachItsSurface) {
    std::vector<ShapePtr> shapes = primitives();
    shapes.push_back(std::make_shared<Box>(Vec3{1, 2, 0.5}, 0.1));
    shapes.push_back(std::make_shared<Lathe>(Profile{{0, 0}, {0.5, 0.2}, {0.3, 1}, {0, 1.1}}));
    shapes.push_back(std::make_shared<Difference>(shapes[0], std::vector<ShapePtr>{std::make_shared<Sphere>(0.2)}));
    for (std::size_t n = 0; n < shapes.size(); ++n) {
        const double extent = maxComponent(shapes[n]->bounds().size());
        const ContactFeatures& features = shapes[n]->contactFeatures();
        ASSERT_FALSE(features.empty());
        for (const ContactFeature& f : features)
            for (const Vec3& end : {f.from, f.to}) EXPECT_NEAR(shapes[n]->distance(end) + f.radius, 0, 2e-3 * extent) << "shape " << n;
        // From any side, some feature reaches as far as the solid does.
        const Aabb box = shapes[n]->bounds();
        for (int axis = 0; axis < 3; ++axis) {
            double least = 1e300, most = -1e300;
            for (const ContactFeature& f : features)
                for (const Vec3& end : {f.from, f.to}) {
                    least = std::min(least, end[axis] - f.radius);
                    most = std::max(most, end[axis] + f.radius);
                }
            EXPECT_NEAR(least, box.min[axis], 0.05 * extent) << "shape " << n;
            EXPECT_NEAR(most, box.max[axis], 0.05 * extent) << "shape " << n;
        }
    }
    EXPECT_TRUE(Plane({0, 0, 1}, {}).contactFeatures().empty());
}

}  // namespace
}  // namespace talus::geometry
