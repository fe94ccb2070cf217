// SPDX-License-Identifier: Apache-2.0
// Material points in groups of eight, all of a group in one block.
#pragma once

#include "core/table.h"

#include <cstdint>

namespace talus::elastoplastic {

template <class Real>
struct Points : Table {
    Points() : Table(8) {}

    // Hot: read and written by every step.
    Column<Real, 3> position{*this, "position", Real(1.5)};   // cell units from the block's first node; padding in the middle
    Column<Real, 3> velocity{*this, "velocity"};              // [m/s]
    Column<Real, 9> gradient{*this, "gradient"};              // APIC's C = ∇v, row-major [1/s]
    Column<Real, 6> strain{*this, "strain"};                  // E = b − 1: xx, yy, zz, xy, yz, xz
    Column<Real> expansion{*this, "expansion"};               // v_c: volume gained in tension, as a logarithm
    Column<Real> plasticStrain{*this, "plastic_strain"};      // q of (29)
    Column<Real> frictionRatio{*this, "friction_ratio", Real(1)};   // μ̂ of the point over that of its material
    Column<Real, 6> stress{*this, "stress"};                  // Kirchhoff stress τ [Pa], same order
    Column<Real> mass{*this, "mass"};                         // [kg]; 0 marks padding
    Column<Real> volume{*this, "volume"};                     // V⁰ [m³]
    Column<std::int32_t> material{*this, "material"};
    // Cold.
    Column<std::int64_t> id{*this, "id", -1};
    Column<std::int32_t> source{*this, "source"};
    Column<double> birthTime{*this, "birth_time"};            // [s]
};

}  // namespace talus::elastoplastic
