// SPDX-License-Identifier: Apache-2.0
// How deep a ball goes that falls into sand, against the table made from the law of Katsuragi and Durian.
#include "csv.h"
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"
#include "world/free_body.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace talus {
namespace {

using namespace test;

constexpr double kDiameter = 0.0254;   // of the ball [m]

/// Deepest place of the lowest point of a steel ball of six cells that hits a bed of glass beads, below the bed [m].
double penetration(double speed, double wide, double bed) {
    const double h = kDiameter / 6, radius = 0.5 * kDiameter;
    world::World world;
    world.domain = {{-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, bed + 3 * kDiameter}, {}};
    world.domain.faces[5] = world::FaceType::open;
    world.materials = {world::Material{.name = "beads", .density = 1520 / 0.6, .packingFraction = 0.6, .muHat = 0.45}, world::Material{.name = "steel"}};
    world.contacts.set(0, 1, {0.4, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    world::Body ball{.name = "ball", .material = 1, .shape = std::make_shared<geometry::Sphere>(radius), .motion = {}, .source = 0, .load = {}};
    world::FreeBody free = world::freeBody(ball.shape->massProperties(), 7800);
    free.pose.position = {0, 0, bed + 1.01 * radius};
    free.pose.velocity = {0, 0, -speed};
    ball.motion = free;
    world.bodies.push_back(std::move(ball));
    world.fills = {{boxBetween({-0.5 * wide, -0.5 * wide, 0}, {0.5 * wide, 0.5 * wide, bed}), 0, 0, {}}};
    world.resolution.size = h;
    elastoplastic::Settings settings;
    settings.k0 = 0.5;
    auto method = elastoplastic::info.create(settings, world, world::Precision::float32);
    world::Simulation run(std::move(world), std::move(method));
    const Exec exec(1);
    run.fill(exec);
    const auto pose = [&]() -> const auto& { return run.world().bodies.back().free()->pose; };
    for (int i = 1; i <= 60 && pose().velocity.z < -0.02 * speed; ++i) advance(run, exec, 0.0025 * i);
    std::printf("    %.1f m/s, %lld points: at %.2f m/s after %.0f ms\n", speed, static_cast<long long>(run.method().count()), -pose().velocity.z, 1e3 * run.world().time);
    return bed + radius - pose().position.z;
}

// PHYSICS: 30 % of depth_KD_ode_m of E_impact.csv, rows "2007 fit"; depth ∝ H^(0.28 … 0.40), H the drop and the depth together.
TEST(ElastoplasticStudy, aBallGoesAsDeepAsMeasured) {
    const CsvTable table("E_impact.csv");
    std::vector<double> logDrop, logDepth;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "case").find("2007 fit") == std::string::npos) continue;
        const double measured = table.number(row, "depth_KD_ode_m");
        const double depth = penetration(table.number(row, "v0"), 1.5 * table.number(row, "crater_diam_Uehara_m") + 0.03, 1.4 * measured + 0.03);
        std::printf("        %.1f mm deep, measured %.1f\n", 1e3 * depth, 1e3 * measured);
        std::fflush(stdout);
        EXPECT_NEAR(depth, measured, 0.3 * measured);
        logDrop.push_back(std::log(table.number(row, "h_drop_m") + depth));
        logDepth.push_back(std::log(depth));
    }
    ASSERT_EQ(logDrop.size(), 3u);
    const double exponent = (logDepth[2] - logDepth[0]) / (logDrop[2] - logDrop[0]);
    std::printf("    depth ~ H^%.2f\n", exponent);
    EXPECT_GT(exponent, 0.28);
    EXPECT_LT(exponent, 0.40);
}

}  // namespace
}  // namespace talus
