// SPDX-License-Identifier: Apache-2.0
// The method nonsmooth against closed-form answers.
#include "csv.h"
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"
#include "verification/granular_laws.h"
#include "world/free_body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace talus {
namespace {

using namespace test;
using nonsmooth::Settings;
using nonsmooth::StressBasis;

world::FieldTable read(const world::Method& method, std::initializer_list<std::string_view> names) {
    const std::vector<std::string_view> list(names);
    world::FieldTable table;
    method.read(Exec(1), list, table);
    return table;
}

double metric(const world::Method& method, std::string_view name) {
    for (const world::Metric& m : method.metrics())
        if (m.name == name) return m.value;
    return -1;
}

/// F_daviet_column_dcfp.csv: six cells of 0.1 m under gravity between smooth walls, one step. Largest relative error of the
/// mean of λ_zz over a cell.
double columnError(StressBasis basis) {
    world::World world;
    world.domain = {{0, 0, 0}, {0.3, 0.3, 0.8}, {}};
    world.materials = {world::Material{.name = "sand", .density = 2500, .packingFraction = 0.6, .muHat = 0.5}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0, 0, 0}, {0.3, 0.3, 0.6}), 0, 0, {}}};
    world.resolution.size = 0.1;
    Settings settings;
    settings.stressBasis = basis;
    settings.tolerance = 2e-9;   // where forces lie on the cone, the residual has half the digits of a double
    settings.mostSweeps = 50000;
    settings.strict = true;
    const auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    const world::FieldTable start = read(*method, {"id", "position"});
    std::map<std::int64_t, int> cell;
    for (std::size_t i = 0; i < start.count(); ++i) cell[start.integers("id")[i]] = static_cast<int>(start.reals("position")[3 * i + 2] / 0.1);
    const world::StepReport report = method->step(exec, world, 0.01);
    if (const auto* failed = std::get_if<world::Failed>(&report)) ADD_FAILURE() << failed->what;
    const world::FieldTable now = read(*method, {"id", "stress", "velocity"});
    std::array<double, 6> sum{}, count{};
    for (std::size_t i = 0; i < now.count(); ++i) {
        const auto k = static_cast<std::size_t>(cell[now.integers("id")[i]]);
        sum[k] += -now.reals("stress")[6 * i + 2] / 0.6;   // λ is the stress in the grains: total over volume fraction
        count[k] += 1;
        EXPECT_LT(std::abs(now.reals("velocity")[3 * i + 2]), 1e-6);
    }
    const CsvTable table("F_daviet_column_dcfp.csv");
    double worst = 0;
    for (std::size_t k = 0; k < 6; ++k) {
        const double expected = 0.5 * (table.number(k, "rho_g_depth_Pa") + table.number(k + 1, "rho_g_depth_Pa"));
        worst = std::max(worst, std::abs(sum[k] / count[k] / expected - 1));
    }
    std::printf("    %s: error %.1e, %.0f sweeps\n", nonsmooth::kStressBasisNames[static_cast<std::size_t>(basis)].data(), worst, metric(*method, "sweeps"));
    return worst;
}

TEST(NonsmoothVerification, aColumnCarriesItsWeight) {
    EXPECT_LT(columnError(StressBasis::constant), 1e-6);
    EXPECT_LT(columnError(StressBasis::trilinear), 1e-6);
}

/// D_daviet_infinite_slope_onestep.csv: a layer on a floor that holds it, gravity tilted, one step from rest with nothing known of
/// the stress. Acceleration of the upper half along the slope [m/s²], two cells at the surface aside where points lie by chance and it is rough.
double slopeAcceleration(double thetaDeg, double muHat, double cellsDeep, mpm::Start startOfPoints, nonsmooth::Constraint constraint, double tolerance,
                         nonsmooth::Solver solver = nonsmooth::Solver::gaussSeidel, std::uint64_t seed = 1) {
    const double h = 0.1, dt = 0.01;
    world::World world = layerOnASlope(h, cellsDeep, muHat, thetaDeg);
    world.seed = seed;
    Settings settings;
    settings.start = startOfPoints;
    settings.constraint = constraint;
    settings.tolerance = tolerance;
    settings.mostSweeps = 60000;
    settings.solver = solver;
    const auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
    const world::FieldTable now = read(*method, {"position", "velocity"});
    const double top = startOfPoints == mpm::Start::lattice ? cellsDeep * h : (cellsDeep - 2) * h;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < now.count(); ++i)
        if (const double z = now.reals("position")[3 * i + 2]; z > 0.5 * cellsDeep * h && z < top) {
            sum += now.reals("velocity")[3 * i];
            count += 1;
        }
    return sum / count / dt;
}

