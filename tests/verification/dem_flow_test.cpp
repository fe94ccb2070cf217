// SPDX-License-Identifier: Apache-2.0
// Flows of dem that were measured in experiments: collapsing columns, craters of a ball.
#include "verification/dem_world.h"
#include "verification/granular_laws.h"
#include "world/free_body.h"

#include <algorithm>
#include <array>
#include <complex>
#include <vector>

namespace talus {
namespace {

using namespace test;

/// How far a column of grains of 30 degrees has come on a floor of glued grains, over its first radius or width; counted to where the deposit is half a
/// grain deep. Single grains roll further.
struct RunOut {
    double end = 0;      // (r∞ − r₀)/r₀
    double nearly = 0;   // when 95 % of it were reached, over √(h₀/g)
    std::size_t grains = 0;
};

/// Distance to where rings or strips two grains wide are half a grain deep.
double toe(const world::Simulation& run, bool axial, double width, double grain) {
    world::FieldTable now;
    run.method().read(Exec(1), std::array<std::string_view, 2>{"position", "volume"}, now);
    const double bin = 2 * grain;
    std::vector<double> depth;
    for (std::size_t i = 0; i < now.count(); ++i) {
        const double x = now.reals("position")[3 * i], y = now.reals("position")[3 * i + 1];
        const auto at = static_cast<std::size_t>((axial ? std::hypot(x, y) : x) / bin);
        if (depth.size() <= at) depth.resize(at + 1);
        const auto inner = static_cast<double>(at);
        depth[at] += now.reals("volume")[i] / (axial ? std::numbers::pi * bin * bin * (2 * inner + 1) : bin * width);
    }
    depth.push_back(0);
    const auto shallow = static_cast<std::size_t>(std::ranges::find_if(depth, [&](double d) { return d < 0.5 * grain; }) - depth.begin());
    const double deep = depth[shallow - 1];
    return bin * (static_cast<double>(shallow) - 0.5 + (deep - 0.5 * grain) / (deep - depth[shallow]));   // between the middles of two bins
}

RunOut collapse(bool axial, double aspect, double grainsAcross, const Exec& exec) {
    const double r0 = 0.1, grain = r0 / grainsAcross, height = aspect * r0, wide = 6 * grain, reach = r0 * (axial ? 4.5 : 3 + 2 * aspect);
    world::World world;
    world.domain = axial ? world::Domain{{-reach, -reach, 0}, {reach, reach, 1.2 * height}, {}} : world::Domain{{0, 0, 0}, {reach, wide, 1.2 * height}, {}};
    if (!axial) world.domain.faces[2] = world.domain.faces[3] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "grains"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
    world.contacts.set(0, 1, {.friction = 1});
    world.contacts.set(0, 2, {.friction = 0});
    world.resolution.size = grain;
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = body.name == "domain.z_min" ? 1 : 2;
    world.fills = {{axial ? geometry::ShapePtr(std::make_shared<geometry::Cylinder>(r0, height)) : boxBetween({0, 0, 0}, {r0, wide, height}), 0, 0, {}}};
    dem::Settings settings = softGrains();
    settings.covered = {{.body = "domain.z_min", .radius = 0.5 * grain, .spacing = grain, .rough = {}}};
    world::Simulation run = startDem(std::move(world), settings, exec, world::Precision::float32);
    const double unit = std::sqrt(height / kGravity);
    std::vector<double> fronts;
    constexpr double kEvery = 0.25, kEnd = 6;
    for (double t = kEvery; t <= kEnd; t += kEvery) {
        advance(run, exec, t * unit);
        fronts.push_back(toe(run, axial, wide, grain) / r0 - 1);
    }
    RunOut out{.end = fronts.back(), .grains = GrainTable(run.method()).count()};
    out.nearly = kEvery * static_cast<double>(1 + std::ranges::find_if(fronts, [&](double f) { return f >= 0.95 * out.end; }) - fronts.begin());
    return out;
}

void expectInBand(bool axial, double aspect, double grainsAcross) {
    const RunOut out = collapse(axial, aspect, grainsAcross, Exec(2));
    const RunOutBand band = runOutBand(axial, aspect), gate = band.widened(0.15);
    std::printf("    %s, a = %.1f, %zu grains: run-out %.3f r0, laws %.3f to %.3f; 95 %% of it after %.2f sqrt(h0/g)\n", axial ? "cylinder" : "slab", aspect, out.grains, out.end, band.low, band.high, out.nearly);
    std::fflush(stdout);
    EXPECT_GT(out.end, gate.low) << aspect;
    EXPECT_LT(out.end, gate.high) << aspect;
    EXPECT_LE(out.nearly, 4) << aspect;
}

TEST(DemFlow, aColumnRunsOutAsFarAsMeasured) { expectInBand(false, 1, 15); }
TEST(DemStudy, slabColumnsRunOutAsMeasured) {
    for (const double aspect : {0.5, 1.0, 2.0, 4.0}) expectInBand(false, aspect, 25);
}
// The deposit thins out, and its last grains are cut off where it is half a grain deep: with 8, 12, 16, 20 grains to the radius the run-out is 1.42, 1.68, 1.85, 1.96 r₀.
TEST(DemStudy, aCylinderRunsOutAsMeasured) { expectInBand(true, 2, 20); }

// PHYSICS: the log-slope over a = 4, 6, 8 is 2/3 ± 0.07 for slabs. Missed: 0.92 with 12 grains to the length of the slab, 0.81 with 25 (0.73 if what is cut off at the toe
// is so many grains whatever their size).
TEST(DemStudy, tallSlabsRunOutByAPower) {
    const std::array aspects{4.0, 6.0, 8.0};
    std::array<double, 3> runOuts{};
    for (std::size_t i = 0; i < aspects.size(); ++i) runOuts[i] = collapse(false, aspects[i], 25, Exec(2)).end;
    EXPECT_NEAR(fittedExponent(aspects, runOuts), 2.0 / 3, 0.07);
}

/// What a steel ball of one inch leaves in a bed of glass beads, after E_impact.csv. The beads of the experiment lie loose; so the bed is filled loosely and settles,
/// with the bulk density of the table.
struct Impact {
    double depth = 0;      // deepest place of its lowest point below the bed [m]
    double diameter = 0;   // of the crater at the height of the bed [m]
    std::array<double, 9> harmonics{};   // A_k: amplitude of k waves around, over the mean
    std::size_t grains = 0;
};
constexpr double kBall = 0.0127;   // its radius [m]

world::World worldOfBeads(double speed, double grain, double wide, double deep, double settled) {
    constexpr double kPacking = 0.52;
    world::World world;
    world.domain = {{-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, deep + 8 * kBall}, {}};
    world.domain.faces[5] = world::FaceType::open;
    world.materials = {world::Material{.name = "beads", .density = 1520 / kPacking, .packingFraction = kPacking, .muHat = 0.45}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {.friction = 0.4});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, deep}), 0, 0, {}}};
    world.resolution.size = grain;
    world::Body ball{.name = "ball", .material = 1, .shape = std::make_shared<geometry::Sphere>(kBall), .motion = {}, .active = {.from = settled}, .source = 0, .load = {}};
    world::FreeBody free = world::freeBody(ball.shape->massProperties(), 7800);
    free.pose.position = {0, 0, deep + kBall};
    free.pose.velocity = {0, 0, -speed};
    ball.motion = free;
    world.bodies.push_back(std::move(ball));
    return world;
}

