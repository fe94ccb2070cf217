// SPDX-License-Identifier: Apache-2.0
// Distances to meshes against a search through all triangles, and bricks against exact queries.
#include "core/rng.h"
#include "geometry/mesh_primitives.h"
#include "geometry/mesh_shape.h"
#include "geometry/primitives.h"

#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>

namespace talus::geometry {
namespace {

Vec3 randomPoint(std::uint64_t i, const Aabb& box) {
    Rng rng(11, 0, i);
    return {rng.uniform(box.min.x, box.max.x), rng.uniform(box.min.y, box.max.y), rng.uniform(box.min.z, box.max.z)};
}

/// Distance to a segment and to a plane polygon by other means than the code under test: the foot on the plane, if it is
/// inside by three half planes, otherwise the nearest of three segments.
double distanceTo(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 n = normalized(cross(b - a, c - a));
    const Vec3 foot = p - dot(p - a, n) * n;
    const auto inside = [&](const Vec3& u, const Vec3& v) { return dot(cross(v - u, foot - u), n) >= 0; };
    if (inside(a, b) && inside(b, c) && inside(c, a)) return std::abs(dot(p - a, n));
    const auto toSegment = [&](const Vec3& u, const Vec3& v) {
        const double t = std::clamp(dot(p - u, v - u) / normSquared(v - u), 0.0, 1.0);
        return norm(p - u - t * (v - u));
    };
    return std::min({toSegment(a, b), toSegment(b, c), toSegment(c, a)});
}

/// Solid angle of all triangles over 4π: 1 inside, 0 outside.
double windingNumber(const Mesh& mesh, const Vec3& p) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3 a = mesh.corner(t, 0) - p, b = mesh.corner(t, 1) - p, c = mesh.corner(t, 2) - p;
        const double la = norm(a), lb = norm(b), lc = norm(c);
        sum += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return sum / (4 * 3.14159265358979323846);
}

double bruteForce(const Mesh& mesh, const Vec3& p) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) least = std::min(least, distanceTo(p, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)));
    return windingNumber(mesh, p) > 0.5 ? -least : least;
}

