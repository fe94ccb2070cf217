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
    Column<double, 3> builtPosition{*this, "built_position"};                     // at the last build
    Column<double, 4> builtOrientation{*this, "built_orientation"};
    Column<double> diameter{*this, "diameter"}, mass{*this, "mass"}, volume{*this, "volume"}, birthTime{*this, "birth_time"};
    Column<std::int32_t> shape{*this, "template"}, material{*this, "material"}, source{*this, "source"};
};

inline Vec3 get(const Column<double, 3>& column, std::size_t row) { return {column(row, 0), column(row, 1), column(row, 2)}; }
inline void set(Column<double, 3>& column, std::size_t row, const Vec3& v) {
    column(row, 0) = v.x;
    column(row, 1) = v.y;
    column(row, 2) = v.z;
}
inline Quat get(const Column<double, 4>& column, std::size_t row) { return {column(row, 0), column(row, 1), column(row, 2), column(row, 3)}; }
inline void set(Column<double, 4>& column, std::size_t row, const Quat& q) {
    column(row, 0) = q.w;
    column(row, 1) = q.x;
    column(row, 2) = q.y;
    column(row, 3) = q.z;
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
    std::vector<double> radius;           // [m]
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

/// Which spheres there are; their centres are placed by placeSpheres.
void listSpheres(const Grains&, std::span<const ClumpTemplate>, Spheres&);

}  // namespace talus::dem
