// SPDX-License-Identifier: Apache-2.0
// The box that the grains live in.
#pragma once

#include "core/vec.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace talus::world {

enum class FaceType { wall, open, periodic };

inline constexpr std::array<std::string_view, 6> kFaceNames{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};

struct Domain {
    Vec3 min{0, 0, 0}, max{1, 1, 1};                 // [m]
    std::array<FaceType, 6> faces{};                 // in the order of kFaceNames; a periodic pair is periodic on both
    int slab = -1;                                   // periodic axis across which a two-dimensional case is alike; -1: none

    bool periodic(int axis) const { return faces[static_cast<std::size_t>(2 * axis)] == FaceType::periodic; }
    bool anyOpen() const {
        for (const FaceType face : faces)
            if (face == FaceType::open) return true;
        return false;
    }
    Vec3 size() const { return max - min; }
    /// Of the slab [m]; 1 where there is none.
    double slabWidth() const { return slab < 0 ? 1 : max[slab] - min[slab]; }

    /// The image of x in [min, max) along the periodic axes.
    Vec3 wrap(Vec3 x) const {
        for (int axis = 0; axis < 3; ++axis)
            if (periodic(axis)) {
                const double length = max[axis] - min[axis];
                x[axis] -= length * std::floor((x[axis] - min[axis]) / length);
                if (x[axis] >= max[axis]) x[axis] = min[axis];   // a hair below min rounds up to max
            }
        return x;
    }
    /// The shortest image of the vector between two points.
    Vec3 nearestImage(Vec3 d) const {
        for (int axis = 0; axis < 3; ++axis)
            if (periodic(axis)) {
                const double length = max[axis] - min[axis];
                d[axis] -= length * std::round(d[axis] / length);
            }
        return d;
    }
};

}  // namespace talus::world
