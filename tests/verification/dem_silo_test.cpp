// SPDX-License-Identifier: Apache-2.0
// Silos of dem: the flow out of one does not depend on what stands above and follows Beverloo's law; walls carry a column as Janssen says.
#include "geometry/lathe.h"
#include "verification/dem_world.h"
#include "verification/granular_laws.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace talus {
namespace {

using namespace test;

constexpr double kGrain = 0.005;                                 // diameter [m]
const double kFall = std::sqrt(kGrain / kGravity);               // in which a grain falls half its diameter [s]

/// A cylinder with a flat bottom and a round outlet; lengths in grains.
struct Silo {
    double outlet = 0, radius = 0, fill = 0;
    double until = 0;   // where the fill has sunk to this, the flow is no longer looked at
};

/// Wall and bottom are two bodies, so that a grain in the corner touches both. The rim of the outlet is round, and its distance exact.
world::World siloWorld(const Silo& silo, double opens) {
    const double radius = silo.radius * kGrain, thick = 2 * kGrain, top = (silo.fill + 4) * kGrain;
    world::World world;
    world.domain = {{-radius - thick, -radius - thick, -3 * kGrain}, {radius + thick, radius + thick, top}, {}};
    world.domain.faces.fill(world::FaceType::open);
    world.materials = {world::Material{.name = "grains"}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {.friction = 0.4});
    world.resolution.size = kGrain;
    const auto add = [&](const char* name, geometry::ShapePtr shape, const world::TimeWindow& active = {}) {
        world.bodies.push_back({.name = name, .material = 1, .shape = std::move(shape), .motion = world::Motion({}, Quat{}, {}), .active = active, .load = {}});
    };
    add("wall", std::make_shared<geometry::Lathe>(geometry::Profile{{radius + 0.5 * thick, -thick}, {radius + 0.5 * thick, top}}, thick));
    add("bottom", std::make_shared<geometry::Lathe>(geometry::Profile{{0.5 * silo.outlet * kGrain + 0.5 * thick, -0.5 * thick}, {radius + thick, -0.5 * thick}}, thick));
    add("gate", boxBetween({-radius, -radius, -thick}, {radius, radius, 0}), {.to = opens});
    world.fills = {{std::make_shared<geometry::Cylinder>(radius, silo.fill * kGrain), 0, 0, {}}};
    return world;
}

struct Outflow {
    double flow = 0;     // over ρ √g d^2.5, with ρ the bulk density of the material
    double drift = 0;    // of the flow from the first half of what ran out to the second, over the flow
    double grains = 0;   // that ran out meanwhile
};

/// Mass that has left by time, from when the outlet has been open for ten times that in which a grain falls half its diameter.
Outflow discharge(const Silo& silo, const Exec& exec) {
    const double opens = 8 * kFall;
    world::Simulation run = startDem(siloWorld(silo, opens), softGrains(), exec, world::Precision::float32);
    const double area = std::numbers::pi * std::pow(silo.radius * kGrain, 2), grain = 2600 * sphereVolume(kGrain);
    advance(run, exec, opens);
    const double mass = world::totals(exec, run).mass, full = mass / (silo.fill * area * kGrain);   // [kg/m³]
    std::vector<double> time, left;
    for (double t = opens + 10 * kFall; mass - run.account().removedMass > full * area * silo.until * kGrain; t += kFall) {
        advance(run, exec, t);
        time.push_back(t);
        left.push_back(run.account().removedMass);
        if (testing::Test::HasFatalFailure() || time.size() > 2000) break;
    }
    const std::size_t half = time.size() / 2;
    const std::span<const double> t(time), m(left);
    const double flow = fitLine(t, m).slope, early = fitLine(t.first(half), m.first(half)).slope, late = fitLine(t.subspan(half), m.subspan(half)).slope;
    const Outflow out{.flow = flow / (run.world().materials.front().bulkDensity() * std::sqrt(kGravity) * std::pow(kGrain, 2.5)), .drift = (late - early) / flow, .grains = (left.back() - left.front()) / grain};
    std::printf("    outlet %.0f d, silo %.0f d wide, filled %.0f d: Q = %.3f rho sqrt(g) d^2.5, drift %.2f %%, %.0f grains\n", silo.outlet, 2 * silo.radius, silo.fill, out.flow, 100 * out.drift, out.grains);
    std::fflush(stdout);
    return out;
}

// PHYSICS: drift below 3 %, and the same flow from another height of fill to 3 %.
TEST(DemStudy, aSiloRunsOutEvenlyWhateverItsFill) {
    const Exec exec(2);
    const Outflow one = discharge({.outlet = 8, .radius = 9, .fill = 34, .until = 16}, exec), other = discharge({.outlet = 8, .radius = 9, .fill = 56, .until = 38}, exec);
    EXPECT_LT(std::abs(one.drift), 0.03);
    EXPECT_LT(std::abs(other.drift), 0.03);
    EXPECT_NEAR(other.flow / one.flow, 1, 0.03);
}

// PHYSICS: Q = C ρ √g (D − k d)^n over at least four openings, n = 2.5 ± 0.1.
TEST(DemStudy, openingsFlowByBeverloosLaw) {
    const Exec exec(2);
    std::vector<double> openings, flows;
    for (const Silo& silo : {Silo{5, 8, 26, 13}, Silo{7, 9, 30, 15}, Silo{10, 11, 26, 17}, Silo{14, 15, 30, 21}}) {
        const Outflow out = discharge(silo, exec);
        openings.push_back(silo.outlet);
        flows.push_back(out.flow);
    }
    const Beverloo law = fitBeverloo(openings, flows);
    std::printf("    C = %.3f, k = %.2f, n = %.3f\n", law.c, law.k, law.n);
    EXPECT_NEAR(law.n, 2.5, 0.1);
    EXPECT_GT(law.k, 0.5);   // what a grain takes off the opening; 1 to 2 in experiments
    EXPECT_LT(law.k, 3);
}

/// A column between rough walls whose floor sinks: walls carry all that friction can.
struct Column {
    double floor = 0, hydrostatic = 0, expected = 0, k = 0;   // pressures [Pa]; k: of the stress on walls to that on cross-sections
};
Column sinkingColumn(double wideGrains, double tallGrains, const Exec& exec) {
    const double wide = wideGrains * kGrain, tall = tallGrains * kGrain, friction = 0.3, speed = 0.02;
    world::World world;
    world.domain = {{0, 0, -6 * kGrain}, {wide, wide, tall + 2 * kGrain}, {}};
    world.materials = {world::Material{.name = "grains"}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {.friction = friction});
    world.bodies = world::domainFaces(world.domain);
    const double settled = 8 * kFall;
    const TimeTable<Vec3> sinking{{0, settled, settled + 1e-3}, {{}, {}, {0, 0, -speed}}};
    world.bodies.push_back({.name = "floor", .shape = boxBetween({-wide, -wide, -4 * kGrain}, {2 * wide, 2 * wide, 0}), .motion = world::Motion({}, {}, {world::Travel{Schedule<Vec3>(sinking)}}), .load = {}});
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0, 0, 0}, {wide, wide, tall}), 0, 0, {}}};
    world.resolution.size = kGrain;
    world::Simulation run = startDem(std::move(world), softGrains(), exec, world::Precision::float32);
    const double from = settled + 0.5 * kGrain / speed, to = from + 1.5 * kGrain / speed;
    const auto onWalls = [&] {
        double sum = 0;
        for (const world::Body& body : run.world().bodies) {
            if (body.name.starts_with("domain.x")) sum += std::abs(body.load.impulse.x);
            if (body.name.starts_with("domain.y")) sum += std::abs(body.load.impulse.y);
        }
        return sum;
    };
    advance(run, exec, from);
    const double floorBefore = run.world().bodies.back().load.impulse.z, wallsBefore = onWalls();
    constexpr int kSamples = 20;
    double down = 0, top = 0;
    std::size_t count = 0;
    for (int i = 1; i <= kSamples; ++i) {
        advance(run, exec, from + (to - from) * i / kSamples);
        const GrainTable now(run.method());
        count = now.count();
        double bottom = tall, mean = 0;
        for (std::size_t g = 0; g < count; ++g) {
            down -= now.stressZZ(g) / static_cast<double>(kSamples * count);
            bottom = std::min(bottom, now.vector("position", g).z - 0.5 * kGrain);
            mean += now.vector("position", g).z / static_cast<double>(count);
        }
        top += 2 * (mean - bottom) / kSamples;   // of a column of even density
    }
    const double mass = 2600 * sphereVolume(kGrain) * static_cast<double>(count), weight = mass * kGravity / (wide * wide);
    Column c;
    c.floor = -(run.world().bodies.back().load.impulse.z - floorBefore) / (to - from) / (wide * wide);
    c.hydrostatic = weight;
    c.k = (onWalls() - wallsBefore) / (to - from) / (4 * wide * top) / down;
    const double length = wide / (4 * friction * c.k);
    c.expected = weight / top * length * (1 - std::exp(-top / length));
    return c;
}

