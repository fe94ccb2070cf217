// SPDX-License-Identifier: Apache-2.0
#include "dem/friction_table.h"

#include <span>

namespace talus::dem {
namespace {

struct Row {
    double degrees, friction, rolling;
};
constexpr Row kSphere[] = {{15, 0.15, 0}, {22, 0.5, 0}, {30, 0.5, 0.15}, {36, 0.7, 0.4}};

std::span<const Row> tableOf(Shape) { return kSphere; }

}  // namespace

ReposeRange reposeRange(Shape shape) { return {tableOf(shape).front().degrees, tableOf(shape).back().degrees}; }

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
