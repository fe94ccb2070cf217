// SPDX-License-Identifier: Apache-2.0
// How tests put grains into a world and look at them.
#pragma once

#include "core/exec.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/method.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace talus::contract {

inline geometry::ShapePtr box(const Vec3& min, const Vec3& max) {
    return std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(max - min),
                                              RigidTransform{Quat{}, 0.5 * (min + max)});
}

/// The named fields, or all of them.
inline world::FieldTable read(const world::Method& method, std::vector<std::string_view> names = {}, const Exec& exec = Exec(1)) {
    if (names.empty())
        for (const world::FieldInfo& info : method.fields()) names.push_back(info.name);
    world::FieldTable table;
    method.read(exec, names, table);
    return table;
}

inline Vec3 vectorAt(const world::FieldTable& table, std::string_view name, std::size_t grain) {
    const std::span<const double> values = table.reals(name);
    return {values[3 * grain], values[3 * grain + 1], values[3 * grain + 2]};
}
inline Vec3 vectorAt(const world::FieldTable& table, const world::FieldInfo& field, std::size_t grain) {
    return vectorAt(table, field.name, grain);
}

}  // namespace talus::contract
