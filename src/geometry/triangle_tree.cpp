// SPDX-License-Identifier: Apache-2.0
#include "geometry/triangle_tree.h"

#include "geometry/embree_config.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace talus::geometry {
namespace {

/// Nearest point of a triangle and what it lies on: corner 0…2, the edge 3…5 that starts at corner k - 3, or the face.
struct Foot {
    Vec3 point;
    int feature;
};
constexpr int kFace = 6;

/// By the Voronoi region of the triangle that holds p: corners, then edges, then the face.
Foot footOn(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return {a, 0};
    const Vec3 bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return {b, 1};
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + ab * (d1 / (d1 - d3)), 3};
    const Vec3 cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return {c, 2};
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + ac * (d2 / (d2 - d6)), 5};
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) return {b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), 4};
    const double scale = 1 / (va + vb + vc);
    return {a + ab * (vb * scale) + ac * (vc * scale), kFace};
}

/// Where the ray from o along the unit vector d meets the triangle, as the distance from o.
std::optional<double> hit(const Vec3& o, const Vec3& d, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, pv = cross(d, ac);
    const double det = dot(ab, pv);
    if (det == 0) return {};
    const Vec3 tv = o - a, qv = cross(tv, ab);
    const double u = dot(tv, pv) / det, v = dot(d, qv) / det;
    if (u < 0 || v < 0 || u + v > 1) return {};
    return dot(ac, qv) / det;
}

float below(double x) { return std::nextafter(static_cast<float>(x), -std::numeric_limits<float>::infinity()); }
float above(double x) { return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity()); }

}  // namespace

struct TriangleTree::Nearest {
    const Mesh* mesh;
    Vec3 point;              // asked for
    double slack;            // [m] by which floats inside the tree may be off
    double square;           // of the distance [m²]
    std::size_t triangle;
    Foot foot;
};

// Embree holds boxes of floats, rounded outwards; distances to triangles are computed here, in double.
struct TriangleTree::Embree {
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;

    explicit Embree(const Mesh& mesh) {
        device = rtcNewDevice(kEmbreeConfig);
        if (device == nullptr) throw std::runtime_error("Embree cannot start");
        scene = rtcNewScene(device);
        const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(mesh.triangles.size()));
        rtcSetGeometryUserData(geometry, const_cast<Mesh*>(&mesh));   // read only
        rtcSetGeometryBoundsFunction(geometry, boundsOf, nullptr);
        rtcSetGeometryPointQueryFunction(geometry, approach);
        rtcSetGeometryIntersectFunction(geometry, intersect);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene);
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE) {
            release();
            throw std::bad_alloc();
        }
    }
    ~Embree() { release(); }
    Embree(const Embree&) = delete;
    Embree& operator=(const Embree&) = delete;
    void release() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }

    static void boundsOf(const RTCBoundsFunctionArguments* args) {
        const Mesh& mesh = *static_cast<const Mesh*>(args->geometryUserPtr);
        Aabb box;
        for (std::size_t k = 0; k < 3; ++k) box.extend(mesh.corner(args->primID, k));
        *args->bounds_o = {below(box.min.x), below(box.min.y), below(box.min.z), 0, above(box.max.x), above(box.max.y), above(box.max.z), 0};
    }

    static bool approach(RTCPointQueryFunctionArguments* args) {
        auto& best = *static_cast<Nearest*>(args->userPtr);
        const std::size_t t = args->primID;
        const Foot foot = footOn(best.point, best.mesh->corner(t, 0), best.mesh->corner(t, 1), best.mesh->corner(t, 2));
        const double square = normSquared(best.point - foot.point);
        if (!(square < best.square || (square == best.square && t < best.triangle))) return false;
        best.square = square;
        best.triangle = t;
        best.foot = foot;
        args->query->radius = above(std::sqrt(square) + best.slack);
        return true;
    }

    struct Ray {
        RTCIntersectContext context;   // first, so that callbacks find the rest
        Vec3 from, along;
        double distance;
        std::size_t triangle, except;
    };
    static void intersect(const RTCIntersectFunctionNArguments* args) {
        if (args->valid[0] == 0) return;
        auto& ray = *reinterpret_cast<Ray*>(args->context);
        const Mesh& mesh = *static_cast<const Mesh*>(args->geometryUserPtr);
        if (args->primID == ray.except) return;
        const auto distance = hit(ray.from, ray.along, mesh.corner(args->primID, 0), mesh.corner(args->primID, 1), mesh.corner(args->primID, 2));
        if (!distance || *distance < 0 || *distance > ray.distance) return;
        if (*distance == ray.distance && args->primID > ray.triangle) return;
        ray.distance = *distance;
        ray.triangle = args->primID;
        RTCRay* out = reinterpret_cast<RTCRay*>(RTCRayHitN_RayN(args->rayhit, 1));
        out->tfar = above(*distance);
    }
};

TriangleTree::TriangleTree(std::shared_ptr<const Mesh> mesh) : mesh_(std::move(mesh)), box_(mesh_->bounds()) {
    findNeighbours();
    findVertexNormals();
    embree_ = std::make_unique<Embree>(*mesh_);
}
TriangleTree::~TriangleTree() = default;

