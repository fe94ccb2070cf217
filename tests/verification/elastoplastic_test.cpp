// SPDX-License-Identifier: Apache-2.0
// The explicit method against closed-form answers.
#include "csv.h"
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"

#include <cmath>
#include <map>

namespace talus {
namespace {

using namespace test;

struct Column {
    double middleError = 0;       // of the height that the reference point Z = 0.5 m has come to [m]
    double stressError = 0;    // largest relative error of layer means of σ_zz between 20 and 80 % of the height
};

// F_klar_gravity_column_exact.csv: an elastic column of 1 m on rollers, loaded slowly so that it comes to rest.
Column gravityColumn(int cells, const elastoplastic::Settings& settings = {}) {
    const double h = 1.0 / cells, density = 1600, g = 9.81;
    world::World world;
    world.domain = {{0, 0, 0}, {4 * h, 4 * h, 2}, {}};
    for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "block", .density = density, .packingFraction = 1, .muHat = 5}};
    world.bodies = world::domainFaces(world.domain);
    world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, 1}), 0, 0, {}}};
    world.resolution.size = h;
    world.gravity = {0, 0, 0};
    std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, world::Precision::float64);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());
    world::FieldTable start;
    method->read(exec, std::array<std::string_view, 2>{"id", "position"}, start);
    std::map<std::int64_t, double> startHeight;
    for (std::size_t i = 0; i < start.count(); ++i) startHeight[start.integers("id")[i]] = start.reals("position")[3 * i + 2];

    // Gravity is raised over ten periods of the column's slowest wave (4 H/c ≈ 0.19 s), then means are taken over one more.
    const double ramp = 2.0, mean = 0.4;
    const double dt = 0.8 * method->stableStep(world);
    std::map<double, std::array<double, 3>> layers;   // start height → Σ σ_zz, Σ z, count
    while (world.time < ramp + mean) {
        const double s = std::min(1.0, world.time / ramp);
        world.gravity.z = -g * s * s * (3 - 2 * s);
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
        world.time += dt;
        if (world.time < ramp) continue;
        world::FieldTable now;
        method->read(exec, std::array<std::string_view, 3>{"id", "position", "stress"}, now);
        for (std::size_t i = 0; i < now.count(); ++i) {
            std::array<double, 3>& layer = layers[startHeight[now.integers("id")[i]]];
            layer[0] += now.reals("stress")[6 * i + 2];
            layer[1] += now.reals("position")[3 * i + 2];
            layer[2] += 1;
        }
    }
    Column column;
    // Two layers of points make a cell.
    double below = 0, above = 0;
    for (auto first = layers.begin(); first != layers.end(); std::advance(first, 2)) {
        const auto second = std::next(first);
        const double z = 0.5 * (first->first + second->first);
        const double stress = (first->second[0] + second->second[0]) / (first->second[2] + second->second[2]);
        if (z > 0.2 && z < 0.8) column.stressError = std::max(column.stressError, std::abs(stress / (-density * g * (1 - z)) - 1));
    }
    for (const auto& [z, sums] : layers) {
        if (z < 0.5) below = sums[1] / sums[2];
        else if (above == 0) above = sums[1] / sums[2];
    }
    const CsvTable table("F_klar_gravity_column_exact.csv");
    double exact = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (table.number(row, "Z_ref_m") == 0.5) exact = table.number(row, "z_current_m");
    column.middleError = std::abs(0.5 * (below + above) - exact);
    return column;
}

TEST(ElastoplasticVerification, gravityColumnCarriesItsWeightAndConverges) {
    const Column coarse = gravityColumn(10), fine = gravityColumn(20);
    RecordProperty("stress_error_20_cells", std::to_string(fine.stressError));
    std::printf("    sigma_zz error %.2e (10 cells) %.2e (20 cells); displacement error %.3e m, %.3e m\n", coarse.stressError, fine.stressError, coarse.middleError, fine.middleError);
    EXPECT_LT(fine.stressError, 0.01);
    // First order: halving the spacing halves the error, with 15 % room.
    EXPECT_LT(fine.middleError, coarse.middleError / 1.7);
}

