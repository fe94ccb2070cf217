// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

namespace talus::geometry {
namespace {

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
}
std::string place(const Vec3& p) { return "(" + number(p.x) + ", " + number(p.y) + ", " + number(p.z) + ")"; }
std::string count(std::size_t n, const char* one, const char* many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

struct Cell {
    std::int64_t x, y, z;
    friend bool operator==(const Cell&, const Cell&) = default;
};
struct CellHash {
    std::size_t operator()(const Cell& c) const {
        return static_cast<std::size_t>(c.x) * 0x9e3779b97f4a7c15ULL ^ static_cast<std::size_t>(c.y) * 0xc2b2ae3d27d4eb4fULL ^
               static_cast<std::size_t>(c.z) * 0x165667b19e3779f9ULL;
    }
};

/// Vertices kept so far, found again by place. Only looked up, never walked through, so its order does not matter.
class Welder {
public:
    explicit Welder(double tolerance) : tolerance_(tolerance) {}

    std::uint32_t find(const Vec3& p, std::vector<Vec3>& kept) {
        const Cell home = cellOf(p);
        for (std::int64_t k = -1; k <= 1; ++k)
            for (std::int64_t j = -1; j <= 1; ++j)
                for (std::int64_t i = -1; i <= 1; ++i)
                    if (const auto it = first_.find({home.x + i, home.y + j, home.z + k}); it != first_.end())
                        for (std::uint32_t n = it->second; n != kNone; n = next_[n])
                            if (normSquared(kept[n] - p) <= tolerance_ * tolerance_) return n;
        const auto index = static_cast<std::uint32_t>(kept.size());
        kept.push_back(p);
        const auto [it, isNew] = first_.try_emplace(home, kNone);
        next_.push_back(it->second);
        it->second = index;
        return index;
    }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    Cell cellOf(const Vec3& p) const {
        const double size = tolerance_ > 0 ? tolerance_ : 1;
        const auto cell = [size](double x) { return static_cast<std::int64_t>(std::floor(std::clamp(x / size, -4e18, 4e18))); };
        return {cell(p.x), cell(p.y), cell(p.z)};
    }
    double tolerance_;
    std::unordered_map<Cell, std::uint32_t, CellHash> first_;
    std::vector<std::uint32_t> next_;   // in the same cell
};

struct Edge {
    std::uint64_t ends;   // the lower index in the upper half: edges sort in a fixed order
    std::uint32_t triangle;
    bool forward;         // runs from the lower index to the higher
};

std::vector<Edge> sortedEdges(const Mesh& mesh) {
    std::vector<Edge> edges;
    edges.reserve(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint64_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
            edges.push_back({std::min(a, b) << 32 | std::max(a, b), static_cast<std::uint32_t>(t), a < b});
        }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        return a.ends != b.ends ? a.ends < b.ends : a.triangle < b.triangle;
    });
    return edges;
}

struct Count {
    std::size_t number = 0;
    Vec3 first{};
    void add(const Vec3& where) {
        if (number++ == 0) first = where;
    }
};

/// A closed mesh has each edge twice, once in each direction.
void edgeFaults(const Mesh& mesh, std::vector<std::string>& found) {
    Count open, crowded, turned;
    const std::vector<Edge> edges = sortedEdges(mesh);
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i, forward = 0;
        for (; end < edges.size() && edges[end].ends == edges[i].ends; ++end) forward += edges[end].forward ? 1U : 0U;
        const Vec3 middle = 0.5 * (mesh.vertices[edges[i].ends >> 32] + mesh.vertices[edges[i].ends & 0xffffffff]);
        if (end - i == 1) open.add(middle);
        else if (end - i > 2) crowded.add(middle);
        else if (forward != 1) turned.add(middle);
        i = end;
    }
    if (open.number > 0)
        found.push_back("the mesh is not closed: " + count(open.number, "edge belongs", "edges belong") + " to one triangle only, the first at " +
                        place(open.first) + " m; close its holes, a sheet needs a thickness");
    if (crowded.number > 0)
        found.push_back(count(crowded.number, "edge is", "edges are") + " shared by more than two triangles, the first at " + place(crowded.first) +
                        " m; take out inner faces, and keep parts that touch along an edge apart");
    if (turned.number > 0)
        found.push_back("across " + count(turned.number, "edge", "edges") + " one triangle faces out and its neighbour in, the first at " +
                        place(turned.first) + " m; let the modelling program recalculate the normals to point outwards");
}

