// SPDX-License-Identifier: Apache-2.0
// Material points, sorted by cell and by id within a cell.
#pragma once

#include "core/table.h"
#include "core/vec.h"
#include "nonsmooth/tensor.h"

#include <cstdint>

namespace talus::nonsmooth {

struct Points : Table {
    Points() : Table(1) {}

    Column<double, 3> position{*this, "position"};      // [m], world coordinates
    Column<double, 3> velocity{*this, "velocity"};      // [m/s]
    Column<float, 9> gradient{*this, "gradient"};       // ∇u at the point, row-major [1/s]; its part in momentum is 0 whatever its digits
    Column<float, 6> stress{*this, "stress"};           // λ of the last step, compression positive: xx, yy, zz, xy, yz, xz [Pa]; a start
    Column<double> mass{*this, "mass"};                 // [kg]
    Column<double> volume{*this, "volume"};             // packed, pores included: mass over bulk density [m³]
    Column<float> fraction{*this, "fraction"};          // of its cell that grains fill
    Column<std::int32_t> material{*this, "material"};
    Column<std::int64_t> id{*this, "id", -1};
    Column<std::int32_t> source{*this, "source"};
    Column<double> birthTime{*this, "birth_time"};      // [s]

    Vec3 positionOf(std::size_t row) const { return {position(row, 0), position(row, 1), position(row, 2)}; }
    Vec3 velocityOf(std::size_t row) const { return {velocity(row, 0), velocity(row, 1), velocity(row, 2)}; }
    Mat3 gradientOf(std::size_t row) const {
        Mat3 c;
        for (int k = 0; k < 9; ++k) c.m[static_cast<std::size_t>(k)] = gradient(row, k);
        return c;
    }
    SymTensor stressOf(std::size_t row) const { return {stress(row, 0), stress(row, 1), stress(row, 2), stress(row, 3), stress(row, 4), stress(row, 5)}; }
    void setPosition(std::size_t row, const Vec3& x) { for (int a = 0; a < 3; ++a) position(row, a) = x[a]; }
    void setVelocity(std::size_t row, const Vec3& v) { for (int a = 0; a < 3; ++a) velocity(row, a) = v[a]; }
    void setGradient(std::size_t row, const Mat3& c) { for (int k = 0; k < 9; ++k) gradient(row, k) = static_cast<float>(c.m[static_cast<std::size_t>(k)]); }
    void setStress(std::size_t row, const SymTensor& s) {
        const double entry[6] = {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz};
        for (int k = 0; k < 6; ++k) stress(row, k) = static_cast<float>(entry[k]);
    }
};

}  // namespace talus::nonsmooth
