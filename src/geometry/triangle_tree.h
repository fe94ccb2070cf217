// SPDX-License-Identifier: Apache-2.0
// The nearest triangle of a closed mesh, exactly, and on which side of it a point lies.
#pragma once

#include "geometry/mesh.h"
#include "geometry/shape.h"

#include <memory>
#include <optional>
#include <vector>

namespace talus::geometry {

/// The sign comes from the angle-weighted pseudonormal of the nearest face, edge or vertex [Baerentzen2005], which is right
/// for every closed, oriented mesh. Queries are in double precision; the tree of boxes around triangles only leaves out what
/// cannot be nearest. Where several triangles are equally near, the first of the mesh counts: no result depends on the
/// order in which the tree was built or is walked.
class TriangleTree {
public:
    explicit TriangleTree(std::shared_ptr<const Mesh>);
    ~TriangleTree();
    TriangleTree(const TriangleTree&) = delete;
    TriangleTree& operator=(const TriangleTree&) = delete;

    const Mesh& mesh() const { return *mesh_; }

    /// Exact distance, negative inside, with its gradient. `within` [m] may be a bound that the distance is known to keep,
    /// which shortens the search.
    Surface surface(const Vec3&, double within = kUnknown) const;

    /// The least thickness of a part with opposite faces nearly parallel, seen from points spread over the triangles
    /// (a plate, a web; not the taper towards a sharp edge); infinite where there is no such part.
    double thinnestPlate() const;

private:
    static constexpr double kUnknown = 1e300;
    struct Embree;
    struct Nearest;

    void findNeighbours();
    void findVertexNormals();
    Vec3 unitNormal(std::size_t triangle) const { return normalized(mesh_->doubleArea(triangle)); }
    Vec3 pseudonormal(const Nearest&) const;
    Nearest nearest(const Vec3&, double within) const;
    std::optional<double> plateThickness(std::size_t triangle, const Vec3& from) const;

    std::shared_ptr<const Mesh> mesh_;
    Aabb box_;
    std::vector<Triangle> neighbours_;    // across the edge from corner k to k + 1
    std::vector<Vec3> vertexNormals_;     // Σ angle × unit normal
    std::unique_ptr<Embree> embree_;
};

}  // namespace talus::geometry
