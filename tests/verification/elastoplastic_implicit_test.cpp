// SPDX-License-Identifier: Apache-2.0
// The implicit update against closed-form answers and against the explicit one.
#include "elastoplastic/elastoplastic.h"
#include "geometry/primitives.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace talus {
namespace {

using namespace test;
using elastoplastic::Integration;

elastoplastic::Settings implicitSettings(double step = 20) {
    elastoplastic::Settings settings;
    settings.integration = Integration::implicit;
    settings.implicitStep = step;
    return settings;
}

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    ADD_FAILURE() << "no metric " << name;
    return 0;
}

Vec3 meanVelocity(const Exec& exec, const world::Method& method) {
    world::FieldTable now;
    method.read(exec, std::array<std::string_view, 1>{"velocity"}, now);
    Vec3 sum;
    for (std::size_t i = 0; i < now.count(); ++i) sum += Vec3{now.reals("velocity")[3 * i], now.reals("velocity")[3 * i + 1], now.reals("velocity")[3 * i + 2]};
    return sum / static_cast<double>(now.count());
}

/// Layers of sand with their stress from the start, so that what moves is the method's own doing.
world::World slope(double degrees, double cells, double muHat, double friction) {
    world::World world = layerOnASlope(0.02, cells, muHat, degrees);
    world.materials.push_back(world::Material{.name = "floor"});
    world.contacts.set(0, 1, {friction, 0});
    for (world::Body& body : world.bodies) {
        body.contact = world::ContactMode::separate;
        body.material = 1;
    }
    return world;
}

// Gravity acts at once on a column of 1 m without stress; backward Euler damps its bounce. The weight above is carried within 1 %.
TEST(ElastoplasticImplicit, gravityColumnCarriesItsWeight) {
    const int cells = 20;
    const double h = 1.0 / cells, density = 1600;
    world::World world = layerOnASlope(h, cells, 5, 0);
    world.materials = {world::Material{.name = "block", .density = density, .packingFraction = 1, .muHat = 5}};
    world.bodies[0].contact = world::ContactMode::separate;
    world::Simulation simulation(world, elastoplastic::info.create(implicitSettings(), world, world::Precision::float64));
    const Exec exec(1);
    simulation.fill(exec);
    advance(simulation, exec, 2);
    world::FieldTable now;
    simulation.method().read(exec, std::array<std::string_view, 2>{"position", "stress"}, now);
    std::vector<std::array<double, 3>> layers(static_cast<std::size_t>(cells) + 2);
    for (std::size_t i = 0; i < now.count(); ++i) {
        const double z = now.reals("position")[3 * i + 2];
        std::array<double, 3>& layer = layers[static_cast<std::size_t>(z / h)];
        layer[0] += now.reals("stress")[6 * i + 2];
        layer[1] += 1;
        layer[2] += z;
    }
    double worst = 0, above = 0;
    for (std::size_t k = layers.size(); k-- > 0;) {
        if (layers[k][1] == 0) continue;
        const double weight = density * 9.81 * (above + 0.5 * layers[k][1]) / static_cast<double>(now.count());
        above += layers[k][1];
        if (k > 3 && k < 16) worst = std::max(worst, std::abs(layers[k][0] / layers[k][1] / -weight - 1));
    }
    std::printf("    sigma_zz error %.2e after %lld steps, %.1f Newton and %.1f Krylov iterations a step\n", worst, static_cast<long long>(simulation.steps()),
                metric(simulation.method(), "newton_iterations") / static_cast<double>(simulation.steps()), metric(simulation.method(), "krylov_iterations") / static_cast<double>(simulation.steps()));
    EXPECT_LT(worst, 0.01);
    EXPECT_LT(simulation.steps(), 2500);
}

// A bed that friction holds does not creep, though gravity acts at once: friction is in the solve.
TEST(ElastoplasticImplicit, heldSlopeDoesNotCreep) {
    for (const world::Precision precision : {world::Precision::float64, world::Precision::float32}) {
        world::World world = slope(20, 10, std::tan(35 * std::numbers::pi / 180), 0.7);
        world::Simulation simulation(world, elastoplastic::info.create(implicitSettings(), world, precision));
        const Exec exec(1);
        simulation.fill(exec);
        advance(simulation, exec, 1);
        const Vec3 before = world::totals(exec, simulation).centreOfMass;
        advance(simulation, exec, 2);
        const Vec3 creep = world::totals(exec, simulation).centreOfMass - before;   // in a second
        std::printf("    creep %.2e m/s along, %.2e m/s normal to the slope\n", creep.x, creep.z);
        EXPECT_LT(std::abs(creep.x), 1e-5);
        EXPECT_LT(std::abs(creep.z), 1e-5);
    }
}

