// SPDX-License-Identifier: Apache-2.0
// Names: which are plain, and what someone who mistyped one may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

/// Of letters, digits, _ and - alone, and not empty.
bool isPlainName(std::string_view name);

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
int editDistance(std::string_view a, std::string_view b);

/// The nearest candidate, or empty where none is near: at most a third of the letters differ, two in short names.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'dt'?" or, where nothing is near, "; `what` are 'a', 'b'". `quote` goes around every name.
std::string suggestion(std::string_view name, std::span<const std::string_view> candidates, std::string_view what,
                       char quote = '\'');

/// As a shell takes it for one word: quoted where it has more than letters, digits and -_./:@%+=,
std::string shellWord(const std::string& text);

/// 'a', 'b', 'c'
std::string quotedList(std::span<const std::string_view> names, char quote = '\'');

}  // namespace talus::scene
