// SPDX-License-Identifier: Apache-2.0
#include "scene/units.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

namespace talus::scene {
namespace {

struct Case {
    const char* text;
    Dimension dimension;
    double value;
};

// To the bit: a scene in handy units is the scene in SI.
TEST(Units, NumbersWithDecimalUnitsAreTheNumbersInSi) {
    for (int k = 1; k < 2000; ++k) {
        const std::string digits = std::to_string(k / 100) + "." + std::to_string(k / 10 % 10) + std::to_string(k % 10);
        const auto plain = [&](int tens) { return std::stod(digits + "e" + std::to_string(tens)); };
        EXPECT_EQ(convertUnit(digits + " mm", Dimension::length).value, plain(-3));
        EXPECT_EQ(convertUnit(digits + " cm", Dimension::length).value, plain(-2));
        EXPECT_EQ(convertUnit(digits + " um", Dimension::length).value, plain(-6));
        EXPECT_EQ(convertUnit(digits + " cm2", Dimension::area).value, plain(-4));
        EXPECT_EQ(convertUnit(digits + " g/cm3", Dimension::density).value, plain(3));
        EXPECT_EQ(convertUnit("-" + digits + "e2 N/mm", Dimension::stiffness).value, -plain(5));
        EXPECT_EQ(convertAnyUnit(digits + " kPa").value, plain(3));
    }
    EXPECT_EQ(convertUnit("1.08 km/h", Dimension::velocity).value, 0.3);
    EXPECT_EQ(convertUnit("1.8 t/h", Dimension::massFlow).value, 0.5);
}

TEST(Units, ConvertToSi) {
    constexpr double pi = std::numbers::pi;
    const Case cases[]{
        {"4 mm", Dimension::length, 4e-3},
        {"4mm", Dimension::length, 4e-3},
        {"500 um", Dimension::length, 500e-6},
        {"-1.5e2 cm", Dimension::length, -1.5},
        {"2", Dimension::length, 2},
        {"+3 km", Dimension::length, 3000},
        {"3 cm2", Dimension::area, 3e-4},
        {"3 cm^2", Dimension::area, 3e-4},
        {"2 m³", Dimension::volume, 2},
        {"2 l", Dimension::volume, 2e-3},
        {"2 min", Dimension::time, 120},
        {"1 h", Dimension::time, 3600},
        {"3 ms", Dimension::time, 3e-3},
        {"5 g", Dimension::mass, 5e-3},
        {"2 t", Dimension::mass, 2000},
        {"30 deg", Dimension::angle, 30},
        {"30 °", Dimension::angle, 30},
        {"0.5 rad", Dimension::angle, 90 / pi},
        {"0.25 turn", Dimension::angle, 90},
        {"50 Hz", Dimension::frequency, 50},
        {"30 1/min", Dimension::frequency, 0.5},
        {"20 cm/s", Dimension::velocity, 0.2},
        {"36 km/h", Dimension::velocity, 10},
        {"981 cm/s2", Dimension::acceleration, 9.81},
        {"12 rpm", Dimension::angularVelocity, 0.4 * pi},
        {"180 deg/s", Dimension::angularVelocity, pi},
        {"1.5 g/cm3", Dimension::density, 1500},
        {"2 t/m3", Dimension::density, 2000},
        {"1 kPa", Dimension::pressure, 1000},
        {"1 N/mm2", Dimension::pressure, 1e6},
        {"3 bar", Dimension::pressure, 3e5},
        {"2 kN", Dimension::force, 2000},
        {"2 N*m", Dimension::torque, 2},
        {"3.6 t/h", Dimension::massFlow, 1},
        {"1 N/mm", Dimension::stiffness, 1000},
        {"4 mJ", Dimension::energy, 4e-3},
        {"300 K", Dimension::temperature, 300},
        {"7", Dimension::none, 7},
    };
    for (const Case& c : cases) {
        const Converted result = convertUnit(c.text, c.dimension);
        EXPECT_EQ(result.problem, "") << c.text;
        EXPECT_NEAR(result.value, c.value, 1e-14 * std::abs(c.value)) << c.text;
    }
}

TEST(Units, NumbersInTheUnitOfTheKeyAreExact) {
    EXPECT_EQ(convertUnit("30 deg", Dimension::angle).value, 30);
    EXPECT_EQ(convertUnit("0.1 rad/s", Dimension::angularVelocity).value, 0.1);
    EXPECT_EQ(convertUnit("0.1 kg/m3", Dimension::density).value, 0.1);
}

TEST(Units, EveryAcceptedUnitIsAccepted) {
    for (int d = 0; d <= static_cast<int>(Dimension::temperature); ++d) {
        const auto dimension = static_cast<Dimension>(d);
        std::string_view list = dimensionInfo(dimension).accepted;
        while (!list.empty()) {
            const std::string_view unit = list.substr(0, list.find(", "));
            EXPECT_EQ(convertUnit("1 " + std::string(unit), dimension).problem, "") << unit;
            list.remove_prefix(std::min(list.size(), unit.size() + 2));
        }
        const std::string_view own = dimensionInfo(dimension).unit;
        EXPECT_EQ(convertUnit("1 " + std::string(own), dimension).value, 1) << own;
    }
}

TEST(Units, SayWhatIsWrong) {
    EXPECT_EQ(convertUnit("4 mm", Dimension::time).problem, R"("4 mm" has a unit of length; write for example "4 s" or 4)");
    EXPECT_EQ(convertUnit("4 parsec", Dimension::length).problem,
              R"(the unit "parsec" is not known here; accepted are m, km, cm, mm, um)");
    EXPECT_EQ(convertUnit("long", Dimension::length).problem,
              R"("long" does not start with a number; write for example "1 m" or 1)");
    EXPECT_EQ(convertUnit("4 mm", Dimension::none).problem, R"("4 mm" has a unit of length; write 4)");
    EXPECT_EQ(convertUnit("3 apples", Dimension::none).problem, R"("3 apples" is no number; write 3)");
    EXPECT_EQ(convertUnit("4 m/K", Dimension::length).problem,
              R"("4 m/K" has a unit of something else; write for example "4 m" or 4)");
    EXPECT_NE(convertUnit("", Dimension::length).problem, "");
    EXPECT_NE(convertUnit("4 m/", Dimension::length).problem, "");
}

TEST(Units, ParametersTakeAnyUnit) {
    EXPECT_EQ(convertAnyUnit("10 cm").value, 0.1);
    EXPECT_EQ(convertAnyUnit("30 deg").value, 30);
    EXPECT_NEAR(convertAnyUnit("60 deg/s").value, std::numbers::pi / 3, 1e-15);
    EXPECT_NEAR(convertAnyUnit("1 rad").value, 180 / std::numbers::pi, 1e-13);
    EXPECT_EQ(convertAnyUnit("3 apples").problem, R"(the unit "apples" is not known)");
}

}  // namespace
}  // namespace talus::scene