TEST(NonsmoothVerification, anInfiniteSlopeLetsGoAtItsAngle) {
    const CsvTable table("D_daviet_infinite_slope_onestep.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double theta = table.number(row, "theta_deg"), muHat = table.number(row, "mu_hat"), expected = table.number(row, "g(sin-mu_hat cos)");
        if (theta < 25 || (theta > 28.5 && theta < 29.5) || (theta > 31 && theta < 35)) continue;
        const double threshold = std::atan(muHat) * 180 / std::numbers::pi, a = slopeAcceleration(theta, muHat, 6, mpm::Start::lattice, nonsmooth::Constraint::volumeFraction, 1e-9);
        std::printf("    %.1f deg: %.5f m/s2, expected %.5f\n", theta, a, expected);
        EXPECT_TRUE(theta > threshold - 0.5 || a < 1e-3) << theta;
        EXPECT_TRUE(theta < threshold + 0.4 || a > 0.5 * expected) << theta;
        if (theta > threshold + 3) {
            EXPECT_NEAR(a, expected, 0.01 * expected) << theta;
            worst = std::max(worst, std::abs(a / expected - 1));
        }
    }
    std::printf("    worst acceleration error from 3 degrees above %.1e\n", worst);
}

// The same of deeper layers and of points that lie by chance. Those fill some places too little, which would have to be pressed together first: so
// nothing may be compressed here.
// Between tan⁻¹ μ̂ and tan⁻¹ (μ̂/√(1 − 4μ̂²/3)), 26.6° and 35.3° here, the law has solutions at rest and solutions that slide.
TEST(NonsmoothVerification, everySolverLetsASteepSlopeGo) {
    const double expected = 9.81 * (std::sin(29 * std::numbers::pi / 180) - 0.5 * std::cos(29 * std::numbers::pi / 180));
    for (const auto solver : {nonsmooth::Solver::gaussSeidel, nonsmooth::Solver::cadouxApgd, nonsmooth::Solver::cadouxSpg})
        for (const double tolerance : {1e-5, 1e-7}) {
            const double a = slopeAcceleration(29, 0.5, 6, mpm::Start::lattice, nonsmooth::Constraint::volumeFraction, tolerance, solver);
            std::printf("    %s, tolerance %.0e: %.4f m/s², expected %.4f\n", nonsmooth::kSolverNames[static_cast<std::size_t>(solver)].data(), tolerance, a, expected);
            EXPECT_NEAR(a, expected, 0.01 * 9.81);
        }
}

TEST(NonsmoothVerification, anInfiniteSlopeLetsGoAtItsAngleHoweverDeepAndWhereverPointsLie) {
    const double muHat = 0.5, threshold = std::atan(muHat) * 180 / std::numbers::pi;
    for (const double deep : {6.0, 20.0})
        for (const mpm::Start points : {mpm::Start::lattice, mpm::Start::jittered, mpm::Start::poisson}) {
            const auto at = [&](double theta, std::uint64_t seed = 1) { return slopeAcceleration(theta, muHat, deep, points, nonsmooth::Constraint::divergence, 1e-6, nonsmooth::Solver::gaussSeidel, seed); };
            const double below = at(threshold - 0.5), above = at(threshold + 0.5);
            const std::uint64_t seeds = points == mpm::Start::lattice ? 1 : 5;
            double well = 0;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) well += at(threshold + 5, seed) / static_cast<double>(seeds);
            const auto expected = [&](double degrees) { return dot(tiltedGravity(degrees), Vec3{1, 0, muHat}); };
            std::printf("    %.0f cells deep, %s: %.4f m/s2 half a degree below, %.4f above (%.4f), %.4f five degrees above (%.4f)\n", deep,
                        mpm::kStartNames[static_cast<std::size_t>(points)].data(), below, above, expected(threshold + 0.5), well, expected(threshold + 5));
            EXPECT_LT(below, 0.02);
            EXPECT_GT(above, 0.5 * expected(threshold + 0.5));
            // Layers that slide find friction up to 6 % lower where points lie by chance, in the mean of five chances: a single one of 20 cells finds
            // 0.5 to 6.4 % less, and 1 to 10 % less without friction of patterns within cells.
            const Vec3 g = tiltedGravity(threshold + 5);
            EXPECT_NEAR((g.x - well) / -g.z, muHat, (points == mpm::Start::lattice ? 0.01 : 0.06) * muHat);
        }
}

