// SPDX-License-Identifier: Apache-2.0
#include "study/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace talus::study {
namespace {

int measurements(RisingSearch& search, const std::function<double(double)>& f, int most = 20) {
    int count = 0;
    while (const std::optional<double> place = search.next()) {
        if (count == most) break;
        search.add({*place, f(*place)});
        ++count;
    }
    return count;
}

TEST(RisingSearch, findsWhereACurveReachesTheTarget) {
    const auto angle = [](double x) { return 18 + 14 * std::tanh(1.5 * x) + 4 * x; };
    for (const double target : {20.0, 25.0, 31.0, 36.0, 39.0}) {
        RisingSearch search(0, 2, 0.7, target, 0.3);
        EXPECT_LE(measurements(search, angle), 8) << target;
        EXPECT_TRUE(search.met()) << target;
        EXPECT_NEAR(angle(search.best().place), target, 0.3);
    }
}

TEST(RisingSearch, livesWithNoise) {
    int number = 0;
    const auto angle = [&](double x) { return 20 + 8 * x + std::sin(12.9 * ++number); };   // as much as heaps differ
    RisingSearch search(0, 2, 0.7, 30, 1);
    EXPECT_LE(measurements(search, angle), 8);
    EXPECT_TRUE(search.met());
}

TEST(RisingSearch, givesUpAtTheEndsAndWhereNoiseHidesTheTarget) {
    RisingSearch tooSteep(0, 2, 0.7, 50, 1), tooFlat(0, 2, 0.7, 5, 1), leap(0, 2, 0.7, 25, 1);
    EXPECT_LE(measurements(tooSteep, [](double x) { return 20 + 8 * x; }), 6);
    EXPECT_FALSE(tooSteep.met());
    EXPECT_EQ(tooSteep.best().place, 2);
    measurements(tooFlat, [](double x) { return 20 + 8 * x; });
    EXPECT_FALSE(tooFlat.met());
    EXPECT_EQ(tooFlat.best().place, 0);
    EXPECT_LT(measurements(leap, [](double x) { return x < 1.2345 ? 20.0 : 30.0; }, 100), 50);
    EXPECT_FALSE(leap.met());
}

TEST(FrictionAt, growsWithoutALeap) {
    for (const std::string_view shape : {"sphere", "tetra4"}) {
        Friction before = frictionAt(shape, 0);
        for (double place = 0.01; place <= 2; place += 0.01) {
            const Friction now = frictionAt(shape, place);
            EXPECT_GE(now.contact, before.contact);
            EXPECT_GE(now.rolling, before.rolling);
            EXPECT_GT(now.contact + now.rolling, before.contact + before.rolling);
            EXPECT_LT(now.contact + now.rolling, before.contact + before.rolling + 0.05);
            before = now;
        }
    }
    EXPECT_EQ(frictionAt("tetra4", 1).rolling, 0);
}

TEST(Calibrate, densitiesGoTogetherAndMakeSense) {
    CalibrationOptions options;
    options.angle = 30;
    options.density = 2600;
    const auto message = [&] {
        try {
            calibrate(options, [](const CalibrationRow&) {}, [] { return std::optional<ExitCode>(); });
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(message(), "--density and --bulk-density go together: their ratio is the packing fraction");
    options.bulkDensity = 2500;
    EXPECT_EQ(message(), "--bulk-density 2500 of grains of --density 2600 is a packing fraction of 0.962; grains lie at 0.2 to 0.74");
}

}  // namespace
}  // namespace talus::study
