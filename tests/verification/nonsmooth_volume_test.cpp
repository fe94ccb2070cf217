// SPDX-License-Identifier: Apache-2.0
// The method nonsmooth keeps the volume of its grains, and what keeps it leaves grains at rest alone.
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    return -1;
}

world::Simulation start(world::World world, const Settings& settings, const Exec& exec) {
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    run.fill(exec);
    return run;
}

constexpr double kStirredCell = 0.02;

/// Part of the column of cells (i, j) that the blade of `stir` covers after `time`, by its hundred points.
double coveredByTheBlade(int i, int j, double time) {
    const double turn = 2 * std::numbers::pi * time;
    int covered = 0;
    for (int k = 0; k < 100; ++k) {
        const double x = i + (k % 10 + 0.5) / 10 - 8, y = j + (k / 10 + 0.5) / 10 - 8;
        if (std::abs(x * std::cos(turn) + y * std::sin(turn)) < 5 && std::abs(y * std::cos(turn) - x * std::sin(turn)) < 1) ++covered;
    }
    return covered / 100.0;
}

/// Height of the centre of mass of the same sand in the same columns, packed: what is higher has swollen, and not been heaped up.
double packedHeight(const world::Simulation& run) {
    const double h = kStirredCell, low = 3 * h, high = 9 * h;   // of the blade
    world::FieldTable now;
    run.method().read(Exec(1), std::vector<std::string_view>{"position", "volume"}, now);
    std::array<double, 256> sand{};
    for (std::size_t p = 0; p < now.count(); ++p) {
        const auto cell = [&](std::size_t axis) { return std::clamp(static_cast<int>(now.reals("position")[3 * p + axis] / h), 0, 15); };
        sand[static_cast<std::size_t>(16 * cell(0) + cell(1))] += now.reals("volume")[p] / (h * h);
    }
    double moment = 0, all = 0;
    for (int c = 0; c < 256; ++c) {
        const double covered = coveredByTheBlade(c / 16, c % 16, run.world().time), left = sand[static_cast<std::size_t>(c)];
        double to = left;   // level that it comes to
        if (to > low) to = low + (left - low) / (1 - covered);
        if (to > high) to = left + covered * (high - low);
        const double besideTheBlade = std::max(0.0, std::min(to, high) - low);
        moment += 0.5 * to * to - covered * besideTheBlade * (low + 0.5 * besideTheBlade);
        all += left;
    }
    return moment / all;
}

