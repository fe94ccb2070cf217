// SPDX-License-Identifier: Apache-2.0
#include "scene/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <utility>

namespace talus::scene {

namespace {

/// Powers of the base units. Radian and degree are apart, so that "30 deg" of a key in degrees is 30 exactly.
struct Powers {
    int metre = 0, kilogram = 0, second = 0, kelvin = 0, radian = 0, degree = 0;
    friend constexpr bool operator==(const Powers&, const Powers&) = default;

    constexpr void add(const Powers& p, int times) {
        metre += times * p.metre;
        kilogram += times * p.kilogram;
        second += times * p.second;
        kelvin += times * p.kelvin;
        radian += times * p.radian;
        degree += times * p.degree;
    }
};

/// A unit is factor * 10^tens of SI, the factor exact where it can be. Powers of ten go into the text of the number, so that "4.1 mm" is what 0.0041 is.
struct Unit {
    std::string_view name;
    double factor;
    int tens;
    Powers powers;
};

constexpr Powers kLength{.metre = 1}, kVolume{.metre = 3}, kMass{.kilogram = 1}, kTime{.second = 1}, kFrequency{.second = -1},
    kForce{.metre = 1, .kilogram = 1, .second = -2}, kPressure{.metre = -1, .kilogram = 1, .second = -2},
    kEnergy{.metre = 2, .kilogram = 1, .second = -2};
// clang-format off
constexpr std::array kUnits{
    Unit{"m", 1, 0, kLength}, Unit{"km", 1, 3, kLength}, Unit{"dm", 1, -1, kLength}, Unit{"cm", 1, -2, kLength}, Unit{"mm", 1, -3, kLength},
    Unit{"um", 1, -6, kLength}, Unit{"µm", 1, -6, kLength}, Unit{"l", 1, -3, kVolume}, Unit{"L", 1, -3, kVolume},
    Unit{"kg", 1, 0, kMass}, Unit{"g", 1, -3, kMass}, Unit{"mg", 1, -6, kMass}, Unit{"t", 1, 3, kMass},
    Unit{"s", 1, 0, kTime}, Unit{"ms", 1, -3, kTime}, Unit{"us", 1, -6, kTime}, Unit{"µs", 1, -6, kTime},
    Unit{"min", 60, 0, kTime}, Unit{"h", 3600, 0, kTime},
    Unit{"Hz", 1, 0, kFrequency}, Unit{"kHz", 1, 3, kFrequency}, Unit{"K", 1, 0, {.kelvin = 1}},
    Unit{"rad", 1, 0, {.radian = 1}}, Unit{"deg", 1, 0, {.degree = 1}}, Unit{"°", 1, 0, {.degree = 1}}, Unit{"turn", 360, 0, {.degree = 1}},
    Unit{"rpm", 2 * std::numbers::pi / 60, 0, {.second = -1, .radian = 1}},
    Unit{"N", 1, 0, kForce}, Unit{"mN", 1, -3, kForce}, Unit{"kN", 1, 3, kForce},
    Unit{"Pa", 1, 0, kPressure}, Unit{"kPa", 1, 3, kPressure}, Unit{"MPa", 1, 6, kPressure}, Unit{"GPa", 1, 9, kPressure},
    Unit{"bar", 1, 5, kPressure},
    Unit{"J", 1, 0, kEnergy}, Unit{"mJ", 1, -3, kEnergy}, Unit{"kJ", 1, 3, kEnergy},
};
// clang-format on

struct DimensionEntry {
    Dimension dimension;
    Powers powers;
    DimensionInfo info;
};
constexpr std::array kDimensions{
    DimensionEntry{Dimension::none, {}, {"a plain number", "", ""}},
    DimensionEntry{Dimension::length, kLength, {"a length", "m", "m, km, cm, mm, um"}},
    DimensionEntry{Dimension::area, {.metre = 2}, {"an area", "m2", "m2, cm2, mm2"}},
    DimensionEntry{Dimension::volume, kVolume, {"a volume", "m3", "m3, l, cm3, mm3"}},
    DimensionEntry{Dimension::time, kTime, {"a time", "s", "s, ms, us, min, h"}},
    DimensionEntry{Dimension::mass, kMass, {"a mass", "kg", "kg, g, mg, t"}},
    DimensionEntry{Dimension::angle, {.degree = 1}, {"an angle", "deg", "deg, rad, turn"}},
    DimensionEntry{Dimension::frequency, kFrequency, {"a frequency", "Hz", "Hz, kHz, 1/min"}},
    DimensionEntry{Dimension::velocity, {.metre = 1, .second = -1}, {"a velocity", "m/s", "m/s, cm/s, mm/s, km/h"}},
    DimensionEntry{Dimension::acceleration, {.metre = 1, .second = -2}, {"an acceleration", "m/s2", "m/s2, cm/s2"}},
    DimensionEntry{
        Dimension::angularVelocity, {.second = -1, .radian = 1}, {"an angular velocity", "rad/s", "rad/s, deg/s, rpm"}},
    DimensionEntry{Dimension::density, {.metre = -3, .kilogram = 1}, {"a density", "kg/m3", "kg/m3, g/cm3, t/m3"}},
    DimensionEntry{Dimension::pressure, kPressure, {"a pressure", "Pa", "Pa, kPa, MPa, GPa, bar"}},
    DimensionEntry{Dimension::force, kForce, {"a force", "N", "N, mN, kN"}},
    DimensionEntry{Dimension::torque, kEnergy, {"a torque", "N*m", "N*m, kN*m"}},
    DimensionEntry{Dimension::massFlow, {.kilogram = 1, .second = -1}, {"a mass flow", "kg/s", "kg/s, g/s, t/h"}},
    DimensionEntry{Dimension::stiffness, {.kilogram = 1, .second = -2}, {"a stiffness", "N/m", "N/m, N/mm, kN/m"}},
    DimensionEntry{Dimension::energy, kEnergy, {"an energy", "J", "J, mJ, kJ"}},
    DimensionEntry{Dimension::temperature, {.kelvin = 1}, {"a temperature", "K", "K"}},
};

const DimensionEntry& entryOf(Dimension dimension) { return kDimensions[static_cast<std::size_t>(dimension)]; }
constexpr bool inOrder() {
    for (std::size_t i = 0; i < kDimensions.size(); ++i)
        if (static_cast<std::size_t>(kDimensions[i].dimension) != i) return false;
    return true;
}
static_assert(inOrder(), "kDimensions is indexed by Dimension");

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

/// "cm3", "s^2", "m²": a unit with a power from 1 to 3.
std::optional<Unit> parseFactor(std::string_view text) {
    int power = 1;
    static constexpr std::array<std::pair<std::string_view, int>, 6> kPowers{
        {{"^2", 2}, {"^3", 3}, {"²", 2}, {"³", 3}, {"2", 2}, {"3", 3}}};
    for (const auto& [suffix, value] : kPowers)
        if (text.ends_with(suffix)) {
            power = value;
            text.remove_suffix(suffix.size());
            break;
        }
    for (const Unit& unit : kUnits)
        if (unit.name == text) {
            Unit result{text, std::pow(unit.factor, power), power * unit.tens, {}};
            result.powers.add(unit.powers, power);
            return result;
        }
    return std::nullopt;
}

struct Quotient {
    double factor = 1, divisor = 1;
    int tens = 0;
    Powers powers;
};
/// A product and quotient of factors: "kg/m3", "N*m", "1/min".
std::optional<Quotient> parseUnit(std::string_view text) {
    Quotient result;
    int sign = 1;
    while (true) {
        const std::size_t length = std::min(text.find_first_of("*/"), text.size());
        const std::string_view factor = trimmed(text.substr(0, length));
        if (factor != "1") {
            const std::optional<Unit> unit = parseFactor(factor);
            if (!unit) return std::nullopt;
            (sign > 0 ? result.factor : result.divisor) *= unit->factor;
            result.tens += sign * unit->tens;
            result.powers.add(unit->powers, sign);
        }
        if (length == text.size()) return result;
        if (text[length] == '/') sign = -1;
        text.remove_prefix(length + 1);
    }
}

/// The number that `digits` begins with, infinity or 0 where it is out of range, and where it ends.
struct Number {
    double value = 0;
    std::size_t length = 0;   // 0: there is none
};
Number numberAt(std::string_view digits) {
    Number number;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
    if (failed == std::errc::invalid_argument) return {};
    number.length = static_cast<std::size_t>(end - digits.data());
    if (failed == std::errc::result_out_of_range) number.value = std::strtod(std::string(digits.data(), end).c_str(), nullptr);
    return number;
}

struct Parsed {
    double number = 0;
    std::string_view digits, unit;   // of the number; empty unit: none

