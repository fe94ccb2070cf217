// SPDX-License-Identifier: Apache-2.0
// Cohesion of nonsmooth against closed forms, and beside that of elastoplastic.
#include "elastoplastic/elastoplastic.h"
#include "nonsmooth/nonsmooth.h"
#include "verification/bed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus {
namespace {

using namespace test;

constexpr double kMuHat = 0.5, kHeight = 0.1, kDensity = 2600 * 0.6;
/// Height over which a vertical cut does not stand: in plane flow without dilation √J₂ is the largest shear stress and p the mean of the two
/// principal stresses of the plane, so sin φ = μ̂ and c cos φ = k in 4 c tan(45° + φ/2)/(ρ g).
double cohesionFor(double criticalHeight) { return criticalHeight * kDensity * 9.81 * (1 - kMuHat) / 4; }

struct Cut {
    double moved;   // mean way of the grains, in heights
    double lowered; // of the centre of mass
};

/// A block as high as wide, with smooth walls at the back and the sides and a floor that holds it, for as long as it would take to fall four times.
Cut cutOf(const world::MethodInfo& info, const world::MethodSettings& settings, double cohesion, int cells, double shift = 0) {
    const double h = kHeight / cells;
    world::World world;
    world.domain = {{0, 0, 0}, {3 * kHeight, 4 * h, 1.5 * kHeight}, {}};
    world.domain.faces[2] = world.domain.faces[3] = world::FaceType::periodic;
    world.materials = {world::Material{.name = "sand", .density = 2600, .packingFraction = 0.6, .muHat = kMuHat, .cohesion = cohesion}, world::Material{.name = "glass"}};
    world.contacts.set(0, 1, {0, 0});
    world.bodies = world::domainFaces(world.domain);
    for (world::Body& body : world.bodies) body.material = 1;
    for (world::Body& body : world.bodies)
        if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
    world.fills = {{boxBetween({0, 0, 0}, {kHeight + shift * h, 4 * h, kHeight + shift * h}), 0, 0, {}}};
    world.resolution.size = h;
    world::Simulation simulation(world, info.create(settings, world, world::Precision::float32));
    const Exec exec(2);
    simulation.fill(exec);
    const double before = world::totals(exec, simulation).centreOfMass.z;
    const auto positions = [&] {
        world::FieldTable grains;
        simulation.method().read(exec, std::array<std::string_view, 2>{"id", "position"}, grains);
        std::vector<Vec3> at(grains.count());
        for (std::size_t i = 0; i < grains.count(); ++i) at[static_cast<std::size_t>(grains.integers("id")[i])] = {grains.reals("position")[3 * i], 0, grains.reals("position")[3 * i + 2]};
        return at;
    };
    const std::vector<Vec3> from = positions();
    advance(simulation, exec, 4 * std::sqrt(kHeight / 9.81));
    const std::vector<Vec3> to = positions();
    double way = 0;
    for (std::size_t i = 0; i < to.size(); ++i) way += norm(to[i] - from[i]) / static_cast<double>(to.size());
    return {way / kHeight, (before - world::totals(exec, simulation).centreOfMass.z) / kHeight};
}

nonsmooth::Settings precise() {
    nonsmooth::Settings settings;
    settings.tolerance = 1e-4;   // close to the critical height a block gives way a little with every step that is solved roughly
    return settings;
}

// On the grid and off it: points say themselves whether their grains touch. Measured 0.005 and 0.006 below, 0.13 and 0.15 above.
TEST(NonsmoothCohesion, aVerticalCutStandsToItsHeight) {
    for (const double shift : {0.0, 0.37}) {
        const Cut below = cutOf(nonsmooth::info, precise(), cohesionFor(kHeight / 0.8), 10, shift), above = cutOf(nonsmooth::info, precise(), cohesionFor(kHeight / 1.25), 10, shift);
        std::printf("    %.2f cells off the grid: moved by %.4f of its height at 0.8 of the critical one, by %.4f at 1.25\n", shift, below.moved, above.moved);
        EXPECT_LT(below.moved, 0.015);
        EXPECT_GT(above.moved, 0.08);
    }
    const Cut rough = cutOf(nonsmooth::info, nonsmooth::Settings{}, cohesionFor(2 * kHeight), 10);
    std::printf("    with the default tolerance: moved by %.4f at half the critical height\n", rough.moved);
    EXPECT_LT(rough.moved, 0.02);
}

// The same cut with the other method that knows cohesion.
TEST(NonsmoothCohesion, aCutStandsAndFallsAsWithElastoplastic) {
    for (const double height : {0.5, 2.0}) {
        const Cut implicit = cutOf(nonsmooth::info, precise(), cohesionFor(kHeight / height), 10);
        const Cut elastic = cutOf(elastoplastic::info, elastoplastic::Settings{}, cohesionFor(kHeight / height), 10);
        std::printf("    %.1f of the critical height: moved by %.4f, with elastoplastic by %.4f; lower by %.4f and %.4f\n", height, implicit.moved, elastic.moved, implicit.lowered, elastic.lowered);
        if (height < 1) {
            EXPECT_LT(std::max(implicit.moved, elastic.moved), 0.01);
        } else {
            EXPECT_GT(std::min(implicit.moved, elastic.moved), 0.15);
            EXPECT_NEAR(implicit.lowered, elastic.lowered, 0.25 * elastic.lowered);
        }
    }
}

// A tower turned against the grid, which the paper cannot hold up; and one whose cohesion shear has undone.
TEST(NonsmoothCohesion, aTowerTurnedAgainstTheGridStands) {
    const double width = 0.1, height = 0.2, h = 0.0125;
    const auto lowered = [&](double degrees, double cohesion) {
        world::World world;
        world.domain = {{-0.3, -0.3, 0}, {0.3, 0.3, 0.3}, {}};
        world.materials = {world::Material{.name = "sand", .density = 2600, .packingFraction = 0.6, .muHat = kMuHat, .cohesion = cohesion}};
        world.bodies = world::domainFaces(world.domain);
        for (world::Body& body : world.bodies)
            if (body.name == "domain.z_min") body.contact = world::ContactMode::sticky;
        const double angle = degrees * std::numbers::pi / 180;
        world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(Vec3{width, width, height}), RigidTransform{Quat::fromAxisAngle({0, 0, 1}, angle), {0.003, 0.002, 0.5 * height}}), 0, 0, {}}};
        world.resolution.size = h;
        world::Simulation simulation(world, nonsmooth::info.create(nonsmooth::Settings{}, world, world::Precision::float32));
        const Exec exec(2);
        simulation.fill(exec);
        const double before = world::totals(exec, simulation).centreOfMass.z;
        advance(simulation, exec, 0.5);
        return (before - world::totals(exec, simulation).centreOfMass.z) / height;
    };
    const double strength = kDensity * 9.81 * height * (1 - kMuHat) / 2;   // k at which a free column crushes at its foot
    for (const double degrees : {0.0, 17.0, 45.0}) {
        const double stands = lowered(degrees, 2 * strength);
        std::printf("    turned by %.0f degrees: lower by %.4f of its height after 0.5 s\n", degrees, stands);
        EXPECT_LT(stands, 0.015);
    }
    const double falls = lowered(17, 0.2 * strength);
    std::printf("    too weak: lower by %.3f\n", falls);
    EXPECT_GT(falls, 0.15);
}

}  // namespace
}  // namespace talus