void append(Mesh& mesh, const Mesh& other, bool insideOut = false) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (Triangle t : other.triangles) {
        if (insideOut) std::swap(t[0], t[1]);
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
}
Mesh transformed(Mesh mesh, double scale, const Vec3& by) {
    for (Vec3& v : mesh.vertices) v = scale * v + by;
    return mesh;
}
/// An L in the xz plane, 0.4 wide: concave along one edge.
Mesh angle() {
    const std::vector<std::pair<double, double>> outline{{0, 0}, {1, 0}, {1, 0.25}, {0.25, 0.25}, {0.25, 1}, {0, 1}};
    Mesh mesh;
    for (const double y : {0.0, 0.4})
        for (const auto& [x, z] : outline) mesh.vertices.push_back({x, y, z});
    for (std::uint32_t i = 0; i < 6; ++i) {
        const std::uint32_t j = (i + 1) % 6;
        mesh.triangles.push_back({i, j, j + 6}), mesh.triangles.push_back({i, j + 6, i + 6});
    }
    for (const Triangle& t : {Triangle{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
        mesh.triangles.push_back({t[0], t[2], t[1]});
        mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    }
    // The outline runs anticlockwise seen from -y, so everything above faces in; turn it round.
    if (massProperties(mesh).volume < 0)
        for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    return mesh;
}
Mesh hollowBall() {
    Mesh mesh = icosphere(3);
    append(mesh, transformed(icosphere(3), 0.6, {0.05, 0, 0}), true);
    append(mesh, transformed(icosphere(2), 0.3, {0.1, 0.1, 0}));   // and a ball in the hollow
    return mesh;
}
Mesh spike() {   // a needle of 6° and a blunt end
    return {{{0, 0, 2}, {0.1, 0, 0}, {-0.05, 0.0866, 0}, {-0.05, -0.0866, 0}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
}

struct Case {
    std::string name;
    Mesh mesh;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::vector<Case> cases() {
    return {{"box", boxMesh({0, 0, 0}, {1, 0.6, 0.4})},
            {"plate", boxMesh({0, 0, 0}, {1, 1, 0.02})},
            {"ball", icosphere(3)},
            {"torus", torusMesh(1, 0.25, 24, 12)},
            {"tinyTriangles", torusMesh(1, 0.25, 400, 160)},   // sides of 0.015 and 0.01, voxels of 0.04
            {"angle", angle()},
            {"hollowBall", hollowBall()},
            {"spike", spike()},
            {"farAway", transformed(angle(), 1, {1000, -2000, 500})}};
}

class MeshShapeTest : public testing::TestWithParam<Case> {
protected:
    MeshShape build() const {
        const Exec exec(2);
        EXPECT_TRUE(faults(GetParam().mesh).empty()) << faults(GetParam().mesh).front();
        const auto mesh = std::make_shared<const Mesh>(GetParam().mesh);
        const double coarse = maxComponent(mesh->bounds().size()) / 64;
        return MeshShape(exec, mesh, std::min(coarse, 0.5 * TriangleTree(mesh).thinnestPlate()));
    }
};

TEST_P(MeshShapeTest, exactQueriesAreThoseOfAllTriangles) {
    const Mesh& mesh = GetParam().mesh;
    const TriangleTree tree(std::make_shared<const Mesh>(mesh));
    const double extent = maxComponent(mesh.bounds().size());
    const std::uint64_t count = 4000000 / mesh.triangles.size() + 100;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 4000); ++i) {
        const Vec3 p = randomPoint(i, grown(mesh.bounds(), i % 2 ? 0.3 * extent : 0.01 * extent));
        const double truth = bruteForce(mesh, p);
        const Surface s = tree.surface(p);
        ASSERT_NEAR(s.distance, truth, 1e-12 * (1 + norm(p))) << p.x << ' ' << p.y << ' ' << p.z;
        ASSERT_NEAR(norm(s.normal), 1, 1e-12);
        ASSERT_NEAR(tree.surface(p - s.distance * s.normal).distance, 0, 1e-12 * (1 + norm(p)));
    }
}

TEST_P(MeshShapeTest, bricksAreCloseToTheExactDistance) {
    const MeshShape shape = build();
    const double voxel = shape.voxel(), band = shape.band();
    const Aabb box = grown(shape.bounds(), 2 * band);
    double worst = 0, sum = 0, beyond = 0;
    int inBand = 0, wrongSign = 0;
    for (std::uint64_t i = 0; i < 40000; ++i) {
        const Vec3 p = randomPoint(i, box);
        const Surface exact = shape.exactSurface(p), found = shape.surface(p);
        EXPECT_NEAR(norm(found.normal), 1, 1e-12);
        EXPECT_LE(std::abs(found.distance), std::max(band, std::abs(exact.distance)) + 1e-9);
        if ((exact.distance < 0) != (found.distance < 0)) {
            ++wrongSign;
            EXPECT_LT(std::abs(exact.distance), 0.2 * voxel);
        }
        if (std::abs(exact.distance) >= band) {   // a bound, never above the distance
            beyond = std::max(beyond, std::abs(found.distance) - std::abs(exact.distance));
            EXPECT_LE(std::abs(found.distance), std::abs(exact.distance) * (1 + 1e-12));
            EXPECT_GE(std::abs(found.distance), 0.97 * band - 0.2 * voxel);
            continue;
        }
        ++inBand;
        const double error = std::abs(found.distance - exact.distance) / voxel;
        worst = std::max(worst, error), sum += error * error;
    }
    RecordProperty("worst_voxels", std::to_string(worst));
    RecordProperty("rms_voxels", std::to_string(std::sqrt(sum / inBand)));
    std::printf("%s: voxel %.4g, %zu kB, worst %.4f voxels, rms %.5f, wrong sign %d of %d\n", GetParam().name.c_str(), voxel, shape.bytes() / 1000, worst, std::sqrt(sum / inBand), wrongSign, inBand);
    EXPECT_LT(worst, 0.3);
    EXPECT_LT(std::sqrt(sum / inBand), 0.05);
    EXPECT_LT(wrongSign, 40);

    // Batches are single queries to the bit.
    std::vector<Vec3> points;
    for (std::uint64_t i = 0; i < 5003; ++i) points.push_back(randomPoint(i, grown(shape.bounds(), static_cast<double>(i % 3) * shape.band())));
    std::vector<Surface> out(points.size());
    shape.surfaces(points, out);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Surface s = shape.surface(points[i]);
        ASSERT_EQ(out[i].distance, s.distance);
        ASSERT_EQ(out[i].normal, s.normal);
    }
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Vec3 p = randomPoint(i, grown(shape.bounds(), shape.band()));
        EXPECT_TRUE(shape.distance(p) >= 0 || shape.bounds().contains(p));
    }
    EXPECT_DOUBLE_EQ(shape.volume(), massProperties(GetParam().mesh).volume);
    EXPECT_FALSE(shape.exact());
}

const auto caseName = [](const testing::TestParamInfo<Case>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Meshes, MeshShapeTest, testing::ValuesIn(cases()), caseName);

TEST(MeshShape, sameBitsWithAnyNumberOfThreads) {
    const auto mesh = std::make_shared<const Mesh>(angle());
    std::vector<Vec3> points;
    for (std::uint64_t i = 0; i < 4000; ++i) points.push_back(randomPoint(i, grown(mesh->bounds(), 0.1)));
    std::vector<Surface> first(points.size()), other(points.size());
    MeshShape(Exec(1), mesh).surfaces(points, first);
    for (const int threads : {2, 3}) {
        MeshShape(Exec(threads), mesh).surfaces(points, other);
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(first[i].distance, other[i].distance);
            ASSERT_EQ(first[i].normal, other[i].normal);
        }
    }
}