/// Second moments: ∫ over the tetrahedron (0, a, b, c) of x xᵀ is det(a, b, c)/120 (Σ vᵢvᵢᵀ + (Σ vᵢ)(Σ vᵢ)ᵀ).
struct Moments {
    double volume6 = 0;   // six times the volume
    Vec3 first24;         // 24 times ∫ x dV
    Mat3 second120;       // 120 times ∫ x xᵀ dV
};

Moments moments(const Mesh& mesh, const Vec3& origin) {
    Moments sum;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3 a = mesh.corner(t, 0) - origin, b = mesh.corner(t, 1) - origin, c = mesh.corner(t, 2) - origin;
        const double det = dot(a, cross(b, c));
        const Vec3 total = a + b + c;
        sum.volume6 += det;
        sum.first24 += det * total;
        sum.second120 += (Mat3::outer(a, a) + Mat3::outer(b, b) + Mat3::outer(c, c) + Mat3::outer(total, total)) * det;
    }
    return sum;
}

}  // namespace

Aabb Mesh::bounds() const {
    Aabb box;
    for (const Vec3& v : vertices) box.extend(v);
    return box;
}

Mesh welded(const Mesh& mesh, double tolerance) {
    Mesh result;
    Welder welder(tolerance);
    constexpr std::uint32_t kUnused = 0xffffffff;
    std::vector<std::uint32_t> where(mesh.vertices.size(), kUnused);
    for (const Triangle& triangle : mesh.triangles) {
        Triangle t{};
        for (std::size_t k = 0; k < 3; ++k) {
            std::uint32_t& index = where[triangle[k]];
            if (index == kUnused) index = welder.find(mesh.vertices[triangle[k]], result.vertices);
            t[k] = index;
        }
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) result.triangles.push_back(t);
    }
    return result;
}

std::vector<std::string> faults(const Mesh& mesh) {
    constexpr double kFlat = 1e-10;   // height of a triangle over the extent of the mesh: nothing but rounding
    std::vector<std::string> found;
    if (mesh.triangles.empty()) return {"the mesh has no triangles"};
    Count wild;
    for (const Vec3& v : mesh.vertices)
        if (!isFinite(v)) wild.add(v);
    if (wild.number > 0) return {count(wild.number, "vertex is", "vertices are") + " not finite, the first " + place(wild.first)};
    const double extent = maxComponent(mesh.bounds().size());

    Count flat;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        double longest = 0;
        for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, norm(mesh.corner(t, (k + 1) % 3) - mesh.corner(t, k)));
        if (!(norm(mesh.doubleArea(t)) > kFlat * extent * longest)) flat.add(mesh.corner(t, 0));
    }
    if (flat.number > 0)
        found.push_back(count(flat.number, "triangle has", "triangles have") + " no area, the first at " + place(flat.first) +
                        " m; let the modelling program dissolve degenerate faces");
    edgeFaults(mesh, found);
    if (!found.empty()) return found;
    const double volume = massProperties(mesh).volume;
    if (volume < 0)
        found.push_back("the mesh is inside out: its triangles face inwards (volume " + number(volume) +
                        " m³); flip its normals in the modelling program");
    else if (!(volume > 0)) found.push_back("the mesh encloses no volume");
    return found;
}

MassProperties massProperties(const Mesh& mesh) {
    // About a point near the solid, or the digits of a far-away part cancel.
    const Vec3 origin = mesh.bounds().centre();
    const Moments sum = moments(mesh, origin);
    MassProperties result;
    result.volume = sum.volume6 / 6;
    if (result.volume == 0) return result;
    const Vec3 offset = sum.first24 / (24 * result.volume);
    result.centre = origin + offset;
    const Mat3 second = sum.second120 * (1.0 / 120) - Mat3::outer(offset, offset) * result.volume;
    result.inertia = Mat3::identity() * trace(second) - second;
    return result;
}

}  // namespace talus::geometry