    double in(const Quotient& unitOfIt) const { return withTens(unitOfIt.tens) * unitOfIt.factor / unitOfIt.divisor; }

private:
    /// number * 10^tens, rounded once.
    double withTens(int tens) const {
        if (tens == 0 || !std::isfinite(number)) return number;
        const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
        long exponent = 0;
        if (mark < digits.size()) exponent = std::strtol(std::string(digits.substr(mark + 1)).c_str(), nullptr, 10);
        return numberAt(fmt::format("{}e{}", digits.substr(0, mark), exponent + tens)).value;
    }
};
std::optional<Parsed> split(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    const Number number = numberAt(text);
    if (number.length == 0) return std::nullopt;
    return Parsed{number.value, text.substr(0, number.length), trimmed(text.substr(number.length))};
}

/// Degrees and radians into what the dimension wants.
void matchAngle(Quotient& unit, const Powers& wanted) {
    if (unit.powers.degree == 1 && wanted.radian == 1) {
        unit.factor *= std::numbers::pi / 180;
        unit.powers.degree = 0, unit.powers.radian = 1;
    } else if (unit.powers.radian == 1 && wanted.degree == 1) {
        unit.factor *= 180 / std::numbers::pi;
        unit.powers.radian = 0, unit.powers.degree = 1;
    }
}

std::string unitOf(const Powers& powers) {
    for (const DimensionEntry& entry : kDimensions)
        if (entry.powers == powers) return fmt::format("has a unit of {}", entry.info.noun.substr(entry.info.noun.find(' ') + 1));
    return "has a unit of something else";
}

std::string example(double number, const DimensionInfo& info) {
    if (info.unit.empty()) return fmt::format("write {}", number);
    return fmt::format("write for example \"{0} {1}\" or {0}", number, info.unit);
}

}  // namespace

const DimensionInfo& dimensionInfo(Dimension dimension) { return entryOf(dimension).info; }

Converted convertUnit(std::string_view text, Dimension dimension) {
    const auto& [same, powers, info] = entryOf(dimension);
    const std::optional<Parsed> parsed = split(text);
    if (!parsed && info.unit.empty()) return {0, fmt::format("\"{}\" is no number", text)};
    if (!parsed) return {0, fmt::format("\"{}\" does not start with a number; {}", text, example(1, info))};
    if (parsed->unit.empty()) return {parsed->number, {}};
    std::optional<Quotient> unit = parseUnit(parsed->unit);
    if (!unit) {
        const double meant = parsed->unit == "%" ? parsed->number / 100 : parsed->number;
        if (info.unit.empty()) return {0, fmt::format("\"{}\" is no number; {}", text, example(meant, info))};
        return {0, fmt::format("the unit \"{}\" is not known here; accepted are {}", parsed->unit, info.accepted)};
    }
    matchAngle(*unit, powers);
    if (unit->powers != powers)
        return {0, fmt::format("\"{}\" {}; {}", text, unitOf(unit->powers), example(parsed->number, info))};
    return {parsed->in(*unit), {}};
}

Converted convertAnyUnit(std::string_view text) {
    const std::optional<Parsed> parsed = split(text);
    if (!parsed)
        return {0, fmt::format("\"{}\" is neither a number (0.1), a number with a unit (\"4 mm\") nor an expression (\"= 2*r\")",
                               text)};
    if (parsed->unit.empty()) return {parsed->number, {}};
    std::optional<Quotient> unit = parseUnit(parsed->unit);
    if (!unit) return {0, fmt::format("the unit \"{}\" is not known", parsed->unit)};
    if (unit->powers != Powers{.degree = 1}) matchAngle(*unit, {.radian = 1});
    if (unit->powers == Powers{.radian = 1}) matchAngle(*unit, {.degree = 1});
    return {parsed->in(*unit), {}};
}

}  // namespace talus::scene