/// Packed grains seen from above: how high they are in rings one grain wide and in 24 directions.
class Relief {
public:
    static constexpr std::size_t kAngles = 24;
    Relief(const world::Simulation& run, double grain, double wide) : grain_(grain), rings_(static_cast<std::size_t>(0.5 * wide / grain)), height_(rings_ * kAngles) {
        world::FieldTable now;
        run.method().read(Exec(1), std::array<std::string_view, 2>{"position", "volume"}, now);
        for (std::size_t i = 0; i < now.count(); ++i) {
            const double x = now.reals("position")[3 * i], y = now.reals("position")[3 * i + 1];
            const auto ring = static_cast<std::size_t>(std::hypot(x, y) / grain), angle = static_cast<std::size_t>((std::atan2(y, x) / (2 * std::numbers::pi) + 1) * kAngles) % kAngles;
            if (ring < rings_) height_[ring * kAngles + angle] += now.reals("volume")[i] / (std::numbers::pi * grain * grain * static_cast<double>(2 * ring + 1) / kAngles);
        }
    }
    double ofRing(std::size_t ring) const {
        double sum = 0;
        for (std::size_t angle = 0; angle < kAngles; ++angle) sum += height_[ring * kAngles + angle] / kAngles;
        return sum;
    }
    /// Out to where the bed is as high as before.
    double craterSince(const Relief& before) const {
        for (std::size_t ring = 1; ring < rings_; ++ring) {
            const double here = ofRing(ring - 1) - before.ofRing(ring - 1), there = ofRing(ring) - before.ofRing(ring);
            if (here < 0 && there >= 0) return 2 * grain_ * (static_cast<double>(ring) - 0.5 + here / (here - there));
        }
        return 0;
    }
    /// Of the middle of what has sunk in each direction.
    std::array<double, 9> harmonicsSince(const Relief& before) const {
        std::array<std::complex<double>, 9> waves{};
        for (std::size_t angle = 0; angle < kAngles; ++angle) {
            double sum = 0, weight = 0;
            for (std::size_t ring = 0; ring < rings_; ++ring) {
                const double sunk = std::max(0.0, before.ofRing(ring) - height_[ring * kAngles + angle]);
                sum += sunk * (static_cast<double>(ring) + 0.5), weight += sunk;
            }
            for (std::size_t k = 0; k < waves.size(); ++k) waves[k] += std::polar(sum / std::max(weight, 1e-12) * (k ? 2.0 : 1.0), -2 * std::numbers::pi * static_cast<double>(k * angle) / kAngles);
        }
        std::array<double, 9> amplitudes{};
        for (std::size_t k = 0; k < waves.size(); ++k) amplitudes[k] = std::abs(waves[k] / waves[0]);
        return amplitudes;
    }

private:
    double grain_;
    std::size_t rings_;
    std::vector<double> height_;
};

