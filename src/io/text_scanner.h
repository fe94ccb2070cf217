// SPDX-License-Identifier: Apache-2.0
// Words and numbers of a text file, line by line.
#pragma once

#include "io/mesh_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace talus::io {

class LineScanner {
public:
    explicit LineScanner(std::string_view text, std::size_t firstLine = 1) : rest_(text), number_(firstLine - 1) {}

    /// The next line without its end; nothing at the end of the text.
    std::optional<std::string_view> next() {
        if (rest_.empty()) return {};
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        ++number_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }
    std::size_t number() const { return number_; }   // of the line that next() gave, from 1
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    std::size_t number_;
};

constexpr std::string_view kBlanks = " \t\v\f\r\n";

/// Takes the first word off the line; empty where there is none.
inline std::string_view takeWord(std::string_view& line, std::string_view separators = kBlanks) {
    line.remove_prefix(std::min(line.find_first_not_of(separators), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(separators));
    line.remove_prefix(word.size());
    return word;
}

/// The number that the word is, if it is one and finite.
template <class T>
std::optional<T> numberIn(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || word.empty()) return {};
    if constexpr (std::is_floating_point_v<T>)
        if (!std::isfinite(value)) return {};
    return value;
}

/// A word of the file for a message: short, and printable.
inline std::string shown(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 24)) text += c >= 0x20 && c < 0x7f ? c : '?';
    return word.size() > 24 ? text + "…" : text;
}

inline Vec3 takePoint(std::string_view& line, std::size_t number) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
        const std::string_view word = takeWord(line);
        if (word.empty()) faultAtLine(number, "a vertex needs three coordinates");
        const auto value = numberIn<double>(word);
        if (!value) faultAtLine(number, fmt::format("'{}' is not a finite number", shown(word)));
        p[axis] = *value;
    }
    return p;
}

}  // namespace talus::io
