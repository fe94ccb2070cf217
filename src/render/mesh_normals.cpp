// SPDX-License-Identifier: Apache-2.0
#include "render/subject.h"

#include <cmath>
#include <numbers>

namespace talus::render {

void smoothCorners(TriangleMesh& mesh, double creaseDegrees) {
    const float least = static_cast<float>(std::cos(creaseDegrees * std::numbers::pi / 180));
    std::vector<Vec3f> weighted(mesh.triangles.size());    // length: twice the area
    std::vector<std::uint32_t> first(mesh.vertices.size() + 1, 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        weighted[t] = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
        for (const std::uint32_t v : mesh.triangles[t]) ++first[v + 1];
    }
    for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    std::vector<std::uint32_t> around(first.back()), next(first.begin(), first.end() - 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (const std::uint32_t v : mesh.triangles[t]) around[next[v]++] = static_cast<std::uint32_t>(t);

    mesh.cornerNormals.resize(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3f own = normalized(weighted[t]);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t v = mesh.triangles[t][k];
            Vec3f sum;
            for (std::uint32_t i = first[v]; i < first[v + 1]; ++i)
                if (dot(normalized(weighted[around[i]]), own) >= least) sum += weighted[around[i]];
            mesh.cornerNormals[3 * t + k] = normalized(sum, own);
        }
    }
}

}  // namespace talus::render