Impact impact(double speed, double grain, double wide, double deep, const Exec& exec) {
    constexpr double kSettled = 0.06, kAfter = 0.4;   // [s]; after 0.16 s what 4 m/s have thrown up still falls, and the crater seems an eighth narrower
    dem::Settings settings = softGrains();
    settings.youngsModulus = 1e7;
    settings.referenceSpeed = 0.5;
    world::Simulation run = startDem(worldOfBeads(speed, grain, wide, deep, kSettled), settings, exec, world::Precision::float32);
    advance(run, exec, kSettled);   // the bed settles, without the ball
    const Relief before(run, grain, wide);
    const GrainTable still(run.method());
    double surface = 0;   // of a bed of even density; the ball is stopped from there on, give or take a quarter of a bead
    for (std::size_t i = 0; i < still.count(); ++i) surface += 2 * still.vector("position", i).z / static_cast<double>(still.count());
    Impact out{.grains = still.count()};
    for (double t = kSettled + 0.002; t < kSettled + kAfter; t += 0.002) {
        advance(run, exec, t);
        out.depth = std::max(out.depth, surface + kBall - run.world().bodies.back().free()->pose.position.z);
    }
    const Relief after(run, grain, wide);
    out.diameter = after.craterSince(before);
    out.harmonics = after.harmonicsSince(before);
    return out;
}

// PHYSICS: depth within 30 % of the law of Katsuragi and Durian with their fit for this ball; depth ∝ H^{0.28…0.40}, diameter ∝ H^{0.21…0.29}, with H
// the whole way that it fell; A₄, A₈ < 2 %, of the widest crater: in the others a bead is more than that.
TEST(DemStudy, aBallLeavesACraterAsMeasured) {
    const CsvTable table("E_impact.csv");
    std::vector<double> fallen, depths, diameters;
    Impact last;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "case").find("2007 fit") == std::string::npos) continue;
        const double speed = table.number(row, "v0"), expected = table.number(row, "depth_KD_ode_m"), crater = table.number(row, "crater_diam_Uehara_m");
        last = impact(speed, 0.004, 1.5 * crater + 0.03, 1.4 * expected + 0.03, Exec(2));
        std::printf("    %.1f m/s, %zu beads: depth %.1f mm, expected %.1f; crater %.1f mm wide, %.1f by Uehara; A4 %.3f, A8 %.3f\n", speed, last.grains, 1e3 * last.depth, 1e3 * expected,
                    1e3 * last.diameter, 1e3 * crater, last.harmonics[4], last.harmonics[8]);
        std::fflush(stdout);
        EXPECT_NEAR(last.depth / expected, 1, 0.3) << speed;
        fallen.push_back(table.number(row, "h_drop_m") + last.depth);
        depths.push_back(last.depth);
        diameters.push_back(last.diameter);
    }
    const double depth = fittedExponent(fallen, depths), diameter = fittedExponent(fallen, diameters);
    std::printf("    depth goes with H^%.3f, diameter with H^%.3f\n", depth, diameter);
    EXPECT_GT(depth, 0.28);
    EXPECT_LT(depth, 0.40);
    EXPECT_GT(diameter, 0.21);
    EXPECT_LT(diameter, 0.29);
    EXPECT_LT(last.harmonics[4], 0.02);
    EXPECT_LT(last.harmonics[8], 0.02);
}

}  // namespace
}  // namespace talus
