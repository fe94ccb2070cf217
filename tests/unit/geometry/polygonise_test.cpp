// SPDX-License-Identifier: Apache-2.0
#include "geometry/lathe.h"
#include "geometry/mesh_primitives.h"
#include "geometry/mesh_shape.h"
#include "geometry/operators.h"
#include "geometry/polygonise.h"
#include "geometry/primitives.h"
#include "geometry/shape_description.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::geometry {
namespace {

ShapePtr placed(ShapePtr of, const Vec3& position, const Vec3& rotation = {}) {
    return std::make_shared<Placed>(std::move(of), RigidTransform{Quat::fromRotationVector(rotation), position});
}

void expectClosedAndClose(const Shape& shape, double volumeError, double surfaceError) {
    const Exec exec(2);
    const Mesh mesh = polygonise(exec, shape, grown(shape.bounds(), 1), 64);
    for (const std::string& fault : faults(mesh)) EXPECT_EQ(fault.find("not closed"), std::string::npos) << fault;
    EXPECT_NEAR(massProperties(mesh).volume / shape.volume(), 1, volumeError);
    const double cell = maxComponent(shape.bounds().size()) / 64;
    double worst = 0;
    for (const Vec3& v : mesh.vertices) worst = std::max(worst, std::abs(shape.distance(v)) / cell);
    EXPECT_LT(worst, surfaceError) << worst;
}

TEST(Polygonise, closedWithTheVolumeOfTheShape) {
    expectClosedAndClose(Sphere(1), 2e-3, 1e-3);
    expectClosedAndClose(Torus(1, 0.3), 4e-3, 1e-3);
    expectClosedAndClose(Box({1, 2, 3}), 1e-3, 1e-3);
    expectClosedAndClose(*placed(std::make_shared<Box>(Vec3{1, 2, 3}), {1, 2, 3}, {0.4, 0.5, 0.6}), 2e-3, 0.02);
    expectClosedAndClose(Cylinder(0.5, 1), 4e-3, 0.02);
    expectClosedAndClose(Difference(std::make_shared<Box>(Vec3{1, 1, 1}), {std::make_shared<Sphere>(0.6)}), 5e-3, 0.1);
}

TEST(Polygonise, cornersOfABoxStaySharp) {
    const Exec exec(2);
    const ShapePtr box = placed(std::make_shared<Box>(Vec3{1, 0.8, 0.6}), {0, 0, 0}, {0.3, 0.2, 0.1});
    const Mesh mesh = polygonise(exec, *box, grown(box->bounds(), 1), 40);
    const Quat turn = Quat::fromRotationVector({0.3, 0.2, 0.1});
    for (int c = 0; c < 8; ++c) {
        const Vec3 corner = turn.rotate({c & 1 ? 0.5 : -0.5, c & 2 ? 0.4 : -0.4, c & 4 ? 0.3 : -0.3});
        double nearest = 1;
        for (const Vec3& v : mesh.vertices) nearest = std::min(nearest, norm(v - corner));
        EXPECT_LT(nearest, 0.1 / 40) << c;   // a tenth of a cell
    }
}

TEST(Polygonise, unboundedShapesAreCutAtTheBox) {
    const Exec exec(2);
    const Plane plane({0, 0, 1}, {0, 0, 0.25});
    const Mesh mesh = polygonise(exec, plane, {{-1, -1, -1}, {1, 1, 1}}, 32);
    EXPECT_TRUE(faults(mesh).empty()) << faults(mesh).front();
    EXPECT_NEAR(massProperties(mesh).volume, 5, 0.02);
    EXPECT_TRUE(polygonise(exec, plane, {{-1, -1, 1}, {1, 1, 2}}, 32).triangles.empty());
}

TEST(Polygonise, meshesGiveTheirOwnTriangles) {
    const Exec exec(2);
    const auto ball = std::make_shared<const MeshShape>(exec, std::make_shared<const Mesh>(icosphere(2)), 0.1);
    EXPECT_EQ(polygonise(exec, *ball, grown(ball->bounds(), 1), 16).triangles, ball->mesh().triangles);
    const ShapePtr moved = placed(ball, {3, 0, 0}, {0, 0, 1});
    const Mesh mesh = polygonise(exec, *moved, grown(moved->bounds(), 1), 16);
    EXPECT_EQ(mesh.triangles, ball->mesh().triangles);
    EXPECT_NEAR(norm(massProperties(mesh).centre - Vec3{3, 0, 0}), 0, 1e-12);
}

TEST(Polygonise, sameBitsWithAnyNumberOfThreads) {
    const Difference shape(std::make_shared<Box>(Vec3{1, 1, 1}), {std::make_shared<Sphere>(0.6)});
    const Mesh first = polygonise(Exec(1), shape, grown(shape.bounds(), 1), 40);
    for (const int threads : {2, 3}) {
        const Mesh other = polygonise(Exec(threads), shape, grown(shape.bounds(), 1), 40);
        EXPECT_EQ(first.vertices, other.vertices);
        EXPECT_EQ(first.triangles, other.triangles);
    }
}

TEST(HeightField, solidBelowTheSurface) {
    const Exec exec(2);
    HeightFieldDescription d;
    d.spacing = 0.1;
    for (int j = 0; j <= 20; ++j) {
        d.heights.emplace_back();
        for (int i = 0; i <= 30; ++i) d.heights.back().push_back(0.2 * std::sin(0.3 * i) * std::cos(0.25 * j) + 0.5);
    }
    Problems problems;
    prepare(exec, d, d.heights, "shape", problems);
    ASSERT_TRUE(problems.ok());
    ASSERT_TRUE(d.sampled.solid);
    EXPECT_LT(*d.base, 0.3);
    const auto& solid = dynamic_cast<const MeshShape&>(*d.sampled.solid);
    EXPECT_TRUE(faults(solid.mesh()).empty()) << faults(solid.mesh()).front();
    // The sides are upright and every cell a pair of triangles: the volume is the sum of their prisms.
    double volume = 0;
    for (std::size_t t = 0; t < solid.mesh().triangles.size(); ++t) {
        const Vec3 a = solid.mesh().doubleArea(t);
        if (a.z > 0) volume += 0.5 * a.z * ((solid.mesh().corner(t, 0).z + solid.mesh().corner(t, 1).z + solid.mesh().corner(t, 2).z) / 3 - *d.base);
    }
    EXPECT_NEAR(solid.volume(), volume, 1e-12);
    for (int j = 0; j <= 20; ++j)
        for (int i = 0; i <= 30; ++i) {
            const double z = d.heights[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
            EXPECT_NEAR(solid.distance({0.1 * i, 0.1 * j, z}), 0, 0.3 * solid.voxel());
            if (i > 1 && i < 29 && j > 1 && j < 19) {
                EXPECT_GT(solid.distance({0.1 * i, 0.1 * j, z + 0.02}), 0.0);
                EXPECT_LT(solid.distance({0.1 * i, 0.1 * j, z - 0.02}), 0.0);
            }
        }
}

TEST(SampledSolid, aVoxelTooCoarseForAPlateIsWarnedOf) {
    const Exec exec(2);
    MeshDescription d;
    Problems problems;
    prepare(exec, d, boxMesh({0, 0, 0}, {1, 1, 0.02}), "shape", problems);
    EXPECT_TRUE(d.sampled.solid);
    EXPECT_TRUE(problems.warnings().empty());   // the voxel follows the plate
    d.sampled = {.voxel = 0.015, .band = {}, .solid = nullptr};
    prepare(exec, d, boxMesh({0, 0, 0}, {1, 1, 0.02}), "shape", problems);
    ASSERT_EQ(problems.warnings().size(), 1U);
    EXPECT_EQ(problems.warnings().front().path, "shape.voxel");
    EXPECT_NE(problems.warnings().front().message.find("its thinnest part measures 0.02 m"), std::string::npos) << problems.warnings().front().message;
    EXPECT_TRUE(problems.ok());
}

}  // namespace
}  // namespace talus::geometry
