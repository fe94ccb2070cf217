// SPDX-License-Identifier: Apache-2.0
#include "geometry/polygonise.h"

#include "geometry/operators.h"
#include "geometry/primitives.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus::geometry {
namespace {

/// Nodes of a grid around the shape, one cell wider than it on every side so that the surface closes inside.
class DualContour {
public:
    DualContour(const Exec& exec, const Shape& shape, const Aabb& box, int cells) : exec_(exec), shape_(shape) {
        cell_ = maxComponent(box.size()) / cells;
        // Off the lattice, or faces of a box that lie on nodes would be found on neither side.
        origin_ = box.min - 1.37 * Vec3{cell_, cell_, cell_};
        for (int axis = 0; axis < 3; ++axis) nodes_[axis] = static_cast<int>(std::ceil(box.size()[axis] / cell_)) + 4;
    }

    Mesh mesh() {
        sampleNodes();
        placeVertices();
        for (int k = 1; k < nodes_.z; ++k)
            for (int j = 1; j < nodes_.y; ++j)
                for (int i = 1; i < nodes_.x; ++i)
                    for (int axis = 0; axis < 3; ++axis) addQuad({i, j, k}, axis);
        return std::move(mesh_);
    }

private:
    std::size_t index(const Vec3i& n) const {
        return (static_cast<std::size_t>(n.z) * static_cast<std::size_t>(nodes_.y) + static_cast<std::size_t>(n.y)) * static_cast<std::size_t>(nodes_.x) +
               static_cast<std::size_t>(n.x);
    }
    Vec3i place(std::size_t n) const {
        const auto nx = static_cast<std::size_t>(nodes_.x), ny = static_cast<std::size_t>(nodes_.y);
        return {static_cast<int>(n % nx), static_cast<int>(n / nx % ny), static_cast<int>(n / (nx * ny))};
    }
    Vec3 position(const Vec3i& n) const { return origin_ + cell_ * Vec3{double(n.x), double(n.y), double(n.z)}; }