// D_sliding_block.csv: a flat block (a tall one parts at its heel, for sand carries no tension) that cannot yield, on a floor with Coulomb friction, gravity tilted. Returns its acceleration
// along the slope [m/s²] over a second.
double slidingBlock(double thetaDeg, double friction, world::Precision precision, elastoplastic::Settings settings = {}) {
    const double h = 0.05;
    world::World world;
    world.domain = {{0, 0, 0}, {8, 4 * h, 1}, {}};
    world.domain.faces = {world::FaceType::wall, world::FaceType::wall, world::FaceType::periodic, world::FaceType::periodic, world::FaceType::wall, world::FaceType::wall};
    world.materials = {world::Material{.name = "block", .density = 2000, .packingFraction = 1, .muHat = 20}, world::Material{.name = "floor"}};
    world.contacts.set(0, 1, {friction, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world.fills = {{boxBetween({0.4, 0, 0}, {1.2, 4 * h, 0.1}), 0, 0, {}}};
    world.resolution.size = h;
    settings.youngsModulus = 1e6;
    std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, precision);
    const Exec exec(1);
    method->insert(exec, world, world.fills.front());

    // Gravity is raised over 0.3 s, ten periods of the block's bounce (4 H/c ≈ 0.03 s): at full strength at once it would make
    // an elastic block hop, and a block that hops creeps. Mean speeds over 0.1 s, one second apart.
    double early = 0, late = 0;
    int earlySamples = 0, lateSamples = 0;
    while (world.time < 1.6) {
        const double s = std::min(1.0, world.time / 0.3);
        world.gravity = tiltedGravity(thetaDeg) * (s * s * (3 - 2 * s));
        const double dt = 0.9 * method->stableStep(world);
        EXPECT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
        world.time += dt;
        const bool isEarly = world.time > 0.5 && world.time < 0.6, isLate = world.time > 1.5 && world.time < 1.6;
        if (!isEarly && !isLate) continue;
        world::FieldTable now;
        method->read(exec, std::array<std::string_view, 1>{"velocity"}, now);
        double speed = 0;
        for (std::size_t i = 0; i < now.count(); ++i) speed += now.reals("velocity")[3 * i] / static_cast<double>(now.count());
        (isEarly ? early : late) += speed;
        ++(isEarly ? earlySamples : lateSamples);
    }
    return late / lateSamples - early / earlySamples;
}

TEST(ElastoplasticVerification, blockSlidesAsCoulombSays) {
    const CsvTable table("D_sliding_block.csv");
    int sliding = 0, resting = 0;
    for (std::size_t row = 0; row < table.rows(); row += 4) {   // a quarter of the table
        const double theta = table.number(row, "theta_deg"), mu = table.number(row, "mu"), expected = table.number(row, "acceleration_m_s2");
        const double found = slidingBlock(theta, mu, world::Precision::float64);
        std::printf("    %2.0f deg, mu %.3f: %.5f m/s^2, expected %.5f\n", theta, mu, found, expected);
        EXPECT_NEAR(found, expected, 1e-3 * (expected > 0 ? expected : 9.81)) << theta << " " << mu;
        ++(expected > 0 ? sliding : resting);
    }
    EXPECT_GE(sliding, 3);
    EXPECT_GE(resting, 3);
    EXPECT_NEAR(slidingBlock(35, 0.3, world::Precision::float32), 3.21602037, 1e-3 * 3.2);
}

// With the cubic kernel a floor is felt from further away: the first layers carry more of what is wrong, those above are right.
TEST(ElastoplasticVerification, cubicKernelCarriesColumnsAndSlidesBlocks) {
    elastoplastic::Settings cubic;
    cubic.kernel = mpm::Kernel::cubic;
    const Column coarse = gravityColumn(10, cubic), fine = gravityColumn(20, cubic);
    std::printf("    sigma_zz error %.2e (10 cells) %.2e (20 cells); displacement error %.3e m, %.3e m\n", coarse.stressError, fine.stressError, coarse.middleError, fine.middleError);
    EXPECT_LT(fine.stressError, 0.01);
    EXPECT_LT(fine.middleError, coarse.middleError / 1.7);
    const double found = slidingBlock(35, 0.3, world::Precision::float64, cubic), single = slidingBlock(35, 0.3, world::Precision::float32, cubic);
    std::printf("    35 deg, mu 0.3: %.5f m/s^2 (double), %.5f (float), expected 3.21602\n", found, single);
    EXPECT_NEAR(found, 3.21602037, 1e-3 * 3.2);
    EXPECT_NEAR(single, 3.21602037, 1e-3 * 3.2);
}

// A bed that friction holds on a slope stays where it is: PHYSICS §2 gives 1.3 cm/s for a scheme that moves points with the
// velocity before friction.
TEST(ElastoplasticVerification, heldSlopeDoesNotCreep) {
    for (const world::Precision precision : {world::Precision::float64, world::Precision::float32}) {
        const double h = 0.02;
        world::World world;
        world.domain = {{0, 0, 0}, {4 * h, 4 * h, 0.8}, {}};
        for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
        world.materials = {world::Material{.name = "sand", .muHat = std::tan(35 * std::numbers::pi / 180)}, world::Material{.name = "floor"}};
        world.contacts.set(0, 1, {0.7, 0});
        world.bodies = world::domainFaces(world.domain);
        for (world::Body& body : world.bodies) body.material = 1;
        world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, 20 * h}), 0, 0, {}}};
        world.resolution.size = h;
        const elastoplastic::Settings settings;
        std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, precision);
        const Exec exec(1);
        method->insert(exec, world, world.fills.front());

        // Gravity is raised slowly: at full strength at once it starts waves, and sand that swings yields a little with every
        // swing, which is physics. The mean velocity over 2 s at full gravity is the creep.
        const double ramp = 2.0, dt = 0.9 * method->stableStep(world);
        Vec3 sum;
        int samples = 0, step = 0;
        while (world.time < ramp + 2.2) {
            const double s = std::min(1.0, world.time / ramp);
            world.gravity = tiltedGravity(20) * (s * s * (3 - 2 * s));
            ASSERT_TRUE(std::holds_alternative<world::Done>(method->step(exec, world, dt)));
            world.time += dt;
            if (world.time < ramp + 0.2 || ++step % 10 != 0) continue;
            world::FieldTable now;
            method->read(exec, std::array<std::string_view, 1>{"velocity"}, now);
            for (std::size_t i = 0; i < now.count(); ++i)
                sum += Vec3{now.reals("velocity")[3 * i], 0, now.reals("velocity")[3 * i + 2]} / static_cast<double>(now.count());
            ++samples;
        }
        std::printf("    creep %.2e m/s along, %.2e m/s normal to the slope\n", sum.x / samples, sum.z / samples);
        EXPECT_LT(std::abs(sum.x) / samples, 1e-5);
        EXPECT_LT(std::abs(sum.z) / samples, 1e-5);
    }
}