// PHYSICS: σ_zz = ρ g ℓ (1 − e^{−z/ℓ}), ℓ = D/(4 μ_w K), K from the run itself, 15 %.
void expectJanssen(double wide, double tall) {
    const Column c = sinkingColumn(wide, tall, Exec(2));
    std::printf("    %.0f x %.0f d: %.0f Pa on the floor, expected %.0f with K = %.3f from the run; hydrostatic %.0f\n", wide, tall, c.floor, c.expected, c.k, c.hydrostatic);
    EXPECT_NEAR(c.floor / c.expected, 1, 0.15);
    EXPECT_LT(c.floor, 0.8 * c.hydrostatic);
}
TEST(DemFlow, wallsCarryAColumnAsJanssenSays) { expectJanssen(10, 30); }
TEST(DemStudy, wallsCarryTallAndWideColumnsAsJanssenSays) {
    expectJanssen(10, 60);
    expectJanssen(16, 64);
}

TEST(GranularLaws, aFitFindsTheLawThatItsFlowsWereMadeBy) {
    const std::array openings{5.0, 7.0, 10.0, 14.0};
    std::array<double, 4> flows{};
    for (std::size_t i = 0; i < flows.size(); ++i) flows[i] = 0.58 * std::pow(openings[i] - 1.4, 2.5);
    const Beverloo law = fitBeverloo(openings, flows);
    EXPECT_NEAR(law.c, 0.58, 1e-2);
    EXPECT_NEAR(law.k, 1.4, 5e-3);
    EXPECT_NEAR(law.n, 2.5, 5e-3);
}

}  // namespace
}  // namespace talus
