// SPDX-License-Identifier: Apache-2.0
// Whole runs of dem against the brute-force method.
#include "contract/inspect.h"
#include "contract/method_contract.h"
#include "contract/sphere_dem.h"
#include "core/rng.h"
#include "dem/dem.h"

#include <map>
#include <numbers>

namespace talus::contract {
namespace {

using namespace world;

std::map<std::int64_t, std::array<Vec3, 3>> byId(const Method& method) {
    const FieldTable table = read(method, {"id", "position", "velocity", "angular_velocity"});
    std::map<std::int64_t, std::array<Vec3, 3>> grains;
    for (std::size_t i = 0; i < table.count(); ++i)
        grains[table.integers("id")[i]] = {vectorAt(table, "position", i), vectorAt(table, "velocity", i), vectorAt(table, "angular_velocity", i)};
    return grains;
}

/// Spheres of sizes 1:4 that fall into a box with periodic sides, on a floor that shakes.
World rain() {
    constexpr double kSize = 0.05;
    World world = thrownBlock(kSize);
    world.domain.faces[0] = world.domain.faces[1] = FaceType::periodic;
    world.bodies = domainFaces(world.domain);
    world.bodies[2].motion = Motion({}, {}, {Oscillation{{0.002, 0, 0.004}, 15, 0, false}});
    world.contacts.set(0, 0, {.friction = 0.4});
    auto list = std::make_shared<ListedGrains>();
    for (int i = 0; i < 300; ++i) {
        Rng rng(5, 0, static_cast<std::uint64_t>(i));
        const double radius = 0.5 * kSize * rng.uniform(0.25, 1);
        list->positions.push_back(kSize * Vec3{1.3 * (i % 10) + rng.uniform(0, 0.3), 1.2 * (i / 10 % 6) + 1 + rng.uniform(0, 0.2), 1.2 * (i / 60) + 0.6 + rng.uniform(0, 0.2)});
        list->velocities.push_back({3 + rng.uniform(-1, 1), rng.uniform(-1, 1), -1});
        list->volumes.push_back(4 * std::numbers::pi / 3 * radius * radius * radius / world.materials[0].packingFraction);
    }
    world.fills = {{.region = {}, .material = 0, .source = 0, .velocity = {}, .listed = list}};
    return world;
}

TEST(DemAgainstOracle, sameGrainsAfterManyCollisions) {
    const SphereDemSettings law;
    dem::Settings settings;
    settings.stiffness = law.normalStiffness;
    settings.damping = law.normalDamping;
    settings.shearStiffness = law.shearStiffness;
    settings.shearDamping = 0;
    settings.rollingFriction = 0;
    settings.skin = 0.3;
    const double dt = 1e-5;
    settings.dt = dt;
    World slow = rain(), fast = rain();
    const auto oracle = sphereDemInfo.create(law, slow, Precision::float64);
    const auto method = dem::info.create(settings, fast, Precision::float64);
    const Exec exec(2);
    oracle->insert(exec, slow, slow.fills[0]);
    method->insert(exec, fast, fast.fills[0]);
    for (int step = 0; step < 5000; ++step) {
        ASSERT_TRUE(std::holds_alternative<Done>(oracle->step(exec, slow, dt))) << step;
        ASSERT_TRUE(std::holds_alternative<Done>(method->step(exec, fast, dt))) << step;
        slow.time = fast.time = slow.time + dt;
    }
    const auto expected = byId(*oracle), found = byId(*method);
    ASSERT_EQ(found.size(), expected.size());
    double position = 0, velocity = 0, spin = 0;
    for (const auto& [id, grain] : expected) {
        position = std::max(position, norm(fast.domain.nearestImage(found.at(id)[0] - grain[0])));
        velocity = std::max(velocity, norm(found.at(id)[1] - grain[1]));
        spin = std::max(spin, norm(found.at(id)[2] - grain[2]));
    }
    const double load = norm(slow.bodies[2].load.impulse);
    std::printf("    after 5000 steps: position %.1e m, velocity %.1e m/s, spin %.1e rad/s, load of the floor %.1e\n", position, velocity, spin,
                norm(slow.bodies[2].load.impulse - fast.bodies[2].load.impulse) / load);
    EXPECT_GT(load, 1) << "they came to the floor";
    // Rounding differs, and collisions make it grow: far below what any physical difference would do.
    EXPECT_LT(position, 1e-8);
    EXPECT_LT(velocity, 1e-6);
    EXPECT_LT(norm(slow.bodies[2].load.impulse - fast.bodies[2].load.impulse), 1e-9 * load);
}

}  // namespace
}  // namespace talus::contract
