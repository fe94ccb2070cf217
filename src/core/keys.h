// SPDX-License-Identifier: Apache-2.0
// How settings declare their keys. A settings struct has one function
//
//     void keys(KeyVisitor& v) {
//         v.number({"youngs_modulus", "stiffness of the bulk", Dimension::pressure, positive()}, youngsModulus);
//         ...
//     }
//
// beside its members, whose initialisers are the defaults. From that one place come the reader of the scene file with its
// messages, the resolved scene that a run writes, the JSON Schema and the reference page (all in scene/).
#pragma once

#include "core/function_ref.h"
#include "core/schedule.h"
#include "core/vec.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus {

/// What a number measures; decides which units a text like "4 mm" may carry. Numbers are SI; degrees where `angle`.
enum class Dimension {
    none, length, area, volume, time, mass, angle, frequency, velocity, acceleration, angularVelocity,
    density, pressure, force, torque, massFlow, stiffness, energy, temperature
};

/// Values allowed for a number: [min, max], open at an end where `…Excluded`.
struct Range {
    double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
    bool minExcluded = false, maxExcluded = false;

    constexpr bool contains(double v) const {
        return (minExcluded ? v > min : v >= min) && (maxExcluded ? v < max : v <= max);
    }
};
constexpr Range anyNumber() { return {}; }
constexpr Range positive() { return {.min = 0, .minExcluded = true}; }
constexpr Range positiveUpTo(double high) { return {.min = 0, .max = high, .minExcluded = true}; }
constexpr Range nonNegative() { return {.min = 0}; }
constexpr Range between(double low, double high) { return {.min = low, .max = high}; }
constexpr Range openBetween(double low, double high) { return {.min = low, .max = high, .minExcluded = true, .maxExcluded = true}; }

struct Key {
    std::string_view name;
    std::string_view help;   // one line
    Dimension dimension = Dimension::none;
    Range range = {};
    bool required = false;
    /// Of a table or list: a plain text in its place sets this key, z_min = "wall" is z_min = { type = "wall" }; in a
    /// list a single item needs no brackets.
    std::string_view shorthand = {};
    /// Of a number: a unit alone stands for one of it, scale = "mm" is scale = "1 mm".
    bool unitAlone = false;
};

/// A change of another key of the scene: the path of that key, and its new value as TOML.
struct KeyChange {
    std::string path, value;
};

class KeyVisitor {
public:
    virtual ~KeyVisitor() = default;

    virtual void number(const Key&, double&) = 0;
    virtual void number(const Key&, std::optional<double>&) = 0;   // absent unless given
    virtual void integer(const Key&, std::int64_t&) = 0;
    virtual void integer(const Key&, std::optional<std::int64_t>&) = 0;
    virtual void flag(const Key&, bool&) = 0;
    virtual void flag(const Key&, std::optional<bool>&) = 0;
    virtual void text(const Key&, std::string&) = 0;
    virtual void text(const Key&, std::optional<std::string>&) = 0;
    virtual void vector(const Key&, Vec3&) = 0;
    virtual void vector(const Key&, std::optional<Vec3>&) = 0;
    /// A number or vector, or a table { table = [[t, value], …] } or { mean, amplitude, frequency, phase_deg }.
    virtual void schedule(const Key&, Schedule<double>&) = 0;
    virtual void schedule(const Key&, Schedule<Vec3>&) = 0;
    virtual void numbers(const Key&, std::vector<double>&) = 0;
    virtual void texts(const Key&, std::vector<std::string>&) = 0;
    /// The name of a file, relative to the folder of the scene.
    virtual void file(const Key& key, std::string& name) { text(key, name); }
    virtual void file(const Key& key, std::optional<std::string>& name) { text(key, name); }
    /// Rows of `width` numbers: a profile curve, keyframes. Row-major.
    virtual void rows(const Key&, int width, std::vector<double>&) = 0;
    /// Rows of numbers of any length; whether they are alike is for the owner to check.
    virtual void rows(const Key&, std::vector<std::vector<double>>&) = 0;

    /// A table whose keys are paths of other keys: { "bodies.gate.motion" = "fixed" }.
    virtual void changes(const Key&, std::vector<KeyChange>&) = 0;

    /// A table inside the table; body visits its keys.
    virtual void table(const Key&, FunctionRef<void(KeyVisitor&)> body) = 0;
    /// A table that may be absent: body is called, and `present` set, where it is given (or is to be described).
    virtual void table(const Key&, bool& present, FunctionRef<void(KeyVisitor&)> body) = 0;

    template <class Enum>
    void choice(const Key& key, std::span<const std::string_view> options, Enum& value) {
        int index = static_cast<int>(value);
        chooseIndex(key, options, index);
        value = static_cast<Enum>(index);
    }

    /// An array of tables.
    template <class T>
    void list(const Key& key, std::vector<T>& items) {
        visitList(key, items.size(), [&](std::size_t count) { items.resize(count); },
                  [&](std::size_t i, KeyVisitor& v) { items[i].keys(v); });
    }

    /// One of several kinds of table, told apart by the text of its key `type`. `kinds` names them in order;
    /// body(index, visitor) switches the value to that kind if it is another and visits its keys. The key itself is a
    /// table: { type = "box", ... }; where its name is empty, it is the table being visited, as in a list of shapes.
    virtual void oneOf(const Key&, std::span<const std::string_view> kinds, int current,
                       FunctionRef<void(int index, KeyVisitor&)> body) = 0;

    /// The same for a variant whose alternatives have a name kType: `body(alternative, visitor)` visits the chosen one.
    template <class... Kinds, class Body>
    void oneOf(const Key& key, std::variant<Kinds...>& value, const Body& body) {
        static constexpr std::array<std::string_view, sizeof...(Kinds)> kTypes{Kinds::kType...};
        oneOf(key, kTypes, static_cast<int>(value.index()), [&](int index, KeyVisitor& inside) {
            int kind = 0;
            ((index == kind && !std::holds_alternative<Kinds>(value) ? void(value.template emplace<Kinds>()) : void(), ++kind), ...);
            std::visit([&](auto& chosen) { body(chosen, inside); }, value);
        });
    }

    /// Where the visitor stands, for problems found while visiting: "bodies[2].shape".
    virtual std::string path() const { return {}; }
    /// A rule between keys of the same table that is broken; ignored by visitors that do not read.
    virtual void problem(std::string_view /*key*/, std::string /*message*/) {}

protected:
    virtual void chooseIndex(const Key&, std::span<const std::string_view> options, int& index) = 0;
    virtual void visitList(const Key&, std::size_t count, FunctionRef<void(std::size_t)> resize,
                           FunctionRef<void(std::size_t, KeyVisitor&)> item) = 0;
};

}  // namespace talus
