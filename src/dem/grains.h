// SPDX-License-Identifier: Apache-2.0
// The state of the grains, and the spheres that they are made of.
#pragma once

#include "core/table.h"
#include "core/vec.h"
#include "dem/clump_template.h"
#include "dem/optional_column.h"
#include "dem/shared_column.h"

#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace talus::dem {

inline double sphereVolume(double diameter) { return std::numbers::pi / 6 * diameter * diameter * diameter; }

/// Rows are in the order of cells at the last build of the list of neighbours, within a cell by id. What contacts do to a grain is kept beside
/// the table, as the wrenches of its spheres; when and from where it came follows from its id (Births), its mass from diameter and material.
struct Grains : Table {
    /// Where all grains are spheres nobody needs to know how they are turned.
    explicit Grains(bool clumps) : Table(1), orientation(*this, "orientation", clumps) {}
    /// As reorder(); needs no memory of its own if enough of it, aligned to a cache line, is lent for a while.
    void reorderWith(const Exec& exec, std::span<const std::uint32_t> from, std::span<std::byte> lent) {
        const std::initializer_list<AnyColumn*> columns{&id, &position, &velocity, &orientation, &spin, &diameter, &shape, &material};
        for (const AnyColumn* column : columns)
            if (lent.size() < column->scratchPerRow() * from.size()) return reorder(exec, from);
        for (AnyColumn* column : columns) column->reorder(exec, from, lent);
        resize(from.size());
    }
    Column<std::int64_t> id{*this, "id"};
    Column<double, 3> position{*this, "position"}, velocity{*this, "velocity"};   // of the centre of mass; not wrapped between two builds
    OptionalColumn<double, 4> orientation;                                        // of the template
    Column<double, 3> spin{*this, "angular_momentum"};                            // about the centre, world axes [kg m²/s]
    SharedColumn<double> diameter{*this, "diameter"};                             // of a sphere of its volume [m]
    SharedColumn<std::int8_t> shape{*this, "template"}, material{*this, "material"};
};
inline constexpr std::size_t kMostNumbered = 127;   // templates, and materials

// Rows are not grouped, so that the components of one lie side by side.
template <class T>
[[gnu::always_inline]] inline const T& at(const Column<T>& column, std::size_t row) { return *column.group(row); }
template <class T>
[[gnu::always_inline]] inline T at(const SharedColumn<T>& column, std::size_t row) { return column(row); }
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

/// The other way round.
inline Vec3 angularMomentum(const ClumpTemplate& shape, double mass, double diameter, const Quat& orientation, const Vec3& velocity) {
    const Vec3 own = orientation.conjugate().rotate(velocity);
    return mass * diameter * diameter * orientation.rotate(componentProduct(shape.inertia, own));
}

/// Spheres of all grains, grain by grain.
struct Spheres {
    std::vector<std::uint32_t> first;     // sphere of each grain, and one past the last
    std::vector<std::uint32_t> grain;     // of each sphere
    std::size_t alone = 0;                // or, these two being empty, so many grains of one sphere each
    std::vector<double> radius;           // [m]; these two only while a list is made, and not of grains of one sphere each
    std::vector<Vec3> centre;             // [m]

    bool eachAlone() const { return first.empty(); }
    std::uint32_t firstOf(std::size_t row) const { return eachAlone() ? static_cast<std::uint32_t>(row) : first[row]; }
    std::uint32_t grainOf(std::size_t sphere) const { return eachAlone() ? static_cast<std::uint32_t>(sphere) : grain[sphere]; }
    std::size_t size() const { return eachAlone() ? alone : grain.size(); }
    std::size_t grains() const { return eachAlone() ? alone : first.size() - 1; }
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
