// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape.h"

#include <limits>

namespace talus::geometry {
namespace {

/// Volume of the shape inside a cell. Cells that the surface cannot cross are settled at once; the others are halved along
/// their longest side down to `leaf`, where the surface is taken for a plane whose cut grows linearly with its offset:
/// the error of that is odd in the offset and cancels along the surface.
double volumeInside(const Shape& shape, const Aabb& cell, double leaf) {
    const Vec3 size = cell.size();
    const double full = size.x * size.y * size.z;
    const Surface s = shape.surface(cell.centre());
    if (std::abs(s.distance) >= 0.5 * norm(size)) return s.distance < 0 ? full : 0;
    if (maxComponent(size) <= leaf) {
        const double reach = std::abs(s.normal.x) * size.x + std::abs(s.normal.y) * size.y + std::abs(s.normal.z) * size.z;
        return full * std::clamp(0.5 - s.distance / reach, 0.0, 1.0);
    }
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    Aabb low = cell, high = cell;
    low.max[axis] = high.min[axis] = cell.centre()[axis];
    return volumeInside(shape, low, leaf) + volumeInside(shape, high, leaf);
}

}  // namespace

void Shape::surfaces(std::span<const Vec3> points, std::span<Surface> out) const {
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = surface(points[i]);
}

bool Shape::bounded() const {
    const Aabb box = bounds();
    return isFinite(box.min) && isFinite(box.max);
}

double Shape::volume() const {
    std::call_once(volumeMeasured_, [this] { volume_ = measureVolume(); });
    return volume_;
}

double Shape::measureVolume() const {
    constexpr double kCoarsest = 1.0 / 64, kFinest = 1.0 / 512, kTolerance = 3e-4;
    if (!bounded()) return std::numeric_limits<double>::infinity();
    const Aabb box = bounds();
    if (box.empty()) return 0;
    const double extent = maxComponent(box.size());
    // The error falls as leaf², so a change by one halving is three times what remains.
    double coarse = volumeInside(*this, box, kCoarsest * extent);
    for (double leaf = 0.5 * kCoarsest;; leaf *= 0.5) {
        const double fine = volumeInside(*this, box, leaf * extent);
        if (std::abs(fine - coarse) <= kTolerance * fine || leaf <= kFinest) return fine;
        coarse = fine;
    }
}

}  // namespace talus::geometry
