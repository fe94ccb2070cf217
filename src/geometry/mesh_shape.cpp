// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh_shape.h"

#include <algorithm>
#include <cmath>

namespace talus::geometry {

MeshShape::MeshShape(const Exec& exec, std::shared_ptr<const Mesh> mesh, std::optional<double> voxel, std::optional<double> band)
    : mesh_(std::move(mesh)), box_(mesh_->bounds()), tree_(mesh_), thinnest_(tree_.thinnestPlate()) {
    const double chosen = chooseVoxel(voxel, band);
    bricks_.emplace(exec, box_, chosen, band.value_or(kBandVoxels * chosen), [this](const Vec3& p, double within) { return tree_.surface(p, within); });
}

double MeshShape::estimateBytes(const Mesh& mesh, double voxel, double band) {
    // A brick is near the surface when its centre is within band + half its diagonal.
    const double side = Bricks::kCells * voxel;
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) area += 0.5 * norm(mesh.doubleArea(t));
    const double layer = 2 * (band + std::sqrt(0.75) * side), grid = Bricks::gridSize(mesh.bounds(), voxel, band);
    const double around = area * layer + 4.0 / 3 * 3.14159 * std::pow(0.5 * layer, 3);   // a sheet, and its rim
    return std::min(around / (side * side * side), grid) * static_cast<double>(Bricks::kBytesPerBrick) + grid * 16;
}

double MeshShape::chooseVoxel(std::optional<double> given, std::optional<double> band) const {
    constexpr double kPerExtent = 128, kCoarser = 1.1;
    if (given) return *given;
    double voxel = std::min(maxComponent(box_.size()) / kPerExtent, 0.5 * thinnest_);
    while (estimateBytes(*mesh_, voxel, band.value_or(kBandVoxels * voxel)) > kMostBytes) voxel *= kCoarser;
    return voxel;
}

}  // namespace talus::geometry
