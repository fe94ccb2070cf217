// SPDX-License-Identifier: Apache-2.0
// Numbers with a unit: "4 mm", "12 rpm", "1.5 g/cm3".
#pragma once

#include "core/keys.h"

#include <string>
#include <string_view>

namespace talus::scene {

struct DimensionInfo {
    std::string_view noun;      // "a time"
    std::string_view unit;      // of a plain number: "s"; empty for pure numbers
    std::string_view accepted;  // units to name in messages and in the manual
};
const DimensionInfo& dimensionInfo(Dimension);

struct Converted {
    double value = 0;
    std::string problem;        // empty: it worked; else the rest of a sentence "'time.end' is a time: …"
};

/// The number in `text` in the SI unit of the dimension (degrees where it is an angle).
Converted convertUnit(std::string_view text, Dimension);

/// The same where the dimension is not known: a parameter. An angle is in degrees.
Converted convertAnyUnit(std::string_view text);

}  // namespace talus::scene