/// D_sliding_block.csv: a block that cannot yield on a floor with Coulomb friction, flat so that its heel, which carries no tension, is
/// little of it. Its acceleration [m/s²] from 0.1 to 0.4 s.
double slidingBlock(double thetaDeg, double friction) {
    const double h = 0.05;
    world::World world;
    world.domain = {{0, 0, 0}, {4, 4 * h, 1}, {}};
    world.domain.faces = {world::FaceType::wall, world::FaceType::wall, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::wall};
    world.materials = {world::Material{.name = "block", .density = 2000, .packingFraction = 1, .muHat = 20}, world::Material{.name = "floor"}};
    world.contacts.set(0, 1, {friction, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0.4, 0, 0}, {2, 4 * h, h}), 0, 0, {}}};
    world.resolution.size = h;
    world.gravity = tiltedGravity(thetaDeg);
    Settings settings;
    settings.tolerance = 1e-5;
    settings.mostSweeps = 5000;
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    const Exec exec(1);
    run.fill(exec);
    const auto speed = [&] {
        const world::Totals now = world::totals(exec, run);
        return now.momentum.x / now.mass;
    };
    advance(run, exec, 0.1);
    const double early = speed();
    advance(run, exec, 0.4);
    return (speed() - early) / 0.3;
}

/// Every so many rows of the table.
void expectBlocksToSlide(std::size_t every) {
    const CsvTable table("D_sliding_block.csv");
    double worst = 0;
    for (std::size_t row = 0; row < table.rows(); row += every) {
        const double theta = table.number(row, "theta_deg"), friction = table.number(row, "mu"), expected = table.number(row, "acceleration_m_s2");
        const double a = slidingBlock(theta, friction);
        if (std::abs(std::tan(theta * std::numbers::pi / 180) - friction) < 1e-6) {   // neither rests nor slides: its heel decides
            std::printf("    at the critical angle %.4f m/s2\n", a);
            continue;
        }
        EXPECT_NEAR(a, expected, std::max(1e-2 * expected, 1e-3)) << theta << " degrees, friction " << friction;
        if (expected > 0) worst = std::max(worst, std::abs(a / expected - 1));
    }
    std::printf("    worst relative error %.1e\n", worst);
}
TEST(NonsmoothVerification, aBlockSlidesWithTrueCoulombFriction) { expectBlocksToSlide(5); }
TEST(NonsmoothStudy, aBlockSlidesWithTrueCoulombFrictionInEveryRow) { expectBlocksToSlide(1); }

