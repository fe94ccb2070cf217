// SPDX-License-Identifier: Apache-2.0
// The path of a key in a scene: "bodies[2].shape.radius", or "bodies.floor.friction" where items have a name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talus::scene {

/// A key of a table (or the name of an item of a list), or the index of an item.
struct PathStep {
    std::string key;
    std::optional<std::size_t> index;
};
using KeyPath = std::vector<PathStep>;

/// Nothing where the text is no path: an empty step, an index that is no number.
std::optional<KeyPath> parsePath(std::string_view text);
std::string pathText(const KeyPath&, std::size_t steps);   // the first `steps` steps

}  // namespace talus::scene
