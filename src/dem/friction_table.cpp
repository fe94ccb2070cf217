// SPDX-License-Identifier: Apache-2.0
#include "dem/friction_table.h"

#include <span>

namespace talus::dem {
namespace {

/// Heaps poured by
///     talus calibrate --template SHAPE --angle ANGLE --most-runs 6
/// for 20, 25, 30 and 35 degrees, for spheres, `tetra4`, `cube8` and `bcc9` 40 too: the nearest heap of each, and for clumps the steepest one without rolling friction. 1,900 grains of 1 MPa, poured as in the
/// scene `heap`. A heap poured again stands within one to two degrees. More rolling friction made heaps of `cube8` and `bcc9` no steeper (35 and 34 degrees with 0.34).
struct Row {
    double degrees, friction, rolling;
};
constexpr Row kSphere[] = {{20.4, 0.5, 0.0516}, {25.4, 0.5, 0.0851}, {29.4, 0.5, 0.163}, {35.2, 0.5, 0.358}, {37.4, 1, 1}};
constexpr Row kTetra4[] = {{19.1, 0.03, 0}, {24.4, 0.0935, 0}, {30.4, 0.19, 0}, {34.9, 0.438, 0}, {37.4, 0.8, 0.167}, {38.9, 0.8, 0.342}};
constexpr Row kOcta6[] = {{19.7, 0.0552, 0}, {25.3, 0.125, 0}, {29.5, 0.254, 0}, {33.0, 0.438, 0}, {34.8, 0.8, 0.0833}};
constexpr Row kCube8[] = {{20.0, 0.03, 0}, {25.5, 0.121, 0}, {30.8, 0.254, 0}, {33.1, 0.438, 0}, {35.0, 0.8, 0.0833}};
constexpr Row kBcc9[] = {{21.6, 0.03, 0}, {24.1, 0.109, 0}, {29.4, 0.236, 0}, {33.5, 0.438, 0}, {35.8, 0.8, 0.258}};

std::span<const Row> tableOf(Shape shape) {
    switch (shape) {
        case Shape::sphere: return kSphere;
        case Shape::tetra4: return kTetra4;
        case Shape::octa6: return kOcta6;
        case Shape::cube8: return kCube8;
        case Shape::bcc9: return kBcc9;
        case Shape::spheres: break;
    }
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