/// Half a column of width r₀ and height a r₀ against a smooth wall, in a slab, on a floor that holds it, until it has come to rest.
struct Collapse {
    double runOut = 0;        // (r∞ − r₀)/r₀
    double volumeKept = 0;    // area under the profile of the 99 % height over that of the column
    double energyGrowth = 0;  // largest growth of kinetic and potential energy in a step, over the energy at the start
};
Collapse collapse(double aspect, int cellsPerRadius, double muHat, std::optional<double> fastMuHat = {}) {
    const double r0 = 0.1, h = r0 / cellsPerRadius, height = aspect * r0, g = 9.81;
    world::World world;
    world.domain = {{0, 0, 0}, {r0 * (2 + 2.2 * aspect), 4 * h, 1.2 * height}, {}};
    world.domain.faces = {world::FaceType::wall, world::FaceType::wall, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::open};
    world.materials = {world::Material{.name = "sand", .muHat = muHat, .grainDiameter = r0 / 50}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) {
        body.material = 1;
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    }
    world.fills = {{boxBetween({0, 0, 0}, {r0, 4 * h, height}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.fastMuHat = fastMuHat;
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    const Exec exec(1);
    run.fill(exec);
    Collapse result;
    const double end = 6 * std::sqrt(height / g);
    double before = 0, start = 0;
    for (int i = 1; i <= 60; ++i) {
        const world::Totals then = world::totals(exec, run);
        before = then.kineticEnergy + then.potentialEnergy.value_or(0);
        if (i == 1) start = before;
        advance(run, exec, end * i / 60);
        const world::Totals now = world::totals(exec, run);
        result.energyGrowth = std::max(result.energyGrowth, (now.kineticEnergy + now.potentialEnergy.value_or(0) - before) / start);
    }
    const world::FieldTable grains = read(run.method(), {"position"});
    std::vector<double> x;
    std::map<int, std::vector<double>> heights;
    for (std::size_t i = 0; i < grains.count(); ++i) {
        x.push_back(grains.reals("position")[3 * i]);
        heights[static_cast<int>(x.back() / h)].push_back(grains.reals("position")[3 * i + 2]);
    }
    std::ranges::sort(x);
    result.runOut = (x[static_cast<std::size_t>(0.99 * static_cast<double>(x.size()))] - r0) / r0;
    double area = 0;
    for (auto& [bin, z] : heights) {
        std::ranges::sort(z);
        area += h * (z[static_cast<std::size_t>(0.99 * static_cast<double>(z.size() - 1))] + h / 4);
    }
    result.volumeKept = area / (r0 * height);
    std::printf("    a = %.1f, %d cells: run-out %.3f a, volume kept %.3f, energy growth %.1e, %lld steps, %lld points\n", aspect, cellsPerRadius, result.runOut / aspect, result.volumeKept,
                result.energyGrowth, static_cast<long long>(run.steps()), static_cast<long long>(run.method().count()));
    return result;
}

TEST(NonsmoothVerification, aSlabColumnRunsOutAsMeasured) {
    const Collapse c = collapse(2, 8, std::tan(std::numbers::pi / 6));
    EXPECT_GT(c.runOut, 1.2 * 2);
    EXPECT_LT(c.runOut, 1.8 * 2);
    EXPECT_LT(c.energyGrowth, 1e-3);
}

/// The energy that a grid sees: of the points' motion and of their gradients.
double kineticEnergy(const world::Method& method) {
    const world::FieldTable now = read(method, {"mass", "velocity"});
    double sum = 0;
    for (std::size_t i = 0; i < now.count(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) sum += 0.5 * now.reals("mass")[i] * std::pow(now.reals("velocity")[3 * i + axis], 2);
    return sum;
}

// Without gravity, and with no room to be compressed into, friction and impacts only ever take energy.
TEST(NonsmoothVerification, energyNeverGrowsWithoutForcing) {
    const double h = 0.05;
    world::World world;
    world.domain.max = {20 * h, 20 * h, 20 * h};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world.gravity = {0, 0, 0};
    world.fills = {{boxBetween(Vec3{3, 4, 6} * h, Vec3{9, 12, 12} * h), 0, 0, {2, 0.3, 0}}, {boxBetween(Vec3{9, 6, 7} * h, Vec3{15, 14, 13} * h), 0, 1, {-1, 0, 0.5}}};
    world.resolution.size = h;
    Settings settings;
    settings.constraint = nonsmooth::Constraint::divergence;
    const auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    const Exec exec(2);
    for (const world::Fill& fill : world.fills) method->insert(exec, world, fill);
    const double start = kineticEnergy(*method);
    double before = start, growth = 0;
    for (int step = 0; step < 60; ++step) {
        const double dt = method->stableStep(world);
        ASSERT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
        world.time += dt;
        const double now = kineticEnergy(*method);
        growth = std::max(growth, (now - before) / start);
        before = now;
    }
    std::printf("    energy left %.3f, largest growth in a step %.1e of the start\n", before / start, growth);
    EXPECT_LT(before, 0.5 * start);
    EXPECT_LT(growth, 1e-12);
}

/// A free ball or roller on a bed, in steps of 10 ms: speed at the end, and the mean force of the grains on it over its weight.
struct Resting {
    double speed = 0, fastest = 0, force = 0, depth = 0;
};
Resting onBed(std::shared_ptr<const geometry::Shape> shape, double density, double drop) {
    const double h = 0.02, bed = 8 * h;
    world::World world;
    world.domain.max = {16 * h, 16 * h, 30 * h};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    world::Body body{.name = "ball", .shape = std::move(shape), .motion = {}, .source = 0, .load = {}};
    world::FreeBody free = world::freeBody(body.shape->massProperties(), density);
    const double radius = 0.5 * body.shape->bounds().size().z;
    free.pose.position = {8 * h, 8 * h, bed + radius + drop};
    body.motion = free;
    world.bodies.push_back(std::move(body));
    world.fills = {{boxBetween({0, 0, 0}, {16 * h, 16 * h, bed}), 0, 0, {}}};
    world.resolution.size = h;
    Settings settings;
    settings.dt = 0.01;
    auto method = nonsmooth::info.create(settings, world, world::Precision::float64);
    world::Simulation run(std::move(world), std::move(method));
    const Exec exec(2);
    run.fill(exec);
    Resting result;
    const auto now = [&]() -> const world::Body& { return run.world().bodies.back(); };
    for (int i = 1; i <= 60; ++i) {
        advance(run, exec, 0.01 * i);
        result.fastest = std::max(result.fastest, norm(now().free()->pose.velocity));
    }
    const double impulse = now().load.impulse.z;
    advance(run, exec, 0.9);
    result.force = (now().load.impulse.z - impulse) / 0.3 / (now().free()->mass * 9.81);
    result.speed = norm(now().free()->pose.velocity);
    result.depth = bed + radius - now().free()->pose.position.z;
    std::printf("    density %.0f: force %.4f weights, speed %.1e m/s, fastest %.2f m/s, %.3f m deep, %lld steps, %.0f missed\n", density, result.force, result.speed, result.fastest,
                result.depth, static_cast<long long>(run.steps()), run.method().fallbacks().front().value);
    return result;
}

TEST(NonsmoothVerification, heavyAndLightBodiesRestOnABedInLongSteps) {
    for (const double density : {20000.0, 100.0}) {
        const Resting ball = onBed(std::make_shared<geometry::Sphere>(0.06), density, 0.02);
        EXPECT_NEAR(ball.force, 1, 0.02) << density;
        EXPECT_LT(ball.speed, 0.02) << density;
        EXPECT_LT(ball.fastest, 1.5) << density;   // it falls 2 cm, which gives 0.63 m/s
    }
}

// The bands of A_column_laws.csv, widened by 15 %.
TEST(NonsmoothStudy, slabColumnsRunOutAsMeasured) {
    for (const double aspect : {0.5, 1.0, 2.0, 4.0}) {
        const RunOutBand gate = runOutBand(false, aspect).widened(0.15);
        const Collapse c = collapse(aspect, 16, std::tan(std::numbers::pi / 6));
        EXPECT_GT(c.runOut, gate.low) << aspect;
        EXPECT_LT(c.runOut, gate.high) << aspect;
    }
}

// Lagrée's friction: 0.32 to 0.60, I₀ = 0.4, d = r₀/50; 2.2 a ± 10 %.
TEST(NonsmoothStudy, aSlabColumnWhoseFrictionGrowsWithSpeedRunsOutAsMeasured) {
    for (const int cells : {16, 24}) EXPECT_NEAR(collapse(2, cells, 0.32, 0.60).runOut, 2.2 * 2, 0.1 * 2.2 * 2) << cells;
}

}  // namespace
}  // namespace talus
