// SPDX-License-Identifier: Apache-2.0
#include "io/polygon.h"

#include <vector>

namespace talus::io {
namespace {

constexpr std::size_t kMostEars = 512;   // cutting ears takes cubic time; larger polygons are fans

/// Twice the vector area: the normal of a polygon that need not be flat (Newell).
Vec3 areaOf(const geometry::Mesh& mesh, std::span<const std::uint32_t> corners) {
    Vec3 area;
    const Vec3 origin = mesh.vertices[corners[0]];
    for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        area += cross(mesh.vertices[corners[i]] - origin, mesh.vertices[corners[i + 1]] - origin);
    return area;
}

bool isEar(const geometry::Mesh& mesh, const std::vector<std::uint32_t>& left, std::size_t i, const Vec3& normal) {
    const std::size_t n = left.size();
    const Vec3 a = mesh.vertices[left[(i + n - 1) % n]], b = mesh.vertices[left[i]], c = mesh.vertices[left[(i + 1) % n]];
    const auto side = [&](const Vec3& u, const Vec3& v, const Vec3& p) { return dot(cross(v - u, p - u), normal); };
    if (!(side(a, b, c) > 0)) return false;
    for (std::size_t k = 2; k + 1 < n; ++k) {
        const Vec3 p = mesh.vertices[left[(i + k) % n]];
        if (side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0) return false;
    }
    return true;
}

}  // namespace

void appendPolygon(geometry::Mesh& mesh, std::span<const std::uint32_t> corners) {
    if (corners.size() < 3) return;
    std::vector<std::uint32_t> left(corners.begin(), corners.end());
    if (left.size() > 3 && left.size() <= kMostEars) {
        const Vec3 normal = areaOf(mesh, corners);
        for (std::size_t i = 0, misses = 0; left.size() > 3 && misses < left.size();) {
            if (i >= left.size()) i = 0;
            if (!isEar(mesh, left, i, normal)) {
                ++i, ++misses;
                continue;
            }
            const std::size_t n = left.size();
            mesh.triangles.push_back({left[(i + n - 1) % n], left[i], left[(i + 1) % n]});
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
            misses = 0;
        }
    }
    for (std::size_t i = 1; i + 1 < left.size(); ++i) mesh.triangles.push_back({left[0], left[i], left[i + 1]});
}

}  // namespace talus::io