void TriangleTree::findNeighbours() {
    struct Side {
        std::uint64_t ends;
        std::uint32_t triangle, corner;
    };
    std::vector<Side> sides;
    sides.reserve(3 * mesh_->triangles.size());
    for (std::uint32_t t = 0; t < mesh_->triangles.size(); ++t)
        for (std::uint32_t k = 0; k < 3; ++k) {
            const std::uint64_t a = mesh_->triangles[t][k], b = mesh_->triangles[t][(k + 1) % 3];
            sides.push_back({std::min(a, b) << 32 | std::max(a, b), t, k});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle; });
    neighbours_.resize(mesh_->triangles.size());
    for (std::size_t i = 0; i + 1 < sides.size(); i += 2) {
        if (sides[i].ends != sides[i + 1].ends) throw std::invalid_argument("only a closed mesh has an inside");
        neighbours_[sides[i].triangle][sides[i].corner] = sides[i + 1].triangle;
        neighbours_[sides[i + 1].triangle][sides[i + 1].corner] = sides[i].triangle;
    }
}

void TriangleTree::findVertexNormals() {
    vertexNormals_.resize(mesh_->vertices.size());
    for (std::size_t t = 0; t < mesh_->triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 u = mesh_->corner(t, (k + 1) % 3) - mesh_->corner(t, k), v = mesh_->corner(t, (k + 2) % 3) - mesh_->corner(t, k);
            vertexNormals_[mesh_->triangles[t][k]] += std::atan2(norm(cross(u, v)), dot(u, v)) * unitNormal(t);
        }
}

Vec3 TriangleTree::pseudonormal(const Nearest& n) const {
    const int feature = n.foot.feature;
    if (feature == kFace) return unitNormal(n.triangle);
    if (feature < 3) return vertexNormals_[mesh_->triangles[n.triangle][static_cast<std::size_t>(feature)]];
    return unitNormal(n.triangle) + unitNormal(neighbours_[n.triangle][static_cast<std::size_t>(feature - 3)]);
}

TriangleTree::Nearest TriangleTree::nearest(const Vec3& p, double within) const {
    constexpr double kFloat = 1e-6;   // a few roundings of a coordinate
    const Vec3 reach = max(max(box_.max, -box_.min), max(p, -p));
    Nearest best{mesh_.get(), p, kFloat * maxComponent(reach), std::numeric_limits<double>::infinity(), 0, {}};
    alignas(16) RTCPointQuery query{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0, std::numeric_limits<float>::infinity()};
    if (within < 1e30) query.radius = above(within + best.slack);
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(embree_->scene, &query, &context, nullptr, &best);
    return best;
}

Surface TriangleTree::surface(const Vec3& p, double within) const {
    constexpr double kOnSurface = 1e-12;   // of the extent: the direction to the foot is rounding
    const Nearest n = nearest(p, within);
    if (!std::isfinite(n.square)) return within < kUnknown ? surface(p) : Surface{kUnknown, {0, 0, 1}};
    const Vec3 outward = pseudonormal(n), away = p - n.foot.point;
    const double distance = std::sqrt(n.square), sign = dot(away, outward) < 0 ? -1 : 1;
    if (distance <= kOnSurface * maxComponent(box_.size())) return {sign * distance, normalized(outward)};
    return {sign * distance, away * (sign / distance)};
}

std::optional<double> TriangleTree::plateThickness(std::size_t triangle, const Vec3& from) const {
    constexpr double kParallel = -0.9;   // cosine between outward normals of opposite faces, within 26°
    const Vec3 normal = unitNormal(triangle);
    Embree::Ray ray{{}, from, -normal, std::numeric_limits<double>::infinity(), 0, triangle};
    rtcInitIntersectContext(&ray.context);
    RTCRayHit rayhit{};
    rayhit.ray.org_x = static_cast<float>(from.x), rayhit.ray.org_y = static_cast<float>(from.y), rayhit.ray.org_z = static_cast<float>(from.z);
    rayhit.ray.dir_x = static_cast<float>(-normal.x), rayhit.ray.dir_y = static_cast<float>(-normal.y), rayhit.ray.dir_z = static_cast<float>(-normal.z);
    rayhit.ray.tfar = std::numeric_limits<float>::infinity();
    rayhit.ray.mask = 0xffffffff;
    rayhit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(embree_->scene, &ray.context, &rayhit);
    if (!std::isfinite(ray.distance) || dot(normal, unitNormal(ray.triangle)) > kParallel) return {};
    return ray.distance;
}

double TriangleTree::thinnestPlate() const {
    constexpr int kMost = 24;                   // sample points along a side of a triangle
    constexpr double kApart = 1.0 / 40;         // of the extent
    constexpr std::size_t kTriangles = 400000;  // looked at, evenly through the list
    const double spacing = kApart * maxComponent(box_.size());
    const std::size_t stride = mesh_->triangles.size() / kTriangles + 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < mesh_->triangles.size(); t += stride) {
        const Vec3 a = mesh_->corner(t, 0), ab = mesh_->corner(t, 1) - a, ac = mesh_->corner(t, 2) - a;
        const int n = std::clamp(static_cast<int>(std::max({norm(ab), norm(ac), norm(ac - ab)}) / spacing), 1, kMost);
        for (int i = 0; i < n; ++i)
            for (int j = 0; i + j < n; ++j)
                if (const auto thickness = plateThickness(t, a + ab * ((i + 1.0 / 3) / n) + ac * ((j + 1.0 / 3) / n)))
                    least = std::min(least, *thickness);
    }
    return least;
}

}  // namespace talus::geometry