    void sampleNodes() {
        distance_.resize(static_cast<std::size_t>(nodes_.x) * static_cast<std::size_t>(nodes_.y) * static_cast<std::size_t>(nodes_.z));
        exec_.forBlocks(distance_.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) distance_[n] = static_cast<float>(shape_.distance(position(place(n))));
        });
    }
    bool inside(const Vec3i& n) const { return distance_[index(n)] < 0; }

    /// Where the surface crosses the edge between two nodes, one inside: bisection, since a distance may be a bound.
    Vec3 crossing(Vec3 in, Vec3 out) const {
        for (int step = 0; step < 12; ++step) {
            const Vec3 middle = 0.5 * (in + out);
            (shape_.distance(middle) < 0 ? in : out) = middle;
        }
        return 0.5 * (in + out);
    }

    /// Minimises Σ (n·(x - p))² + ε |x - mean|² over the crossings p with normals n of the cell's edges; the second term
    /// keeps what one plane leaves open at the middle of the crossings.
    bool vertexOf(const Vec3i& corner, Vec3& vertex) const {
        constexpr double kKeep = 0.005, kBeyond = 0.5;   // cells that a vertex may leave its own by: the tip of a corner whose nodes are all outside
        Mat3 normalNormal;
        Vec3 rest, mean;
        std::array<Vec3, 12> points, normals;
        std::size_t count = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (int e = 0; e < 4; ++e) {
                Vec3i a = corner;
                a[(axis + 1) % 3] += e & 1, a[(axis + 2) % 3] += e >> 1;
                Vec3i b = a;
                ++b[axis];
                if (inside(a) == inside(b)) continue;
                points[count] = inside(a) ? crossing(position(a), position(b)) : crossing(position(b), position(a));
                normals[count] = shape_.surface(points[count]).normal;
                mean += points[count++];
            }
        if (count == 0) return false;
        mean = mean / static_cast<double>(count);
        for (std::size_t i = 0; i < count; ++i) {
            normalNormal += Mat3::outer(normals[i], normals[i]);
            rest += dot(normals[i], points[i] - mean) * normals[i];
        }
        const Vec3 step = inverse(normalNormal + Mat3::identity() * kKeep) * rest;
        const double reach = kBeyond * cell_;
        const Vec3 low = position(corner) - Vec3{reach, reach, reach}, high = low + (cell_ + 2 * reach) * Vec3{1, 1, 1};
        vertex = max(low, min(high, mean + step));
        // What the term with ε pulled off an edge or a smooth surface goes back onto the surface.
        for (int n = 0; n < 2; ++n) {
            const Surface s = shape_.surface(vertex);
            if (std::abs(s.distance) < 0.5 * cell_) vertex = max(low, min(high, vertex - s.distance * s.normal));
        }
        return true;
    }

    void placeVertices() {
        vertexAt_.assign(distance_.size(), kNone);
        const double farFromSurface = 1.01 * std::sqrt(3.0) * cell_;   // no distance is beyond the true one, so all corners are on one side
        constexpr std::size_t kBlock = 4096;
        struct Found {
            std::size_t cell;
            Vec3 vertex;
        };
        std::vector<std::vector<Found>> found((distance_.size() + kBlock - 1) / kBlock);
        exec_.forBlocks(distance_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) {
                if (std::abs(distance_[n]) > farFromSurface) continue;
                const Vec3i at = place(n);
                Vec3 vertex;
                if (at.x + 1 < nodes_.x && at.y + 1 < nodes_.y && at.z + 1 < nodes_.z && vertexOf(at, vertex)) found[begin / kBlock].push_back({n, vertex});
            }
        });
        for (const auto& block : found)
            for (const Found& f : block) {
                vertexAt_[f.cell] = static_cast<std::uint32_t>(mesh_.vertices.size());
                mesh_.vertices.push_back(f.vertex);
            }
    }

    /// The four cells around an edge that the surface crosses, turned so that the quad faces out.
    void addQuad(const Vec3i& n, int axis) {
        Vec3i next = n;
        if (++next[axis] >= nodes_[axis]) return;
        if (inside(n) == inside(next)) return;
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        Vec3i a = n, b = n, c = n, d = n;
        --a[u], --a[v], --b[v], --d[u];
        std::array<std::uint32_t, 4> q{vertexAt_[index(a)], vertexAt_[index(b)], vertexAt_[index(c)], vertexAt_[index(d)]};
        if (!inside(n)) std::swap(q[1], q[3]);
        // Along the shorter diagonal; sharp edges then run along sides of triangles.
        const bool first = normSquared(mesh_.vertices[q[0]] - mesh_.vertices[q[2]]) <= normSquared(mesh_.vertices[q[1]] - mesh_.vertices[q[3]]);
        if (first) mesh_.triangles.insert(mesh_.triangles.end(), {{q[0], q[1], q[2]}, {q[0], q[2], q[3]}});
        else mesh_.triangles.insert(mesh_.triangles.end(), {{q[0], q[1], q[3]}, {q[1], q[2], q[3]}});
    }

    static constexpr std::uint32_t kNone = 0xffffffff;
    const Exec& exec_;
    const Shape& shape_;
    double cell_;
    Vec3 origin_;
    Vec3i nodes_;
    std::vector<float> distance_;
    std::vector<std::uint32_t> vertexAt_;   // of the cell above each node
    Mesh mesh_;
};

}  // namespace

Mesh polygonise(const Exec& exec, const Shape& shape, const Aabb& box, int cells) {
    const Aabb bounds = shape.bounds();
    const Aabb part{max(bounds.min, box.min), min(bounds.max, box.max)};
    if (part.empty() || !(maxComponent(part.size()) > 0)) return {};
    const bool whole = box.contains(bounds.min) && box.contains(bounds.max);
    if (const auto own = shape.ownMesh(); own && whole) return *own;
    if (whole) return DualContour(exec, shape, part, cells).mesh();
    const auto clip = std::make_shared<Placed>(std::make_shared<Box>(part.size()), RigidTransform{{}, part.centre()});
    const ShapePtr borrowed(ShapePtr(), &shape);   // not owned: it outlives this call
    return DualContour(exec, Intersection({borrowed, clip}), part, cells).mesh();
}

}  // namespace talus::geometry