// A stiff block lands on a floor that lies anywhere between two layers of nodes. Contact is felt through the kernel, 0.84 cells
// above the last node inside the floor, so its foot comes to rest within a cell of the floor: an error of first order.
// The bounds are what was measured, so that it gets no worse; half a cell and a mean of 0.1 would be wanted.
TEST(ElastoplasticVerification, blockStandsOnAFloorBetweenNodes) {
    const double h = 0.05, height = 8 * h;
    double sum = 0;
    constexpr int kPlaces = 4;
    for (int place = 0; place < kPlaces; ++place) {
        const double floor = h * (2 + (place + 0.5) / kPlaces);
        world::World world;
        world.domain = {{0, 0, 0}, {4 * h, 4 * h, 1}, {}};
        for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
        world.materials = {world::Material{.name = "block", .density = 2000, .packingFraction = 1, .muHat = 20}};
        world.bodies = world::domainFaces(world.domain);
        world.bodies.push_back({.name = "floor", .shape = std::make_shared<geometry::Plane>(Vec3{0, 0, 1}, Vec3{0, 0, floor}), .motion = {}, .load = {}});
        world.fills = {{boxBetween({0, 0, 3 * h}, {4 * h, 4 * h, 3 * h + height}), 0, 0, {}}};
        world.resolution.size = h;
        elastoplastic::Settings settings;
        settings.youngsModulus = 1e7;   // sinks by its weight less than 1e-4 m
        world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float32));
        const Exec exec(1);
        simulation.fill(exec);
        double foot = 0;
        for (int i = 0; i < 100; ++i) {   // the mean over a second, bounces included, after two for landing
            advance(simulation, exec, 2 + 0.01 * i);
            foot += (world::totals(exec, simulation).centreOfMass.z - 0.5 * height - floor) / h / 100;
        }
        EXPECT_LT(std::abs(foot), 0.9) << "cells, floor at " << floor / h;
        sum += foot;
    }
    std::printf("    foot of the block %.3f cells above the floor on average\n", sum / kPlaces);
    EXPECT_LT(std::abs(sum / kPlaces), 0.4);
}

