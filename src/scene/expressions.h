// SPDX-License-Identifier: Apache-2.0
// Expressions of named parameters: "= aspect*r0".
#pragma once

#include "core/function_ref.h"

#include <optional>
#include <string>
#include <string_view>

namespace talus::scene {

struct Evaluated {
    double value = 0;
    std::string problem;   // empty: it worked
};

/// `expression` without its "=". `lookup` gives the value of a name, or nothing where it is unknown or was in error;
/// it is asked once for every name that the expression uses, in alphabetical order.
struct NameValue {
    std::optional<double> value;
    std::string problem;
};
Evaluated evaluate(std::string_view expression, FunctionRef<NameValue(std::string_view name)> lookup);

/// Names that expressions give a meaning of their own: functions and pi.
bool isReservedName(std::string_view);
inline constexpr std::string_view kFunctionList = "sin, cos, tan, asin, acos, atan, sqrt, exp, log, abs, floor, ceil, min, max and pi";

}  // namespace talus::scene
