// SPDX-License-Identifier: Apache-2.0
#include "io/body_vtp.h"

#include "geometry/mesh_primitives.h"
#include "io/poly_data.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace talus::io {
namespace {

TEST(BodyVtp, TrianglesComeBackWhereTheyWerePlaced) {
    const geometry::Mesh box = geometry::boxMesh({0, 0, 0}, {1, 2, 3});
    const test::TemporaryFolder folder;
    const RigidTransform moved{Quat::fromAxisAngle({0, 0, 1}, 1.0), {5, 6, 7}};
    writeMeshVtp(folder.path() / "bodies.vtp", {{&box, 0, {}}, {&box, 3, moved}});

    const PolyData data = readPolyData(folder.path() / "bodies.vtp");
    ASSERT_EQ(data.points.size(), 2 * box.vertices.size());
    ASSERT_EQ(data.polygons.size(), 2 * box.triangles.size());
    for (std::size_t v = 0; v < box.vertices.size(); ++v) {
        const Vec3 expected = moved.apply(box.vertices[v]);
        const auto& found = data.points[box.vertices.size() + v];
        EXPECT_LT(norm(Vec3{found.x, found.y, found.z} - expected), 1e-6);
    }
    for (std::size_t t = 0; t < box.triangles.size(); ++t)
        for (std::size_t corner = 0; corner < 3; ++corner) {
            EXPECT_EQ(data.polygons[t][corner], box.triangles[t][corner]);
            EXPECT_EQ(data.polygons[box.triangles.size() + t][corner], box.vertices.size() + box.triangles[t][corner]);
        }
    EXPECT_EQ(data.cellData.front().values.front(), 0);
    EXPECT_EQ(data.cellData.front().values.back(), 3);
}

}  // namespace
}  // namespace talus::io
