// SPDX-License-Identifier: Apache-2.0
// How a method hands out its grains: named columns in SI units and world coordinates, in chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace talus::world {

enum class FieldType { real, integer };

struct FieldInfo {
    std::string_view name;
    std::string_view unit;   // SI, "1" for a pure number
    FieldType type = FieldType::real;
    int components = 1;      // 1, 3 (vector) or 6 (symmetric tensor: xx, yy, zz, xy, yz, xz)
    std::string_view help = {};
};

/// What every method has.
namespace field {
inline constexpr FieldInfo id{"id", "1", FieldType::integer, 1, "never reused within a run"};
inline constexpr FieldInfo position{"position", "m", FieldType::real, 3, "centre of mass"};
inline constexpr FieldInfo velocity{"velocity", "m/s", FieldType::real, 3, "of the centre of mass"};
inline constexpr FieldInfo radius{"radius", "m", FieldType::real, 1, "of the grain, or of the sphere of a point's packed volume"};
inline constexpr FieldInfo mass{"mass", "kg", FieldType::real, 1, ""};
inline constexpr FieldInfo volume{"volume", "m^3", FieldType::real, 1, "that the grain takes up now, pores included"};
inline constexpr FieldInfo material{"material", "1", FieldType::integer, 1, "index into the scene's materials"};
inline constexpr FieldInfo source{"source", "1", FieldType::integer, 1, "index of the fill it came from"};
inline constexpr FieldInfo birthTime{"birth_time", "s", FieldType::real, 1, "when it was put into the world"};
}  // namespace field

/// Fields that a method may have and that metrics understand.
namespace field {
inline constexpr FieldInfo stress{"stress", "Pa", FieldType::real, 6, "Cauchy stress, tension positive; its sum weighted by volume is the total"};
inline constexpr FieldInfo elasticEnergy{"elastic_energy", "J", FieldType::real, 1, "stored in the grain"};
inline constexpr FieldInfo rotationalEnergy{"rotational_energy", "J", FieldType::real, 1, "kinetic energy of spin"};
}  // namespace field

inline constexpr std::array kPromisedFields{field::id,       field::position, field::velocity, field::radius,   field::mass,
                                            field::volume,   field::material, field::source,   field::birthTime};

inline constexpr auto kPromisedNames = [] {
    std::array<std::string_view, kPromisedFields.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kPromisedFields[i].name;
    return names;
}();

/// `count` values of one field: reals or integers by its type, components of a grain side by side.
struct FieldColumn {
    const FieldInfo* info = nullptr;
    std::span<const double> reals;
    std::span<const std::int64_t> integers;
};

/// At most kMostGrains grains, columns in the order in which they were asked for.
struct Chunk {
    static constexpr std::size_t kMostGrains = 4096;
    std::size_t count = 0;
    std::span<const FieldColumn> columns;
};

class ChunkSink {
public:
    virtual ~ChunkSink() = default;
    virtual void take(const Chunk&) = 0;
};

using FieldNames = std::span<const std::string_view>;

std::vector<std::string_view> namesOf(std::span<const FieldInfo> fields);
/// The entry of that name, or null.
const FieldInfo* findField(std::span<const FieldInfo> fields, std::string_view name);

/// Collects whole columns: for frames, metrics and tests.
class FieldTable final : public ChunkSink {
public:
    void take(const Chunk&) override;

    std::size_t count() const { return count_; }
    std::span<const double> reals(std::string_view name) const;
    std::span<const std::int64_t> integers(std::string_view name) const;
    struct Whole {
        FieldInfo info;
        std::vector<double> reals;
        std::vector<std::int64_t> integers;
    };
    const std::vector<Whole>& columns() const { return columns_; }
    std::vector<Whole>& columns() { return columns_; }

private:
    const Whole& find(std::string_view name, FieldType) const;
    std::size_t count_ = 0;
    std::vector<Whole> columns_;
};

}  // namespace talus::world
