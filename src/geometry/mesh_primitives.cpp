// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh_primitives.h"

#include <map>
#include <numbers>
#include <utility>

namespace talus::geometry {

Mesh icosphere(int subdivisions) {
    constexpr double g = std::numbers::phi;
    Mesh mesh;
    mesh.vertices = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g},
                     {0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    for (Vec3& v : mesh.vertices) v = normalized(v);
    mesh.triangles = {{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                      {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}};
    for (int s = 0; s < subdivisions; ++s) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
        const auto middle = [&](std::uint32_t a, std::uint32_t b) {
            const auto [it, isNew] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(mesh.vertices.size()));
            if (isNew) mesh.vertices.push_back(normalized(mesh.vertices[a] + mesh.vertices[b]));
            return it->second;
        };
        std::vector<Triangle> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
        }
        mesh.triangles = std::move(finer);
    }
    return mesh;
}

Mesh torusMesh(double radius, double tubeRadius, int around, int across) {
    Mesh mesh;
    const auto index = [&](int i, int j) { return static_cast<std::uint32_t>(i % around * across + j % across); };
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < across; ++j) {
            const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / across;
            const double r = radius + tubeRadius * std::cos(v);
            mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tubeRadius * std::sin(v)});
        }
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < across; ++j) {
            mesh.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
            mesh.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
        }
    return mesh;
}

Mesh boxMesh(const Vec3& min, const Vec3& max) {
    Mesh mesh;
    for (int c = 0; c < 8; ++c) mesh.vertices.push_back({c & 1 ? max.x : min.x, c & 2 ? max.y : min.y, c & 4 ? max.z : min.z});
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
}

}  // namespace talus::geometry
