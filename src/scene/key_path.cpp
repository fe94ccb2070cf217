// SPDX-License-Identifier: Apache-2.0
#include "scene/key_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace talus::scene {

namespace {

/// Takes "[12]" off the front of the text.
std::optional<std::size_t> takeIndex(std::string_view& text) {
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
    if (failed != std::errc{} || end == text.data() + text.size() || *end != ']') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end + 1 - text.data()));
    return index;
}

}  // namespace

std::optional<KeyPath> parsePath(std::string_view text) {
    KeyPath path;
    while (true) {
        const std::size_t length = std::min(text.find_first_of(".["), text.size());
        if (length == 0) return std::nullopt;
        path.push_back({std::string(text.substr(0, length)), {}});
        text.remove_prefix(length);
        while (text.starts_with('[')) {
            const std::optional<std::size_t> index = takeIndex(text);
            if (!index) return std::nullopt;
            path.push_back({{}, index});
        }
        if (text.empty()) return path;
        if (text.front() != '.') return std::nullopt;
        text.remove_prefix(1);
    }
}

std::string pathText(const KeyPath& path, std::size_t steps) {
    std::string text;
    for (std::size_t i = 0; i < steps; ++i) {
        if (path[i].index) text += fmt::format("[{}]", *path[i].index);
        else text += fmt::format("{}{}", i == 0 ? "" : ".", path[i].key);
    }
    return text;
}

}  // namespace talus::scene
