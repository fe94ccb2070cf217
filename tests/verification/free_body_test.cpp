// SPDX-License-Identifier: Apache-2.0
// Free bodies on sand: they come to rest, and the sand carries them.
#include "elastoplastic/elastoplastic.h"
#include "verification/bed.h"
#include "world/free_body.h"

#include <cmath>

namespace talus {
namespace {

using namespace test;

struct Rest {
    double height = 0;          // of the body's centre above the bed [m]
    double speed = 0;           // largest in the last 0.2 s [m/s]
    double carried = 0;         // mean force of the grains over the weights of the bodies, in the last 0.2 s
};

/// Bodies dropped from above onto a bed of 0.4 x 0.4 x 0.12 m.
Rest dropped(const std::vector<world::FreeBody>& bodies, const geometry::ShapePtr& shape) {
    constexpr double h = 0.02, bed = 0.12;
    world::World world;
    world.domain.max = {0.4, 0.4, 0.6};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    double weight = 0;
    for (const world::FreeBody& body : bodies) {
        world.bodies.push_back({.name = "body", .shape = shape, .motion = body, .source = 0, .load = {}});
        weight += 9.81 * body.mass;
    }
    world.fills = {{boxBetween({0, 0, 0}, {0.4, 0.4, bed}), 0, 0, {}}};
    world.resolution.size = h;
    const elastoplastic::Settings settings;
    auto method = elastoplastic::info.create(settings, world, world::Precision::float32);
    world::Simulation simulation(std::move(world), std::move(method));
    const Exec exec(2);
    simulation.fill(exec);
    advance(simulation, exec, 0.6);
    const auto impulse = [&] {
        double sum = 0;
        for (const world::Body& body : simulation.world().bodies)
            if (body.free()) sum += body.load.impulse.z;
        return sum;
    };
    const double before = impulse();
    Rest rest;
    for (double time = 0.6; time < 0.7999; time += 0.005) {
        advance(simulation, exec, time + 0.005);
        for (const world::Body& body : simulation.world().bodies)
            if (body.free()) rest.speed = std::max(rest.speed, norm(body.free()->pose.velocity));
    }
    rest.carried = (impulse() - before) / 0.2 / weight;
    rest.height = simulation.world().bodies.back().free()->pose.position.z - bed;
    for (const world::Metric& fallback : simulation.method().fallbacks())
        if (fallback.name == "unsettled_body_steps") {
            EXPECT_LT(fallback.value, 0.01 * static_cast<double>(simulation.steps()));
        }
    return rest;
}

world::FreeBody at(const geometry::ShapePtr& shape, double density, double z) {
    world::FreeBody body = world::freeBody(shape->massProperties(), density);
    body.pose.position = {0.2, 0.2, z};
    return body;
}

TEST(FreeBodyOnSand, aHeavyBoxComesToRestAndIsCarried) {
    const auto box = std::make_shared<geometry::Box>(Vec3{0.12, 0.12, 0.08});
    const Rest rest = dropped({at(box, 5000, 0.17)}, box);
    EXPECT_LT(rest.speed, 0.02);
    EXPECT_NEAR(rest.carried, 1, 0.02);
    EXPECT_GT(rest.height, 0.0) << "it has not sunk in";
    RecordProperty("carried", std::to_string(rest.carried));
    RecordProperty("speed", std::to_string(rest.speed));
}

TEST(FreeBodyOnSand, aLightBallStaysOnTop) {
    const auto ball = std::make_shared<geometry::Sphere>(0.06);
    const Rest rest = dropped({at(ball, 20, 0.24)}, ball);
    EXPECT_LT(rest.speed, 0.05);
    EXPECT_NEAR(rest.carried, 1, 0.05);
    EXPECT_NEAR(rest.height, 0.06, 0.02) << "one cell";
}

TEST(FreeBodyOnSand, aStackIsCarriedAsAWhole) {
    const auto box = std::make_shared<geometry::Box>(Vec3{0.12, 0.12, 0.06});
    const Rest rest = dropped({at(box, 2000, 0.16), at(box, 2000, 0.2205), at(box, 2000, 0.281)}, box);
    EXPECT_LT(rest.speed, 0.02);
    EXPECT_NEAR(rest.carried, 1, 0.02);
    EXPECT_GT(rest.height, 0.12) << "the upper one of three";
}

}  // namespace
}  // namespace talus