// Rest below atan μ̂ and motion above; from 3° above on the acceleration is g (sin θ − μ̂ cos θ) within 1 %.
TEST(ElastoplasticImplicit, aLayerStandsOnASlopeUpToItsFrictionAngleAndSlidesBeyond) {
    const double muHat = world::Material{}.muHat, degree = std::numbers::pi / 180;
    const auto acceleration = [&](double degrees, double from) {
        world::World world = slope(degrees, 10, muHat, 1);
        elastoplastic::Settings settings = implicitSettings();
        settings.youngsModulus = 5.6e6;   // steps of 2.3 ms: sand that is sheared by γ in a step has less friction by γ²/4
        world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float64));
        const Exec exec(1);
        simulation.fill(exec);
        advance(simulation, exec, from);
        const double first = meanVelocity(exec, simulation.method()).x;
        advance(simulation, exec, from + 0.3);
        return (meanVelocity(exec, simulation.method()).x - first) / 0.3;
    };
    const double below = acceleration(29.0, 1.5);   // gravity that acts at once makes it slide a little first
    std::printf("    29 degrees: %.2e m/s^2\n", below);
    EXPECT_LT(std::abs(below), 3e-3);
    for (const double degrees : {33.0, 40.0}) {
        const double found = acceleration(degrees, 0.3), expected = 9.81 * (std::sin(degrees * degree) - muHat * std::cos(degrees * degree));
        std::printf("    %.0f degrees: %.4f m/s^2, expected %.4f\n", degrees, found, expected);
        EXPECT_NEAR(found, expected, 0.01 * expected);
    }
}

// Two blocks collide in free flight.
TEST(ElastoplasticImplicit, momentumIsConserved) {
    world::World world;
    world.domain = {{-2, -2, -2}, {2, 2, 2}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.gravity = {0, 0, 0};
    world.resolution.size = 0.1;
    world.fills = {{boxBetween({-0.3, -0.2, -0.2}, {0.0, 0.2, 0.2}), 0, 0, {1.0, 0.2, -0.1}}, {boxBetween({0.02, -0.25, -0.1}, {0.3, 0.1, 0.2}), 0, 1, {-1.0, 0.1, 0.3}}};
    world::Simulation simulation(world, elastoplastic::info.create(implicitSettings(), world, world::Precision::float64));
    const Exec exec(2);
    simulation.fill(exec);
    const world::Totals start = world::totals(exec, simulation);
    advance(simulation, exec, 0.1);
    const world::Totals end = world::totals(exec, simulation);
    EXPECT_EQ(start.mass, end.mass);
    EXPECT_LT(end.kineticEnergy, 0.9 * start.kineticEnergy) << "they must have collided";
    EXPECT_LT(norm(end.momentum - start.momentum), 1e-12 * static_cast<double>(simulation.steps()) * start.mass);
}

/// Sand of which 99 % lies within this distance of a line or an axis at the end.
struct Deposit {
    double front, height;   // [m]
};
Deposit collapse(const elastoplastic::Settings& settings, bool axial, int cellsAcross) {
    const double r0 = 0.1, h = r0 / cellsAcross, height = axial ? r0 : 2 * r0, reach = r0 * (axial ? 3 : 6.4);
    world::World world;
    world.domain = axial ? world::Domain{{-reach, -reach, 0}, {reach, reach, 0.15}, {}} : world::Domain{{0, 0, 0}, {reach, 4 * h, 0.3}, {}};
    if (!axial)
        for (const std::size_t face : {2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "sand"}, world::Material{.name = "rough"}, world::Material{.name = "smooth"}};
    world.contacts.set(0, 1, {1.0, 0});
    world.contacts.set(0, 2, {0.0, 0});
    world.resolution.size = h;
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = body.name == "domain.z_min" ? 1 : 2;
    world.fills = {{axial ? geometry::ShapePtr(std::make_shared<geometry::Cylinder>(r0, height))
                          : boxBetween({0, 0, 0}, {r0, 4 * h, height}),
                    0, 0, {}}};
    world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float32));
    const Exec exec(2);
    simulation.fill(exec);
    advance(simulation, exec, 5 * std::sqrt(height / 9.81));
    world::FieldTable grains;
    simulation.method().read(exec, std::array<std::string_view, 1>{"position"}, grains);
    std::vector<double> x;
    double top = 0;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        const std::span<const double> p = grains.reals("position").subspan(3 * i, 3);
        x.push_back(axial ? std::hypot(p[0], p[1]) : p[0]);
        top += p[2] / static_cast<double>(grains.count());
    }
    std::ranges::sort(x);
    return {x[static_cast<std::size_t>(0.99 * static_cast<double>(x.size()))], top};
}

void expectTheSameDeposit(bool axial, int cellsAcross, double step) {
    const Deposit expected = collapse({}, axial, cellsAcross), found = collapse(implicitSettings(step), axial, cellsAcross);
    std::printf("    %s, %d cells, %g times the explicit step: front %.4f m, %.4f explicit; mean height %.4f m, %.4f\n", axial ? "heap" : "slab", cellsAcross, step, found.front, expected.front, found.height, expected.height);
    EXPECT_NEAR(found.front, expected.front, 0.03 * expected.front);
    EXPECT_NEAR(found.height, expected.height, 0.03 * expected.height);
}

// The same slab column and heap as the explicit update, within 3 %: front and mean height.
TEST(ElastoplasticImplicit, aColumnRunsOutAsFarAsWithTheExplicitUpdate) { expectTheSameDeposit(false, 8, 20); }
TEST(ElastoplasticImplicitStudy, columnsAndHeapsRunOutAsFarAsWithTheExplicitUpdate) {
    expectTheSameDeposit(false, 12, 20);
    expectTheSameDeposit(true, 8, 10);
}

}  // namespace
}  // namespace talus
