// SPDX-License-Identifier: Apache-2.0
// In which settings scenes differ.
#pragma once

#include <string>
#include <vector>

namespace talus::scene {

/// For each resolved scene (the text of its scene.toml) what it has otherwise than others: "r0 = 0.1", "materials.sand.density = 2600".
/// Parameters come first, the domain last. What does not change the grains is left out: method (it is said elsewhere), tables of methods that are not run, probes, output,
/// camera, looks, end time, frame rate. Numbers have six digits.
std::vector<std::vector<std::string>> settingsThatDiffer(const std::vector<std::string>& scenes);

}  // namespace talus::scene
