// SPDX-License-Identifier: Apache-2.0
#include "dem/friction_table.h"

#include <span>

namespace talus::dem {
namespace {

/// Heaps poured from a spout as in the scene `heap`, on plates of 11 to 14 grain diameters in radius with open rims, grains of 1 MPa;
/// good to about three degrees. To be made again by
///     tools/measure-repose.py --shapes sphere,tetra4
/// Spheres without rolling friction roll off the plate at any friction.
struct Row {
    double degrees, friction, rolling;
};
constexpr Row kSphere[] = {{12.2, 0.5, 0.05}, {16.9, 0.5, 0.1}, {22.9, 0.5, 0.15}, {25.7, 0.52, 0.21}, {36.1, 0.6, 0.3}, {41.4, 0.7, 0.5}};
constexpr Row kTetra4[] = {{24.6, 0.1, 0}, {29.5, 0.2, 0}, {34.9, 0.4, 0}, {38.3, 0.8, 0.3}};

std::span<const Row> tableOf(Shape shape) {
    if (shape == Shape::sphere) return kSphere;
    if (shape == Shape::tetra4) return kTetra4;
    return {};
}

}  // namespace

std::optional<ReposeRange> reposeRange(Shape shape) {
    const std::span<const Row> rows = tableOf(shape);
    if (rows.empty()) return std::nullopt;
    return ReposeRange{rows.front().degrees, rows.back().degrees};
}

std::optional<Rubbing> frictionForAngle(Shape shape, double degrees) {
    const std::span<const Row> rows = tableOf(shape);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (degrees < rows[i - 1].degrees || degrees > rows[i].degrees) continue;
        const double part = (degrees - rows[i - 1].degrees) / (rows[i].degrees - rows[i - 1].degrees);
        return Rubbing{rows[i - 1].friction + part * (rows[i].friction - rows[i - 1].friction), rows[i - 1].rolling + part * (rows[i].rolling - rows[i - 1].rolling)};
    }
    return std::nullopt;
}

}  // namespace talus::dem
