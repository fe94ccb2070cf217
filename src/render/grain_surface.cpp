// SPDX-License-Identifier: Apache-2.0
#include "render/grain_surface.h"

#include "render/colour.h"

#include <algorithm>
#include <cmath>

namespace talus::render {

namespace {

constexpr double kReach = 4.0;            // of a grain's influence, in mean radii
constexpr double kCell = 1.5;             // in mean radii
constexpr double kMostNodes = 16e6;       // 20 bytes each
constexpr std::size_t kSlab = 8;          // planes of nodes that one task fills
constexpr std::uint32_t kNone = 0xffffffffu;

struct Lattice {
    Vec3f origin;
    float h = 1, reach = 1;
    std::array<int, 3> n{};               // nodes

    std::size_t at(int i, int j, int k) const {
        return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) * static_cast<std::size_t>(n[0]) + static_cast<std::size_t>(i);
    }
    std::size_t nodes() const { return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]); }
    Vec3f node(int i, int j, int k) const { return origin + Vec3f{static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)} * h; }
    int low(float x, int axis) const { return std::clamp(static_cast<int>(std::ceil((x - reach - origin[axis]) / h)), 0, n[static_cast<std::size_t>(axis)] - 1); }
    int high(float x, int axis) const { return std::clamp(static_cast<int>(std::floor((x + reach - origin[axis]) / h)), 0, n[static_cast<std::size_t>(axis)] - 1); }
};

Lattice latticeOf(const Spheres& spheres, const Aabb& box) {
    double mean = 0;
    for (const auto& s : spheres.open) mean += s[3];
    mean /= static_cast<double>(spheres.count());
    const Vec3 size = box.size() + Vec3{2, 2, 2} * (kReach * mean);
    Lattice lattice;
    lattice.h = static_cast<float>(std::max(kCell * mean, std::cbrt(size.x * size.y * size.z / kMostNodes)));
    lattice.reach = std::max(static_cast<float>(kReach * mean), 2 * lattice.h);
    const Vec3 from = box.min - Vec3{1, 1, 1} * (static_cast<double>(lattice.reach) + lattice.h);
    lattice.origin = {static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(from.z)};
    for (int axis = 0; axis < 3; ++axis)
        lattice.n[static_cast<std::size_t>(axis)] = static_cast<int>(std::ceil((box.max[axis] - from[axis] + lattice.reach) / lattice.h)) + 2;
    return lattice;
}

float weight(const Vec3f& d, float reach) {
    const float q = 1 - normSquared(d) / (reach * reach);
    return q > 0 ? q * q * q : 0;
}

std::vector<float> levels(const Exec& exec, const Spheres& spheres, const Lattice& lattice) {
    std::vector<float> level(lattice.nodes(), 2 * lattice.h), sum(lattice.nodes()), radius(lattice.nodes());
    std::vector<Vec3f> place(lattice.nodes());
    exec.forBlocks(static_cast<std::size_t>(lattice.n[2]), kSlab, [&](std::size_t first, std::size_t last) {
        for (const auto& [x, y, z, r] : spheres.open) {   // in their order, whoever does it
            const int k0 = std::max(lattice.low(z, 2), static_cast<int>(first)), k1 = std::min(lattice.high(z, 2), static_cast<int>(last) - 1);
            for (int k = k0; k <= k1; ++k)
                for (int j = lattice.low(y, 1); j <= lattice.high(y, 1); ++j)
                    for (int i = lattice.low(x, 0); i <= lattice.high(x, 0); ++i) {
                        const float w = weight(lattice.node(i, j, k) - Vec3f{x, y, z}, lattice.reach);
                        const std::size_t node = lattice.at(i, j, k);
                        sum[node] += w;
                        radius[node] += w * r;
                        place[node] += Vec3f{x, y, z} * w;
                    }
        }
        for (int k = static_cast<int>(first); k < static_cast<int>(last); ++k)
            for (int j = 0; j < lattice.n[1]; ++j)
                for (int i = 0; i < lattice.n[0]; ++i)
                    if (const std::size_t node = lattice.at(i, j, k); sum[node] > 0)
                        level[node] = std::clamp(norm(lattice.node(i, j, k) - place[node] / sum[node]) - 1.5f * radius[node] / sum[node], -2 * lattice.h, 2 * lattice.h);
    });
    return level;
}

/// A vertex in every cell that the surface passes, a quadrilateral about every edge that it cuts.
struct SurfaceNets {
    const Lattice& lattice;
    const std::vector<float>& level;
    std::vector<std::uint32_t> vertexOfCell = std::vector<std::uint32_t>(lattice.nodes(), kNone);
    TriangleMesh mesh;

