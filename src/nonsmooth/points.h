// SPDX-License-Identifier: Apache-2.0
// Material points, sorted by cell and by id within a cell.
#pragma once

#include "core/table.h"
#include "core/vec.h"
#include "nonsmooth/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace talus::nonsmooth {

/// Points::room of which nothing is known yet: what is counted holds.
inline constexpr float kRoomUnknown = -1;

/// What holds the grains of a point together (nonsmooth/cohesion.h).
struct Bonds : Table {
    static constexpr const char* kName = "bonds";
    Bonds() : Table(1) {}

    Column<float> strength{*this, "strength", 1};       // part of the cohesion that is left
    Column<float> gap{*this, "gap"};                    // by which its grains have moved apart, in their volume
};

/// A symmetric tensor of every point.
struct Tensors : Table {
    Tensors() : Table(1) {}

    Column<float, 6> entries{*this, "tensor"};           // xx, yy, zz, xy, yz, xz
    SymTensor tensor(std::size_t row) const { return {entries(row, 0), entries(row, 1), entries(row, 2), entries(row, 3), entries(row, 4), entries(row, 5)}; }
    void set(std::size_t row, const SymTensor& s) {
        const double entry[6] = {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz};
        for (int k = 0; k < 6; ++k) entries(row, k) = static_cast<float>(entry[k]);
    }
};

/// How flat grains lie: the mean of n nᵀ over their normals (nonsmooth/orientation.h).
struct Normals : Tensors {
    static constexpr const char* kName = "normals";
    static constexpr SymTensor kAtRandom{1.0 / 3, 1.0 / 3, 1.0 / 3, 0, 0, 0};

    void resize(std::size_t rows) {
        const std::size_t before = Table::rows();
        Table::resize(rows);
        for (std::size_t row = before; row < rows; ++row) set(row, kAtRandom);
    }
};

/// F of the ellipsoid that the volume of a point has become [m²] (nonsmooth/frames.h); 0: a ball.
struct Frames : Tensors {
    static constexpr const char* kName = "frames";
};

struct Points : Table {
    Points() : Table(1) {}

    Column<double, 3> position{*this, "position"};      // [m], world coordinates
    Column<double, 3> velocity{*this, "velocity"};      // [m/s]
    Column<float, 9> gradient{*this, "gradient"};       // ∇u at the point, row-major [1/s]; its part in momentum is 0 whatever its digits
    Column<float, 6> stress{*this, "stress"};           // λ of the last step, compression positive: xx, yy, zz, xy, yz, xz [Pa]; a start
    Column<double> mass{*this, "mass"};                 // [kg]
    Column<double> volume{*this, "volume"};             // packed, pores included: mass over bulk density [m³]
    Column<float> fraction{*this, "fraction"};          // of its cell that grains fill
    Column<float> room{*this, "room", kRoomUnknown};    // by which its grains may still come closer, in their packed volume (nonsmooth/room.h)
    Column<std::int32_t> material{*this, "material"};
    Column<std::int64_t> id{*this, "id", -1};
    Column<std::int32_t> source{*this, "source"};
    Column<double> birthTime{*this, "birth_time"};      // [s]

    std::optional<Bonds> bonds;                         // where a material has cohesion
    std::optional<Normals> normals;                     // where friction depends on the way grains lie
    void bindTogether() { bonds.emplace().resize(rows()); }
    std::optional<Frames> frames;                       // where volumes follow the flow
    void layFlat() { normals.emplace().resize(rows()); }
    void followVolumes() { frames.emplace().resize(rows()); }

    // With what only some runs need.
    void resize(std::size_t rows) {
        Table::resize(rows);
        forParts(*this, [&](auto& part) { part.resize(rows); });
    }
    /// Keeps no memory for the next time: between two of them the friction problem needs it.
    void reorder(const Exec& exec, std::span<const std::uint32_t> from) {
        Table::reorder(exec, from);
        dropScratch();
        forParts(*this, [&](auto& part) {
            part.reorder(exec, from);
            part.dropScratch();
        });
    }
    void remove(const Exec& exec, std::span<const std::size_t> gone) {
        Table::remove(exec, gone);
        forParts(*this, [&](auto& part) { part.remove(exec, gone); });
    }
    void save(Archive& archive) const {
        Table::save(archive);
        forParts(*this, [&](const auto& part) {
            const auto group = archive.group(part.kName);
            part.save(archive);
        });
    }
    /// What the archive does not have starts as for new points. Another scene (--from) may have had cohesion where this one has none.
    void load(const Archive& archive) {
        Table::load(archive);
        if (const auto group = archive.group(Bonds::kName); !bonds && archive.contains("rows")) bindTogether();
        forParts(*this, [&](auto& part) {
            const auto group = archive.group(part.kName);
            part.resize(0);
            part.resize(rows());
            if (archive.contains("rows")) part.load(archive);
            if (part.rows() != rows()) throw ArchiveError(std::string("'") + part.kName + "' has a wrong length");
        });
    }

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

private:
    template <class Self, class Visit>
    static void forParts(Self& self, const Visit& visit) {
        if (self.bonds) visit(*self.bonds);
        if (self.normals) visit(*self.normals);
        if (self.frames) visit(*self.frames);
    }
};

}  // namespace talus::nonsmooth
