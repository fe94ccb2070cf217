// SPDX-License-Identifier: Apache-2.0
// Faults of meshes by meshes that have them, and mass properties against the reference table.
#include "csv.h"
#include "geometry/mesh.h"
#include "geometry/mesh_primitives.h"

#include <gtest/gtest.h>

#include <limits>

namespace talus::geometry {
namespace {

Mesh tetrahedron() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}; }

Mesh referenceMesh(const std::string& name) {
    if (name.starts_with("box")) return boxMesh({0, 0, 0}, {1, 2, 3});
    if (name.starts_with("unit tetrahedron")) return tetrahedron();
    if (name.starts_with("icosphere")) return icosphere(std::stoi(name.substr(17)));
    return torusMesh(1, 0.25, name.ends_with("16x8") ? 16 : 32, name.ends_with("16x8") ? 8 : 16);
}

TEST(Mesh, massPropertiesAreThoseOfTheReferenceTable) {
    const test::CsvTable table("G_mesh_mass.csv");
    ASSERT_EQ(table.rows(), 7U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string name = table.text(row, "mesh");
        const Mesh mesh = referenceMesh(name);
        ASSERT_EQ(static_cast<double>(mesh.vertices.size()), table.number(row, "nv")) << name;
        ASSERT_EQ(static_cast<double>(mesh.triangles.size()), table.number(row, "nf")) << name;
        const MassProperties mass = massProperties(mesh);
        const auto near = [&](double value, const char* column) { EXPECT_NEAR(value, table.number(row, column), 1e-12) << name << ' ' << column; };
        near(mass.volume, "volume");
        near(mass.centre.x, "cx"), near(mass.centre.y, "cy"), near(mass.centre.z, "cz");
        near(mass.inertia(0, 0), "Ixx_c"), near(mass.inertia(1, 1), "Iyy_c"), near(mass.inertia(2, 2), "Izz_c");
        // The table has products ∫ x y dV, up to their sign.
        for (const auto& [i, j, column] : {std::tuple{0, 1, "Ixy_c"}, std::tuple{0, 2, "Ixz_c"}, std::tuple{1, 2, "Iyz_c"}})
            EXPECT_NEAR(std::abs(mass.inertia(i, j)), std::abs(table.number(row, column)), 1e-12) << name << ' ' << column;
    }
}

TEST(Mesh, massPropertiesMoveAndTurnWithTheMesh) {
    Mesh mesh = torusMesh(1, 0.25, 16, 8);
    for (Vec3& v : mesh.vertices) v.x *= 1.5;
    const MassProperties still = massProperties(mesh);
    const RigidTransform move{Quat::fromRotationVector({0.3, -0.7, 1.1}), {100, -50, 70}};
    for (Vec3& v : mesh.vertices) v = move.apply(v);
    const MassProperties moved = massProperties(mesh);
    EXPECT_NEAR(moved.volume, still.volume, 1e-12);
    EXPECT_NEAR(norm(moved.centre - move.apply(still.centre)), 0, 1e-11);
    const Mat3 turn = move.rotation.matrix();
    EXPECT_LT(frobeniusNorm(moved.inertia - turn * still.inertia * transpose(turn)), 1e-11);
}

TEST(Mesh, productOfInertiaIsNegativeForMassAlongTheDiagonal) {
    EXPECT_NEAR(massProperties(boxMesh({0, 0, 0}, {1, 2, 3})).inertia(0, 1), 0, 1e-15);
    Mesh sheared = boxMesh({-1, -1, -1}, {1, 1, 1});
    for (Vec3& v : sheared.vertices) v.y += v.x;   // ∫ x y dV = ∫ x² dV = 8/3
    EXPECT_NEAR(massProperties(sheared).inertia(0, 1), -8.0 / 3, 1e-12);
}

TEST(Mesh, aSolidHasNoFaults) {
    for (const Mesh& mesh : {tetrahedron(), icosphere(2), torusMesh(1, 0.25, 16, 8), boxMesh({0, 0, 0}, {1e-4, 1, 1})})
        EXPECT_TRUE(faults(mesh).empty()) << faults(mesh).front();
}

void expectFault(const Mesh& mesh, const std::string& text) {
    const std::vector<std::string> found = faults(mesh);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().find(text), std::string::npos) << found.front();
}

TEST(Mesh, faultsSayWhatHowManyAndWhere) {
    Mesh open = boxMesh({0, 0, 0}, {1, 1, 1});
    open.triangles.pop_back();
    expectFault(open, "3 edges belong to one triangle only, the first at (1, 0.5, 0.5) m");

    Mesh inverted = icosphere(1);
    for (Triangle& t : inverted.triangles) std::swap(t[0], t[1]);
    expectFault(inverted, "triangles face inwards (volume -3.659 m³)");

    Mesh turned = tetrahedron();
    std::swap(turned.triangles[3][0], turned.triangles[3][1]);
    expectFault(turned, "across 3 edges");

    Mesh flat = tetrahedron();   // an edge cut in two, and the gap closed by a triangle on the line
    flat.vertices.push_back({0.5, 0, 0});
    flat.triangles[0] = {0, 2, 4}, flat.triangles.push_back({4, 2, 1}), flat.triangles.push_back({0, 4, 1});
    expectFault(flat, "1 triangle has no area, the first at (0, 0, 0) m");

    Mesh touching = boxMesh({0, 0, 0}, {1, 1, 1});
    const Mesh second = boxMesh({1, 1, 0}, {2, 2, 1});
    for (const Triangle& t : second.triangles) touching.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
    touching.vertices.insert(touching.vertices.end(), second.vertices.begin(), second.vertices.end());
    EXPECT_TRUE(faults(touching).empty());
    expectFault(welded(touching, 1e-9), "1 edge is shared by more than two triangles, the first at (1, 1, 0.5) m");

    Mesh wild = tetrahedron();
    wild.vertices[2].y = std::numeric_limits<double>::quiet_NaN();
    expectFault(wild, "1 vertex is not finite");
    expectFault({}, "no triangles");
}

TEST(Mesh, weldingJoinsWhatCoincides) {
    const Mesh ball = icosphere(3);
    Mesh soup;
    for (std::size_t t = 0; t < ball.triangles.size(); ++t) {
        const auto first = static_cast<std::uint32_t>(soup.vertices.size());
        for (std::size_t k = 0; k < 3; ++k) {
            Vec3 v = ball.corner(t, k);
            v.x += 1e-8 * static_cast<double>(t % 7);   // rounding of a writer
            soup.vertices.push_back(v);
        }
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    soup.vertices.push_back({5, 5, 5});                    // nobody uses it
    soup.triangles.push_back({0, 0, 1});                   // a line
    const Mesh joined = welded(soup, kWeldTolerance * 2);
    EXPECT_EQ(joined.vertices.size(), ball.vertices.size());
    EXPECT_EQ(joined.triangles.size(), ball.triangles.size());
    EXPECT_TRUE(faults(joined).empty());
}

}  // namespace
}  // namespace talus::geometry
