// SPDX-License-Identifier: Apache-2.0
#include "core/problems.h"
#include "geometry/shape.h"
#include "geometry/shape_description.h"

#include <cmath>
#include <sstream>

namespace talus::geometry {

namespace {

/// Whether both surfaces pass through the middle of an end of the cut's box, one upon the other: there both solids are as
/// deep as the point lies behind the end.
bool endTogether(const Shape& solid, const Shape& cut, int axis, bool high) {
    const Aabb box = cut.bounds(), whole = solid.bounds();
    const double end = high ? box.max[axis] : box.min[axis], depth = 1e-4 * norm(box.size());
    if (!std::isfinite(end) || !std::isfinite(depth) || std::abs(end - (high ? whole.max[axis] : whole.min[axis])) > 1e-3 * depth) return false;
    Vec3 point = box.centre();
    point[axis] = end + (high ? -depth : depth);
    const auto lies = [&](const Shape& shape) { return std::abs(shape.distance(point) + depth) < 0.01 * depth; };
    return lies(solid) && lies(cut);
}

}  // namespace

void warnOfSkins(const ShapeDescription& shape, const std::string& path, Problems& problems) {
    ShapeDescription copy = shape;   // visiting may change shapes
    eachShape(copy, path, [&](ShapeDescription& part, const std::string& place) {
        const auto* difference = std::get_if<DifferenceDescription>(&part.kind);
        if (difference == nullptr) return;
        const ShapePtr solid = build(difference->from.front());
        for (std::size_t i = 0; i < difference->minus.size(); ++i) {
            const ShapePtr cut = build(difference->minus[i]);
            for (int axis = 0; axis < 3; ++axis)
                for (const bool high : {false, true})
                    if (endTogether(*solid, *cut, axis, high)) {
                        std::ostringstream text;
                        text << "the cut ends in the same plane as the solid, at " << "xyz"[axis] << " = " << (high ? cut->bounds().max[axis] : cut->bounds().min[axis])
                             << " m of the difference: rounding may leave a skin without thickness there; let the cut reach beyond the solid";
                        problems.warn(place + ".minus[" + std::to_string(i) + "]", text.str());
                    }
        }
    });
}

}  // namespace talus::geometry