/// A bed of 16 x 16 x 12.5 cells in which a buried blade of 10 x 2 x 6 cells turns once a second. Half a turn brings the blade back to
/// itself: all are means over the last half second.
struct Stirred {
    double packed = 0;     // room around nodes more than half full, relative to the first half second
    double height = 0;     // of the centre of mass, relative to that of packed columns: 1 where nothing has swollen or sunk
    double lifted = 0;     // height of the centre of mass, relative to the start: a surface heaped by η lifts it by ⟨η²⟩/2D besides
    double overfull = 0;   // volume beyond φ_max, over that of the grains; not relative
    double energy = 0;     // that the correction added, over the work of lifting all by the depth of the bed
};
Stirred stir(double seconds, double correction) {
    const double h = kStirredCell, depth = 12.5 * h;
    world::World world;
    world.domain.max = {16 * h, 16 * h, 20 * h};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world::Body blade{.name = "blade", .shape = boxBetween(Vec3{-5, -1, -3} * h, Vec3{5, 1, 3} * h), .motion = {}, .load = {}};
    blade.motion = world::Motion({8 * h, 8 * h, 6 * h}, {}, {world::constantSpin({0, 0, 2 * std::numbers::pi})});
    world.bodies.push_back(blade);
    world.fills = {{boxBetween({0, 0, 0}, {16 * h, 16 * h, depth}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.volumeCorrection = correction;
    const Exec exec(1);
    world::Simulation run = start(std::move(world), settings, exec);
    const double startHeight = world::totals(exec, run).centreOfMass.z;
    const auto halfTurn = [&](double from) {
        constexpr int kSamples = 20;
        Stirred mean;
        for (int i = 1; i <= kSamples; ++i) {
            advance(run, exec, from + 0.5 * i / kSamples);
            const world::Totals now = world::totals(exec, run);
            mean.packed += metric(run.method(), "packed_volume_m3") / kSamples;
            mean.height += now.centreOfMass.z / packedHeight(run) / kSamples;
            mean.lifted += now.centreOfMass.z / kSamples;
            mean.overfull += metric(run.method(), "overfull_volume_m3") / (now.mass / (2600 * 0.6)) / kSamples;
            mean.energy = metric(run.method(), "correction_energy_J") / (now.mass * 9.81 * depth);
        }
        return mean;
    };
    const Stirred first = halfTurn(0);
    if (seconds > 1) advance(run, exec, seconds - 0.5);
    Stirred last = halfTurn(seconds - 0.5);
    last.packed /= first.packed;
    last.lifted /= startHeight;
    std::printf("    correction %.0f/s, %.1f s: packed %.4f of the first half turn; centre of mass %.4f of packed columns, %.4f of the start; overfull %.4f, energy added %.4f, %lld steps\n", correction,
                seconds, last.packed, last.height, last.lifted, last.overfull, last.energy, static_cast<long long>(run.steps()));
    return last;
}

TEST(NonsmoothVolume, aStirredBedKeepsIt) {
    const Stirred kept = stir(1.5, Settings{}.volumeCorrection);
    EXPECT_NEAR(kept.packed, 1, 0.01);
    EXPECT_NEAR(kept.height, 1, 0.01);
    EXPECT_GT(kept.energy, 0);
    const Stirred lost = stir(1, 0);
    EXPECT_LT(lost.height, 0.996);   // what there is to remedy
    EXPECT_EQ(lost.energy, 0);
}

TEST(NonsmoothStudy, aBedStirredForTenSecondsKeepsItsVolume) {
    for (const double seconds : {2.5, 5.0, 10.0}) {
        const Stirred kept = stir(seconds, Settings{}.volumeCorrection);
        EXPECT_NEAR(kept.packed, 1, 0.01);
        EXPECT_NEAR(kept.height, 1, 0.01);
    }
}

/// A layer of six cells on a floor that holds it, points where chance put them. Way of its centre of mass from 1 s to 2 s, in cells.
Vec3 creep(double thetaDeg, double correction) {
    const double h = 0.05;
    Settings settings;
    settings.volumeCorrection = correction;
    settings.start = mpm::Start::jittered;
    settings.tolerance = 1e-5;
    settings.mostSweeps = 2000;
    const Exec exec(1);
    world::Simulation run = start(layerOnASlope(h, 6, 0.5, thetaDeg), settings, exec);
    const auto meanOf = [&](std::string_view name) {
        world::FieldTable now;
        run.method().read(exec, std::vector<std::string_view>{name}, now);
        Vec3 sum;
        for (std::size_t i = 0; i < now.count(); ++i) sum += Vec3{now.reals(name)[3 * i], now.reals(name)[3 * i + 1], now.reals(name)[3 * i + 2]};
        return sum / static_cast<double>(now.count());
    };
    advance(run, exec, 1);
    const double height = meanOf("position").z;
    Vec3 way;
    for (int i = 1; i <= 50; ++i) {
        way += 0.02 * meanOf("velocity");   // positions wrap
        advance(run, exec, 1 + 0.02 * i);
    }
    way.z = meanOf("position").z - height;
    std::printf("    %.0f deg, correction %.0f/s: centre of mass moved by %.1e along, %.1e up, cells; energy added %.1e J\n", thetaDeg, correction, way.x / h, way.z / h,
                metric(run.method(), "correction_energy_J"));
    return way / h;
}

TEST(NonsmoothVolume, aSlopeStillRests) {
    for (const double theta : {0.0, 22.0}) {
        const Vec3 moved = creep(theta, Settings{}.volumeCorrection);
        EXPECT_LT(std::abs(moved.x), 1e-2) << theta;
        EXPECT_LT(std::abs(moved.z), 1e-2) << theta;
    }
}

// Grains put in at 0.6 where no more than 0.5 can be: they come to take up 1.2 times the room, without being thrown about.
TEST(NonsmoothVolume, whatWasPackedTooTightMovesApart) {
    const double h = 0.05, depth = 8 * h;
    world::World world;
    world.domain = {{0, 0, 0}, {4 * h, 4 * h, 16 * h}, {}};
    for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, depth}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.maxVolumeFraction = 0.5;
    const Exec exec(1);
    world::Simulation run = start(std::move(world), settings, exec);
    double fastest = 0;
    for (int i = 1; i <= 50; ++i) {
        advance(run, exec, 12 / settings.volumeCorrection * i / 50);
        fastest = std::max(fastest, world::totals(exec, run).maxSpeed);
    }
    const double height = 2 * world::totals(exec, run).centreOfMass.z / depth;
    std::printf("    takes up %.3f of the room at the start, fastest %.3f m/s\n", height, fastest);
    EXPECT_NEAR(height, 1.2, 0.02);
    EXPECT_LT(fastest, 0.3);
}

}  // namespace
}  // namespace talus
