// SPDX-License-Identifier: Apache-2.0
#include "scene/expressions.h"
#include "fake_method.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus::scene {
namespace {

using test::errorOf;
using test::kGood;
using test::readText;

Evaluated evaluated(std::string_view expression) {
    return evaluate(expression, [](std::string_view name) -> NameValue {
        if (name == "r0") return {0.1, {}};
        return {{}, "unknown"};
    });
}

TEST(Expressions, Values) {
    EXPECT_EQ(evaluated(" 2*r0 + 1").value, 2 * 0.1 + 1);
    EXPECT_EQ(evaluated("-2^2").value, -4);
    EXPECT_EQ(evaluated("max(1, r0, 3) - min(4, 2)").value, 1);
    EXPECT_EQ(evaluated("sin(pi/6)").value, std::sin(std::numbers::pi / 6));
    EXPECT_EQ(evaluated("sqrt(abs(-16)) + floor(1.7) + ceil(0.2)").value, 6);
    EXPECT_EQ(evaluated("log(exp(2))").value, 2);   // natural
}

TEST(Expressions, WhatIsWrong) {
    EXPECT_EQ(evaluated("1/0").problem, "the expression \"=1/0\" gives inf, not a finite number");
    EXPECT_EQ(evaluated("sqrt(-1)").problem, "the expression \"=sqrt(-1)\" gives -nan, not a finite number");
    EXPECT_EQ(evaluated("r1").problem, "unknown");
    EXPECT_NE(evaluated("2*").problem, "");
    EXPECT_NE(evaluated("").problem, "");
    EXPECT_NE(evaluated("r0 = 3").problem, "");   // no assignment
    EXPECT_NE(evaluated(std::string(5000, '(')).problem, "");
    EXPECT_EQ(evaluated(std::string(5000, '(')).problem, "the expression is longer than 1000 characters");
}

std::string with(const std::string& head, const std::string& set = {}) {
    Request request;
    if (!set.empty()) request.sets = {set};
    return errorOf(head + "\n" + kGood, request);
}

TEST(Parameters, Messages) {
    EXPECT_EQ(with("time.end = \"= 2*t0\"\nparameters.tau = 1"),
              "scene.toml:1:12: 'time.end': unknown parameter 't0'; parameters are 'tau'");
    EXPECT_EQ(with("time.end = \"= taux\"\nparameters.tau = 1"),
              "scene.toml:1:12: 'time.end': unknown parameter 'taux'; did you mean 'tau'?");
    EXPECT_EQ(with("time.end = \"= 1/(tau - 1)\"\nparameters.tau = 1"),
              "scene.toml:1:12: 'time.end': the expression \"= 1/(tau - 1)\" gives inf, not a finite number");
    EXPECT_EQ(with("time.end = \"= -tau\"\nparameters.tau = 1"), "scene.toml:1:12: 'time.end' is -1; it must be between 1e-09 and 1000000");
    EXPECT_EQ(with("parameters.a = \"= b\"\nparameters.b = \"= a\""),
              "scene.toml:1:16: 'parameters.a.default': parameter 'b' has no value (see its own error)\n"
              "scene.toml:2:16: 'parameters.b.default': parameter 'a' depends on itself");
    EXPECT_EQ(with("parameters.pi = 3"), "scene.toml:1:12: 'pi' cannot name a parameter: expressions use it already");
    EXPECT_EQ(with("parameters.2r = 3"),
              "scene.toml:1:12: '2r' cannot name a parameter: use letters, digits and _, a letter first");
    EXPECT_EQ(with("parameters.a = { min = 3 }"),
              "scene.toml:1:16: missing key 'parameters.a.default': value unless --set or a variant gives another: "
              "a number, a number with a unit, or an expression of other parameters");
    EXPECT_EQ(with("parameters.a = { default = 1, maximum = 3 }"),
              "scene.toml:1:31: unknown key 'parameters.a.maximum'; keys here are 'default', 'min', 'max', 'help'");
    EXPECT_EQ(with("parameters = 3"), "scene.toml:1:14: 'parameters' must be a table, not a whole number");
    EXPECT_EQ(with("parameters.a = { default = 1, max = 3 }", "a=4"), "--set a=4: parameter 'a' is 4; it must be at most 3");
    EXPECT_EQ(with("parameters.radius = 1", "radus=4"), "--set radus=4: unknown key 'radus'; did you mean 'radius'?");
    EXPECT_EQ(with("parameters.a = \"3 apples\""),
              "scene.toml:1:16: 'parameters.a.default' is a number: the unit \"apples\" is not known");
}

TEST(Parameters, Values) {
    const std::string head = "time.end = \"= c\"\nparameters.c = \"= 2*b\"\nparameters.b = { default = \"3 ms\" }\n";
    EXPECT_EQ(readText(head + kGood).endTime(), 6e-3);   // in any order
    EXPECT_EQ(readText(head + kGood, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = {"b=5"}}).endTime(), 10);
    EXPECT_EQ(readText(head + kGood, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = {"b=5 min"}}).endTime(),
              600);
    EXPECT_EQ(
        readText(head + kGood, {.scene = {}, .method = {}, .variant = {}, .precision = {}, .sets = {"parameters.c=7"}}).endTime(),
        7);
}

}  // namespace
}  // namespace talus::scene
