// SPDX-License-Identifier: Apache-2.0
#include "dem/stages.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::dem {
namespace {

// y′ = y cos t, y = exp(sin t): halving the step divides the error of the method by 2⁵ and its own estimate, of order 4, by 2⁵ too.
TEST(Fehlberg, isOfOrderFive) {
    const auto run = [](int steps, double& estimate) {
        StageTable table;
        table.begin(1, 1);
        double y = 1, t = 0;
        const double h = 2.0 / steps;
        for (int n = 0; n < steps; ++n) {
            table.start(0)[0] = y;
            for (std::size_t s = 0; s < Fehlberg::kStages; ++s) table.rate(s, 0)[0] = table.at(0, 0, h, Fehlberg::a[s]) * std::cos(t + Fehlberg::c[s] * h);
            y = table.at(0, 0, h, Fehlberg::b);
            if (n == 0) estimate = table.error(0, 0, 1, h);
            t += h;
        }
        return std::abs(y - std::exp(std::sin(2.0)));
    };
    double coarse = 0, fine = 0;
    const double first = run(20, coarse), second = run(40, fine);
    EXPECT_NEAR(std::log2(first / second), 5, 0.3);
    EXPECT_NEAR(std::log2(coarse / fine), 5, 0.3);
}

TEST(Fehlberg, weightsAddUp) {
    double b = 0, e = 0;
    for (std::size_t s = 0; s < Fehlberg::kStages; ++s) {
        double a = 0;
        for (const double w : Fehlberg::a[s]) a += w;
        EXPECT_NEAR(a, Fehlberg::c[s], 1e-15);
        b += Fehlberg::b[s];
        e += Fehlberg::e[s];
    }
    EXPECT_NEAR(b, 1, 1e-15);
    EXPECT_NEAR(e, 0, 1e-15);
}

}  // namespace
}  // namespace talus::dem
