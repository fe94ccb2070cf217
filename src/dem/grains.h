// SPDX-License-Identifier: Apache-2.0
// The state of the grains, and the spheres that they are made of.
#pragma once

#include "core/table.h"
#include "core/vec.h"
#include "dem/clump_template.h"

#include <cstdint>
#include <span>
#include <vector>

namespace talus::dem {

/// Rows are in the order of cells at the last build of the list of neighbours, within a cell by id.
struct Grains : Table {
    Grains() : Table(1) {}
    Column<std::int64_t> id{*this, "id"};
    Column<double, 3> position{*this, "position"}, velocity{*this, "velocity"};   // of the centre of mass; not wrapped between two builds
    Column<double, 4> orientation{*this, "orientation"};                          // of the template
    Column<double, 3> spin{*this, "angular_momentum"};                            // about the centre, world axes [kg m²/s]
    Column<double, 3> force{*this, "force"}, torque{*this, "torque"};             // of contacts, at the end of the last step
    Column<float, 3> way{*this, "way"};                                           // of the centre since the list of neighbours was built [m]
    Column<float> turned{*this, "turned"};                                        // angle since then [rad]
    Column<double> diameter{*this, "diameter"}, mass{*this, "mass"}, volume{*this, "volume"}, birthTime{*this, "birth_time"};
    Column<std::int32_t> shape{*this, "template"}, material{*this, "material"}, source{*this, "source"};
};

// Rows are not grouped, so that the components of one lie side by side.
template <class T>
[[gnu::always_inline]] inline const T& at(const Column<T>& column, std::size_t row) { return *column.group(row); }
template <class T>
[[gnu::always_inline]] inline T& at(Column<T>& column, std::size_t row) { return *column.group(row); }
template <class T>
[[gnu::always_inline]] inline Vec3T<T> get(const Column<T, 3>& column, std::size_t row) {
    const T* v = column.group(row);
    return {v[0], v[1], v[2]};
}
template <class T>
[[gnu::always_inline]] inline void set(Column<T, 3>& column, std::size_t row, const Vec3T<T>& v) {
    T* to = column.group(row);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}
[[gnu::always_inline]] inline Quat get(const Column<double, 4>& column, std::size_t row) {
    const double* q = column.group(row);
    return {q[0], q[1], q[2], q[3]};
}
[[gnu::always_inline]] inline void set(Column<double, 4>& column, std::size_t row, const Quat& q) {
    double* to = column.group(row);
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

/// ω of a grain with that template, mass and diameter, from its angular momentum.
inline Vec3 angularVelocity(const ClumpTemplate& shape, double mass, double diameter, const Quat& orientation, const Vec3& momentum) {
    const double scale = 1 / (mass * diameter * diameter);
    if (shape.isotropic()) return scale / shape.inertia.x * momentum;
    const Vec3 own = orientation.conjugate().rotate(momentum);
    return scale * orientation.rotate({own.x / shape.inertia.x, own.y / shape.inertia.y, own.z / shape.inertia.z});
}

/// Spheres of all grains, grain by grain.
struct Spheres {
    std::vector<std::uint32_t> first;     // sphere of each grain, and one past the last
    std::vector<std::uint32_t> grain;     // of each sphere
    std::vector<double> radius;           // [m]; these two only while a list is made
    std::vector<Vec3> centre;             // [m]

    std::size_t size() const { return grain.size(); }
    std::size_t grains() const { return first.empty() ? 0 : first.size() - 1; }
};

inline void placeSpheres(const ClumpTemplate& shape, double diameter, const Vec3& position, const Quat& orientation, Vec3* centres) {
    if (shape.isSphere()) {
        *centres = position;
        return;
    }
    const Mat3 turn = orientation.matrix();
    for (const TemplateSphere& sphere : shape.spheres) *centres++ = position + diameter * (turn * sphere.centre);
}

}  // namespace talus::dem
