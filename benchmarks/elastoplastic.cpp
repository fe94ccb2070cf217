// SPDX-License-Identifier: Apache-2.0
// Speed of the explicit MPM: a column of sand falls onto a floor and collapses.
//   build/release/benchmarks/elastoplastic [points = 1e6] [steps = 60] [float|double]
// Prints million particle-steps per second and nanoseconds per particle-step of each phase, for one and two threads.
#include "elastoplastic/elastoplastic.h"
#include "geometry/operators.h"
#include "geometry/primitives.h"
#include "world/simulation.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace talus;

namespace {

/// A column of 0.5 x 0.5 x 1 m, 5 cm above a rough floor, moving down at 2 m/s.
world::World fallingColumn(double points) {
    world::World world;
    world.domain = {{-1, -1, 0}, {1, 1, 2}, {}};
    world.materials = {world::Material{.name = "sand"}};
    world.bodies = world::domainFaces(world.domain);
    const Vec3 size{0.5, 0.5, 1.0};
    world.fills = {{std::make_shared<geometry::Placed>(std::make_shared<geometry::Box>(size), RigidTransform{{}, {0, 0, 0.55}}), 0, 0, {0, 0, -2}}};
    world.resolution.grains = static_cast<std::int64_t>(points);
    return world;
}

void measure(double points, int steps, int threads, world::Precision precision) {
    const Exec exec(threads);
    world::World world = fallingColumn(points);
    const elastoplastic::Settings settings;
    std::unique_ptr<world::Method> method = elastoplastic::info.create(settings, world, precision);
    method->insert(exec, world, world.fills.front());
    const auto run = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const double dt = method->stableStep(world);
            if (!std::holds_alternative<world::Done>(method->step(exec, world, dt))) std::exit(1);
            world.time += dt;
        }
    };
    run(steps / 4);   // warm up, and let the column reach the floor
    const auto before = exec.phaseSeconds();
    const auto start = std::chrono::steady_clock::now();
    run(steps);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double pointSteps = static_cast<double>(method->count()) * steps;
    std::printf("%9lld  %7d  %6s  %8.2f ", static_cast<long long>(method->count()), threads, precision == world::Precision::float32 ? "float" : "double", pointSteps / seconds / 1e6);
    for (const char* phase : {"points to grid", "grid", "grid to points", "volumes", "sort"}) {
        const double spent = exec.phaseSeconds().count(phase) ? exec.phaseSeconds().find(phase)->second - (before.count(phase) ? before.find(phase)->second : 0.0) : 0.0;
        std::printf("  %14.1f", spent / pointSteps * 1e9 * threads);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const double points = argc > 1 ? std::atof(argv[1]) : 1e6;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 60;
    const auto precision = argc > 3 && std::strcmp(argv[3], "double") == 0 ? world::Precision::float64 : world::Precision::float32;
    std::printf("   points  threads            M steps/s  P2G [ns·thread]   grid            G2P + stress    sort\n");
    for (const int threads : {1, 2}) measure(points, steps, threads, precision);
}