    bool inside(int i, int j, int k) const { return level[lattice.at(i, j, k)] < 0; }
    void addVertices() {
        for (int k = 0; k + 1 < lattice.n[2]; ++k)
            for (int j = 0; j + 1 < lattice.n[1]; ++j)
                for (int i = 0; i + 1 < lattice.n[0]; ++i) addVertex(i, j, k);
    }
    void addVertex(int i, int j, int k) {
        Vec3f sum;
        int cuts = 0;
        for (int edge = 0; edge < 12; ++edge) {
            const int axis = edge / 4, u = edge & 1, v = edge >> 1 & 1;
            std::array<int, 3> a{i, j, k};
            a[static_cast<std::size_t>((axis + 1) % 3)] += u;
            a[static_cast<std::size_t>((axis + 2) % 3)] += v;
            std::array<int, 3> b = a;
            ++b[static_cast<std::size_t>(axis)];
            const float p = level[lattice.at(a[0], a[1], a[2])], q = level[lattice.at(b[0], b[1], b[2])];
            if ((p < 0) == (q < 0)) continue;
            const Vec3f from = lattice.node(a[0], a[1], a[2]), to = lattice.node(b[0], b[1], b[2]);
            sum += from + (to - from) * (p / (p - q));
            ++cuts;
        }
        if (cuts == 0) return;
        vertexOfCell[lattice.at(i, j, k)] = static_cast<std::uint32_t>(mesh.vertices.size());
        mesh.vertices.push_back(sum / static_cast<float>(cuts));
    }
    void addFaces() {
        for (int k = 1; k + 1 < lattice.n[2]; ++k)
            for (int j = 1; j + 1 < lattice.n[1]; ++j)
                for (int i = 1; i + 1 < lattice.n[0]; ++i)
                    for (int axis = 0; axis < 3; ++axis) addFace(i, j, k, axis);
    }
    void addFace(int i, int j, int k, int axis) {
        const bool here = inside(i, j, k), there = inside(i + (axis == 0), j + (axis == 1), k + (axis == 2));
        if (here == there) return;
        const auto cell = [&](int u, int v) {
            std::array<int, 3> c{i, j, k};
            c[static_cast<std::size_t>((axis + 1) % 3)] -= u;
            c[static_cast<std::size_t>((axis + 2) % 3)] -= v;
            return vertexOfCell[lattice.at(c[0], c[1], c[2])];
        };
        const std::uint32_t a = cell(1, 1), b = cell(0, 1), c = cell(0, 0), d = cell(1, 0);
        if (here) mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
        else mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {a, d, c}});
    }
    void colour(const Spheres& spheres) {
        std::vector<Vec3f> sum(mesh.vertices.size());
        std::vector<float> weights(mesh.vertices.size());
        for (std::size_t s = 0; s < spheres.count(); ++s) {
            const auto& [x, y, z, r] = spheres.open[s];
            const Vec3f tint = unpackColour(spheres.colours[s]);
            for (int k = lattice.low(z, 2); k <= lattice.high(z, 2); ++k)
                for (int j = lattice.low(y, 1); j <= lattice.high(y, 1); ++j)
                    for (int i = lattice.low(x, 0); i <= lattice.high(x, 0); ++i) {
                        const std::uint32_t v = vertexOfCell[lattice.at(i, j, k)];
                        if (v == kNone) continue;
                        const float w = weight(mesh.vertices[v] - Vec3f{x, y, z}, lattice.reach);
                        sum[v] += tint * w;
                        weights[v] += w;
                    }
        }
        for (std::size_t v = 0; v < sum.size(); ++v) mesh.vertexColours.push_back(packColour(weights[v] > 0 ? sum[v] / weights[v] : sum[v]));
    }
};

}  // namespace

TriangleMesh surfaceOf(const Exec& exec, Spheres& spheres, const Aabb& box) {
    Spheres inside, alone;
    for (std::size_t i = 0; i < spheres.count(); ++i) {
        const auto& [x, y, z, r] = spheres.open[i];
        Spheres& to = box.contains({x, y, z}) ? inside : alone;
        to.open.push_back(spheres.open[i]);
        to.colours.push_back(spheres.colours[i]);
    }
    if (inside.count() == 0) return {};
    const Lattice lattice = latticeOf(inside, box);
    const std::vector<float> level = levels(exec, inside, lattice);
    SurfaceNets nets{.lattice = lattice, .level = level, .mesh = {}};
    nets.addVertices();
    nets.addFaces();
    nets.colour(inside);
    for (std::size_t s = 0; s < inside.count(); ++s) {   // the lattice is too coarse to see these
        const auto& [x, y, z, r] = inside.open[s];
        const auto near = [&](float c, int axis) { return std::clamp(static_cast<int>(std::lround((c - lattice.origin[axis]) / lattice.h)), 0, lattice.n[static_cast<std::size_t>(axis)] - 1); };
        const int i = near(x, 0), j = near(y, 1), k = near(z, 2);
        bool covered = false;
        for (int c = 0; c < 8 && !covered; ++c)
            covered = level[lattice.at(std::max(0, i - (c & 1)), std::max(0, j - (c >> 1 & 1)), std::max(0, k - (c >> 2)))] < 0;
        if (covered) continue;
        alone.open.push_back(inside.open[s]);
        alone.colours.push_back(inside.colours[s]);
    }
    spheres = std::move(alone);
    smoothCorners(nets.mesh, 80);
    return std::move(nets.mesh);
}

}  // namespace talus::render
