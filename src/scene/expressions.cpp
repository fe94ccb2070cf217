// SPDX-License-Identifier: Apache-2.0
#include "scene/expressions.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace talus::scene {

namespace {

using Function = double (*)(double);
constexpr std::array<std::pair<const char*, Function>, 12> kFunctions{{
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
}};

// Any number of arguments, as muParser passes them.
double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }

mu::Parser newParser() {
    mu::Parser parser;
    parser.ClearFun();
    parser.ClearConst();
    for (const auto& [name, function] : kFunctions) parser.DefineFun(name, function);
    parser.DefineFun("min", smallest);
    parser.DefineFun("max", largest);
    parser.DefineConst("pi", std::numbers::pi);
    return parser;
}

/// muParser counts characters from 0 and ends its sentences with a full stop.
std::string messageOf(const mu::Parser::exception_type& error) {
    std::string message = error.GetMsg();
    while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
    if (error.GetCode() == mu::ecUNEXPECTED_VAR) message += "; an expression has no units, its numbers are in SI units";
    return message;
}

}  // namespace

Evaluated evaluate(std::string_view expression, FunctionRef<NameValue(std::string_view)> lookup) {
    static constexpr std::size_t kLongest = 1000;   // characters; muParser refuses a little more
    if (expression.size() > kLongest) return {0, fmt::format("the expression is longer than {} characters", kLongest)};
    try {
        mu::Parser parser = newParser();
        parser.SetExpr(std::string(expression));
        const mu::varmap_type names = parser.GetUsedVar();   // a copy: the parser forgets them with every definition
        for (const auto& [name, unused] : names) {
            NameValue found = lookup(name);
            if (!found.value) return {0, std::move(found.problem)};
            parser.DefineConst(name, *found.value);
        }
        const double value = parser.Eval();
        if (!std::isfinite(value))
            return {0, fmt::format("the expression \"={}\" gives {}, not a finite number", expression, value)};
        return {value, {}};
    } catch (const mu::Parser::exception_type& error) {
        return {0, fmt::format("the expression \"={}\" is wrong: {}", expression, messageOf(error))};
    }
}

bool isReservedName(std::string_view name) {
    return name == "pi" || name == "min" || name == "max" ||
           std::ranges::any_of(kFunctions, [&](const auto& f) { return name == f.first; });
}

}  // namespace talus::scene
