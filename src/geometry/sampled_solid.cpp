// SPDX-License-Identifier: Apache-2.0
// From triangles and heights to solids, and what may stand in the way.
#include "geometry/mesh_shape.h"
#include "geometry/shape_description.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace talus::geometry {
namespace {

constexpr double kMostBytes = 2e9;   // of a voxel that the scene asks for
constexpr std::size_t kMostHeights = std::size_t{1} << 24;

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return text.data();
}

std::string at(std::string_view path, std::string_view key) { return path.empty() ? std::string(key) : std::string(path) + "." + std::string(key); }

bool voxelFits(const SampledSolid& sampled, const Mesh& mesh, std::string_view path, Problems& problems) {
    const double extent = maxComponent(mesh.bounds().size());
    if (sampled.voxel && *sampled.voxel > 0.25 * extent) {
        problems.error(at(path, "voxel"), "is more than a quarter of the extent of the shape, " + number(extent) + " m; take 1/50 of it or less");
        return false;
    }
    if (sampled.band && sampled.voxel && *sampled.band < *sampled.voxel) {
        problems.error(at(path, "band"), "must be at least a voxel, " + number(*sampled.voxel) + " m");
        return false;
    }
    const double voxel = sampled.voxel.value_or(extent / 16), band = sampled.band.value_or(MeshShape::kBandVoxels * voxel);
    const double bytes = MeshShape::estimateBytes(mesh, voxel, band);
    if (bytes <= kMostBytes) return true;
    problems.error(at(path, sampled.voxel ? "voxel" : "band"),
                   "samples would take " + number(1e-9 * bytes) + " GB, and at most " + number(1e-9 * kMostBytes) +
                       (sampled.voxel ? " GB are allowed; take a larger voxel" : " GB are allowed; take a smaller band"));
    return false;
}

void makeSolid(const Exec& exec, SampledSolid& sampled, std::shared_ptr<const Mesh> mesh, std::string_view key, std::string_view path, Problems& problems) {
    if (!voxelFits(sampled, *mesh, path, problems)) return;
    const auto solid = std::make_shared<const MeshShape>(exec, std::move(mesh), sampled.voxel, sampled.band);
    if (solid->voxel() > 0.5001 * solid->thinnestPlate())
        problems.warn(at(path, sampled.voxel ? "voxel" : key), "its thinnest part measures " + number(solid->thinnestPlate()) +
                                                                   " m and may be missed by samples " + number(solid->voxel()) +
                                                                   " m apart; the voxel should be at most half of it, or the part thicker");
    sampled.solid = solid;
}

/// The surface over the grid, walls down to the base, and the base: closed, cells cut along alternating diagonals.
Mesh heightMesh(const std::vector<std::vector<double>>& heights, double spacing, double base) {
    const auto ny = static_cast<std::uint32_t>(heights.size()), nx = static_cast<std::uint32_t>(heights.front().size());
    Mesh mesh;
    const auto top = [&](std::uint32_t i, std::uint32_t j) { return j * nx + i; };
    const auto bottom = [&](std::uint32_t i, std::uint32_t j) { return nx * ny + j * nx + i; };
    for (const bool upper : {true, false})
        for (std::uint32_t j = 0; j < ny; ++j)
            for (std::uint32_t i = 0; i < nx; ++i) mesh.vertices.push_back({spacing * i, spacing * j, upper ? heights[j][i] : base});
    const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, bool other) {
        if (other) mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
        else mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
    };
    for (std::uint32_t j = 0; j + 1 < ny; ++j)
        for (std::uint32_t i = 0; i + 1 < nx; ++i) {
            quad(top(i, j), top(i + 1, j), top(i + 1, j + 1), top(i, j + 1), (i + j) % 2 == 1);
            quad(bottom(i, j), bottom(i, j + 1), bottom(i + 1, j + 1), bottom(i + 1, j), false);
        }
    const auto wall = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k, std::uint32_t l) { quad(bottom(i, j), bottom(k, l), top(k, l), top(i, j), false); };
    for (std::uint32_t i = 0; i + 1 < nx; ++i) wall(i, 0, i + 1, 0), wall(i + 1, ny - 1, i, ny - 1);
    for (std::uint32_t j = 0; j + 1 < ny; ++j) wall(0, j + 1, 0, j), wall(nx - 1, j, nx - 1, j + 1);
    return mesh;
}

}  // namespace

void prepare(const Exec& exec, MeshDescription& description, Mesh mesh, std::string_view path, Problems& problems) {
    const std::vector<std::string> found = faults(mesh);
    for (const std::string& fault : found) problems.error(at(path, "file"), fault);
    if (found.empty()) makeSolid(exec, description.sampled, std::make_shared<const Mesh>(std::move(mesh)), "file", path, problems);
}

void prepare(const Exec& exec, HeightFieldDescription& d, const std::vector<std::vector<double>>& heights, std::string_view path, Problems& problems) {
    const std::string key = at(path, d.file ? "file" : "heights");
    if (heights.size() < 2 || heights.front().size() < 2) return problems.error(key, "needs at least two rows of two heights");
    for (std::size_t j = 1; j < heights.size(); ++j)
        if (heights[j].size() != heights.front().size())
            return problems.error(key, "row " + std::to_string(j + 1) + " has " + std::to_string(heights[j].size()) + " heights, and the first row has " +
                                           std::to_string(heights.front().size()));
    if (heights.size() * heights.front().size() > kMostHeights)
        return problems.error(key, "has " + std::to_string(heights.size() * heights.front().size()) + " heights; at most 16777216 are possible");
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& row : heights) lowest = std::min(lowest, *std::ranges::min_element(row));
    if (!d.base) d.base = lowest - 0.1 * d.spacing * static_cast<double>(std::max(heights.size(), heights.front().size()) - 1);
    if (!(*d.base < lowest)) return problems.error(at(path, "base"), "must lie below the lowest height, " + number(lowest) + " m");
    makeSolid(exec, d.sampled, std::make_shared<const Mesh>(heightMesh(heights, d.spacing, *d.base)), d.file ? "file" : "heights", path, problems);
}

}  // namespace talus::geometry
