// SPDX-License-Identifier: Apache-2.0
// The solid inside a closed mesh.
#pragma once

#include "core/exec.h"
#include "geometry/bricks.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"
#include "geometry/triangle_tree.h"

#include <memory>
#include <optional>

namespace talus::geometry {

/// Its distance comes from bricks (bricks.h): within `band` of the surface it is interpolated between exact samples, further
/// away it is a bound. So two promises of Shape hold up to the error of interpolation, which is below 1e-3 voxels where the
/// surface is smooth and reaches a quarter of a voxel within a voxel of a sharp edge: |distance| exceeds the true distance by no more
/// than that. exactSurface() has no such error and takes microseconds.
class MeshShape final : public Shape {
public:
    /// Voxel and band [m] are chosen unless given: 1/128 of the extent, or half the thinnest plate where that is less and
    /// kMostBytes allow it; a band of 8 voxels. The mesh must have no faults().
    MeshShape(const Exec&, std::shared_ptr<const Mesh>, std::optional<double> voxel = {}, std::optional<double> band = {});

    Surface surface(const Vec3& p) const override { return bricks_->at(p); }
    void surfaces(std::span<const Vec3> points, std::span<Surface> out) const override { bricks_->at(points, out); }
    bool exact() const override { return false; }
    Aabb levelBounds(double level) const override { return grown(box_, level); }
    double measureVolume() const override { return massProperties().volume; }
    MassProperties massProperties() const override { return geometry::massProperties(*mesh_); }
    std::shared_ptr<const Mesh> ownMesh() const override { return mesh_; }

    Surface exactSurface(const Vec3& p) const { return tree_.surface(p); }
    const Mesh& mesh() const { return *mesh_; }
    double voxel() const { return bricks_->voxel(); }
    double band() const { return bricks_->band(); }
    double thinnestPlate() const { return thinnest_; }   // [m]; infinite: none
    std::size_t bytes() const { return bricks_->bytes(); }

    static constexpr double kMostBytes = 256e6;   // unless a voxel is given

    /// About how much a voxel would take [bytes].
    static double estimateBytes(const Mesh&, double voxel, double band);
    static constexpr double kBandVoxels = 8;

private:
    double chooseVoxel(std::optional<double> given, std::optional<double> band) const;

    std::shared_ptr<const Mesh> mesh_;
    Aabb box_;
    TriangleTree tree_;
    double thinnest_;
    std::optional<Bricks> bricks_;
};

}  // namespace talus::geometry