TEST(MeshShape, voxelFollowsTheThinnestPlate) {
    const Exec exec(2);
    const MeshShape plate(exec, std::make_shared<const Mesh>(boxMesh({0, 0, 0}, {1, 1, 0.01})));
    EXPECT_NEAR(plate.thinnestPlate(), 0.01, 1e-9);
    EXPECT_NEAR(plate.voxel(), 0.005, 1e-9);
    const MeshShape thin(exec, std::make_shared<const Mesh>(boxMesh({0, 0, 0}, {1, 1, 1e-4})));   // the memory ends first
    EXPECT_GT(thin.voxel(), 0.5 * thin.thinnestPlate());
    EXPECT_LT(static_cast<double>(thin.bytes()), 1.2 * MeshShape::kMostBytes);
    EXPECT_NEAR(TriangleTree(std::make_shared<const Mesh>(hollowBall())).thinnestPlate(), 0.35, 0.005);
    EXPECT_EQ(TriangleTree(std::make_shared<const Mesh>(spike())).thinnestPlate(), std::numeric_limits<double>::infinity());
}

TEST(MeshShape, smoothSurfacesAreThirdOrder) {
    // A fine ball against the sphere itself: the triangles depart from it by 2.4e-4 at most.
    const Exec exec(2);
    const auto mesh = std::make_shared<const Mesh>(icosphere(6));
    const MeshShape coarse(exec, mesh, 0.1, 0.2);
    const Sphere sphere(1);
    double worst = 0, angle = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Vec3 p = randomPoint(i, grown(coarse.bounds(), 0.1));
        const Surface truth = sphere.surface(p), found = coarse.surface(p);
        if (std::abs(truth.distance) > 0.15) continue;
        worst = std::max(worst, std::abs(found.distance - truth.distance));
        angle = std::max(angle, norm(found.normal - truth.normal));
    }
    std::printf("ball: worst %.2g voxels, normal %.3g rad\n", worst / 0.1, angle);
    EXPECT_LT(worst, 0.006 * 0.1);
    EXPECT_LT(angle, 0.05);
}

}  // namespace
}  // namespace talus::geometry
