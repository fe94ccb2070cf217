// SPDX-License-Identifier: Apache-2.0
// A TOML file as a tree of values that know where they stand, in the order in which they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace talus::scene {

/// Where something was written: a line and column of a file, or an option of the command line (line 0).
struct Place {
    std::string source;
    int line = 0, column = 0;   // from 1

    std::string text() const;   // "scene.toml:7:1" or "--set time.end=4"
};

struct Entry;
struct Value;

struct Table {
    std::vector<Entry> entries;
    bool isInline = false;   // { … }: replaces as a whole where a variant sets it

    Value* find(std::string_view key);
    const Value* find(std::string_view key) const;
    Value& insert(std::string_view key, const Place&);   // the key must be new
};

using Array = std::vector<Value>;

struct Value {
    Place place;
    std::variant<Table, Array, std::string, double, std::int64_t, bool> data;

    template <class T>
    T* as() { return std::get_if<T>(&data); }
    template <class T>
    const T* as() const { return std::get_if<T>(&data); }

    std::string_view typeName() const;   // "a table", "a text", …
};

struct Entry {
    std::string key;
    Place place;
    Value value;
};

/// Throws Error (exit 2) at the first syntax error; `source` names the file in it.
Value parseToml(std::string_view text, std::string_view source);

/// What follows the = of an option: a TOML value, or else a plain text. Everything in it stands at `place`.
Value parseOptionValue(std::string_view text, const Place& place);

/// The value at a path such as "bodies[2].shape.radius", or its nearest parent that was written.
const Value& nearestValue(const Value& root, std::string_view path);

}  // namespace talus::scene
