// SPDX-License-Identifier: Apache-2.0
// The state of the spheres of sphere_dem and the fields that it shows.
#pragma once

#include "core/table.h"
#include "core/vec.h"
#include "world/fields.h"

#include <array>
#include <cstdint>
#include <vector>

namespace talus::contract {

struct Spheres : Table {
    Spheres() : Table(1) {}
    Column<std::int64_t> id{*this, "id"};
    Column<double, 3> position{*this, "position"}, velocity{*this, "velocity"}, spin{*this, "spin"};
    Column<double, 4> rotation{*this, "rotation"};
    Column<double, 3> force{*this, "force"}, torque{*this, "torque"};   // of contacts, at the end of the last step
    Column<double> elasticEnergy{*this, "elastic_energy"};
    Column<double> radius{*this, "radius"}, mass{*this, "mass"}, volume{*this, "volume"}, birthTime{*this, "birth_time"};
    Column<std::int32_t> material{*this, "material"}, source{*this, "source"};
};

inline Vec3 get(const Column<double, 3>& column, std::size_t row) { return {column(row, 0), column(row, 1), column(row, 2)}; }
inline void set(Column<double, 3>& column, std::size_t row, const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) column(row, axis) = v[axis];
}
inline Quat rotationOf(const Spheres& s, std::size_t i) {
    return {s.rotation(i, 0), s.rotation(i, 1), s.rotation(i, 2), s.rotation(i, 3)};
}
inline double inertia(const Spheres& s, std::size_t i) { return 0.4 * s.mass(i) * s.radius(i) * s.radius(i); }

namespace sphere_field {
using world::FieldInfo, world::FieldType;
inline constexpr FieldInfo spin{"angular_velocity", "rad/s", FieldType::real, 3, ""};
inline constexpr FieldInfo rotation{"rotation", "rad", FieldType::real, 3, "rotation vector since it was put into the world"};
}  // namespace sphere_field

inline constexpr std::array kSphereFields{world::field::id,
                                          world::field::position,
                                          world::field::velocity,
                                          world::field::radius,
                                          world::field::mass,
                                          world::field::volume,
                                          world::field::material,
                                          world::field::source,
                                          world::field::birthTime,
                                          sphere_field::spin,
                                          sphere_field::rotation,
                                          world::field::elasticEnergy,
                                          world::field::rotationalEnergy};

/// Method::read for a table of spheres: all rows, or those listed.
void readSpheres(const Spheres&, world::FieldNames, world::ChunkSink&, const std::vector<std::size_t>* listed = nullptr);

}  // namespace talus::contract
