// SPDX-License-Identifier: Apache-2.0
#include "scene/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace talus::scene {

bool isPlainName(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

// Optimal string alignment: three rows of the edit table are enough to see a swap.
int editDistance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(previous, current);
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replaced = previous[j - 1] + (a[i - 1] != b[j - 1]);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = std::min(current[j], before[j - 2] + 1);
        }
    }
    return current[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
    if (name.size() > 64) return {};
    std::string_view best;
    int bestDistance = std::max(name.size() > 3 ? 2 : 1, static_cast<int>(name.size()) / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const bool abbreviation = name.size() >= 3 && candidate.starts_with(name);
        const int distance = abbreviation ? 1 : editDistance(name, candidate);
        if (distance < bestDistance) best = candidate, bestDistance = distance;
    }
    return best;
}

std::string shellWord(const std::string& text) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string quotedList(std::span<const std::string_view> names, char quote) {
    std::string text;
    for (const std::string_view name : names) text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, name, quote);
    return text;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates, std::string_view what, char quote) {
    if (const std::string_view near = nearest(name, candidates); !near.empty())
        return fmt::format("; did you mean {}{}{}?", quote, near, quote);
    if (candidates.empty()) return fmt::format("; there are no {}", what);
    return fmt::format("; {} are {}", what, quotedList(candidates, quote));
}

}  // namespace talus::scene
