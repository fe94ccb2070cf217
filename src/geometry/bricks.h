// SPDX-License-Identifier: Apache-2.0
// A signed distance sampled once, for queries at tens of nanoseconds: bricks of 8x8x8 cells where the surface is near.
#pragma once

#include "core/exec.h"
#include "geometry/shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::geometry {

/// A node holds distance and gradient. In a cell both are interpolated trilinearly, the distance with the correction
/// -h/2 Σₐ tₐ (1 - tₐ) Δₐgₐ (t the place in the cell, Δₐg the change of the gradient across it along axis a), which makes it
/// exact for quadratic functions: third order where the distance is smooth, first order within a cell of a sharp edge.
///
/// Bricks cover every point within `band` of the surface. Further away the distance is cut off at the band, or is that to
/// the box around the solid where this is more: a bound with the right sign.
class Bricks {
public:
    static constexpr int kCells = 8, kNodes = kCells + 1;   // along a side
    static constexpr std::size_t kBytesPerBrick = std::size_t{kNodes} * kNodes * kNodes * 4 * sizeof(float);

    using Exact = FunctionRef<Surface(const Vec3&, double within)>;   // `within` bounds the distance
    /// `box` holds the solid.
    Bricks(const Exec&, const Aabb& box, double voxel, double band, Exact);

    Surface at(const Vec3&) const;
    void at(std::span<const Vec3>, std::span<Surface>) const;   // eight at a time; the same bits

    double voxel() const { return voxel_; }
    double band() const { return band_; }
    std::size_t bricks() const { return samples_.size() / kFloats; }
    std::size_t bytes() const { return samples_.size() * sizeof(float) + far_.size() * sizeof(Far); }

    /// How many bricks there would be in the grid, near the surface or not.
    static double gridSize(const Aabb& box, double voxel, double band);

private:
    static constexpr std::size_t kFloats = kBytesPerBrick / sizeof(float);
    struct Far {
        std::int32_t brick;   // its number; or kOutside, kInside
        Vec3f normal;         // at the centre of an empty brick
    };
    static constexpr std::int32_t kOutside = -1, kInside = -2;
    struct Place;

    void chooseBricks(const Exec&, Exact);
    void sample(const Exec&, Exact);
    Vec3 cornerOf(std::size_t brickInGrid) const;
    Surface beyond(const Vec3&, const Far*) const;
    Place find(const Vec3&, const Far*&) const;
    double cutOff(const Vec3&, float value) const;
    static Surface onMedialAxis(double value, const float* cell);
    void eight(const Vec3*, Surface*) const;
    bool inGrid(const Vec3& g) const;

    Aabb box_;
    double voxel_, perVoxel_, band_;
    float halfVoxel_;
    Vec3 origin_;
    Vec3i size_;                      // of the grid of bricks
    std::vector<Far> far_;            // x runs fastest
    std::vector<std::uint32_t> grid_; // of each brick, its number in the grid
    std::vector<float> samples_;      // of each brick 9x9x9 times (gradient, distance)
};

}  // namespace talus::geometry