TEST(ElastoplasticStudy, gravityColumnConvergesAtFirstOrder) {
    double error = 0;
    for (const int cells : {10, 20, 40}) {
        const Column column = gravityColumn(cells);
        std::printf("    %2d cells: sigma_zz error %.2e, displacement error %.3e m\n", cells, column.stressError, column.middleError);
        if (error > 0) {
            EXPECT_LT(column.middleError, error / 1.7);
        }
        error = column.middleError;
    }
}

TEST(ElastoplasticStudy, blockSlidesAsCoulombSaysForTheWholeTable) {
    const CsvTable table("D_sliding_block.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double theta = table.number(row, "theta_deg"), mu = table.number(row, "mu"), expected = table.number(row, "acceleration_m_s2");
        EXPECT_NEAR(slidingBlock(theta, mu, world::Precision::float64), expected, 1e-3 * (expected > 0 ? expected : 9.81)) << theta << " " << mu;
    }
}

// A block strikes the floor. Its volume is that of its strain: the pressure that damps sound is in `pressure`, not in `volume_ratio`.
TEST(ElastoplasticVerification, volumeFollowsTheStrainNotTheDamping) {
    for (const double viscosity : {0.0, 0.5}) {
        const double h = 0.05;
        world::World world;
        world.domain = {{0, 0, 0}, {4 * h, 4 * h, 1}, {}};
        for (const std::size_t face : {0u, 1u, 2u, 3u}) world.domain.faces[face] = world::FaceType::periodic;
        world.materials = {world::Material{.name = "block", .density = 2000, .packingFraction = 1, .muHat = 20}};
        world.bodies = world::domainFaces(world.domain);
        world.fills = {{boxBetween({0, 0, 0}, {4 * h, 4 * h, 8 * h}), 0, 0, {0, 0, -1}}};
        world.resolution.size = h;
        elastoplastic::Settings settings;
        settings.bulkViscosity = viscosity;
        settings.matchVolumes = false;
        world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float64));
        const Exec exec(1);
        simulation.fill(exec);
        advance(simulation, exec, 0.01);   // the wave is half way up
        world::FieldTable now;
        simulation.method().read(exec, std::array<std::string_view, 2>{"pressure", "volume_ratio"}, now);
        const double bulkModulus = settings.youngsModulus / (3 * (1 - 2 * settings.poissonRatio));
        double most = 0;   // strain that belongs to the pressure beyond that of the volume
        for (std::size_t i = 0; i < now.count(); ++i) {
            const double ratio = now.reals("volume_ratio")[i];
            if (ratio < 1) most = std::max(most, std::abs(now.reals("pressure")[i] * ratio / bulkModulus + std::log(ratio)));
        }
        if (viscosity == 0) EXPECT_LT(most, 1e-12);
        else EXPECT_GT(most, 1e-3);
    }
}

// Two blocks collide in free flight: mass and momentum are conserved, whatever the points keep of their velocities.
TEST(ElastoplasticVerification, momentumIsConserved) {
    using elastoplastic::Transfer;
    for (const Transfer transfer : {Transfer::aflip, Transfer::apic, Transfer::flip, Transfer::pic}) {
        world::World world;
        world.domain = {{-2, -2, -2}, {2, 2, 2}, {}};
        world.materials = {world::Material{.name = "sand"}};
        world.bodies = world::domainFaces(world.domain);
        world.gravity = {0, 0, 0};
        world.resolution.size = 0.05;
        world.fills = {{boxBetween({-0.3, -0.2, -0.2}, {0.0, 0.2, 0.2}), 0, 0, {1.0, 0.2, -0.1}}, {boxBetween({0.02, -0.25, -0.1}, {0.3, 0.1, 0.2}), 0, 1, {-1.0, 0.1, 0.3}}};
        elastoplastic::Settings settings;
        settings.transfer = transfer;
        world::Simulation simulation(world, elastoplastic::info.create(settings, world, world::Precision::float64));
        const Exec exec(2);
        simulation.fill(exec);
        const world::Totals start = world::totals(exec, simulation);
        advance(simulation, exec, 0.2);
        const world::Totals end = world::totals(exec, simulation);
        ASSERT_GT(simulation.steps(), 50);
        EXPECT_EQ(start.mass, end.mass);
        EXPECT_LT(end.kineticEnergy, 0.9 * start.kineticEnergy) << "they must have collided";
        EXPECT_LT(norm(end.momentum - start.momentum), 1e-12 * static_cast<double>(simulation.steps()) * start.mass) << elastoplastic::kTransferNames[static_cast<std::size_t>(transfer)];
    }
}

}  // namespace
}  // namespace talus
