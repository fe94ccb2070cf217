// SPDX-License-Identifier: Apache-2.0
// The room that grains remember, in one cell, against closed forms.
#include "nonsmooth/room.h"
#include "unit/nonsmooth/one_cell.h"

#include <gtest/gtest.h>

#include <cmath>

namespace talus::nonsmooth {
namespace {

constexpr double kDt = 0.01;
const Rheology kSand{.friction = chiFriction(0.6), .fastFriction = chiFriction(0.6)};

struct Cell : OneCell {
    explicit Cell(const Mat3& gradient) : OneCell(kSand, gradient, kDt) {}
    void remember(float room) {
        for (std::size_t row = 0; row < points.rows(); ++row) points.room(row) = room;
    }
    /// What the first point remembers after a step in which `counted` was seen.
    double after(double counted) {
        changeRoom(exec, frame, grid, problem, std::vector{counted}, taken, kDt, points);
        return points.room(0);
    }
};

/// Part of what is counted that comes in within a step.
double comesIn(double shear) { return -std::expm1(-kDt * (12 + shear)); }

TEST(Room, isWhatIsCountedWhereNothingIsKnown) {
    Cell cell({});
    EXPECT_NEAR(rememberedRoom(cell.grid, cell.points, 0, 0.07), 0.07, 1e-15);
    cell.remember(0.03F);
    cell.points.room(0) = kRoomUnknown;
    EXPECT_NEAR(rememberedRoom(cell.grid, cell.points, 0, 0.09), (7 * 0.03 + 0.09) / 8, 1e-8);
}

TEST(Room, isForgottenWhereGrainsAreSpreadThin) {
    Cell cell({});
    cell.remember(0);
    EXPECT_NEAR(rememberedRoom(cell.grid, cell.points, 0, 0.5), 0.5, 1e-15);
    EXPECT_NEAR(cell.after(0.5), 0.5, 1e-7);
}

TEST(Room, growsWithWhatFlowOpens) {
    const Mat3 apart = diagonal(2, 1, -0.5);
    Cell cell(apart);
    cell.remember(0.04F);
    const double opened = 0.04 + 1.04 * kDt * 2.5, part = comesIn(2 * strainRate(apart));
    EXPECT_NEAR(cell.after(0.02), opened + part * (0.02 - opened), 1e-7);
}

TEST(Room, neverFallsBelowNone) {
    Cell cell(diagonal(-30, 0, 0));
    cell.remember(0.04F);
    EXPECT_EQ(cell.after(0), 0);
}

// λ > 0 says that ∇·u has used up all room.
TEST(Room, isNoneWhereGrainsArePressed) {
    Cell cell({});
    cell.remember(0.1F);
    cell.problem.stress.front() = {1, 1, 1, 0, 0, 0};
    EXPECT_EQ(cell.after(0), 0);
    EXPECT_NEAR(cell.after(0.02), 0.02 * comesIn(0), 1e-8);
}

}  // namespace
}  // namespace talus::nonsmooth
